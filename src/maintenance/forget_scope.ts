/** How far a choice reaches, and counts of what it removes. */
import type { DatabaseSync } from "node:sqlite";
import type { Chosen, ForgetFilter } from "../store/forget_choice.ts";
import { sessionsOf } from "../store/forget_look.ts";
import { isTextAlone } from "./forget_files.ts";

/** Rows and files by what they are; what is 0 is not there. */
export type Removed = Record<string, number>;

/** A session, a project or a time as a whole leaves more behind than observations and captures. */
export function asksForSessions({ ids, files }: ForgetFilter): boolean {
  return ids === null && files === null;
}

/** With other filters beside it, a text goes only out of rows of the sessions that these lead to. */
export function scopeOf(db: DatabaseSync, filter: ForgetFilter, chosen: Chosen): string[] | null {
  if (filter.text === null || isTextAlone(filter)) return null;
  const sessions = sessionsOf(db, chosen);
  return filter.sessionId === null ? sessions : [...new Set([...sessions, filter.sessionId])];
}

/** Adds counts to others. */
export function addTo(removed: Removed, counts: Readonly<Removed>): void {
  for (const [name, n] of Object.entries(counts)) removed[name] = (removed[name] ?? 0) + n;
}

/** Without what is 0. */
export function counted(counts: Removed): Removed {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
}
