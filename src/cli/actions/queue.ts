import { plain, plainLines } from "../../capture/plain.ts";
import { UserError } from "../../errors.ts";
import { shortSessionId } from "../../ids.ts";
import { count } from "../../counts.ts";
import { spooledFiles } from "../../spool/drain.ts";
import { payloadText } from "../../store/payloads.ts";
import { prunedBytes } from "../../store/payload_pruning.ts";
import {
  listQueue,
  type QueueItem,
  type QueuePriority,
  type QueueStatus,
  readStoredPayload,
  retryQueueItems,
} from "../../store/queue.ts";
import { queueRetries, summarizeQueue, totalsOf } from "../../store/queue_stats.ts";
import { shortened } from "../../memory/text.ts";
import { relativeTime, timeUntil } from "../../time.ts";
import { limitOf } from "../command.ts";
import type { CliContext } from "../context.ts";
import { hintsHere } from "../next_command.ts";
import { queueItemOf } from "../queue_lookup.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { openStore, type Place } from "../store.ts";
import { bytesText, tableText } from "../table.ts";
import { USAGE } from "../usage.ts";
import type { View } from "../view.ts";

/** Longest error in a list, in characters; `queue show` has it whole. */
const MAX_ERROR_CHARS = 60;

/** `conclaude queue list` */
export async function listItems(
  context: CliContext,
  flags: {
    readonly status?: QueueStatus;
    readonly session?: string;
    readonly priority?: QueuePriority;
    readonly limit?: number;
  },
): Promise<View> {
  const { db, place } = await openStore(context, "read");
  const items = listQueue(db, {
    sessionId: sessionFilterOf(db, flags.session),
    status: flags.status ?? null,
    priority: flags.priority ?? null,
    limit: limitOf(context, flags.limit),
  });
  const now = Date.now();
  const spooled = spooledFor(context, place);
  const table = tableText(items, [
    { title: "ID", value: (item) => item.id },
    { title: "PRIORITY", value: (item) => item.priority },
    { title: "STATUS", value: (item) => item.status },
    { title: "SESSION", value: (item) => shortSessionId(item.sessionId) },
    { title: "CAPTURED", value: (item) => relativeTime(item.createdAtMs, now) },
    { title: "SIZE", value: ({ rawBytes }) => sizeText(rawBytes), align: "right" },
    { title: "TOOL", value: (item) => item.toolName },
    ...items.some(({ retryAtMs }) => retryAtMs !== null)
      ? [{
        title: "RETRY",
        value: ({ retryAtMs }: QueueItem) => retryAtMs === null ? "" : timeUntil(retryAtMs, now),
      }]
      : [],
    ...items.some(({ errorMessage }) => errorMessage !== null)
      ? [{
        title: "ERROR",
        value: ({ errorMessage }: QueueItem) => shortened(errorMessage ?? "", MAX_ERROR_CHARS),
      }]
      : [],
    { title: "FILES", value: (item) => item.filesTouched.join(" ") },
  ], { empty: "No captures match.", color: context.globals.color });
  return {
    json: { items, spooled },
    text: spooled === 0 ? table : `${table}\n\nin the spool  ${spooledText(spooled, context)}`,
  };
}

/** How many records wait in the spool, captures among them, because the database could not take them. */
function spooledFor({ locations }: CliContext, { database }: Place): number {
  return spooledFiles({ database, folders: locations.spoolFolders }).length;
}

function spooledText(spooled: number, { globals }: CliContext): string {
  return spooled === 0
    ? "0"
    : hintsHere(`${spooled} waiting: run \`conclaude queue drain\``, globals);
}

/** `conclaude queue show ID` */
export async function showItem(
  context: CliContext,
  _flags: Readonly<Record<never, never>>,
  id: string,
): Promise<View> {
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
    // What is nested too deep to be laid out is given as the text that it is.
    json: { ...item, payload: laidOut === undefined ? text : payload },
    text: [...factsOf(item), "", shown].join("\n"),
  };
}

/** `conclaude queue stats` */
export async function showQueueStats(context: CliContext): Promise<View> {
  const { db, place } = await openStore(context, "read");
  const groups = summarizeQueue(db);
  const totals = totalsOf(groups);
  const retries = queueRetries(db);
  const nowMs = Date.now();
  const spooled = spooledFor(context, place);
  const share = totals.rawBytes === 0
    ? ""
    : ` (${Math.round(100 * totals.storedBytes / totals.rawBytes)} %)`;
  const table = tableText(groups, [
    { title: "STATUS", value: (group) => group.status },
    { title: "PRIORITY", value: (group) => group.priority },
    { title: "COUNT", value: (group) => group.count, align: "right" },
    { title: "JSON", value: (group) => bytesText(group.rawBytes), align: "right" },
    { title: "STORED", value: (group) => bytesText(group.storedBytes), align: "right" },
  ], { empty: "No captures yet.", color: context.globals.color });
  return {
    json: { ...totals, ...retries, groups, spooled },
    text: [
      table,
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
}

/** `conclaude queue retry [ID…|--all]` */
export async function retryItems(
  context: CliContext,
  flags: { readonly all: boolean },
  ...ids: readonly string[]
): Promise<View> {
  if (flags.all === ids.length > 0) {
    throw new UserError("Cannot tell which captures to retry", {
      why: flags.all ? "there are ids beside --all" : "there is neither an id nor --all",
      next: "conclaude queue list --status error",
      exitCode: USAGE,
    });
  }
  const { db } = await openStore(context, "write");
  const named = flags.all ? null : [...new Set(ids.map((id) => queueItemOf(db, id).id))];
  const retried = retryQueueItems(db, named, Date.now());
  const unchanged = named === null ? 0 : named.length - retried;
  return {
    json: { retried, unchanged },
    text: `${count(retried, "capture waits", "captures wait")} again${
      unchanged === 0
        ? ""
        : `; ${unchanged} had no error and ${unchanged === 1 ? "was" : "were"} left alone`
    }.`,
  };
}

function factsOf(item: QueueItem): string[] {
  const facts: readonly (readonly [name: string, value: string | number | null])[] = [
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
  ];
  return facts.filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(14)}${plain(String(value))}`);
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
