/** Translates words and cmdlets of PowerShell into words and commands of the POSIX shell. */
import { type Inner, join, type ShellCommand } from "./shell_command.ts";
import { type Argument, literal, OPEN, withText } from "./word.ts";
import TABLES from "./powershell.json" with { type: "json" };

/** A cmdlet. Blanks separate the words of all lists. */
interface Cmdlet {
  readonly name: string;
  /** Its other names that are also programs of the POSIX shell. */
  readonly programs?: string;
  readonly aliases?: string;
  /** Parameters that need no name, in their order. */
  readonly places: string;
  /** More parameters of its own, which win over those that all cmdlets know. */
  readonly others?: string;
  /** The parameter with which the cmdlet changes nothing. */
  readonly unless?: string;
  /**
   * The command of the POSIX shell. `$a,b` stands for the values of the first given parameter, or of `$files`, `$made`,
   * `$renamed`, `$piped` (see `valuesOf`), `|x` for the default; `-?a:x` adds the option `x` if `a` is given. Empty
   * where nothing changes. There is no command where a value and its default are missing.
   */
  readonly does: string;
  /** Other commands, by the beginning of the value of `-ItemType`. */
  readonly types?: Readonly<Record<string, string>>;
  /** The language of the words, if they are a script. */
  readonly runs?: string;
}

const listOf = (words = "") => words.split(" ").filter((word) => word !== "");

const CMDLETS: ReadonlyMap<string, Cmdlet> = new Map(
  TABLES.cmdlets.map((cmdlet): [string, Cmdlet] => [cmdlet.name, cmdlet]),
);

const BY_NAME: ReadonlyMap<string, Cmdlet> = new Map(
  Array.from(
    CMDLETS,
    ([name, cmdlet]) =>
      [name, ...namesOfCmdlet(name)].map((one) => [one.toLowerCase(), cmdlet] as const),
  ).flat(),
);

/** Commands of the POSIX shell, by the cmdlets that do the same. */
const SHELL_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(TABLES.shellNames));

/** Returns the program that a command starts: one of the POSIX shell, unless the name or a parameter is a cmdlet's. */
function calledAs(name: string, words: readonly string[]) {
  const lower = name.toLowerCase().replace(/^(?:microsoft\.powershell\.\w+\/)/, "");
  const shell = SHELL_NAMES.get(lower);
  const cmdlet = BY_NAME.get(lower);
  const isProgram = cmdlet?.does !== "" && listOf(cmdlet?.programs).includes(lower);
  const isCmdlet = shell === undefined && cmdlet !== undefined &&
    (!isProgram || words.some((word) => parameterOf(word, { least: 2 }) !== null));
  if (isCmdlet) return { name: cmdlet.name, isCmdlet };
  const plain = cmdlet !== undefined || /^[a-z]+$/.test(lower) ? lower : name;
  return { name: shell ?? plain, isCmdlet };
}

/** Returns the other names of a cmdlet; none for any other program. */
export function namesOfCmdlet(name: string): readonly string[] {
  const { programs, aliases } = CMDLETS.get(name) ?? {};
  return [...listOf(programs), ...listOf(aliases)];
}

export function isCmdlet(name: string): boolean {
  return CMDLETS.has(name) && name !== "mkdir";
}

/** Matches paths on drives without files. */
const NO_FILE = /^(?:alias|cert|env|function|hk\w+|variable|wsman):/i;

/** Returns the POSIX commands that do the same as a cmdlet; undefined for any other program. */
export function inCmdlet({ program, args, input }: ShellCommand): readonly Inner[] | undefined {
  if (!isCmdlet(program)) return undefined;
  const cmdlet = CMDLETS.get(program)!;
  const given = givenTo(cmdlet, args);
  if (given.has("whatif") || given.has(cmdlet.unless ?? "")) return [];
  // The names of files that come through the pipe; an open word stands for unknown names.
  const piped = input?.split("\n").filter((line) => line !== "").map(literal) ?? [OPEN];
  const type = given.get("itemtype")?.[0]?.text.toLowerCase();
  const [, does = cmdlet.does] = type === undefined ? [] : Object.entries(cmdlet.types ?? {})
    .find(([begins]) => type.startsWith(begins)) ?? [];
  const all = valuesOf(given, piped);
  const words: Argument[] = [];
  for (const part of listOf(does)) {
    const [, values, otherwise] = /^\$([\w,]+)(?:\|(.*))?$/.exec(part) ?? [];
    if (values === undefined) {
      const letterIf = (_: string, name: string, letter: string) => given.has(name) ? letter : "";
      const text = part.replace(/\?(\w+):(\w)/g, letterIf);
      if (text !== "-") words.push(literal(text));
    } else {
      const found = firstOf(all, values.split(","));
      if (found.length === 0 && otherwise === undefined) return [];
      words.push(...found.length === 0 ? listOf(otherwise).map(literal) : found);
    }
  }
  if (words.length === 0) return [];
  if (cmdlet.runs === undefined) return [{ kind: "command", words }];
  const language = cmdlet.runs === "powershell" ? { language: "powershell" } as const : {};
  return [{ kind: "script", text: join(words), parameters: [], ...language }];
}

/** Returns all values that `does` may name. */
function valuesOf(given: Given, piped: readonly Argument[]): Given {
  const values = (...names: readonly string[]) => firstOf(given, names);
  const named = values("literalpath", "path", "filepath");
  // With these parameters only the running cmdlet knows which files it means.
  const isFiltered = values("include", "filter").length > 0;
  const files = (named.length > 0 ? named : piped).filter(({ text }) => !NO_FILE.test(text))
    .map((file) => isFiltered ? OPEN : file);
  const inFolder = (folder: string | undefined) => (name: Argument) =>
    folder === undefined ? name : withText(name, `${folder}/${name.text}`);
  const made = values("name").map(inFolder(values("path")[0]?.text));
  const besideFile = inFolder(/^.*(?=\/)/s.exec(files[0]?.text ?? "")?.[0]);
  const renamed = values("newname").map(besideFile);
  const all = { files, piped, renamed, made: made.length > 0 ? made : values("path") };
  return new Map([...given, ...Object.entries(all)]);
}

/** Returns the values of the first of these names that has any. */
function firstOf(given: Given, names: readonly string[]): readonly Argument[] {
  return names.map((name) => given.get(name) ?? []).find(({ length }) => length > 0) ?? [];
}

/** The values of the given parameters; a switch has none. */
type Given = ReadonlyMap<string, readonly Argument[]>;

/** The parameters that take no value; below, all parameters. */
const SWITCHES: readonly string[] = TABLES.switches;
const PARAMETERS = [...SWITCHES, ...TABLES.valued];
const ALIASES = new Map(Object.entries(TABLES.aliases));

/** Returns the parameter that a word names by its beginning; null for none. The parameters in `own` come first. */
function parameterOf(
  word: string,
  { least, own = [] }: { readonly least: number; readonly own?: readonly string[] },
): string | null {
  const [, written] = /^-([a-z]+)(?::.*)?$/is.exec(word) ?? [];
  if (written === undefined || written.length < least) return null;
  const lower = written.toLowerCase();
  return ALIASES.get(lower) ?? PARAMETERS.find((name) => name === lower) ??
    [...own, ...PARAMETERS].find((name) => name.startsWith(lower)) ?? null;
}

function givenTo(cmdlet: Cmdlet, rest: readonly Argument[]): Given {
  const places = listOf(cmdlet.places);
  const own = [...places, ...listOf(cmdlet.others)];
  const given = new Map<string, readonly Argument[]>();
  const byPlace: Argument[][] = [];
  let into: Argument[] | null = null;
  let isList = false;
  for (const word of rest) {
    const { text, isOpen } = word;
    const wasList = isList;
    isList = text === "," && !isOpen;
    if (isList) continue;
    const parameter = isOpen && !text.includes(":") ? null : parameterOf(text, { least: 1, own });
    if (into !== null && (wasList || (into.length === 0 && parameter === null))) into.push(word);
    else if (parameter === null) byPlace.push(into = [word]);
    else {
      const at = text.indexOf(":");
      const isSwitch = SWITCHES.includes(parameter);
      const isOff = at >= 0 && (parameter === "whatif" ? /:(?!true$)/ : /:false$/).test(text);
      into = isSwitch ? null : at < 0 ? [] : [withText(word, text.slice(at + 1))];
      if (!isOff || !isSwitch) given.set(parameter, into ?? []);
    }
  }
  const hasPath = given.has("literalpath");
  const free = places.filter((place) => !given.has(place) && !(place === "path" && hasPath));
  for (const [i, words] of byPlace.entries()) {
    const place = free[i] ?? free.at(-1);
    if (place !== undefined) given.set(place, [...given.get(place) ?? [], ...words]);
  }
  const literally = given.get("literalpath");
  if (literally) given.set("literalpath", literally.map((word) => ({ ...word, isGlob: false })));
  return given;
}

export interface Word extends Argument {
  /** Whether no part of the word is quoted: then its `*` is a pattern for every program. */
  readonly isBare?: boolean;
}

/** Joins parts to one word; a single part stays as it is. */
export function joined(parts: readonly Argument[], between = ""): Argument {
  return parts.length === 1 ? parts[0]! : join(parts, between);
}

/** Returns the name that a variable has in the POSIX shell; null where only the running script knows its value. */
export function variableName(written: string): string | null {
  const [, scope = "", name = ""] = /^(?:(\w+):)?(\w+)$/.exec(written) ?? [];
  const plain = name.toLowerCase();
  if (plain === "" || /^(?:_|\d+|args|input|matches|this|psitem|unknown)$/.test(plain)) return null;
  if (/^(?:home|userprofile)$/.test(plain)) return "HOME";
  if (plain === "pwd") return "PWD";
  if (/^env$/i.test(scope)) return name;
  return /^(?:|global|script|local|private|using|variable)$/i.test(scope) ? plain : null;
}

/** Writes a word as a POSIX path: `/` for `\`, the home for `~`. A word that `expands` may be a pattern. */
export function texted(
  { isBare = false, ...word }: Word,
  { expands, home }: { readonly expands: boolean; readonly home: string | undefined },
): Argument {
  const dashed = word.text.replace(/^[\u2013-\u2015]/, "-");
  if (/\s/.test(dashed)) return withText(word, dashed);
  const path = dashed.replace(/^.*FileSystem::/i, "").replaceAll("\\", "/");
  const isPattern = (expands || isBare) && /[*?]|\[[^\]/]*\]/.test(path);
  if (!/^~(?=\/|$)/.test(path)) {
    return { ...withText(word, path), isGlob: word.isGlob || isPattern };
  }
  return home === undefined ? OPEN : { ...withText(word, home + path.slice(1)), isGlob: isPattern };
}

/** Parameters that are left out where the POSIX shell has a command for the cmdlet. */
const NAMED = /^-(?:path|literalpath|childpath|name|value|passthru|option|force)$/i;

/**
 * Translates a command into words of the POSIX shell. Only cmdlets take lists; other programs get values as words.
 * @returns `words` is empty for a cmdlet that only returns a value.
 */
export function shellWords(
  program: Word,
  given: readonly Word[],
  home: string | undefined,
): Readonly<Record<"words" | "prints", readonly Argument[]>> {
  const { name, isCmdlet } = program.isOpen
    ? { name: null, isCmdlet: false }
    : calledAs(program.text.replaceAll("\\", "/"), given.map(({ text }) => text));
  const words = given.filter(({ text, isBare }) => isCmdlet || text !== "," || isBare !== undefined)
    .map((word) => texted(word, { expands: isCmdlet, home }));
  const plain = words.filter(({ text }) => !NAMED.test(text));
  const called = name === null ? program : withText(program, name);
  if (name === "join-path") return { words: [], prints: [joined(plain, "/")] };
  if (name === "alias") return { words: [called, joined(plain, "=")], prints: [] };
  if (name === "cd" || name === "pushd") return { words: [called, ...plain], prints: [] };
  return { words: [called, ...words], prints: [name === "echo" ? joined(plain, " ") : OPEN] };
}
