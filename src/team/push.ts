/** Sends what has changed here. */
import { createHash } from "node:crypto";
import { transaction } from "../db/transaction.ts";
import {
  dropEntry,
  foreseeNumbers,
  nextEntries,
  numberEntries,
  type OutboxEntry,
  settleEntry,
  unnumberEntry,
} from "./outbox_table.ts";
import { type PushedRow, pushRows } from "./log_table.ts";
import { holdRow, noteVersion } from "./received_table.ts";
import type { Seal } from "./seal.ts";
import type { Server } from "./server.ts";
import type { JoinedProject, TeamStore } from "./types.ts";

/** A batch is one transaction on the server. */
const MAX_ROWS = 500;
const MAX_BYTES = 1 << 20;

/** Rows on their way. */
interface Batch {
  readonly entries: readonly OutboxEntry[];
  /** The bytes that are sent: a JSON list. */
  readonly text: string;
}

/** Digests tell two versions apart; nobody can be fooled by one that a member made on purpose. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/**
 * Makes the next batch of the rows as they are now. A row that is gone needs not be sent; one that seems to hold a secret is
 * held for a person. @param isDry Nothing is numbered, held or dropped: for who only looks.
 */
export function buildBatch(
  { db, rows, share }: TeamStore,
  { project, name }: JoinedProject,
  { seal, nowMs, isDry = false }: {
    readonly seal: Seal;
    readonly nowMs: number;
    readonly isDry?: boolean;
  },
): Batch | null {
  const built: { readonly entry: OutboxEntry; readonly body: string | null }[] = [];
  let bytes = 0;
  const skipped: (() => void)[] = [];
  for (const entry of nextEntries(db, project, MAX_ROWS)) {
    const { kind, uid, op } = entry;
    const isShared = op === "forget" || share.includes(kind);
    const read = op === "put" && isShared ? rows.read(kind, uid) : null;
    if (op === "put" && read === null) {
      skipped.push(() => dropEntry(db, project, uid));
    } else if (read !== null && read.suspect !== null && entry.cleared === 0) {
      const held = {
        project,
        kind,
        uid,
        reason: "secret",
        detail: read.suspect,
        body: null,
      } as const;
      skipped.push(() => holdRow(db, { ...held, heldAtMs: nowMs }));
    } else {
      const body = read === null ? null : seal.close(read.body, { name, uid });
      if (built.length > 0 && bytes + (body?.length ?? 0) > MAX_BYTES) break;
      bytes += body?.length ?? 0;
      built.push({ entry, body });
    }
  }
  if (!isDry && skipped.length > 0) transaction(db, () => skipped.forEach((skip) => skip()));
  if (built.length === 0) return null;
  const entries = built.map(({ entry }) => entry);
  const numbers = (isDry ? foreseeNumbers : numberEntries)(db, project, entries);
  const sent = built.map(({ entry: { kind, uid, op, base }, body }, i) => ({
    n: numbers[i]!,
    kind,
    uid,
    op,
    // Observations never change but by who made them; a task may have been changed by others meanwhile.
    base: kind === "task" ? base : null,
    digest: digestOf(body ?? uid),
    body,
  }));
  return {
    entries: entries.map((entry, i) => ({ ...entry, sentSeq: numbers[i]! })),
    text: JSON.stringify(sent),
  };
}

/** What a push did. */
export interface PushReport {
  readonly sent: number;
  /** Rows that others changed meanwhile: the next pull settles them. */
  readonly changed: number;
  /** Whether the numbers of this machine are somebody else's: see `renameMachine`. */
  readonly isCopied: boolean;
}

/** Sends batches until nothing waits, or nothing can be sent. @param onRows Is told how many rows were taken. */
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
  const report = { sent: 0, changed: 0, isCopied: false };
  for (;;) {
    const batch = buildBatch(store, joined, { seal, nowMs: Date.now() });
    if (batch === null) return report;
    const { name, origin } = joined;
    const pushed = await pushRows(server, { name, origin, batch: batch.text });
    if (pushed.some(({ refused }) => refused === "reused")) return { ...report, isCopied: true };
    const { sent, changed, forgotten } = settle(store, joined, { batch, pushed, author });
    if (forgotten.length > 0) await forgetRefused(store, joined, forgotten);
    report.sent += sent;
    report.changed += changed;
    onRows(sent);
    if (changed > 0) return report;
  }
}

/** Takes out of the outbox what the server says it has, and nothing else. */
function settle(
  { db }: TeamStore,
  { project, origin }: JoinedProject,
  { batch, pushed, author }: {
    readonly batch: Batch;
    readonly pushed: readonly PushedRow[];
    readonly author: string;
  },
): { readonly sent: number; readonly changed: number; readonly forgotten: readonly OutboxEntry[] } {
  const entries = new Map(batch.entries.map((entry) => [entry.sentSeq, entry]));
  const counts = { sent: 0, changed: 0 };
  const forgotten: OutboxEntry[] = [];
  transaction(db, () => {
    for (const { originSeq, seq, refused } of pushed) {
      const { uid, kind } = entries.get(originSeq)!;
      if (seq !== null) {
        settleEntry(db, project, originSeq);
        noteVersion(db, project, { uid, kind, origin, author, seq });
        counts.sent++;
      } else if (refused === "forgotten") {
        forgotten.push(entries.get(originSeq)!);
      } else {
        unnumberEntry(db, project, originSeq);
        if (refused === "changed") counts.changed++;
      }
    }
  });
  return { ...counts, forgotten };
}

/** What somebody of the team has forgotten came back here, from an old export or backup: it is forgotten here as well. */
async function forgetRefused(
  { db, rows }: TeamStore,
  { project }: JoinedProject,
  forgotten: readonly OutboxEntry[],
): Promise<void> {
  await rows.forget(forgotten.map(({ uid }) => uid));
  const detail = "somebody of the team has forgotten it, so it is forgotten here as well";
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
