/** What checks find: the lines of `doctor` and of `db check`. */
import { shortened } from "../../memory/text.ts";
import { MAX_FAULTS } from "./care_table.ts";

/** One line of `doctor` and of `db check`. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  /** What was found, one sentence. */
  readonly message: string;
  /** What to do, as in `UserError`: a command to paste wherever there is one; null when all is well. */
  readonly next: string | null;
  /** Every fault, where the message tells only the first. */
  readonly faults?: readonly string[];
}

/** What a check found, without the name of the check. */
export interface Finding extends Omit<Check, "name"> {
  /** Corrects it, and says in one sentence what was done, and what could not be. */
  readonly repair?: () => string | Repaired | Promise<string | Repaired>;
}

/** A repair that left something undone. */
export interface Repaired {
  readonly done: string;
  readonly undone: Finding;
}

/** All is well. */
export function ok(message: string): Finding {
  return { status: "ok", message, next: null };
}

/** Something to know: it works, but not as it should. */
export function warn(message: string, next: string, repair?: Finding["repair"]): Finding {
  return { status: "warn", message, next, ...(repair && { repair }) };
}

/** Something that keeps events from being recorded, or keeps them from being found. */
export function fail(message: string, next: string, repair?: Finding["repair"]): Finding {
  return { ...warn(message, next, repair), status: "fail" };
}

/** Longest fault in a message, in characters. */
const MAX_CHARS = 200;

/** The first fault, cut where it is long, and how many more there are. */
export function faultsText([first = "", ...others]: readonly string[]): string {
  const told = shortened(first, MAX_CHARS);
  const more = others.length + 1 < MAX_FAULTS ? others.length : `at least ${others.length}`;
  return others.length === 0 ? told : `${told} (and ${more} more)`;
}
