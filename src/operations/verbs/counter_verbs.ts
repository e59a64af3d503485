import { count } from "../../base/counts.ts";
import { sessionTitle, tellingId } from "../../db/sessions.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { incrementCounter, listCounters, readCounter, resetCounters } from "../../db/counters.ts";
import type { CliContext } from "../context.ts";
import { number, proposing, SHARED, text, toggle, usually } from "../flags.ts";
import { counterOwnerOf, sessionFilterOf } from "../session_lookup.ts";
import { openStore } from "../open_store.ts";
import { maskerOf } from "../task_text.ts";
import { requireOneOfTwo } from "../usage.ts";
import { agoText, listVerb } from "../list_and_show.ts";
import { group, verb, type View } from "../verb.ts";

const MAX_STEP = 1_000_000_000;

const OWNER_FLAG = proposing(
  "session",
  text(
    "The session, by its id or the beginning of it; one that no hook has seen is taken as it is",
    "id",
  ),
);

const TYPE = text("What is counted, for example edits", "type");

const list = listVerb({
  flags: { session: SHARED.session },
  name: "counters",
  rows: ({ db }, { session }) => listCounters(db, sessionFilterOf(db, session)),
  columns: ({ db }) => ({
    SESSION: (row) => tellingId(db, row.sessionId),
    TYPE: (row) => row.type,
    VALUE: [(row) => row.value],
    CHANGED: (row) => agoText(row.updatedAtMs),
    TITLE: (row) => sessionTitle(db, row.sessionId),
  }),
  empty: "No counters yet.",
});

const get = verb({
  args: [TYPE],
  flags: { session: OWNER_FLAG },
  async run(context, flags, type) {
    const { db, ...counter } = await counterHere(context, "read", { ...flags, type });
    return valueView(readCounter(db, counter.sessionId, counter.type));
  },
});

const increment = verb({
  person: "counter increment",
  args: [TYPE],
  flags: {
    session: OWNER_FLAG,
    by: usually("1", number(-MAX_STEP, MAX_STEP, "How much to add; write --by=-1 to take away")),
  },
  async run(context, flags, type) {
    const { db, ...counter } = await counterHere(context, "write", { ...flags, type });
    return valueView(incrementCounter(db, { ...counter, by: flags.by, atMs: Date.now() }));
  },
});

const reset = verb({
  person: "counter reset",
  args: [{ ...TYPE, optional: true }],
  flags: { session: OWNER_FLAG, all: toggle("All counters of the session") },
  async run(context, flags, type) {
    requireOneOfTwo("which counters to reset", {
      given: { "a type": type !== undefined, "--all": flags.all },
      next: `conclaude counter list --session ${quoteWord(flags.session)}`,
    });
    const given = { session: flags.session, type: type ?? "" };
    const { db, ...counter } = await counterHere(context, "write", given);
    const reset = resetCounters(db, counter.sessionId, type === undefined ? null : counter.type);
    return { json: { reset }, text: `${count(reset, "counter")} set back to 0.` };
  },
});

export const counter = group({ list, get, increment, reset });

/** Opens the database, finds the session, and masks secrets in the name of the counter. */
async function counterHere(
  context: CliContext,
  use: "read" | "write",
  { session, type }: { readonly session: string; readonly type: string },
) {
  const { db, place } = await openStore(context, use);
  const mask = await maskerOf(place.config);
  return { db, sessionId: counterOwnerOf(db, session), type: mask(type) };
}

function valueView(value: number): View {
  return { json: { value }, text: String(value) };
}
