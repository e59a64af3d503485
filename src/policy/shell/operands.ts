/** Splits the arguments of a program into options, their values, and operands. */
import { type Argument, withText } from "./word.ts";

export interface ValuedOptions {
  /** Letters of the short ones: `u` for `-u ana`. */
  readonly valued?: string;
  /** Names of the long ones: `user group` for `--user ana`. */
  readonly valuedLong?: string;
  /** More options with a value, whole words that no letters may precede: `-out` of `-out x`, `of` of `of=x`. */
  readonly named?: string;
}

export interface Operands {
  readonly operands: readonly Argument[];
  /** The operands behind `--`; undefined where it does not stand there. */
  readonly dashed: readonly Argument[] | undefined;
  /** The options as they are written. */
  readonly options: readonly string[];
  /** Whether one of these options is given, as `-f --force`; a letter also in a row of letters. */
  readonly has: (names: string) => boolean;
  /** The values of these options. */
  readonly values: (names: string) => readonly Argument[];
}

interface Leading extends Operands {
  readonly end: number;
}

export function split(rest: readonly Argument[], table: ValuedOptions): Operands {
  return read(rest, table, { isLeading: false });
}

/** Only the options before the first operand, and the index at which they end. */
export function leading(words: readonly Argument[], table: ValuedOptions): Leading {
  return read(words, table, { isLeading: true });
}

/** Reads options and operands; with `isLeading` only the options before the first operand. */
function read(
  words: readonly Argument[],
  { valued = "", valuedLong = "", named = "" }: ValuedOptions,
  { isLeading }: { readonly isLeading: boolean },
): Leading {
  const operands: Argument[] = [];
  const options: string[] = [];
  const given: { readonly name: string; readonly value: Argument | undefined }[] = [];
  let dashed: readonly Argument[] | undefined;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at]!;
    const { text } = word;
    const give = (name: string, value?: Argument) => given.push({ name, value });
    const [, before = text, after] = named || text.startsWith("--")
      ? /^([^=]*)=(.*)$/s.exec(text) ?? []
      : [];
    const names = named.split(" ");
    const isNamed = named !== "" && names.includes(before);
    // `-oFILE`, which no letters may precede either.
    const short = names.find((name) => /^-\w$/.test(name) && text.startsWith(name));
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
    if (after !== undefined && (isNamed || text.startsWith("--"))) {
      give(before, withText(word, after));
    } else if (isNamed || valuedLong.split(" ").includes(text.replace(/^--(?!-)/, ""))) {
      give(text, words[++at]);
    } else if (text.startsWith("--")) give(text);
    else if (short !== undefined) give(short, withText(word, text.slice(2)));
    else {
      for (let i = 1; i < text.length; i++) {
        const isValued = valued.includes(text[i]!);
        const value = i + 1 < text.length ? withText(word, text.slice(i + 1)) : words[at + 1];
        give(`-${text[i]}`, isValued ? value : undefined);
        if (!isValued) continue;
        if (i + 1 === text.length) at++;
        break;
      }
    }
  }
  const like = (names: string) => {
    const all = names.split(" ");
    return given.filter(({ name }) => all.includes(name));
  };
  return {
    operands,
    dashed,
    options,
    has: (names) => like(names).length > 0,
    values: (names) => like(names).flatMap(({ value }) => value ?? []),
    end: Math.min(at, words.length),
  };
}

/** `/usr/bin/git` as `git`; `GIT.EXE` as `git`. */
export function programName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return name.replace(/\.exe$/i, "") || word;
}
