/**
 * Reads an agent's words, its reported result and its last question from the lines that its process prints:
 * `stream-json` of Claude Code, or plain text.
 */
import { quietly } from "../base/errors.ts";
import { isMapping, type Mapping, ownValue } from "../base/mapping.ts";

/** How to get the text of a line, by its type; lines of other types have none. */
const TEXT_OF: Readonly<Record<string, (line: Mapping) => string | null>> = {
  assistant: spoken,
  result: ({ result, errors }) => textIn(result) ?? linesIn(errors),
  text: ({ text }) => textIn(text),
  system: ({ subtype, stdout, stderr }) =>
    subtype === "hook_response" ? null : linesIn([stdout, stderr]),
};

/** Known types of lines that have no text. */
const SILENT = new Set(["user", "stream_event", "control_request", "control_response"]);

/**
 * Reads one line. A line that is not `stream-json` is text, even when it is JSON, since a contract is JSON too.
 * @returns `text`: what a person would read; null when there is nothing. `isResult`: whether the line is the last one of
 * a turn, which repeats the last words.
 */
export function readAgentLine(line: string) {
  const object = parseLine(line);
  if (object === null) return { text: line, sessionId: null, isResult: false };
  return {
    text: ownValue(TEXT_OF, object.type)?.(object) ?? null,
    sessionId: typeof object.session_id === "string" ? object.session_id : null,
    isResult: object.type === "result",
  };
}

/** Collects the words of an agent, without a result line that repeats the last words, and its session. */
export function collectAgentText(lines: Iterable<string>) {
  const texts: string[] = [];
  let sessionId: string | null = null;
  for (const line of lines) {
    const read = readAgentLine(line);
    sessionId = read.sessionId ?? sessionId;
    const repeats = read.isResult && texts.at(-1)?.trim() === read.text?.trim();
    if (read.text !== null && !repeats) texts.push(read.text);
  }
  return { text: texts.join("\n"), sessionId };
}

/** Parses a line of `stream-json`; returns null for any other text. */
function parseLine(line: string): (Mapping & { readonly type: string }) | null {
  if (!line.trimStart().startsWith("{")) return null;
  const value: unknown = quietly(() => JSON.parse(line));
  if (!isMapping(value) || typeof value.type !== "string") return null;
  const isKnown = Object.hasOwn(TEXT_OF, value.type) || SILENT.has(value.type);
  return isKnown || "session_id" in value ? { ...value, type: value.type } : null;
}

/** Returns the agent's own words, without the words of its subagents. */
function spoken({ message, parent_tool_use_id }: Mapping): string | null {
  if (typeof parent_tool_use_id === "string" || !isMapping(message)) return null;
  const { content } = message;
  if (!Array.isArray(content)) return textIn(content);
  const blocks = content.filter((block) => isMapping(block) && block.type === "text");
  return linesIn(blocks.map(({ text }) => text));
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function linesIn(values: unknown): string | null {
  if (!Array.isArray(values)) return null;
  const texts = values.flatMap((value) => textIn(value) ?? []);
  return texts.length === 0 ? null : texts.join("\n");
}

/** The object in which an agent reports at its end how its work went. */
type Contract = NonNullable<ReturnType<typeof contractOf>>;

const START = /\{\s*"/g;

/** The most objects without an end to try: each one costs reading to the end of the text. */
const MAX_UNCLOSED = 200;

/** The length of the end of a text to search, in characters. */
const MAX_TAIL_CHARS = 200_000;

/**
 * Finds the last object in a text that says whether the work succeeded: `{"success": true, "summary": …}`, in a fence
 * or bare. It ignores nested objects, and takes a `success` other than true or false for a failure.
 * @param text The words of the agent, not lines of JSON. @returns Null when there is none: the exit code decides then.
 */
export function readContract(text: string): Contract | null {
  const tail = text.slice(-MAX_TAIL_CHARS);
  let found: Contract | null = null;
  let unclosed = 0;
  START.lastIndex = 0;
  for (let match = START.exec(tail); match !== null; match = START.exec(tail)) {
    const end = endOfObject(tail, match.index);
    if (end === null) {
      if (++unclosed > MAX_UNCLOSED) break;
      START.lastIndex = match.index + 1;
      continue;
    }
    const object = parseObject(tail.slice(match.index, end));
    found = (object && contractOf(object)) ?? found;
    START.lastIndex = object === null ? match.index + 1 : end;
  }
  return found;
}

/** Finds the end of the object that begins at `start`; null when it has no end. */
function endOfObject(text: string, start: number): number | null {
  const signs = /"(?:[^"\\]|\\[\s\S])*"|[{}]/g;
  signs.lastIndex = start;
  let depth = 0;
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    if (match[0] === "{") depth++;
    else if (match[0] === "}" && --depth === 0) return signs.lastIndex;
  }
  return null;
}

function parseObject(text: string): Mapping | null {
  // A script may get the outputs as values, which hold no NUL.
  const plain = (_: string, value: unknown) =>
    typeof value === "string" ? value.replaceAll("\0", "") : value;
  return quietly(() => JSON.parse(text, plain)) ?? null;
}

function contractOf(object: Mapping) {
  const { success, summary, outputs, error } = object;
  if (success === undefined) return null;
  if (typeof success !== "boolean") {
    const shown = JSON.stringify(success).slice(0, 40);
    const error = `its result is no valid one: "success" must be true or false, and is ${shown}`;
    return { success: false, summary: null, outputs: {}, error };
  }
  const texts = { summary: textIn(summary), error: textIn(error) };
  return { success, outputs: isMapping(outputs) ? outputs : {}, ...texts };
}

/** Matches a line of a list; below a question, such a line offers an answer. */
const LISTED = /^\s*(?:[-*•]|\(?\w{1,2}[.)])\s+\S/;

/** Matches the end of a question, perhaps with answers in brackets. */
const ASKS = /[?？][*_\s]*(?:[[(][^[\]()]{1,100}[\])])?[*_:\s]*$/;

/**
 * Finds the question at the end of a text, with or without a list of answers below it; ignores fences. Returns null for
 * any other end: an agent that goes on after a question does not wait for an answer.
 */
export function lastQuestion(text: string): string | null {
  const lines = text
    .replace(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm, "")
    .split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const ends = [lines.at(-1), lines.findLast((line) => !LISTED.test(line))];
  return ends.find((line) => line !== undefined && ASKS.test(line)) ?? null;
}
