/** Splits the arguments of a program into options, their values, and operands. */
import { type Argument, withText } from "./word.ts";

export interface ValuedOptions {
  /** The letters of short options with a value: `u` for `-u ana`. */
  readonly valued?: string;
  /** The names of long options with a value: `user group` for `--user ana`. */
  readonly valuedLong?: string;
  /** Other options with a value, which are whole words: `-out` of `-out x`, `of` of `of=x`. */
  readonly named?: string;
}

export interface Operands {
  readonly operands: readonly Argument[];
  /** The operands behind `--`; undefined where there is no `--`. */
  readonly dashed: readonly Argument[] | undefined;
  /** The options as they are written. */
  readonly options: readonly string[];
  /** Tells whether one of these options is given, such as `-f --force`; also finds `-f` in a row of letters: `-rf`. */
  readonly has: (names: string) => boolean;
  /** Returns the values of these options. */
  readonly values: (names: string) => readonly Argument[];
  /** The index of the first word that was not read. */
  readonly end: number;
}

/** Reads only the options before the first operand. */
export function leading(words: readonly Argument[], table: ValuedOptions): Operands {
  return split(words, table, { isLeading: true });
}

/** Reads options and operands; with `isLeading` only the options before the first operand. */
export function split(
  words: readonly Argument[],
  { valued = "", valuedLong = "", named = "" }: ValuedOptions,
  { isLeading = false } = {},
): Operands {
  const operands: Argument[] = [];
  const options: string[] = [];
  const given: { readonly name: string; readonly value: Argument | undefined }[] = [];
  const give = (name: string, value?: Argument) => given.push({ name, value });
  const [longNames, names] = [valuedLong.split(" "), named === "" ? [] : named.split(" ")];
  let dashed: readonly Argument[] | undefined;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at]!;
    const { text } = word;
    const isLong = text.startsWith("--");
    const equals = isLong || names.length > 0 ? text.indexOf("=") : -1;
    const before = equals < 0 ? text : text.slice(0, equals);
    const isNamed = names.includes(before);
    if (!isNamed && !/^-./.test(text)) {
      if (isLeading) break;
      operands.push(word);
      continue;
    }
    if (text === "--") {
      dashed = words.slice(++at);
      if (!isLeading) operands.push(...dashed);
      break;
    }
    options.push(text);
    // `-oFILE`, with no other letters before the `o`.
    const short = names.find((name) => /^-\w$/.test(name) && text.startsWith(name));
    if (equals >= 0 && (isNamed || isLong)) give(before, withText(word, text.slice(equals + 1)));
    else if (isNamed || longNames.includes(text.replace(/^--(?!-)/, ""))) give(text, words[++at]);
    else if (isLong) give(text);
    else if (short !== undefined) give(short, withText(word, text.slice(2)));
    else {
      for (let i = 1; i < text.length; i++) {
        const isLast = i + 1 === text.length;
        if (!valued.includes(text[i]!)) give(`-${text[i]}`);
        else {
          give(`-${text[i]}`, isLast ? words[++at] : withText(word, text.slice(i + 1)));
          break;
        }
      }
    }
  }
  const matching = (names: string) => {
    const all = names.split(" ");
    return given.filter(({ name }) => all.includes(name));
  };
  return {
    operands,
    dashed,
    options,
    has: (names) => matching(names).length > 0,
    values: (names) => matching(names).flatMap(({ value }) => value ?? []),
    end: Math.min(at, words.length),
  };
}

/** Returns the name of a program: `git` for `/usr/bin/git` and `git.exe`. */
export function programName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return name.replace(/\.exe$/i, "") || word;
}
