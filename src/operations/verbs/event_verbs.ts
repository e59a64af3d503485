import { plain } from "../../base/plain.ts";
import { dataVersionReader } from "../../db/transaction.ts";
import * as work from "../../work/store.ts";
import { type CliContext, configHere } from "../context.ts";
import { numberFlag, optional, parsed, switchOn, textFlag } from "../flags.ts";
import { parseSince } from "../../memory/search/point_in_time.ts";
import { openStore } from "../open_store.ts";
import { cutList, moreLine } from "../table.ts";
import { changeText, shortAgent, shortTaskId, valueText } from "../task_view.ts";
import { group, print, verb, type View } from "../verb.ts";
import { entityIdOf } from "../work_lookup.ts";
import type { DatabaseSync } from "node:sqlite";

const MAX_EVENTS = 10_000;

/** Reads `--since`: a whole number is an event's number, anything else is a time. */
async function sinceOf(text: string): Promise<Since> {
  return /^\d{1,15}$/.test(text.trim())
    ? { afterId: Number(text) }
    : { sinceMs: await parseSince(text, Date.now()) };
}

const list = verb({
  flags: {
    since: optional(
      parsed(
        sinceOf,
        "Only after the event with this number, or since an age ago (30m, 2h, 3d, 1w) or a date",
        "when",
      ),
    ),
    type: textFlag("Only of this type; `*` is any text: task.*", "type"),
    entity: textFlag(
      "Only of this task, agent, workflow or question, by its id, or 4 or more characters of its beginning or end",
      "id",
    ),
    limit: numberFlag(1, MAX_EVENTS, "How many at most; without it 100, or with --follow no end"),
    follow: switchOn("Go on printing what comes, a line each"),
  },
  async run(context, flags) {
    const { afterId = 0, sinceMs = 0 } = flags.since ?? {};
    const { config: { store } } = await configHere(context);
    // Old events stay stored until retention runs; the list hides them before that.
    const horizonMs = work.toldSinceMs(store.eventRetentionHours, Date.now());
    const filterOn = (db: DatabaseSync) => ({
      afterId,
      sinceMs: Math.max(sinceMs, horizonMs),
      type: flags.type ?? null,
      entityId: flags.entity === undefined ? null : entityIdOf(db, flags.entity),
    });
    if (flags.follow) return await follow(context, flags, filterOn);
    const { db } = await openStore(context, "read");
    const newest = flags.since === undefined;
    const filter = filterOn(db);
    const cut = await cutList(context, flags.limit ?? USUAL_LIMIT, (limit) => {
      const found = work.listEvents(db, { ...filter, limit, newest });
      // The list keeps the first rows, so the newest must come first.
      return newest ? found.reverse() : found;
    });
    const events = newest ? cut.rows.toReversed() : cut.rows;
    return {
      json: { events },
      text: events.length === 0
        ? "No events."
        : events.map(eventLine).join("\n") + moreLine(cut, { most: MAX_EVENTS }),
    };
  },
});

export const event = group({ list });

const LOOK_EVERY_MS = 200;
const USUAL_LIMIT = 100;
const PAGE = 500;

/** Where a list of events begins: after an event's number, or at a time. */
type Since = { readonly afterId?: number; readonly sinceMs?: number };

/** Prints new events, one line each, until `--limit` is reached or a person stops it. */
async function follow(
  context: CliContext,
  flags: { readonly since?: Since; readonly limit?: number },
  filterOn: (db: DatabaseSync) => Omit<Parameters<typeof work.listEvents>[1], "limit">,
): Promise<View> {
  const { db } = await openStore(context, "write", "follow the events");
  const filter = filterOn(db);
  let left = flags.limit ?? Infinity;
  let afterId = flags.since === undefined ? work.lastEventId(db) : filter.afterId;
  const readVersion = dataVersionReader(db);
  for (let seen = -1; left > 0;) {
    // The version is read before the events, so that the next turn finds events committed in between.
    const version = readVersion();
    if (version === seen) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      continue;
    }
    const limit = Math.min(PAGE, left);
    const events = work.listEvents(db, { ...filter, afterId, limit });
    for (const event of events) {
      if (context.globals.json) context.process.stdout.write(`${JSON.stringify(event)}\n`);
      else print(context, eventLine(event));
    }
    left -= events.length;
    afterId = events.at(-1)?.id ?? afterId;
    if (events.length < limit) seen = version;
  }
  return { json: undefined, text: "" };
}

/** Formats an event: `12  2026-11-21T08:30:00.000Z  task.updated  1a2b3c4d  status: open → closed`. */
function eventLine({ id, type, entityType, entityId, data, createdAtMs }: work.EventRow): string {
  const name = entityType === "question" ? entityId : shortTaskId(entityId);
  const columns = [new Date(createdAtMs).toISOString(), type, name, detailOf(data)];
  return plain(`${String(id).padStart(5)}  ${columns.join("  ")}`.trimEnd());
}

function detailOf(data: work.EventRow["data"]): string {
  const { changes, by } = data;
  const author = typeof by === "string" ? `  by ${shortAgent(by)}` : "";
  if (Array.isArray(changes)) {
    const texts = changes.map((change: work.FieldChange) =>
      Object.hasOwn(change, "new") ? changeText(change) : change.field
    );
    return [texts.join(", ") + author, aboutOf(data)].filter((text) => text !== "").join("  ");
  }
  return aboutOf(data) + author;
}

/** The fields of an event's data that tell what the event is about. */
const ABOUT: readonly (readonly [entity: string, ...fields: string[]])[] = [
  ["task", "title"],
  ["agent", "name", "status", "error", "command"],
  ["workflow", "name", "status", "reason"],
  ["question", "text"],
];

function aboutOf(data: work.EventRow["data"]): string {
  return ABOUT.flatMap(([entity, ...fields]) => fields.map((field) => Object(data[entity])[field]))
    .map((value) => Array.isArray(value) ? value.join(" ") : value)
    .filter((value) => typeof value === "string" && value !== "")
    .map((value) => valueText(value)).join(", ");
}
