/** Finds in the input of an MCP server's tool the texts that may be paths of files to write, and the command to run. */
import { quietly } from "../../base/errors.ts";
import WORDS from "./words.json" with { type: "json" };

const LOOKING: ReadonlySet<string> = new Set(WORDS.lookingVerbs);
const WRITING: ReadonlySet<string> = new Set(WORDS.writingVerbs);
/** How many texts of an input are looked up; each file costs 40 µs or more. */
const MAX_TEXTS = 5_000;
const MAX_PATH_CHARS = 4_096;

/** A text of an input that can be the path of a file. */
export interface HeldPath {
  readonly path: string;
  /** Whether the text may be prose instead: then it counts only where a file exists. */
  readonly mayBeProse: boolean;
}

/** Tells by its name whether a tool may write a file: `find_file` only looks, `find_and_replace` may write. */
export function mayWriteFiles(tool: string): boolean {
  if (!tool.startsWith("mcp__")) return false;
  const [first = "", ...others] = tool.slice(tool.lastIndexOf("__") + 2)
    .replace(/([a-z\d])(?=[A-Z])/g, "$1_").toLowerCase().split(/[_-]+/);
  return !LOOKING.has(first) || others.some((word) => WRITING.has(word));
}

/** Returns the values and keys of an input, at any depth, that can be paths of files; null if they are too many. */
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

/** Returns a text's paths: the text, the trimmed text, or where a `file:` address leads; none for other addresses. */
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

/** Splits the input of an MCP server's tool into the command that it seems to run and the rest. */
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
