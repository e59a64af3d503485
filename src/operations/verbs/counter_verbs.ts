import { count } from "../../base/counts.ts";
import { sessionTitle, tellingId } from "../../db/sessions.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { incrementCounter, listCounters, readCounter, resetCounters } from "../../db/counters.ts";
import type { CliContext } from "../context.ts";
import { number, proposing, SESSION_FLAG, text, toggle, usually } from "../flags.ts";
import { agoText, listVerb } from "../list_and_show.ts";
import { counterOwnerOf, sessionFilterOf } from "../session_lookup.ts";
import { openStore } from "../open_store.ts";
import { maskerOf } from "../task_text.ts";
import { requireOneOfTwo } from "../usage.ts";
import { group, verb } from "../verb.ts";
import type { View } from "../view.ts";

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
  flags: { session: SESSION_FLAG },
  brief: "List counters",
  about: "Lists the counters of all sessions, or of one.",
  examples: ["conclaude counter list", "conclaude counter list --session 01980c5e --json"],
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
  brief: "Print the value of a counter",
  about: "Prints the value of a session's counter; 0 when nothing has raised it.",
  examples: ["conclaude counter get edits --session 01980c5e"],
  async run(context, flags, type) {
    const { db, name } = await counterPlace(context, "read", type);
    return valueView(readCounter(db, counterOwnerOf(db, flags.session), name));
  },
});

const increment = verb({
  person: "counter increment",
  args: [TYPE],
  flags: {
    session: OWNER_FLAG,
    by: usually("1", number(-MAX_STEP, MAX_STEP, "How much to add; write --by=-1 to take away")),
  },
  brief: "Raise a counter and print its new value",
  about: "Raises a counter of a session and prints its new value. Parallel calls all count.",
  examples: [
    "conclaude counter increment retries --session 01980c5e",
    "conclaude counter increment retries --session 01980c5e --by=-1 --json",
  ],
  async run(context, flags, type) {
    const { db, name } = await counterPlace(context, "write", type);
    const sessionId = counterOwnerOf(db, flags.session);
    const raised = { sessionId, type: name, by: flags.by, atMs: Date.now() };
    return valueView(incrementCounter(db, raised));
  },
});

const reset = verb({
  person: "counter reset",
  args: [{ ...TYPE, optional: true }],
  flags: { session: OWNER_FLAG, all: toggle("All counters of the session") },
  brief: "Set counters back to 0",
  about: "Sets one counter of a session back to 0, or all of them with --all.",
  examples: [
    "conclaude counter reset edits --session 01980c5e",
    "conclaude counter reset --all --session 01980c5e",
  ],
  async run(context, flags, type) {
    requireOneOfTwo("which counters to reset", {
      given: { "a type": type !== undefined, "--all": flags.all },
      next: `conclaude counter list --session ${quoteWord(flags.session)}`,
    });
    const { db, name } = await counterPlace(context, "write", type ?? "");
    const owner = counterOwnerOf(db, flags.session);
    const reset = resetCounters(db, owner, type === undefined ? null : name);
    return { json: { reset }, text: `${count(reset, "counter")} set back to 0.` };
  },
});

export const counter = group({
  verbs: { list, get, increment, reset },
  examples: ["conclaude counter list", "conclaude counter increment retries --session 01980c5e"],
});

/** Opens the database, and masks secrets in the name of the counter. */
async function counterPlace(context: CliContext, use: "read" | "write", type: string) {
  const { db, place } = await openStore(context, use);
  const mask = await maskerOf(place.config);
  return { db, name: mask(type) };
}

function valueView(value: number): View {
  return { json: { value }, text: String(value) };
}
