/**
 * Which handlers in a settings file are conclaude's own. Whatever is not surely one of them is another tool's, and is
 * never touched.
 */
import { baseName } from "../paths.ts";
import { type Program, programLine } from "./hooks.ts";

/** What tells our handlers from others, beyond the name of the program. */
export interface Ownership {
  /** The program that is being installed: its handlers are ours under any name. */
  readonly program?: Program | undefined;
  /** Whether a `main.ts` or `main.js` that a handler runs with Deno is conclaude's; by default its folders tell. */
  readonly isOurScript?: (path: string) => boolean;
}

/**
 * True for a command handler that conclaude wrote:
 *
 * - `conclaude hook Stop`, with any folder before and any version or platform behind the name;
 * - `deno run … main.ts hook Stop`, and the same with the bundle's `main.js`;
 * - whatever runs `ownership.program` the way that the installer writes it.
 *
 * A command that does anything else besides (`conclaude hook Stop && notify-send done`) is a person's own.
 */
export function isOwnHandler(handler: unknown, ownership: Ownership = {}): boolean {
  const command = commandOf(handler);
  if (command === undefined) return false;
  const { program, isOurScript = isInOurFolder } = ownership;
  if (program !== undefined && isRunBy(program, command)) return true;
  const start = programWords(command);
  const first = start?.[0];
  if (start === undefined || first === undefined || isNoProgram(first)) return false;
  if (start.length === 1) return isOurName(baseName(first));
  const script = start[start.length - 1] ?? "";
  return /^deno(?:\.exe)?$/i.test(baseName(first)) &&
    start.slice(1, -1).includes("run") &&
    /^main\.[jt]s$/.test(baseName(script)) &&
    isOurScript(script);
}

/** True when a folder on the way to the script carries our name, as a clone or an unpacked release does. */
export function isInOurFolder(script: string): boolean {
  return script.split(/[\\/]/).slice(0, -1).some(isOurName);
}

/** `conclaude`, `conclaude.exe`, `conclaude-linux-x64`, `conclaude2`; not `conclaudette`. */
function isOurName(name: string): boolean {
  return /^conclaude(?![a-z])/i.test(name);
}

/** `PATH=/opt/conclaude` before a command, and a remark. */
function isNoProgram(word: string): boolean {
  return /^(?:#|[A-Za-z_]\w*=)/.test(word);
}

interface Command {
  readonly text: string;
  /** Arguments of the form without a shell. */
  readonly args: readonly string[] | undefined;
}

function commandOf(handler: unknown): Command | undefined {
  if (typeof handler !== "object" || handler === null) return undefined;
  const { type, command, args } = handler as Record<string, unknown>;
  if (type !== "command" || typeof command !== "string") return undefined;
  if (args === undefined) return { text: command, args: undefined };
  const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
  return { text: command, args: words };
}

function isRunBy(program: Program, command: Command): boolean {
  const parts = /^(.*) hook [A-Za-z]+$/s.exec(command.text);
  return command.args === undefined && parts?.[1] === programLine(program);
}

/** The words before `hook <Event>`, or `undefined` when the command is anything else. */
function programWords(command: Command): string[] | undefined {
  const words = command.args === undefined
    ? splitWords(command.text)
    : [command.text, ...command.args];
  if (words === undefined) return undefined;
  if (words[words.length - 1] === "hook") return words.slice(0, -1);
  const event = words[words.length - 1] ?? "";
  if (words[words.length - 2] !== "hook" || !/^[A-Za-z]+$/.test(event)) return undefined;
  return words.slice(0, -2);
}

/** One piece of a word: in single quotes, in double quotes, an escaped character, or bare. */
const PIECE =
  /'(?<single>[^']*)'|"(?<double>(?:[^"\\`$]|\\[^]|\$(?!\())*)"|\\(?<escaped>[^\n])|(?<bare>[^\s'"\\`;&|<>()]+)/y;

/**
 * The words of a simple shell command; variables stay as they are written.
 *
 * @returns `undefined` when it is more than one simple command, substitutes a command, redirects, or does not end.
 */
function splitWords(command: string): string[] | undefined {
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
