/** `conclaude queue`: the captures that wait to be worked into memory. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { quietly } from "../../base/errors.ts";
import { timeUntil } from "../../base/time.ts";
import { checkpoint } from "../../db/database.ts";
import { giveBackSpace } from "../../db/disk_space.ts";
import * as payloads from "../../db/payloads.ts";
import * as queues from "../../db/queue.ts";
import { tellingId } from "../../db/sessions.ts";
import { spooledFiles } from "../../db/spool.ts";
import type { CliContext } from "../context.ts";
import {
  age,
  limitOf,
  MOST_ROWS,
  number,
  oneOfFlag,
  SHARED,
  text,
  toggle,
  usually,
} from "../flags.ts";
import { openStore, type Place } from "../open_store.ts";
import { queueItemOf, sessionFilterOf } from "../session_lookup.ts";
import { bytesText, cutList, factLines, moreLine, tableText } from "../table.ts";
import { askAtTerminal, listFirst, progressLine, tellSpace } from "../terminal.ts";
import { requireOneOfTwo } from "../usage.ts";
import { agoText, readVerb } from "../list_and_show.ts";
import { group, lazyFrom, many, verb } from "../verb.ts";

const ID = text("Id of a capture, or its beginning", "id");

const list = readVerb({
  flags: {
    status: oneOfFlag(["raw", "processing", "done", "error"], "Only with this status"),
    session: SHARED.session,
    priority: oneOfFlag(["high", "normal", "low"], "Only with this priority"),
    limit: SHARED.limit,
  },
  async run({ db, place, context }, flags) {
    const { session, status = null, priority = null } = flags;
    const filter = { sessionId: sessionFilterOf(db, session), status, priority };
    const limit = limitOf(context, flags.limit);
    const cut = await cutList(
      context,
      limit,
      (limit) => queues.listQueue(db, { ...filter, limit }),
    );
    const { rows: items } = cut;
    const subjects = context.globals.json ? null : await subjectsOf(db, items);
    const now = Date.now();
    const spooled = spooledFiles(spoolOf(context, place)).length;
    const table = tableText(context, items, {
      ID: ({ id }) => queues.tellingQueueId(db, id),
      PRIORITY: (item) => item.priority,
      STATUS: (item) => item.status,
      SESSION: (item) => tellingId(db, item.sessionId),
      CAPTURED: (item) => agoText(item.createdAtMs),
      WHAT: ({ id, toolName }) => `${toolName} ${subjects?.get(id) ?? ""}`,
      ERROR: ({ errorMessage, retryAtMs }) =>
        retryAtMs === null ? errorMessage : `again ${timeUntil(retryAtMs, now)}: ${errorMessage}`,
    }, "No captures match.");
    const waits = spooled === 0 ? "" : `\n\nin the spool  ${spooledText(spooled)}`;
    return {
      json: { items, spooled },
      text: table + moreLine(cut, { most: MOST_ROWS.list }) + waits,
    };
  },
});

/** Returns what each capture is about, by its id and in one line: its files, or its command or words. */
async function subjectsOf(db: DatabaseSync, items: readonly queues.QueueItem[]) {
  const { captureStep } = await import("../../memory/tell/session_steps.ts");
  const subjects = new Map<string, string>();
  for (const item of items) {
    const payload = () =>
      quietly(() => payloads.readPayload(queues.readStoredPayload(db, item.id)!).value);
    const how = { known: null, isWhole: false, payload, folder: null };
    const { subject } = await captureStep({ ...item, observationId: null }, how);
    subjects.set(item.id, item.filesTouched.join(" ") || subject);
  }
  return subjects;
}

const show = readVerb({
  args: [ID],
  run({ db }, _flags, id) {
    const item = queueItemOf(db, id);
    const text = payloads.payloadText(queues.readStoredPayload(db, item.id)!);
    const payload: unknown = JSON.parse(text);
    const pruned = payloads.prunedBytes(text);
    const facts = factLines([
      ["capture", item.id],
      ["session", item.sessionId],
      ["tool", `${item.toolName} (${item.outcome})`],
      ["priority", item.priority],
      ["status", item.status],
      ["attempts", item.attempts],
      ["error", item.errorMessage],
      ["tried again", item.retryAtMs === null ? null : timeUntil(item.retryAtMs, Date.now())],
      ["files", item.filesTouched.join(" ") || null],
      ["size", item.rawBytes === null ? null : bytesText(item.rawBytes)],
      ["cut out", item.cutBytes <= 0 ? null : bytesText(item.cutBytes)],
      ["captured", agoText(item.createdAtMs)],
    ]);
    const shown = pruned === null
      ? JSON.stringify({ payload }, null, 2).split("\n")
      : [`Its payload of ${bytesText(pruned)} was pruned; what memory made of it stays.`];
    return { json: { ...item, payload }, text: [...facts, "", ...shown] };
  },
});

const stats = readVerb({
  run({ db, place, context }) {
    const groups = queues.summarizeQueue(db);
    const totals = queues.totalsOf(groups);
    const retries = queues.queueRetries(db);
    const nowMs = Date.now();
    const spooled = spooledFiles(spoolOf(context, place)).length;
    const percent = Math.round(100 * totals.storedBytes / totals.rawBytes);
    const share = totals.rawBytes === 0 ? "" : ` (${percent} %)`;
    const next = retries.nextRetryAtMs === null ? null : timeUntil(retries.nextRetryAtMs, nowMs);
    const table = tableText(context, groups, {
      STATUS: (group) => group.status,
      PRIORITY: (group) => group.priority,
      COUNT: [(group) => group.count],
      JSON: [(group) => bytesText(group.rawBytes)],
      STORED: [(group) => bytesText(group.storedBytes)],
    }, "No captures yet.");
    const facts = factLines([
      ["captures", totals.items],
      ["JSON", bytesText(totals.rawBytes)],
      ["stored", bytesText(totals.storedBytes) + share],
      ["oldest raw", agoText(totals.oldestAtMs)],
      ["tried again", next && `${retries.retrying}, next ${next}`],
      ["in the spool", spooledText(spooled)],
    ]);
    const json = { ...totals, ...retries, groups, spooled };
    return { json, text: [table, "", ...facts].join("\n") };
  },
});

const retry = verb({
  args: many(ID),
  flags: { all: toggle("All that have the status error") },
  async run(context, flags, ...ids) {
    requireOneOfTwo("which captures to retry", {
      given: { "an id": ids.length > 0, "--all": flags.all },
      next: "conclaude queue list --status error",
    });
    const { db } = await openStore(context, "write");
    const named = flags.all ? null : [...new Set(ids.map((id) => queueItemOf(db, id).id))];
    const retried = queues.retryQueueItems(db, named, Date.now());
    const unchanged = named === null ? 0 : named.length - retried;
    const others = unchanged === 0
      ? ""
      : `; ${count(unchanged, "had no error and was", "had no error and were")} left alone`;
    return {
      json: { retried, unchanged },
      text: `${count(retried, "capture waits", "captures wait")} again${others}.`,
    };
  },
});

/** After so many transactions, the write-ahead log moves into the database. */
const CHECKPOINT_EVERY_STEPS = 16;

const prune = verb({
  flags: {
    olderThan: usually(
      "30d",
      age("Captured longer ago than this: 30d, 2w, 3m (months of 30 days)"),
    ),
    keepRaw: usually(
      "100",
      number(0, Number.MAX_SAFE_INTEGER, "How many of these to leave alone, the newest"),
    ),
    unreadable: toggle(
      "Instead, those that are damaged and that nobody can read any more, of any age",
    ),
    dryRun: toggle("Only say what would be pruned"),
    yes: SHARED.yes,
  },
  async run(context, { olderThan, keepRaw, unreadable, dryRun, yes }) {
    const { db } = await openStore(context, dryRun ? "read" : "write");
    using progress = progressLine(context);
    const ids = unreadable
      ? payloads.damagedPayloads(db).map(({ id }) => id)
      : payloads.payloadsToPrune(db, { beforeMs: Date.now() - olderThan, keepNewest: keepRaw });
    const removals = listFirst(ids, (first) =>
      first.map((id) => {
        const { toolName, filesTouched, createdAtMs } = queueItemOf(db, id);
        return [queues.tellingQueueId(db, id), agoText(createdAtMs), toolName, ...filesTouched]
          .join("  ");
      }));
    if (ids.length > 0 && !dryRun && !yes) {
      askAtTerminal(context, {
        what: "prune payloads",
        shows: removals,
        ask: `Remove ${count(ids.length, "payload")} for good?`,
      });
    }
    let [pruned, storedBytes, steps] = [0, 0, 0];
    for (const done of payloads.prunePayloads(db, ids, { unreadable, dryRun })) {
      ({ pruned, freedBytes: storedBytes } = done);
      progress.tell("Pruning payloads", { done: pruned, of: ids.length });
      if (++steps % CHECKPOINT_EVERY_STEPS === 0 && !dryRun) checkpoint(db, "PASSIVE");
    }
    const freedBytes = dryRun ? 0 : giveBackSpace(db, { onProgress: tellSpace(progress) });
    const what = `${count(pruned, "payload")} (${bytesText(storedBytes)})`;
    return {
      json: { dryRun, pruned, storedBytes, freedBytes },
      text: dryRun
        ? [`Would prune ${what}.`, ...removals].join("\n")
        : `Pruned ${what}; ${bytesText(freedBytes)} given back to the disk.`,
    };
  },
});

// A static import would cost every list the loading of the drain.
const drain = lazyFrom(() => import("./queue_drain_verbs.ts"))("drain");

export const queue = group({ list, show, stats, retry, drain, prune });

function spoolOf({ locations }: CliContext, { database }: Pick<Place, "database">) {
  return { database, folders: locations.spoolFolders };
}

function spooledText(spooled: number): string {
  return spooled === 0 ? "0" : `${spooled} waiting: run \`conclaude queue drain\``;
}
