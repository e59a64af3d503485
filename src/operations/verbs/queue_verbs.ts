import { plainLines } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { shortSessionId } from "../../base/ids.ts";
import { giveBackSpace } from "../../upkeep/care/compaction.ts";
import { shortened } from "../../memory/text.ts";
import { spooledFiles } from "../../upkeep/transfer/drain_spool.ts";
import { checkpoint } from "../../db/database.ts";
import {
  payloadText,
  previewPruning,
  type PruneCounts,
  prunedBytes,
  prunePayloads,
  pruneUnreadable,
} from "../../db/payloads.ts";
import {
  listQueue,
  type QueueItem,
  queueRetries,
  readStoredPayload,
  retryQueueItems,
  summarizeQueue,
  totalsOf,
} from "../../db/queue.ts";
import { relativeTime, timeUntil } from "../../base/time.ts";
import type { CliContext } from "../context.ts";
import {
  LIMIT_FLAG,
  limitOf,
  number,
  oneOf,
  optional,
  parseAge,
  parsed,
  SESSION_FLAG,
  text,
  toggle,
  usually,
} from "../flags.ts";
import { hintsHere } from "../next_command.ts";
import { progressLine } from "../terminal.ts";
import { queueItemOf } from "../record_lookup.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { openStore, type Place } from "../open_store.ts";
import { bytesText, factLines, listView } from "../table.ts";
import { requireOneOfTwo } from "../usage.ts";
import { group, lazy, many, verb } from "../verb.ts";
import type { View } from "../view.ts";

const ID = text("Id of a capture, or its beginning", "id");

const list = verb({
  flags: {
    status: optional(oneOf(["raw", "processing", "done", "error"], "Only with this status")),
    session: SESSION_FLAG,
    priority: optional(oneOf(["high", "normal", "low"], "Only with this priority")),
    limit: LIMIT_FLAG,
  },
  brief: "List captures in the order in which they are worked in",
  about: [
    "Lists captured tool uses: high priority first, then normal and low, each the oldest first. Below them it says",
    "how many records wait in the spool because the database could not take them.",
  ].join("\n"),
  examples: [
    "conclaude queue list --status raw --priority high",
    "conclaude queue list --session 01980c5e --json",
  ],
  async run(context, flags) {
    const { db, place } = await openStore(context, "read");
    const items = listQueue(db, {
      sessionId: sessionFilterOf(db, flags.session),
      status: flags.status ?? null,
      priority: flags.priority ?? null,
      limit: limitOf(context, flags.limit),
    });
    const now = Date.now();
    const spooled = spooledFor(context, place);
    const { text } = listView(context, { items }, {
      ID: (item) => item.id,
      PRIORITY: (item) => item.priority,
      STATUS: (item) => item.status,
      SESSION: (item) => shortSessionId(item.sessionId),
      CAPTURED: (item) => relativeTime(item.createdAtMs, now),
      SIZE: [({ rawBytes }) => sizeText(rawBytes)],
      TOOL: (item) => item.toolName,
      ...items.some(({ retryAtMs }) => retryAtMs !== null) && {
        RETRY: ({ retryAtMs }: QueueItem) => retryAtMs === null ? "" : timeUntil(retryAtMs, now),
      },
      ...items.some(({ errorMessage }) => errorMessage !== null) && {
        ERROR: ({ errorMessage }: QueueItem) => shortened(errorMessage ?? "", MAX_ERROR_CHARS),
      },
      FILES: (item) => item.filesTouched.join(" "),
    }, "No captures match.");
    return {
      json: { items, spooled },
      text: spooled === 0 ? text : `${text}\n\nin the spool  ${spooledText(spooled, context)}`,
    };
  },
});

const show = verb({
  args: [ID],
  brief: "Show one capture with its payload",
  about:
    "Shows what was captured of one tool use: its input, its response, the files that it names.",
  examples: ["conclaude queue show 019a8f2e-3b1c-7", "conclaude queue show 019a8f2e-3b1c-7 --json"],
  async run(context, _flags, id) {
    const { db } = await openStore(context, "read");
    const item = queueItemOf(db, id);
    const text = payloadText(readStoredPayload(db, item.id)!);
    const payload: unknown = JSON.parse(text);
    const laidOut = layOut({ payload });
    const pruned = prunedBytes(text);
    const shown = pruned === null
      ? plainLines(laidOut ?? text)
      : `Its payload of ${bytesText(pruned)} was pruned; what memory made of it stays.`;
    return {
      // A payload that is nested too deep to be laid out is given as text.
      json: { ...item, payload: laidOut === undefined ? text : payload },
      text: [...factsOf(item), "", shown].join("\n"),
    };
  },
});

const stats = verb({
  brief: "Count captures and the room that they take",
  about: [
    "Counts captures by status and priority, with the size of their JSON and what it takes as stored, the oldest",
    "one that waits, and the records that wait in the spool because the database could not take them.",
  ].join("\n"),
  examples: ["conclaude queue stats", "conclaude queue stats --json"],
  async run(context) {
    const { db, place } = await openStore(context, "read");
    const groups = summarizeQueue(db);
    const totals = totalsOf(groups);
    const retries = queueRetries(db);
    const nowMs = Date.now();
    const spooled = spooledFor(context, place);
    const share = totals.rawBytes === 0
      ? ""
      : ` (${Math.round(100 * totals.storedBytes / totals.rawBytes)} %)`;
    const { text } = listView(context, { groups }, {
      STATUS: (group) => group.status,
      PRIORITY: (group) => group.priority,
      COUNT: [(group) => group.count],
      JSON: [(group) => bytesText(group.rawBytes)],
      STORED: [(group) => bytesText(group.storedBytes)],
    }, "No captures yet.");
    return {
      json: { ...totals, ...retries, groups, spooled },
      text: [
        text,
        "",
        `captures      ${totals.items}`,
        `JSON          ${bytesText(totals.rawBytes)}`,
        `stored        ${bytesText(totals.storedBytes)}${share}`,
        ...totals.oldestAtMs === null
          ? []
          : [`oldest raw    ${relativeTime(totals.oldestAtMs, nowMs)}`],
        ...retries.nextRetryAtMs === null
          ? []
          : [`tried again   ${retries.retrying}, next ${timeUntil(retries.nextRetryAtMs, nowMs)}`],
        `in the spool  ${spooledText(spooled, context)}`,
      ].join("\n"),
    };
  },
});

const retry = verb({
  args: many(ID),
  flags: { all: toggle("All that have the status error") },
  brief: "Let captures wait again that were given up",
  about: [
    "Sets captures with the status error back to raw, without error and with no attempts counted, so that they",
    "are tried as often as new ones. Captures with another status are left alone.",
  ].join("\n"),
  examples: ["conclaude queue retry --all", "conclaude queue retry 019a8f2e-3b1c-7"],
  async run(context, flags, ...ids) {
    requireOneOfTwo("which captures to retry", {
      given: { "an id": ids.length > 0, "--all": flags.all },
      next: "conclaude queue list --status error",
    });
    const { db } = await openStore(context, "write");
    const named = flags.all ? null : [...new Set(ids.map((id) => queueItemOf(db, id).id))];
    const retried = retryQueueItems(db, named, Date.now());
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

const prune = verb({
  flags: {
    olderThan: usually(
      "30d",
      parsed(parseAge, "Captured longer ago than this: 30d, 2w, 3m (months of 30 days)", "age"),
    ),
    keepRaw: usually(
      "100",
      number(0, Number.MAX_SAFE_INTEGER, "How many of these to leave alone, the newest"),
    ),
    unreadable: toggle(
      "Instead, those that are damaged and that nobody can read any more, of any age",
    ),
    dryRun: toggle("Only say what would be pruned"),
  },
  brief: "Take the payloads of old captures away that are worked into memory",
  about: [
    "Takes away what was captured whole, of captures that are worked in: their payload is then",
    '{"pruned":true,"bytes":N}. What memory made of them stays, and so do the captures themselves, what waits, and',
    "what was given up.",
  ].join("\n"),
  examples: [
    "conclaude queue prune --older-than 2w --keep-raw 1000 --dry-run",
    "conclaude queue prune --older-than 3m --keep-raw 0",
    "conclaude queue prune --unreadable",
  ],
  async run(context, { olderThan, keepRaw, unreadable, dryRun }) {
    const { db } = await openStore(context, dryRun ? "read" : "write");
    if (unreadable) {
      const done = pruneUnreadable(db, { dryRun });
      return prunedView(done, { dryRun, freedBytes: dryRun ? 0 : giveBackSpace(db) });
    }
    const pruning = { beforeMs: Date.now() - olderThan, keepNewest: keepRaw };
    if (dryRun) return prunedView(previewPruning(db, pruning), { dryRun, freedBytes: 0 });
    const progress = progressLine(context);
    let done: PruneCounts = { pruned: 0, freedBytes: 0 };
    let steps = 0;
    for (done of prunePayloads(db, pruning, BATCH_ROWS)) {
      progress.tell(`pruned ${count(done.pruned, "payload")} …`);
      if (++steps % CHECKPOINT_EVERY_STEPS === 0) checkpoint(db, "PASSIVE");
    }
    const freedBytes = giveBackSpace(db, {
      onProgress: ({ freeBytes }) => progress.tell(`giving back ${bytesText(freeBytes)} …`),
    });
    progress.end();
    return prunedView(done, { dryRun, freedBytes });
  },
});

export const queue = group({
  verbs: {
    list,
    show,
    stats,
    retry,
    drain: lazy(
      "Take in the spool, work captures into memory, compress payloads",
      async () => (await import("./queue_drain_verbs.ts")).drain,
    ),
    prune,
  },
  examples: [
    "conclaude queue list --status raw",
    "conclaude queue drain",
    "conclaude queue stats --json",
  ],
});

const MAX_ERROR_CHARS = 60;

/** How many records wait in the spool because the database could not take them. */
function spooledFor({ locations }: CliContext, { database }: Place): number {
  return spooledFiles({ database, folders: locations.spoolFolders }).length;
}

function spooledText(spooled: number, { globals }: CliContext): string {
  return spooled === 0
    ? "0"
    : hintsHere(`${spooled} waiting: run \`conclaude queue drain\``, globals);
}

function factsOf(item: QueueItem): string[] {
  return factLines([
    ["capture", item.id],
    ["session", item.sessionId],
    ["tool", `${item.toolName} (${item.outcome})`],
    ["priority", item.priority],
    ["status", item.status],
    ["attempts", item.attempts],
    ["error", item.errorMessage],
    ["tried again", item.retryAtMs === null ? null : timeUntil(item.retryAtMs, Date.now())],
    ["files", item.filesTouched.length === 0 ? null : item.filesTouched.join(" ")],
    ["size", sizeText(item.rawBytes)],
    ["cut out", item.cutBytes <= 0 ? null : bytesText(item.cutBytes)],
    ["captured", relativeTime(item.createdAtMs, Date.now())],
  ]);
}

function sizeText(bytes: number | null): string | null {
  return bytes === null ? null : bytesText(bytes);
}

/** JSON for people; `undefined` when it is nested deeper than the runtime can lay out. */
function layOut(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, null, 2);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** Payloads in one transaction. */
const BATCH_ROWS = 200;
/** How often the write-ahead log is moved into the database. */
const CHECKPOINT_EVERY_STEPS = 16;

function prunedView(
  { pruned, freedBytes: storedBytes }: PruneCounts,
  { dryRun, freedBytes }: { readonly dryRun: boolean; readonly freedBytes: number },
): View {
  return {
    json: { dryRun, pruned, storedBytes, freedBytes },
    text: dryRun
      ? `Would prune ${count(pruned, "payload")} (${bytesText(storedBytes)}).`
      : `Pruned ${count(pruned, "payload")} (${bytesText(storedBytes)}); ${
        bytesText(freedBytes)
      } given back to the disk.`,
  };
}
