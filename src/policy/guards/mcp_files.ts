/** The files that a tool of an MCP server may write, since any text of its input can be one, and the command that it may run. */
import { quietly } from "../../base/errors.ts";
import WORDS from "./words.json" with { type: "json" };

const LOOKING: ReadonlySet<string> = new Set(WORDS.lookingVerbs);
const WRITING: ReadonlySet<string> = new Set(WORDS.writingVerbs);
/** More of an input is not looked through: each file costs 40 µs and more. */
const MAX_TEXTS = 5_000;
const MAX_PATH_CHARS = 4_096;

/** A text of an input that can be the path of a file. */
export interface HeldPath {
  readonly path: string;
  /** Whether it can as well be prose: then it counts only where a file is. */
  readonly mayBeProse: boolean;
}

/** Whether a tool may write a file, as far as its name tells: `find_file` looks, `find_and_replace` does not. */
export function mayWriteFiles(tool: string): boolean {
  if (!tool.startsWith("mcp__")) return false;
  const [first = "", ...others] = tool.slice(tool.lastIndexOf("__") + 2)
    .replace(/([a-z\d])(?=[A-Z])/g, "$1_").toLowerCase().split(/[_-]+/);
  return !LOOKING.has(first) || others.some((word) => WRITING.has(word));
}

/** The texts of an input, at any depth and among the keys, that can be the path of a file; null for more than can be looked up. */
export function pathsInInput(input: unknown): readonly HeldPath[] | null {
  const found = new Map<string, HeldPath>();
  const queue: (readonly [key: string, value: unknown])[] = [["", input]];
  // The list grows during the loop.
  for (const [key, value] of queue) {
    if (typeof value === "string") {
      for (const path of spellingsOf(value)) {
        const mayBeProse = /\s/.test(path) && !/path|file|ur[il]|target|dest/i.test(key);
        if (!found.has(path) || !mayBeProse) found.set(path, { path, mayBeProse });
      }
    } else if (Array.isArray(value)) {
      for (const one of value) queue.push([key, one]);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, one] of Object.entries(value)) {
        queue.push([name, one]);
        if (/[./]/.test(name)) queue.push(["", name]);
      }
    }
    if (found.size > MAX_TEXTS) return null;
  }
  return [...found.values()];
}

/** A text as a path: as it is, without blanks around it, and what a `file:` address leads to. None for another address. */
function spellingsOf(text: string): readonly string[] {
  const isFile = /^\s*file:/i.test(text);
  if (text.length > MAX_PATH_CHARS || (!isFile && /^\s*[\w+.-]+:\/\//.test(text))) return [];
  const plain = text.trim();
  const paths = !isFile ? [text, plain] : [
    quietly(() => new URL(plain).pathname) ?? "",
    plain.replace(/^file:(?:\/\/)?/i, ""),
  ].map((path) => quietly(() => decodeURIComponent(path)) ?? path);
  return [...new Set(paths)].filter((path) => path !== "" && path !== "/");
}

/** The command that a tool of an MCP server runs, as far as its input tells, and the rest of the input. */
export function splitInput(
  tool: string,
  input: unknown,
): { readonly command: string | null; readonly rest: unknown } {
  if (!tool.startsWith("mcp__")) return { command: null, rest: input };
  const { command, cmd, script, args, ...rest } = Object(input);
  const texts = [command, cmd, script].filter((text) => typeof text === "string");
  if (texts.length === 0) return { command: null, rest: input };
  const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return { command: texts.map((text) => [text, ...quoted].join(" ")).join("\n"), rest };
}
