import { count } from "../../counts.ts";
import { plain } from "../../capture/plain.ts";
import type { ObservationKind } from "../../memory/observation.ts";
import { spokenTime } from "../../memory/spoken_time.ts";
import { answerMemory, type SearchResult } from "../../recall/search.ts";
import { rebuildText, withIndex } from "../../store/memory_index.ts";
import { nowhereLine, outcomeWord, projectName } from "../../recall/view.ts";
import { relativeTime } from "../../time.ts";
import type { CliContext } from "../context.ts";
import { nextHere } from "../next_command.ts";
import { fileFilterOf, projectFilterOf } from "../project_filter.ts";
import { isAnyOfOthers, sessionFilterOf } from "../session_lookup.ts";
import { openStore } from "../store.ts";
import { requireForwards } from "../point_in_time.ts";
import type { View } from "../view.ts";

/** What narrows a search. */
export type SearchFlags = {
  readonly project?: string;
  readonly here: boolean;
  readonly session?: string;
  readonly branch?: string;
  readonly file?: string;
  readonly kind?: ObservationKind;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
};

/** `conclaude memory search QUERY…` */
export async function search(
  context: CliContext,
  flags: SearchFlags,
  ...words: readonly string[]
): Promise<View> {
  requireForwards(flags, "memory search");
  if (words.join("").trim() === "") {
    const example = nextHere("conclaude memory search retry payment gateway", context.globals);
    return {
      json: { results: [], quotedNowhere: [] },
      text: `Nothing was asked: say what to look for, as in \`${example}\`.`,
    };
  }
  const { db, place } = await openStore(context, "read");
  const nowMs = Date.now();
  const project = projectFilterOf(db, context, flags);
  const file = flags.file === undefined ? null : fileFilterOf(db, context, flags.file);
  const options = {
    filter: {
      project,
      sessionId: sessionFilterOf(db, flags.session),
      branch: flags.branch ?? null,
      file,
      kind: flags.kind ?? null,
      sinceMs: flags.since ?? null,
      untilMs: flags.until ?? null,
    },
    limit: flags.limit,
    nowMs,
    time: spokenTime(words.join(" "), nowMs),
  };
  const { results, quotedNowhere } = withIndex(
    db,
    () => answerMemory(db, words.join(" "), options),
    (why) => context.process.stderr.write(`${rebuildText(why)}\n`),
  );
  if (results.length === 0) {
    const { nothingFound } = await import("../unknown_filter.ts");
    return nothingFound(db, context, {
      flags,
      words,
      project,
      file,
      database: place.database,
    });
  }
  const namesProject = !context.globals.json && isAnyOfOthers(results, context.cwd);
  return {
    json: { results, quotedNowhere },
    text: [
      ...quotedNowhere.length === 0 ? [] : [nowhereLine(quotedNowhere)],
      ...results.map((result) => entryOf(result, { nowMs, namesProject })),
    ].join("\n"),
  };
}

function entryOf(
  result: SearchResult,
  { nowMs, namesProject }: { readonly nowMs: number; readonly namesProject: boolean },
): string {
  const { id, kind, title, snippet, createdAtMs, tokens, project, branch } = result;
  const outcome = outcomeWord(result);
  const facts = [
    kind,
    relativeTime(createdAtMs, nowMs),
    ...namesProject ? [projectName(project)] : [],
    ...branch === null ? [] : [branch],
    ...outcome === "" ? [] : [outcome],
    count(tokens, "token"),
  ];
  const text = snippet === title ? "" : `\n    ${plain(snippet)}`;
  return `#${id}  ${plain(title)}\n    ${plain(facts.join(" · "))}${text}`;
}
