/** Recognises conclaude's own handlers in a settings file. Any other belongs to another tool and is never touched. */
import { baseName, isAbsolutePath } from "../../base/paths.ts";
import { isSameFile } from "../../system/process/executable.ts";
import { commandLine, isOurName, OWN_MARK, type Program, programLine, quoteWord } from "./hooks.ts";
import { DRAIN_WORD, type HookRole } from "./lanes.ts";

/** How our handlers are recognised, beyond the mark and the program's name. */
export interface Ownership {
  /** The program that is being installed: its handlers are ours under any name. */
  readonly program?: Program | undefined;
  /** Whether an absolute path leads to this very executable, perhaps by a link; by default none does. */
  readonly isThisExecutable?: (path: string) => boolean;
}

/**
 * Tells whether conclaude wrote a command handler:
 *
 * - `conclaude hook Stop`, with any folder before and any version or platform behind the name;
 * - `cc-state hook Stop --conclaude`, whatever the program is called: no other program writes the mark;
 * - `deno run … main.ts hook Stop`, and the same with the bundle's `main.js`, marked or from a folder of ours;
 * - whatever runs `ownership.program` the way that the installer writes it, or leads to this very executable.
 *
 * A command that does anything else besides (`conclaude hook Stop && notify-send done`) is a person's own.
 */
export function isOwnHandler(handler: unknown, ownership: Ownership = {}): boolean {
  return roleOf(handler, ownership) !== undefined;
}

/** Returns the role of our handler, by its command; `undefined` when it is not ours. */
export function roleOf(handler: unknown, ownership: Ownership = {}): HookRole | undefined {
  const own = commandsOf(handler).find((command) => isOwnCommand(command, ownership));
  if (own === undefined) return undefined;
  const word = own.args === undefined ? WRITTEN.exec(own.text)?.[2] : undefined;
  return (word ?? programWords(own)?.word) === DRAIN_WORD ? "drain" : "event";
}

function isOwnCommand(command: Command, ownership: Ownership): boolean {
  const { program, isThisExecutable = () => false } = ownership;
  if (program !== undefined && isRunBy(program, command)) return true;
  const { words, marked } = programWords(command) ?? { words: [], marked: false };
  const [first] = words;
  if (first === undefined || isNoProgram(first)) return false;
  if (words.length === 1) {
    return marked || isOurName(baseName(first)) ||
      (isAbsolutePath(first) && isThisExecutable(first));
  }
  const script = words[words.length - 1] ?? "";
  return /^deno(?:\.exe)?$/i.test(baseName(first)) &&
    words.slice(1, -1).includes("run") &&
    /^main\.[jt]s$/.test(baseName(script)) &&
    (marked || isInOurFolder(script));
}

/** Tells whether a folder on the way carries our name, like a clone or an unpacked release. */
function isInOurFolder(script: string): boolean {
  return script.split(/[\\/]/).slice(0, -1).some(isOurName);
}

/** Tells whether a word is an assignment (`PATH=/opt/conclaude`) or a comment. */
function isNoProgram(word: string): boolean {
  return /^(?:#|[A-Za-z_]\w*=)/.test(word);
}

interface Command {
  readonly text: string;
  /** Arguments of the form without a shell. */
  readonly args: readonly string[] | undefined;
}

/** Returns the commands that a handler may mean. With `args` the command should be one word; people also write more. */
function commandsOf(handler: unknown): readonly Command[] {
  if (typeof handler !== "object" || handler === null) return [];
  const { type, command, args } = handler as Record<string, unknown>;
  if (type !== "command" || typeof command !== "string") return [];
  const line = { text: command, args: undefined };
  if (args === undefined) return [line];
  const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
  return [{ text: command, args: words }, line];
}

/** Returns a handler's command as a person would type it. With `args` Claude Code starts it without a shell. */
export function handlerLine(handler: unknown): string {
  const command = String(memberOf(handler, "command"));
  const args = memberOf(handler, "args");
  return Array.isArray(args) ? [command, ...args.map(String)].map(quoteWord).join(" ") : command;
}

/** The installer's own form of a handler. */
const WRITTEN = new RegExp(`^(.*) hook ([A-Za-z]+)(?: ${OWN_MARK})?$`, "s");

function isRunBy(program: Program, command: Command): boolean {
  const line = handlerLine({ command: command.text, args: command.args });
  return WRITTEN.exec(line)?.[1] === programLine(program);
}

interface HookWords {
  /** The words before `hook <Event>`. */
  readonly words: readonly string[];
  /** The event's word in the command; `undefined` when the command has none and the payload names the event. */
  readonly word: string | undefined;
  readonly marked: boolean;
}

/** Takes `<program> hook [<Event>]` apart; `undefined` when the command is anything else. */
function programWords(command: Command): HookWords | undefined {
  const all = command.args === undefined
    ? splitWords(command.text)
    : [command.text, ...command.args];
  const marked = all?.at(-1) === OWN_MARK;
  const words = marked ? all?.slice(0, -1) : all;
  if (words?.at(-1) === "hook") return { words: words.slice(0, -1), word: undefined, marked };
  const word = words?.at(-1) ?? "";
  if (words?.at(-2) !== "hook" || !/^[A-Za-z]+$/.test(word)) return undefined;
  return { words: words.slice(0, -2), word, marked };
}

/** A piece of a word: in single quotes, in double quotes, an escaped character, or bare. */
const PIECE =
  /'(?<single>[^']*)'|"(?<double>(?:[^"\\`$]|\\[^]|\$(?!\())*)"|\\(?<escaped>[^\n])|(?<bare>[^\s'"\\`;&|<>()]+)/y;

/** Returns the words of a simple shell command; `undefined` for more than one, a substitution, a redirect. */
export function splitWords(command: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < command.length;) {
    if (command[at] === " " || command[at] === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
      continue;
    }
    PIECE.lastIndex = at;
    const piece = PIECE.exec(command);
    if (piece === null) return undefined;
    const { single, double, escaped, bare } = piece.groups ?? {};
    word = (word ?? "") +
      (single ?? double?.replace(/\\([\\"$`])/g, "$1") ?? escaped ?? bare ?? "");
    at = PIECE.lastIndex;
  }
  return word === undefined ? words : [...words, word];
}

export interface ThisProgram {
  readonly program?: Program | undefined;
  /** This process's executable; null or nothing when it runs from source. */
  readonly executable?: string | null | undefined;
}

/**
 * Returns how handlers are recognised on this machine. Only this very executable counts as the same file: other
 * programs may share one file (`busybox`, the shims of a version manager).
 */
export function ownershipHere({ program, executable }: ThisProgram): Ownership {
  return {
    program,
    isThisExecutable: (path) => executable != null && isSameFile(path, executable),
  };
}

/** Returns the value of a key; undefined when there is no such key, or the value is neither an object nor an array. */
export function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

export interface WrappedHook {
  readonly event: string;
  readonly role: HookRole;
  readonly command: string;
}

/** Matches the end of the first simple command, and the rest of the line. */
const COMMAND_END = /\s*(?:\d*[<>]|[|&;\n])[^]*$/;

export function findWrapped(settings: unknown, ownership: Ownership): WrappedHook[] {
  return handlersIn(settings).flatMap(({ event, handler }) => {
    const role = wrappedRole(handler, ownership);
    const command = String(memberOf(handler, "command"));
    return role === undefined ? [] : [{ event, role, command }];
  });
}

/** Returns all handlers of a settings file with their events, and the matchers of their groups. */
export function handlersIn(
  settings: unknown,
): { readonly event: string; readonly matcher: unknown; readonly handler: unknown }[] {
  return Object.entries(Object(memberOf(settings, "hooks"))).flatMap(([event, groups]) =>
    itemsOf(groups).flatMap((group) =>
      itemsOf(memberOf(group, "hooks"))
        .map((handler) => ({ event, matcher: memberOf(group, "matcher"), handler }))
    )
  );
}

/** Tells a person how to replace a wrapped hook by ours. */
export function unwrap({ command }: WrappedHook, path: string, flags: readonly string[]): string {
  return `take \`${command}\` out of ${quoteWord(path)}, then run \`${
    commandLine("install-hooks", flags)
  }\``;
}

/** Returns the role of the hook that a handler wraps; `undefined` where it wraps none. */
function wrappedRole(handler: unknown, ownership: Ownership): HookRole | undefined {
  const command = memberOf(handler, "command");
  if (typeof command !== "string" || isOwnHandler(handler, ownership)) return undefined;
  const first = command.replace(COMMAND_END, "");
  return first === command ? undefined : roleOf({ type: "command", command: first }, ownership);
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
