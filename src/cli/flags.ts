import { someText } from "./command.ts";

/** The flag that limits a list to one session. */
export const SESSION_FLAG = {
  kind: "parsed",
  parse: someText,
  optional: true,
  brief: "Only of this session, by its id or the beginning of it",
  placeholder: "id",
} as const;

/** A point in time as a person says it, in epoch milliseconds; the words for it are loaded when one is given. */
export async function parseWhen(text: string): Promise<number> {
  return (await import("./since.ts")).parseSince(text, Date.now());
}

/** The flag that limits a list in time; its value is in epoch milliseconds. */
export const SINCE_FLAG = {
  kind: "parsed",
  parse: parseWhen,
  optional: true,
  brief:
    "Only since then: an age (30m, 2h, 3d, 1w), a date (2026-11-20, 2026-11-20T08:30) or a day (yesterday, monday)",
  placeholder: "when",
} as const;
