/** What was forgotten, in words. */
import type { Removed } from "../maintenance/forget_scope.ts";
import { count } from "../counts.ts";

/** A noun for one and for many. */
type Noun = readonly [one: string, many: string];

/** What goes as a whole. */
const GONE: Readonly<Record<string, Noun>> = {
  observations: ["observation", "observations"],
  captures: ["capture", "captures"],
  spool: ["spool file", "spool files"],
  logs: ["place in logs", "places in logs"],
  agentFiles: ["place in the files of agents", "places in the files of agents"],
  unusedRoom: ["remain in unused room", "remains in unused room"],
};

/** Rows that stay without what they say of it. */
const QUOTING: Readonly<Record<string, Noun>> = {
  remade: ["observation", "observations"],
  hook_executions: ["audit row", "audit rows"],
  sessions: ["session", "sessions"],
  tasks: ["task", "tasks"],
  questions: ["question", "questions"],
  events: ["event", "events"],
};

/** Counts as a part of a sentence: `2 observations, 1 capture, and what 3 audit rows say of it`. */
export function removedText(removed: Removed): string {
  const { importedSummaries = 0, ...counts } = removed;
  const entries = Object.entries(counts);
  const gone = entries.flatMap(([name, n]) => {
    const noun = GONE[name];
    if (noun === undefined) return [];
    const isQuoted = name === "observations" && importedSummaries > 0;
    return [`${count(n, ...noun)}${isQuoted ? summariesText(importedSummaries) : ""}`];
  });
  const quoting = entries.filter(([name]) => GONE[name] === undefined)
    .map(([name, n]) => count(n, ...QUOTING[name] ?? [`row of ${name}`, `rows of ${name}`]));
  const isOne = quoting.length === 1 && quoting[0]!.startsWith("1 ");
  const said = quoting.length === 0
    ? []
    : [`what ${quoting.join(", ")} ${isOne ? "says" : "say"} of it`];
  if (gone.length + said.length === 0) return "nothing";
  return [gone.join(", "), ...said].filter((part) => part !== "").join(", and ");
}

function summariesText(n: number): string {
  return ` (${n} of them ${
    n === 1 ? "an imported summary that tells" : "imported summaries that tell"
  } the same)`;
}
