/** Recognises conclaude's own handlers in a settings file. Any other belongs to another tool and is never touched. */
import { baseName, isAbsolutePath } from "../../base/paths.ts";
import { isSameFile } from "../../system/process/executable.ts";
import { commandLine, isOurName, OWN_MARK, type Program, programLine, quoteWord } from "./hooks.ts";
import { DRAIN_WORD, type HookRole } from "./lanes.ts";

/** How our handlers are recognised, beyond the mark and the program's name. */
export interface Ownership {
  /** The program that is being installed: its handlers are ours under any name. */
  readonly program?: Program | undefined;
  /**
   * This process's executable, to which an absolute path may lead by a link; null when it runs from source. Other
   * programs may share one file (`busybox`, the shims of a version manager), so only this very file counts.
   */
  readonly executable?: string | null | undefined;
}

/**
 * Returns the role of a command handler that conclaude wrote; `undefined` when it is not ours. These are:
 *
 * - `conclaude hook Stop`, with any folder before and any version or platform behind the name;
 * - `cc-state hook Stop --conclaude`, whatever the program is called: no other program writes the mark;
 * - `deno run … main.ts hook Stop`, and the same with the bundle's `main.js`, marked or from a folder of ours;
 * - whatever runs `ownership.program` the way that the installer writes it, or leads to this very executable.
 *
 * A command that does anything else besides (`conclaude hook Stop && notify-send done`) is a person's own.
 */
export function roleOf(handler: unknown, ownership: Ownership = {}): HookRole | undefined {
  const own = linesOf(handler).find((command) => isOwnCommand(command, ownership));
  if (own === undefined) return undefined;
  return partsOfCommand(own)?.word === DRAIN_WORD ? "drain" : "event";
}

/** The installer's own form of a command. */
const WRITTEN = new RegExp(`^(.*) hook [A-Za-z]+(?: ${OWN_MARK})?$`, "s");

function isOwnCommand(command: string, { program, executable }: Ownership): boolean {
  if (program !== undefined && WRITTEN.exec(command)?.[1] === programLine(program)) return true;
  const { line, isMarked } = partsOfCommand(command) ?? { line: "", isMarked: false };
  const [first, ...rest] = splitWords(line) ?? [];
  // An assignment (`PATH=/opt/conclaude`) or a comment is no program.
  if (first === undefined || /^(?:#|[A-Za-z_]\w*=)/.test(first)) return false;
  const script = rest.pop();
  if (script === undefined) {
    return isMarked || isOurName(baseName(first)) ||
      (executable != null && isAbsolutePath(first) && isSameFile(first, executable));
  }
  // A folder on the way may carry our name, like a clone or an unpacked release.
  const isInOurFolder = script.split(/[\\/]/).slice(0, -1).some(isOurName);
  return /^deno(?:\.exe)?$/i.test(baseName(first)) && rest.includes("run") &&
    /^main\.[jt]s$/.test(baseName(script)) && (isMarked || isInOurFolder);
}

/** Returns the commands that a handler may mean. With `args` the command should be one word; people also write more. */
function linesOf(handler: unknown): readonly string[] {
  const { type, command } = Object(handler);
  if (type !== "command" || typeof command !== "string") return [];
  return [...new Set([handlerLine(handler), command])];
}

/** Returns a handler's command as a person would type it. With `args` Claude Code starts it without a shell. */
export function handlerLine(handler: unknown): string {
  const { command, args } = Object(handler);
  if (!Array.isArray(args)) return String(command);
  return [command, ...args].filter((word) => typeof word === "string").map(quoteWord).join(" ");
}

/** Matches `<program> hook [<Event>]`, perhaps with our mark. A person may have quoted words that need no quotes. */
const OWN_COMMAND = new RegExp(
  // The program ends before all blanks: else every one of many blanks would be tried as its end.
  String.raw`^(?<line>.*)(?<![ \t])[ \t]+(["']?)hook\2` +
    String.raw`(?:[ \t]+(["']?)(?<word>[A-Za-z]+)\3)?(?<mark>[ \t]+(["']?)${OWN_MARK}\6)?[ \t]*$`,
  "s",
);

/**
 * Takes a command of a hook apart. @returns `line`: what starts the program, as it is written; `word`: the event's word,
 * which a command may leave to the payload. `undefined` for any other command.
 */
export function partsOfCommand(command: string) {
  const { line, word, mark } = OWN_COMMAND.exec(command)?.groups ?? {};
  return line === undefined ? undefined : { line, word, isMarked: mark !== undefined };
}

/** A piece of a command: blanks, or a part of a word in single quotes, in double quotes, escaped, or bare. */
const PIECE =
  /(?<blanks>[ \t]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\`$]|\\[^]|\$(?!\())*)"|\\(?<escaped>[^\n])|(?<bare>[^\s'"\\`;&|<>()]+)/gy;

/** Returns the words of a simple shell command; `undefined` for more than one, a substitution, a redirect. */
export function splitWords(command: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let read = 0;
  for (const { 0: piece, groups = {} } of command.matchAll(PIECE)) {
    const { blanks, single, double, escaped, bare } = groups;
    read += piece.length;
    if (blanks === undefined) {
      word = (word ?? "") +
        (single ?? double?.replace(/\\([\\"$`])/g, "$1") ?? escaped ?? bare ?? "");
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (read < command.length) return undefined;
  return word === undefined ? words : [...words, word];
}

/** Returns the value of a key; undefined when there is no such key, or the value is neither an object nor an array. */
export function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

/**
 * Returns all handlers of a settings file. @returns `at`: the index of a handler's group under the event, and its own in
 * the group; `together`: all handlers of the group.
 */
function handlersIn(settings: unknown) {
  return Object.entries(Object(memberOf(settings, "hooks"))).flatMap(([event, groups]) =>
    itemsOf(groups).flatMap((group, place) => {
      const together = itemsOf(memberOf(group, "hooks"));
      const matcher = memberOf(group, "matcher");
      return together.map((handler, index) => ({
        event,
        matcher,
        handler,
        together,
        at: [place, index] as const,
      }));
    })
  );
}

/** Returns our handlers in a settings file, with their roles. */
export function ownHandlersIn(settings: unknown, ownership: Ownership) {
  return handlersIn(settings).flatMap((placed) => {
    const role = roleOf(placed.handler, ownership);
    return role === undefined ? [] : [{ ...placed, role }];
  });
}

export interface WrappedHook {
  readonly event: string;
  readonly role: HookRole;
  readonly command: string;
}

/** Matches the end of the first simple command, and the rest of the line. */
const COMMAND_END = /\s*(?:\d*[<>]|[|&;\n])[^]*$/;

/** Returns the commands in a settings file that start conclaude and do more. */
export function findWrapped(settings: unknown, ownership: Ownership): WrappedHook[] {
  return handlersIn(settings).flatMap(({ event, handler }) => {
    const command = memberOf(handler, "command");
    if (typeof command !== "string" || roleOf(handler, ownership) !== undefined) return [];
    const first = command.replace(COMMAND_END, "");
    const role = first === command
      ? undefined
      : roleOf({ type: "command", command: first }, ownership);
    return role === undefined ? [] : [{ event, role, command }];
  });
}

/** Tells a person how to replace a wrapped hook by ours. */
export function unwrap({ command }: WrappedHook, path: string, flags: readonly string[]): string {
  return `take \`${command}\` out of ${quoteWord(path)}, then run \`${
    commandLine("install-hooks", flags)
  }\``;
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
