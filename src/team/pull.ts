/** Takes in what others have written. */
import { messageOf, UserError } from "../base/errors.ts";
import { dropEntry, hasEntry, queueAgain, settleEntry } from "./outbox_table.ts";
import { paceBesideHooks } from "../db/pace.ts";
import { pullRows } from "./log_table.ts";
import { holdRow, knowsRow, noteReceived, releaseHeld } from "./received_table.ts";
import type { Seal } from "./seal.ts";
import type { Server } from "./server.ts";
import { beginApplying, lastNumber, notePulled } from "./team_projects_table.ts";
import type { ArrivingRow, JoinedProject, ServerRow, TeamStore } from "./types.ts";

const PAGE_ROWS = 500;
/** A page is taken in by pieces, since hooks wait for a transaction: fewer rows while they are at work. */
const PIECE = { maxRows: 250, maxBytes: 500_000 };
/** A pull gives way to a session at work, whose tool uses may be half a minute apart. */
const SESSION_MS = 30_000;

/** What a pull did. */
export interface PullReport {
  readonly received: number;
  readonly pulledSeq: number;
  /** Whether the server has rows of this machine that it never sent: see `renameMachine`. */
  readonly isCopied: boolean;
  /** The number of the server's schema. */
  readonly version: number;
}

/** Takes in all rows after the last one. @param onRows Is told how many were taken in, and how many there are. */
export async function pullAll(
  store: TeamStore,
  { project, name, origin, pulledSeq }: JoinedProject,
  { server, user, seal, onRows, untilMs = Infinity }: {
    readonly server: Server;
    /** The login of this machine's person. */
    readonly user: string;
    readonly seal: Seal;
    readonly onRows: (rows: number, behind: number) => void;
    /** No page is asked for after it, in epoch milliseconds. */
    readonly untilMs?: number;
  },
): Promise<PullReport> {
  const ask = (after: number) => pullRows(server, { name, origin, after, limit: PAGE_ROWS });
  let page = await ask(pulledSeq);
  const report = { received: 0, pulledSeq, isCopied: false, version: page.version };
  const paceOf = paceBesideHooks(store.db, PIECE, { forMs: SESSION_MS });
  for (;;) {
    const { rows, headSeq } = page;
    if (headSeq === null) throw notMember(name);
    checkDense(rows, { after: report.pulledSeq, headSeq });
    if (rows.length === 0) return report;
    const given = lastNumber(store.db, project);
    if (rows.some((row) => row.origin === origin && row.originSeq > given)) {
      return { ...report, isCopied: true };
    }
    const last = rows.at(-1)!.seq;
    // The server looks for the next page while this one is written.
    const next = last < headSeq && Date.now() < untilMs ? ask(last) : null;
    next?.catch(() => {});
    await takePage(store, { project, name, origin, user, headSeq, rows, seal }, paceOf);
    report.received += rows.filter((row) => row.origin !== origin).length;
    report.pulledSeq = last;
    onRows(rows.length, headSeq - last);
    if (next === null) return report;
    page = await next;
  }
}

function notMember(name: string): UserError {
  return new UserError("Cannot read the team's project", {
    why: `this user does not belong to "${name}" any more, or it is gone`,
    next: "An owner of the project runs `conclaude team members --add LOGIN`",
  });
}

/** Numbers have no gaps, so a missing one is seen. @throws {UserError} */
function checkDense(
  rows: readonly ServerRow[],
  { after, headSeq }: { readonly after: number; readonly headSeq: number },
): void {
  const gap = rows.findIndex(({ seq }, i) => seq !== after + 1 + i);
  if (gap < 0 && headSeq >= after && (rows.length > 0 || headSeq === after)) return;
  throw new UserError("Cannot go on taking in the team's rows", {
    why: headSeq < after
      ? `the server ends at row ${headSeq}, and this machine has had row ${after}: an older copy was put in its place`
      : `row ${
        after + 1 + Math.max(gap, 0)
      } is missing on the server; nothing after it is taken in`,
    next: headSeq < after
      ? "conclaude team leave, then conclaude team join: what is here is sent again"
      : "conclaude team verify",
  });
}

/** What others have forgotten in a page is forgotten in every file here before the page is taken in. */
async function takePage(
  store: TeamStore,
  page: Pick<JoinedProject, "project" | "name" | "origin" | "headSeq"> & {
    readonly rows: readonly ServerRow[];
    readonly seal: Seal;
    readonly user: string;
  },
  paceOf: ReturnType<typeof paceBesideHooks>,
): Promise<void> {
  const { rows, origin } = page;
  const gone = rows.filter((row) => row.op === "forget" && row.origin !== origin);
  if (gone.length > 0) await store.rows.forget(gone);
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const { batch: { maxRows, maxBytes }, pauseMs } = paceOf();
    for (let bytes = 0; to < rows.length && to - from < maxRows && bytes < maxBytes; to++) {
      bytes += rows[to]!.body?.length ?? 0;
    }
    takeRows(store, { ...page, rows: rows.slice(from, to) });
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function takeRows(
  store: TeamStore,
  { project, name, origin, user, headSeq, rows, seal }: Parameters<typeof takePage>[1],
): void {
  const { db } = store;
  const nowMs = Date.now();
  const unread = new Map<string, string>();
  const arriving: ArrivingRow[] = [];
  const isDeletedHere = (row: ServerRow) =>
    row.kind === "task" && row.op === "put" && hasEntry(db, project, row.uid) &&
    store.rows.read(row.kind, row.uid)?.isDeleted === true;
  // A delete always wins: it is sent, and what others changed meanwhile is not taken in.
  const deleted = new Set(rows.filter(isDeletedHere).map(({ uid }) => uid));
  for (const { op, uid, kind, author, seq, body, origin: from } of rows) {
    if (body === null || from === origin || deleted.has(uid)) continue;
    try {
      const by = author === user ? null : author;
      arriving.push({ kind, uid, op, author: by, seq, body: seal.open(body, { name, uid }) });
    } catch (thrown) {
      unread.set(uid, messageOf(thrown));
    }
  }
  const bodies = new Map(arriving.map(({ seq, body }) => [seq, body]));
  store.rows.take(project, arriving, {
    before: () => {
      beginApplying(db, project);
      for (const row of rows) {
        if (deleted.has(row.uid) && row.origin !== origin) continue;
        const theirs = bodies.get(row.seq);
        settleOwn(db, { project, row, theirs, isOwn: row.origin === origin, store, nowMs });
      }
    },
    after: ({ refused, ahead, whole }) => {
      for (const [uid, why] of [...unread, ...refused]) {
        const { kind, seq, body: closed } = rows.findLast((row) => row.uid === uid)!;
        const body = bodies.get(seq) ?? closed;
        const held = { project, kind, uid, reason: "unreadable", detail: why, body } as const;
        holdRow(db, { ...held, heldAtMs: nowMs });
      }
      for (const uid of whole) releaseHeld(db, { uid, reasons: ["conflict"] });
      for (const uid of ahead) queueAgain(db, project, { uid, kind: "task", nowMs });
      noteReceived(db, project, rows);
      notePulled(db, project, { pulledSeq: rows.at(-1)!.seq, headSeq });
    },
  });
}

/** A row of ours that came back was sent; one of others wins over a change of ours that the server has not. */
function settleOwn(
  db: TeamStore["db"],
  { project, row, theirs, isOwn, store, nowMs }: {
    readonly project: string;
    /** Its body, opened. */
    readonly theirs: string | undefined;
    readonly row: ServerRow;
    readonly isOwn: boolean;
    readonly store: TeamStore;
    readonly nowMs: number;
  },
): void {
  const { uid, kind, op, originSeq, author } = row;
  if (isOwn) return settleEntry(db, project, originSeq);
  // A newer version follows.
  if (op === "put" && row.body === null) return;
  if (op === "forget") releaseHeld(db, { uid, reasons: null });
  else releaseHeld(db, { uid, reasons: ["unreadable"] });
  const mine = kind === "task" && op === "put" ? store.rows.read(kind, uid) : null;
  const isNew = !knowsRow(db, uid);
  // A task that was here before its project was joined may differ as well.
  if (!dropEntry(db, project, uid) && !isNew || mine === null) return;
  if (theirs !== undefined && !store.rows.differ(mine.body, theirs)) return;
  const detail = `${author} changed it before this change arrived, and theirs counts`;
  holdRow(db, { project, kind, uid, reason: "conflict", detail, body: mine.body, heldAtMs: nowMs });
}
