/** Fetches the rows that others wrote, and stores them here. */
import { messageOf, UserError } from "../base/errors.ts";
import { dropEntry, hasEntry, queueAgain, settleEntry } from "./outbox_table.ts";
import { paceBesideHooks } from "../db/pace.ts";
import { pullRows } from "./log_table.ts";
import { hasHad } from "./restored_server.ts";
import { holdRow, knowsRow, noteReceived, releaseHeld } from "./received_table.ts";
import type { Seal } from "./seal.ts";
import type { Server } from "./server.ts";
import { ackedSeqOf, beginApplying, lastNumber, notePulled } from "./team_projects_table.ts";
import type { ArrivingRow, ForgottenRows, JoinedProject, ServerRow, TeamStore } from "./types.ts";

const PAGE_ROWS = 500;
/** The most of a page that one transaction stores, since hooks wait for it; less while hooks run. */
const PIECE = { maxRows: 250, maxBytes: 500_000 };
/** How long a pull waits before it checks again whether the push has its answer. */
const WAIT_MS = 5;
/** How long a pull yields after a hook: tool uses of a working session may be half a minute apart. */
const SESSION_MS = 30_000;

/**
 * Why neither pull nor push can go on. `copied`: this machine's database is a copy or older, since the server has rows
 * of this machine that it never sent; see `renameMachine`. `restored`: the server has lost rows; see `sendAgain`.
 */
export type Halt = "copied" | "restored";

/** The result of a pull. */
export interface PullReport {
  readonly received: number;
  readonly pulledSeq: number;
  readonly halt: Halt | null;
  readonly forgot: readonly ForgottenRows[];
  /** The version of the server's schema. */
  readonly version: number;
}

/** Stores all rows after the last stored one. @param onRows Receives how many were stored, and how many remain. */
export async function pullAll(
  store: TeamStore,
  { project, name, origin, pulledSeq, ackedSeq }: JoinedProject,
  { server, user, seal, onRows, isPushing = () => false, untilMs = Infinity }: {
    readonly server: Server;
    /** The login of this machine's person. */
    readonly user: string;
    readonly seal: Seal;
    readonly onRows: (rows: number, behind: number) => void;
    /** Tells whether a push, which began after this pull, is running. */
    readonly isPushing?: () => boolean;
    /** The time after which the pull fetches no page, in epoch milliseconds. */
    readonly untilMs?: number;
  },
): Promise<PullReport> {
  const fetchPage = (after: number) => pullRows(server, { name, origin, after, limit: PAGE_ROWS });
  const lastGiven = lastNumber(store.db, project);
  let page = await fetchPage(pulledSeq);
  const report = { received: 0, pulledSeq, halt: null, version: page.version };
  const forgot: ServerRow[] = [];
  const end = () => ({ ...report, forgot: forgottenRows(forgot) });
  const paceOf = paceBesideHooks(store.db, PIECE, { forMs: SESSION_MS });
  for (;;) {
    const { rows, headSeq, last: lastRow, ownSeq } = page;
    if (headSeq === null) throw notMember(name);
    const isSame = report.pulledSeq === 0 || lastRow !== null && hasHad(store, project)(lastRow);
    if (!isSame || ownSeq < ackedSeq) return { ...end(), halt: "restored" };
    checkDense(rows, { after: report.pulledSeq, headSeq });
    if (rows.length === 0) return end();
    const newest = Math.max(...rows.flatMap((row) => row.origin === origin ? row.originSeq : []));
    const isSentHere = () => newest <= Math.max(lastGiven, ackedSeqOf(store.db, project));
    // The running push may have sent the newest row; only the server's answer tells.
    while (!isSentHere() && isPushing()) await new Promise((done) => setTimeout(done, WAIT_MS));
    if (!isSentHere()) return { ...end(), halt: "copied" };
    const last = rows.at(-1)!.seq;
    // The server reads the next page while this machine stores the current one.
    const next = last < headSeq && Date.now() < untilMs ? fetchPage(last) : null;
    next?.catch(() => {});
    const toTake = { project, name, origin, user, headSeq, rows, seal };
    forgot.push(...await takePage(store, toTake, paceOf));
    report.received += rows.filter((row) => row.origin !== origin).length;
    report.pulledSeq = last;
    onRows(rows.length, headSeq - last);
    if (next === null) return end();
    page = await next;
  }
}

function notMember(name: string): UserError {
  return new UserError("Cannot read the team's project", {
    why: `this user does not belong to "${name}" any more, or it is gone`,
    next: "An owner of the project runs `conclaude team members --add LOGIN`",
  });
}

/** Checks that the numbers of rows have no gap. @throws {UserError} When a number is missing. */
function checkDense(
  rows: readonly ServerRow[],
  { after, headSeq }: { readonly after: number; readonly headSeq: number },
): void {
  const gap = rows.findIndex(({ seq }, i) => seq !== after + 1 + i);
  if (gap < 0 && (rows.length > 0 || headSeq === after)) return;
  throw new UserError("Cannot go on taking in the team's rows", {
    why: `row ${
      after + 1 + Math.max(gap, 0)
    } is missing on the server; nothing after it is taken in`,
    next: "conclaude team verify",
  });
}

function forgottenRows(rows: readonly ServerRow[]): ForgottenRows[] {
  return [...Map.groupBy(rows, ({ author }) => author)].map(([author, written]) => ({
    author,
    rows: new Set(written.map(({ uid }) => uid)).size,
    atMs: Math.max(...written.map(({ atMs }) => atMs)),
  }));
}

/** Forgets on this machine what a page says others forgot, then stores the page. @returns The forgotten rows. */
async function takePage(
  store: TeamStore,
  page: Pick<JoinedProject, "project" | "name" | "origin" | "headSeq"> & {
    readonly rows: readonly ServerRow[];
    readonly seal: Seal;
    readonly user: string;
  },
  paceOf: ReturnType<typeof paceBesideHooks>,
): Promise<readonly ServerRow[]> {
  const { rows, origin } = page;
  const toForget = rows.filter((row) => row.op === "forget" && row.origin !== origin);
  const forgotten = toForget.length === 0 ? null : await store.rows.forget(toForget);
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const { batch: { maxRows, maxBytes }, pauseMs } = paceOf();
    for (let bytes = 0; to < rows.length && to - from < maxRows && bytes < maxBytes; to++) {
      bytes += rows[to]!.body?.length ?? 0;
    }
    takeRows(store, { ...page, rows: rows.slice(from, to) });
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return toForget.filter(({ uid }) => forgotten?.has(uid));
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
  // A delete always wins: it is sent, and changes that others made meanwhile are not stored.
  const deleted = new Set(rows.filter(isDeletedHere).map(({ uid }) => uid));
  for (const { op, uid, kind, author, seq, body, origin: from } of rows) {
    if (body === null || from === origin || deleted.has(uid)) continue;
    try {
      const other = author === user ? null : author;
      arriving.push({ kind, uid, op, author: other, seq, body: seal.open(body, { name, uid }) });
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
      for (const uid of ahead) queueAgain(db, project, { uid, kind: "task", op: "put", nowMs });
      noteReceived(db, project, rows);
      notePulled(db, project, { pulledSeq: rows.at(-1)!.seq, headSeq });
    },
  });
}

/** Settles the outbox entry for an arriving row: one of this machine was sent, one of others replaces its change. */
function settleOwn(
  db: TeamStore["db"],
  { project, row, theirs, isOwn, store, nowMs }: {
    readonly project: string;
    /** The opened body of the row. */
    readonly theirs: string | undefined;
    readonly row: ServerRow;
    readonly isOwn: boolean;
    readonly store: TeamStore;
    readonly nowMs: number;
  },
): void {
  const { uid, kind, op, originSeq, author } = row;
  if (isOwn) return settleEntry(db, project, originSeq);
  // A newer version of the row follows.
  if (op === "put" && row.body === null) return;
  if (op === "forget") releaseHeld(db, { uid, reasons: null });
  else releaseHeld(db, { uid, reasons: ["unreadable"] });
  const mine = kind === "task" && op === "put" ? store.rows.read(kind, uid) : null;
  const isNew = !knowsRow(db, uid);
  // A task that is older than the joining may also differ.
  if (!dropEntry(db, project, uid) && !isNew || mine === null) return;
  if (theirs !== undefined && !store.rows.differ(mine.body, theirs)) return;
  const detail = `${author} changed it before this change arrived, and theirs counts`;
  holdRow(db, { project, kind, uid, reason: "conflict", detail, body: mine.body, heldAtMs: nowMs });
}
