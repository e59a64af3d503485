/**
 * Reads what an agent says from the lines that its process prints (`stream-json` of Claude Code, or plain text): its words,
 * the result that it reports, and the question with which it ends.
 */
import { quietly } from "../base/errors.ts";
import { isMapping, type Mapping } from "../base/mapping.ts";

interface AgentLine {
  /** What a person would read; null when there is nothing to read. */
  readonly text: string | null;
  readonly sessionId: string | null;
  /** Whether it is the last line of a turn, which repeats the last words. */
  readonly isResult: boolean;
}

/** The text of each type of line; other types have none. */
const TEXT_OF: Readonly<Record<string, (line: Mapping) => string | null>> = {
  assistant: spoken,
  result: ({ result, errors }) => textIn(result) ?? linesIn(errors),
  text: ({ text }) => textIn(text),
  system: ({ subtype, stdout, stderr }) =>
    subtype === "hook_response" ? null : linesIn([stdout, stderr]),
};

/** Known types of lines that have no text. */
const SILENT = new Set(["user", "stream_event", "control_request", "control_response"]);

/** Reads one line. A line that is not `stream-json` is text as it stands, also other JSON: a contract may come as one. */
export function readAgentLine(line: string): AgentLine {
  const object = parseLine(line);
  if (object === null) return { text: line, sessionId: null, isResult: false };
  return {
    text: TEXT_OF[object.type]?.(object) ?? null,
    sessionId: typeof object.session_id === "string" ? object.session_id : null,
    isResult: object.type === "result",
  };
}

/** All words of an agent, in which its result is looked for, and its session. A result that repeats the last words is left out. */
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

/** A line of `stream-json`; null for any other text. */
function parseLine(line: string): (Mapping & { readonly type: string }) | null {
  if (!line.trimStart().startsWith("{")) return null;
  const value: unknown = quietly(() => JSON.parse(line));
  if (!isMapping(value) || typeof value.type !== "string") return null;
  const isKnown = Object.hasOwn(TEXT_OF, value.type) || SILENT.has(value.type);
  return isKnown || "session_id" in value ? { ...value, type: value.type } : null;
}

/** What the agent says itself, without the words of its subagents. */
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

/** The object with which an agent tells at its end how its work went. */
interface Contract {
  readonly success: boolean;
  readonly summary: string | null;
  readonly outputs: Mapping;
  readonly error: string | null;
}

const START = /\{\s*"/g;

/** How many beginnings without an end are read: each costs reading to the end of the text. */
const MAX_UNCLOSED = 200;

/** How much of the end of a text is read, in characters. */
const MAX_LOOKED_AT = 200_000;

/**
 * The last object in a text that says whether the work succeeded: `{"success": true, "summary": …, "outputs": …}`, in a
 * fence or bare. Objects inside of objects do not count. When `success` is not a truth value, that is a failure.
 * @param text As a person reads it, not as lines of JSON. @returns Null when there is none: then the exit code decides.
 */
export function readContract(text: string): Contract | null {
  const looked = text.slice(-MAX_LOOKED_AT);
  let found: Contract | null = null;
  let unclosed = 0;
  START.lastIndex = 0;
  for (let match = START.exec(looked); match !== null; match = START.exec(looked)) {
    const end = endOfObject(looked, match.index);
    if (end === null) {
      if (++unclosed > MAX_UNCLOSED) break;
      START.lastIndex = match.index + 1;
      continue;
    }
    const object = parseObject(looked.slice(match.index, end));
    found = (object && contractOf(object)) ?? found;
    START.lastIndex = object === null ? match.index + 1 : end;
  }
  return found;
}

/** Where the object that begins at `start` ends; null when it does not. */
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
  // No word of a script can hold NUL.
  const plain = (_: string, value: unknown) =>
    typeof value === "string" ? value.replaceAll("\0", "") : value;
  return quietly(() => JSON.parse(text, plain)) ?? null;
}

function contractOf(object: Mapping): Contract | null {
  const { success, summary, outputs, error } = object;
  if (success === undefined) return null;
  if (typeof success !== "boolean") {
    const told = JSON.stringify(success).slice(0, 40);
    const error = `its result is no valid one: "success" must be true or false, and is ${told}`;
    return { success: false, summary: null, outputs: {}, error };
  }
  const said = { summary: textIn(summary), error: textIn(error) };
  return { success, outputs: isMapping(outputs) ? outputs : {}, ...said };
}

/** A line of a list, which below a question is an answer that it offers. */
const LISTED = /^\s*(?:[-*•]|\(?\w{1,2}[.)])\s+\S/;

/** The end of a line that asks, perhaps with answers in brackets. */
const ASKS = /[?？][*_\s]*(?:[[(][^[\]()]{1,100}[\])])?[*_:\s]*$/;

/**
 * The line with which a text asks at its end, with or without a list of answers below it; fences do not count. Null for
 * any other end: an agent that goes on after a question does not wait for an answer.
 */
export function lastQuestion(text: string): string | null {
  const lines = text
    .replace(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm, "")
    .split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const ends = [lines.at(-1), lines.findLast((line) => !LISTED.test(line))];
  return ends.find((line) => line !== undefined && ASKS.test(line)) ?? null;
}
