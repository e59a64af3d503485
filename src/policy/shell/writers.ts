/** The programs whose purpose it is to change files, and which of their arguments are those files. */
import type { OptionName, OptionNames } from "./operands.ts";
import { rowsByName } from "./rows.ts";
import ROWS from "./writers.json" with { type: "json" };

export interface Copying {
  readonly recursive?: RegExp;
  /** Matches a source whose content is copied, and not the source itself. */
  readonly contents: RegExp;
  /** The option with which the copy replaces an existing folder, instead of lying in it. */
  readonly onto?: RegExp;
  /** If the destination does not exist: the copy gets its name, or lies in a new folder of that name. */
  readonly makes?: "copy" | "holder";
  readonly leaves?: RegExp;
  readonly clears?: RegExp;
  readonly moves?: RegExp;
  /** A source or destination on another machine. */
  readonly remote?: RegExp;
}

export interface Writer extends OptionNames {
  /**
   * Which operands are files: `all`, the `first`, all that are `removed` or `tampered` with, the `last` as the
   * destination, or with `moved` also the sources, which go away. `formatted`: all, also folders and patterns that the
   * program reads itself. `unknown`: only the running program knows.
   */
  readonly operands:
    | "all"
    | "first"
    | "removed"
    | "tampered"
    | "last"
    | "moved"
    | "formatted"
    | "unknown"
    | "none";
  /** Its first operands, each with a blank after it, without which it changes nothing. */
  readonly begins?: RegExp;
  readonly skips?: RegExp;
  /** The option with which it unpacks its operands, or true for always: each gives a file without the ending. */
  readonly unpacks?: RegExp | true;
  /** How many operands stand before the files, as the script of `sed`, unless an option replaces them. */
  readonly first?: { readonly count: number; readonly unless: RegExp };
  /** The option with which the old file stays under its name and this ending. */
  readonly keepsWith?: RegExp;
  /** If the first operand matches, it only adds permissions. */
  readonly onlyGives?: RegExp;
  /** The operand is the beginning of file names; the first of them ends so. */
  readonly ending?: string;
  readonly onlyWith?: RegExp;
  readonly never?: RegExp;
  /** How it names what it downloads: without an output option the address gives the name. */
  readonly loads?: { readonly named: RegExp | null; readonly into: OptionName };
  /** How a program with a destination copies folders and their content. */
  readonly copies?: Copying;
  /** More options that name a written file, as a word of their own or before `=`. */
  readonly named?: string;
  /** Whether it fills the folder that its output option names, or the one where it runs. */
  readonly fills?: boolean;
  /** Of a formatter: the files that it takes in a folder; absent for many kinds. */
  readonly takes?: RegExp;
  /** Of a formatter: the options that name what it leaves out. */
  readonly excluding?: RegExp;
}

export const WRITERS = rowsByName<Writer>(ROWS);
