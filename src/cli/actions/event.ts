import { loadSections } from "../../config/sections.ts";
import type { DatabaseSync } from "node:sqlite";
import { plain } from "../../capture/plain.ts";
import { readConfigFiles } from "../../config/discover.ts";
import { lookUpwards } from "../../git/repository.ts";
import {
  dataVersion,
  type EventFilter,
  type EventRow,
  lastEventId,
  listEvents,
  toldSinceMs,
} from "../../store/events.ts";
import type { CliContext } from "../context.ts";
import { openKept, openStore } from "../store.ts";
import { shortAgent, shortTaskId, valueText } from "../task_view.ts";
import type { View } from "../view.ts";
import { entityIdOf } from "../workflow_lookup.ts";

/** How often somebody who follows the events looks whether there are new ones. */
const LOOK_EVERY_MS = 200;
/** So many events are listed where nothing is said. */
const USUAL_LIMIT = 100;
/** So many are read at once. */
const PAGE = 500;

/** Where a list of events begins: after one of them, or at a time; neither takes the newest. */
export type Since = { readonly afterId: number } | { readonly sinceMs: number };

/** Which events are wanted. */
export type EventFlags = {
  readonly since?: Since;
  readonly type?: string;
  readonly entity?: string;
  readonly limit?: number;
  readonly follow: boolean;
};

/** `conclaude event list` */
export async function listAll(context: CliContext, flags: EventFlags): Promise<View> {
  const sinceMs = flags.since !== undefined && "sinceMs" in flags.since ? flags.since.sinceMs : 0;
  const toldMs = await horizonOf(context);
  const filterOn = (db: DatabaseSync) => ({
    afterId: 0,
    ...flags.since,
    sinceMs: Math.max(sinceMs, toldMs),
    type: flags.type ?? null,
    entityId: flags.entity === undefined ? null : entityIdOf(db, flags.entity),
  });
  if (flags.follow) return await follow(context, flags, filterOn);
  const { db } = await openStore(context, "read");
  const filter = filterOn(db);
  const limit = flags.limit ?? USUAL_LIMIT;
  const events = listEvents(db, { ...filter, limit, newest: flags.since === undefined });
  return {
    json: { events },
    text: events.length === 0 ? "No events." : events.map(eventLine).join("\n"),
  };
}

/** Since when events are told, as the daemon tells them: retention removes older ones some time later. */
async function horizonOf({ cwd, locations }: CliContext): Promise<number> {
  await loadSections();
  const { parseConfig } = await import("../../config/parse.ts");
  const { config } = parseConfig(readConfigFiles(lookUpwards(cwd), locations));
  return toldSinceMs(config.store.eventRetentionHours, Date.now());
}

/** Prints events as they come, a line each, until `--limit` is reached or somebody ends it. */
async function follow(
  context: CliContext,
  flags: EventFlags,
  filterOn: (db: DatabaseSync) => Omit<EventFilter, "limit">,
): Promise<View> {
  const db: DatabaseSync = await openKept(context, "follow the events");
  const filter = filterOn(db);
  const { process, globals } = context;
  let left = flags.limit ?? Infinity;
  let afterId = flags.since === undefined ? lastEventId(db) : filter.afterId;
  for (let seen = -1; left > 0;) {
    // Asked before the events are read: what is committed in between is found at the next look.
    const version = dataVersion(db);
    if (version === seen) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      continue;
    }
    const limit = Math.min(PAGE, left);
    const events = listEvents(db, { ...filter, afterId, limit });
    for (const event of events) {
      process.stdout.write(`${globals.json ? JSON.stringify(event) : eventLine(event)}\n`);
    }
    left -= events.length;
    afterId = events.at(-1)?.id ?? afterId;
    if (events.length < limit) seen = version;
  }
  return { json: undefined, text: "" };
}

/** `12  2026-11-21T08:30:00.000Z  task.updated  1a2b3c4d  status: open → closed` */
function eventLine({ id, type, entityType, entityId, data, createdAtMs }: EventRow): string {
  const name = entityType === "task" ? shortTaskId(entityId) : entityId;
  const told = [new Date(createdAtMs).toISOString(), type, name, detailOf(data)];
  return plain(`${String(id).padStart(5)}  ${told.join("  ")}`.trimEnd());
}

function detailOf(data: EventRow["data"]): string {
  const { changes, task, by } = data;
  const author = typeof by === "string" ? `  by ${shortAgent(by)}` : "";
  if (Array.isArray(changes)) {
    const told = changes.map((change: { field?: unknown; old?: unknown; new?: unknown }) =>
      "new" in change
        ? `${change.field}: ${valueText(change.old, String(change.field))} → ${
          valueText(change.new, String(change.field))
        }`
        : String(change.field)
    );
    return told.join(", ") + author;
  }
  const title = typeof task === "object" && task !== null && "title" in task ? task.title : "";
  return valueText(title).replace(/^none$/, "") + author;
}
