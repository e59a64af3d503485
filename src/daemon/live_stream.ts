/**
 * The stream that keeps a page up to date. It tells which sessions had hooks and which other data changed; the page
 * then loads what it shows. Each piece sums up all changes since the last one.
 */
import type { DatabaseSync } from "node:sqlite";
import { auditMark, sessionsSince } from "../db/executions.ts";
import { policyMark } from "../policy/store.ts";
import { lastObservation } from "../memory/store.ts";
import { lastEventId } from "../work/store.ts";
import type { Daemon } from "./route.ts";

/** The position of a stream; its text is the `id` of a piece. */
interface Mark {
  /** The newest rows of the audit trail, memory and events, and the mark of requirements, pauses and violations. */
  readonly hooks: number;
  readonly memory: number;
  readonly work: number;
  readonly rules: number;
}

/** The longest wait between two looks, in milliseconds; a write of another process wakes the stream sooner. */
const LOOK_MS = 900;
/** The time between two pings, in milliseconds, which show browsers and proxies that the stream lives. */
const PING_MS = 15_000;

/** Makes the stream. @param lastSeen The `Last-Event-ID` of a page that comes back; null for a new page. */
export function liveStream(
  { db, hub }: Pick<Daemon, "db" | "hub">,
  lastSeen: string | null,
): ReadableStream {
  const came = lastSeen === null ? null : markIn(lastSeen);
  let at = came ?? markOf(db);
  let isGap = lastSeen !== null && (came === null || isLost(db, came));
  if (isGap) at = markOf(db);
  let isFirst = true;
  let pingedAtMs = Date.now();
  return hub.stream(() => {
    const now = isFirst || isGap ? at : markOf(db);
    const before = at;
    at = now;
    // The newest rows were removed, so the page must load its lists anew.
    isGap ||= (["hooks", "memory", "work"] as const).some((one) => now[one] < before[one]);
    if (isFirst || isGap) {
      const event = isGap ? "gap" : "hello";
      isFirst = isGap = false;
      return piece(event, at, {});
    }
    if (textOf(now) !== textOf(before)) {
      return piece("changed", at, {
        sessions: now.hooks === before.hooks ? {} : sessionsSince(db, before.hooks, now.hooks),
        parts: (["memory", "work", "rules"] as const).filter((one) => now[one] !== before[one]),
      });
    }
    if (Date.now() - pingedAtMs < PING_MS) return LOOK_MS;
    pingedAtMs = Date.now();
    return ENCODER.encode(": ping\n\n");
  });
}

const ENCODER = new TextEncoder();

function piece(event: string, at: Mark, data: unknown): Uint8Array {
  return ENCODER.encode(`id: ${textOf(at)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

function textOf({ hooks, memory, work, rules }: Mark): string {
  return [hooks, memory, work, rules].join(".");
}

function markIn(text: string): Mark | null {
  const [hooks, memory, work, rules] = /^\d+(\.\d+){3}$/.test(text)
    ? text.split(".").map(Number) as [number, number, number, number]
    : [];
  return hooks === undefined ? null : { hooks, memory: memory!, work: work!, rules: rules! };
}

function markOf(db: DatabaseSync): Mark {
  return {
    hooks: auditMark(db).newest,
    memory: lastObservation(db),
    work: lastEventId(db),
    rules: policyMark(db),
  };
}

/** Whether rows after a mark were removed, or the mark belongs to another database. */
function isLost(db: DatabaseSync, { hooks }: Mark): boolean {
  const { oldest, newest } = auditMark(db);
  return hooks > newest || (newest > hooks && hooks + 1 < oldest);
}
