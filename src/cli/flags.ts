import { someText } from "./command.ts";
import { parseSince } from "./since.ts";

/** The flag that limits a list to one session. */
export const SESSION_FLAG = {
  kind: "parsed",
  parse: someText,
  optional: true,
  brief: "Only of this session, by its id or the beginning of it",
  placeholder: "id",
} as const;

/** The flag that limits a list in time; its value is in epoch milliseconds. */
export const SINCE_FLAG = {
  kind: "parsed",
  parse: (text: string) => parseSince(text, Date.now()),
  optional: true,
  brief:
    "Only since then: an age (30m, 2h, 3d, 1w), a date (2026-11-20, 2026-11-20T08:30) or a day (yesterday, monday)",
  placeholder: "when",
} as const;
