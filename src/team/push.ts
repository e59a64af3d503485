/** Sends the rows that have changed here. */
import { createHash } from "node:crypto";
import { messageOf } from "../base/errors.ts";
import { transaction } from "../db/transaction.ts";
import {
  dropEntry,
  nextEntries,
  numberEntries,
  numbersOf,
  type OutboxEntry,
  settleEntry,
  unnumberEntry,
} from "./outbox_table.ts";
import { type PushedRow, pushRows } from "./log_table.ts";
import { type HeldReason, holdRow, noteVersion } from "./received_table.ts";
import type { Halt } from "./pull.ts";
import type { Seal } from "./seal.ts";
import type { Server } from "./server.ts";
import { noteAcked } from "./team_projects_table.ts";
import type { JoinedProject, Operation, RowKind, TeamStore } from "./types.ts";
import { ownValue } from "../base/mapping.ts";

/** The limits of a batch, which is one transaction on the server. */
const MAX_ROWS = 500;
const MAX_BYTES = 1 << 20;

/** A row in the form that the server takes. */
interface SentRow {
  /** The number among this machine's rows. */
  readonly n: number;
  readonly kind: RowKind;
  readonly uid: string;
  readonly op: Operation;
  /** The number of the server's version that a task's change builds on; null when the change wins over any version. */
  readonly base: number | null;
  readonly digest: string;
  readonly body: string | null;
}

/** Returns a digest that tells versions apart. It may be short, since members gain nothing from a collision. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/**
 * Makes the next batch from the current rows. It drops rows that are gone; those that seem to contain a secret, or that
 * cannot be read, are held for a person.
 *
 * @param isDry Numbers, holds and drops nothing: for a preview. @returns An empty list when nothing can be sent.
 */
export function buildBatch(
  { db, rows, share }: TeamStore,
  { project, name }: JoinedProject,
  { seal, nowMs, isDry = false }: {
    readonly seal: Seal;
    readonly nowMs: number;
    readonly isDry?: boolean;
  },
): SentRow[] {
  const built: {
    readonly entry: OutboxEntry;
    readonly body: string | null;
    readonly isDeleted: boolean;
  }[] = [];
  let bytes = 0;
  const skipped: (() => void)[] = [];
  for (const entry of nextEntries(db, project)) {
    if (built.length === MAX_ROWS) break;
    const { kind, uid, op } = entry;
    const hold = (reason: HeldReason, detail: string) =>
      skipped.push(() =>
        holdRow(db, { project, kind, uid, reason, detail, body: null, heldAtMs: nowMs })
      );
    let read: ReturnType<typeof rows.read> = null;
    try {
      if (share.includes(kind)) read = rows.read(kind, uid);
    } catch (thrown) {
      hold("refused", `it cannot be read: ${messageOf(thrown)}`);
      continue;
    }
    if (op === "put" && read === null) {
      skipped.push(() => dropEntry(db, project, uid));
    } else if (read !== null && read.suspect !== null && entry.cleared === 0) {
      hold("secret", read.suspect);
    } else {
      const body = read === null ? null : seal.close(read.body, { name, uid });
      bytes += body === null ? 0 : Buffer.byteLength(body);
      if (built.length > 0 && bytes > MAX_BYTES) break;
      built.push({ entry, body, isDeleted: read?.isDeleted ?? false });
    }
  }
  if (!isDry && skipped.length > 0) transaction(db, () => skipped.forEach((skip) => skip()));
  if (built.length === 0) return [];
  const number = isDry ? numbersOf : numberEntries;
  const numbers = number(db, project, built.map(({ entry }) => entry));
  return built.map(({ entry: { kind, uid, op, base }, body, isDeleted }, i) => ({
    n: numbers[i]!,
    kind,
    uid,
    op,
    // Others may have changed a task meanwhile, so the server compares versions; but a delete always wins.
    base: kind === "task" && !isDeleted ? base : null,
    digest: digestOf(body ?? uid),
    body,
  }));
}

/** The result of a push. */
export interface PushReport {
  readonly sent: number;
  /** How many rows others changed meanwhile; the next pull settles them. */
  readonly changed: number;
  readonly halt: Halt | null;
}

/** Sends batches until nothing waits, or nothing can be sent. @param onRows Receives how many rows the server took. */
export async function pushAll(
  store: TeamStore,
  joined: JoinedProject,
  { server, author, seal, onRows }: {
    readonly server: Server;
    readonly author: string;
    readonly seal: Seal;
    readonly onRows: (rows: number) => void;
  },
): Promise<PushReport> {
  const report = { sent: 0, changed: 0, halt: null };
  for (;;) {
    const batch = buildBatch(store, joined, { seal, nowMs: Date.now() });
    if (batch.length === 0) return report;
    const pushed = await pushFit(server, joined, batch);
    const halt = pushed.map(({ refused }) => ownValue(HALTS, refused ?? "")).find((one) =>
      one !== undefined
    );
    if (halt !== undefined) return { ...report, halt };
    const { sent, changed, forgotten } = settle(store, joined, { batch, pushed, author });
    if (forgotten.length > 0) await forgetRefused(store, joined, forgotten);
    report.sent += sent;
    report.changed += changed;
    onRows(sent);
    if (changed > 0) return report;
  }
}

/** The refusals after which nothing can be sent, and the reason for each. */
const HALTS: Readonly<Record<string, Halt>> = { reused: "copied", lost: "restored" };

/** Matches PostgreSQL's error classes for rows that it will never take: data, constraints, limits. */
const UNFIT = /^(?:22|23|54)/;

/** Pushes a batch. When the server cannot take a row, halves the batch until the other rows are sent without it. */
async function pushFit(
  server: Server,
  joined: JoinedProject,
  batch: readonly SentRow[],
): Promise<PushedRow[]> {
  try {
    return await pushRows(server, { ...joined, batch: JSON.stringify(batch) });
  } catch (thrown) {
    if (!UNFIT.test(String((thrown as { readonly code?: unknown }).code))) throw thrown;
    if (batch.length === 1) {
      return [{ originSeq: batch[0]!.n, seq: null, refused: messageOf(thrown) }];
    }
    const half = batch.length >> 1;
    return [
      ...await pushFit(server, joined, batch.slice(0, half)),
      ...await pushFit(server, joined, batch.slice(half)),
    ];
  }
}

/** Removes the rows that the server confirms from the outbox, and holds the rows that it refuses. */
function settle(
  { db }: TeamStore,
  { project, origin }: JoinedProject,
  { batch, pushed, author }: {
    readonly batch: readonly SentRow[];
    readonly pushed: readonly PushedRow[];
    readonly author: string;
  },
): { readonly sent: number; readonly changed: number; readonly forgotten: readonly SentRow[] } {
  const sent = new Map(batch.map((row) => [row.n, row]));
  const counts = { sent: 0, changed: 0 };
  const forgotten: SentRow[] = [];
  transaction(db, () => {
    for (const { originSeq, seq, refused } of pushed) {
      const { uid, kind, op } = sent.get(originSeq)!;
      if (seq !== null) {
        settleEntry(db, project, originSeq);
        noteAcked(db, project, originSeq);
        noteVersion(db, project, { uid, kind, op, origin, author, seq });
        counts.sent++;
        continue;
      }
      if (refused === "changed") counts.changed++;
      else if (refused === "forgotten") forgotten.push(sent.get(originSeq)!);
      else if (refused !== "renumber") {
        const detail = `the server cannot take it: ${refused}`;
        const held = { project, kind, uid, reason: "refused", detail, body: null } as const;
        holdRow(db, { ...held, heldAtMs: Date.now() });
      }
      unnumberEntry(db, project, originSeq);
    }
  });
  return { ...counts, forgotten };
}

/** Forgets rows that somebody of the team had forgotten, and that came back from an old export or backup. */
async function forgetRefused(
  { db, rows }: TeamStore,
  { project }: JoinedProject,
  forgotten: readonly SentRow[],
): Promise<void> {
  // A summary was made anew from this machine's own records, so it stays here, unsent.
  const toForget = forgotten.filter(({ kind }) => kind !== "summary");
  await rows.forget(toForget.map(({ kind, uid }) => ({ kind, uid, body: null })));
  const detail = "somebody of the team has forgotten it, so the others do not get it again";
  for (const { kind, uid } of forgotten) {
    holdRow(db, {
      project,
      kind,
      uid,
      reason: "refused",
      detail,
      body: null,
      heldAtMs: Date.now(),
    });
  }
}
