/**
 * Finds the command that a program runs: as it is (`sudo`), out of a package (`npx`), in a prepared environment
 * (`bundle exec`), in a container (`docker exec APP PROGRAM`). A row of `runners.json` says where the other program
 * stands among the arguments.
 */
import { type Inner, join, scriptFrom } from "./shell_command.ts";
import { leading, type ValuedOptions } from "./operands.ts";
import { type Argument, literal, OPEN } from "./word.ts";
import { rowsByName } from "./rows.ts";
import TABLES from "./runners.json" with { type: "json" };

interface Runner extends ValuedOptions {
  /** Whether it runs programs out of packages, or in a container with another file system; absent for neither. */
  readonly kind?: "package" | "container";
  /** Words that may stand before the verb, such as `compose`. Blanks separate the words of all lists. */
  readonly groups?: string;
  /** Verbs that stand before the program. */
  readonly verbs?: string;
  /** The runner's own verbs, which run no program; any other first word is taken for the program. */
  readonly own?: string;
  /** How many operands stand before the program: the seconds of `timeout`. */
  readonly operands?: number;
  /** Words after which the program stands, if one of them is given; with `needsAfter`, one must be. */
  readonly after?: string;
  readonly needsAfter?: boolean;
  /** Options with which it runs no program. */
  readonly unless?: string;
  /** Whether the rest of the line is a script and no list of words; options may follow the operands. */
  readonly joins?: boolean;
  /** Whether it adds arguments from elsewhere, at the end or in the place of `{}`. */
  readonly appends?: boolean;
}

const RUNNERS = rowsByName<Runner>(TABLES.runners);

const DYNAMIC_LINKER = /^ld-(?:linux|musl)[\w-]*\.so\.\d+$/;

/** Tells whether a program runs others out of packages or in a container, or runs modules (`python -m black`). */
export function isRunner(name: string): boolean {
  return RUNNERS.find(name)?.kind !== undefined || /^python[\d.]*$/.test(name);
}

export function isContaining(name: string): boolean {
  return RUNNERS.find(name)?.kind === "container";
}

/** Returns the command or script that a program runs; undefined where it runs none. */
export function inRunner(name: string, rest: readonly Argument[]): Inner | undefined {
  const runner = RUNNERS.find(name.replace(DYNAMIC_LINKER, "ld.so"));
  if (runner === undefined) return undefined;
  const { groups, verbs, own, operands = 0, after, needsAfter, unless, joins, appends } = runner;
  const isIn = (words: string | undefined, text: string) => words?.split(" ").includes(text);
  if (rest.some(({ text }) => isIn(unless, text))) return undefined;
  const skip = (at: number) => at + leading(rest.slice(at), runner).end;
  let at = skip(0);
  if (isIn(groups, rest[at]?.text ?? "")) at = skip(at + 1);
  const verb = rest[at]?.text ?? "";
  if (isIn(verbs, verb)) at = skip(at + 1);
  else if (verbs !== undefined && isIn(own, verb) !== false) return undefined;
  const sign = rest.findIndex(({ text }) => isIn(after, text));
  if (needsAfter && sign < 0) return undefined;
  at = sign >= 0 ? sign + 1 : at + operands;
  if (joins) at = skip(at);
  while (/^[A-Za-z_]\w*=/.test(rest[at]?.text ?? "")) at++;
  const [program, ...others] = rest.slice(at);
  if (program === undefined) return undefined;
  if (joins) return scriptFrom(join([program, ...others]));
  if (appends && /\s/.test(program.text)) {
    return scriptFrom({ ...program, text: program.text.replace(/\{[./#%\d]*\}/g, '"$INPUT"') });
  }
  // `rimraf@5` is the program of that package.
  const named = { ...program, text: program.text.replace(/(.)@[^/@]*$/, "$1") };
  const words = [named, ...others];
  if (!appends) return { kind: "command", words };
  const placed = words.map((word) => word.text.includes("{}") ? OPEN : word);
  return { kind: "command", words: placed.includes(OPEN) ? placed : [...words, OPEN] };
}

/** How many lines `xargs -I` may read; if there are more, they count as unknown. */
const MAX_LINES = 32;

/** Returns the commands of `xargs`. `input` is what it reads: a text, or one argument that stands for all its words. */
export function inXargs(rest: readonly Argument[], input: string | Argument | undefined): Inner[] {
  const { end, has, values } = leading(rest, RUNNERS.find("xargs")!);
  const words = rest.slice(end);
  const command = words.length === 0 ? [literal("echo")] : words;
  const isElsewhere = has("-a --arg-file");
  const listed = typeof input === "object" && !isElsewhere ? input : OPEN;
  const isOther = typeof input === "object" || isElsewhere || has("-0 -d --null --delimiter");
  const known = isOther ? undefined : input;
  const replaced = values("-I --replace").at(-1)?.text ?? (has("-i --replace") ? "{}" : undefined);
  if (replaced === undefined) {
    const read = known?.split(/\s+/).filter((word) => word !== "").map(literal);
    return [{ kind: "command", words: [...command, ...read ?? [listed]] }];
  }
  const lines = known?.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const given = lines === undefined || lines.length > MAX_LINES ? [undefined] : lines;
  return given.map((line) => ({
    kind: "command",
    words: command.map((word) => {
      if (!word.text.includes(replaced)) return word;
      if (line === undefined) return word.text === replaced ? listed : OPEN;
      return { ...word, text: word.text.replaceAll(replaced, line) };
    }),
  }));
}
