import { headed, plain } from "../capture/plain.ts";
import { relativeTime } from "../time.ts";

/** What the context tells of one earlier session. */
export interface RecentSession {
  readonly title: string | null;
  readonly branch: string | null;
  readonly status: string;
  readonly updatedAtMs: number;
  readonly toolUses: number;
  readonly edits: number;
  readonly toolFailures: number;
}

/** The most that the list may be, in characters; about 300 tokens. */
export const MAX_CONTEXT_CHARS = 1_000;

const HEADING = headed("## Recent sessions in this project");

/**
 * The list of earlier sessions for the start of a new one: newest first, a line each, cut to the budget by whole lines.
 *
 * @param options `maxChars`: the budget, where that is less than {@linkcode MAX_CONTEXT_CHARS}. @returns The empty text when there is nothing to tell.
 */
export function recentSessionsText(
  sessions: readonly RecentSession[],
  { nowMs, maxChars }: { readonly nowMs: number; readonly maxChars: number },
): string {
  const most = Math.min(maxChars, MAX_CONTEXT_CHARS);
  let text = HEADING;
  let told = 0;
  for (const session of sessions.filter(isTelling)) {
    const line = `\n- ${lineOf(session, nowMs)}`;
    if (text.length + line.length > most) break;
    text += line;
    told++;
  }
  return told === 0 ? "" : text;
}

/** Of a session without a prompt and without work there is nothing to tell, also while it is open. */
function isTelling({ title, toolUses, toolFailures }: RecentSession): boolean {
  return title !== null || toolUses + toolFailures > 0;
}

function lineOf(session: RecentSession, nowMs: number): string {
  const done = [
    count(session.toolUses, "tool use"),
    count(session.edits, "edit"),
    count(session.toolFailures, "failure"),
  ].filter((part) => part !== null).join(", ");
  const facts = [
    session.status,
    session.branch === null ? null : `branch ${session.branch}`,
    done || null,
  ];
  const title = session.title === null ? "" : ` "${session.title}"`;
  // The context is shown on a terminal, too.
  return plain(
    `[${relativeTime(session.updatedAtMs, nowMs)}]${title} (${
      facts.filter((fact) => fact !== null).join("; ")
    })`,
  );
}

function count(n: number, noun: string): string | null {
  return n === 0 ? null : `${n} ${noun}${n === 1 ? "" : "s"}`;
}
