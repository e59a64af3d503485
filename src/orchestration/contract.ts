/** What an agent says at its end about its own work: a JSON object in its text. */
import { isMapping } from "./field_reader.ts";

/** The object that a prompt asks an agent to end with. */
export interface Contract {
  readonly success: boolean;
  readonly summary: string | null;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly error: string | null;
}

/** Where an object may begin. */
const START = /\{\s*"/g;

/** Beginnings without an end that are looked at: each costs reading to the end of the text. */
const MAX_UNCLOSED = 200;

/** How much of a text's end is looked through, in characters. */
const MAX_LOOKED_AT = 200_000;

/**
 * The last object in a text that says whether the work succeeded: `{"success": true, "summary": …, "outputs": …}`, in a
 * fence or bare. Objects inside of other objects do not count. One whose `success` is anything else is a failure that says
 * so.
 *
 * @param text As a person reads it, not as lines of JSON.
 * @returns Null when there is none: then the exit code decides.
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

/** Where the object that begins at `start` is closed; null when it is not. */
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

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    // No word of a script can hold NUL.
    return JSON.parse(
      text,
      (_, value) => typeof value === "string" ? value.replaceAll("\0", "") : value,
    );
  } catch {
    return null;
  }
}

function contractOf(object: Readonly<Record<string, unknown>>): Contract | null {
  const { success, summary, outputs, error } = object;
  if (success === undefined) return null;
  if (typeof success !== "boolean") return broken(success);
  return {
    success,
    summary: typeof summary === "string" && summary !== "" ? summary : null,
    outputs: isMapping(outputs) ? outputs : {},
    error: typeof error === "string" && error !== "" ? error : null,
  };
}

/** A result that does not say whether the work succeeded counts as a failure. */
function broken(success: unknown): Contract {
  const told = JSON.stringify(success).slice(0, 40);
  const error = `its result is no valid one: "success" must be true or false, and is ${told}`;
  return { success: false, summary: null, outputs: {}, error };
}
