import type { DatabaseSync } from "node:sqlite";
import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { OBSERVATION_KINDS } from "../../memory/observe/observation.ts";
import { timeIn } from "../../memory/search/time_words.ts";
import {
  newestResults,
  type SearchAnswer,
  type SearchOptions,
  type SearchResult,
} from "../../memory/search/search.ts";
import { answerHere, FROM_AROUND } from "../../memory/tell/around.ts";
import { type MemoryFilter, rebuildText, withIndex } from "../../memory/store.ts";
import {
  agoBy,
  nowhereLine,
  outcomeWord,
  projectName,
} from "../../memory/search/observation_view.ts";
import { relativeTime } from "../../base/time.ts";
import {
  number,
  oneOfFlag,
  parsed,
  PROJECT_FLAGS,
  SHARED,
  textFlag,
  usually,
  type Values,
} from "../flags.ts";
import type { CliContext } from "../context.ts";
import { agoText, listVerb } from "../list_and_show.ts";
import { requireForwards, usageError } from "../usage.ts";
import { folderHere, isAnyOfOthers, sessionFilterOf } from "../session_lookup.ts";
import { fileFilterOf, projectFilterOf } from "../project_filter.ts";
import { openStore } from "../open_store.ts";
import { many, verb } from "../verb.ts";

/** The flags that narrow a search or a list. */
export const FILTER_FLAGS = {
  ...PROJECT_FLAGS,
  session: SHARED.session,
  branch: textFlag("Only of this branch", "name"),
  file: textFlag("Only what is about this file or folder: src/auth.ts, auth.ts, src", "path"),
  kind: oneOfFlag(OBSERVATION_KINDS, "Only of this kind"),
  since: SHARED.since,
  until: SHARED.until,
} as const;

/** Builds a filter from the flags. @throws {UserError} If the session or the project of a flag is not clear. */
export function filterOf(
  db: DatabaseSync,
  context: CliContext,
  flags: Values<typeof FILTER_FLAGS>,
): MemoryFilter {
  return {
    project: projectFilterOf(db, context, flags),
    sessionId: sessionFilterOf(db, flags.session),
    branch: flags.branch ?? null,
    file: flags.file === undefined ? null : fileFilterOf(db, context, flags.file),
    kind: flags.kind ?? null,
    sinceMs: flags.since ?? null,
    untilMs: flags.until ?? null,
  };
}

export const list = listVerb({
  flags: { ...FILTER_FLAGS, limit: usually("20", number(1, 1_000, "At most this many")) },
  name: "observations",
  rows({ db, context }, flags, { limit }) {
    requireForwards(flags, "memory list");
    return newestResults(db, { filter: filterOf(db, context, flags), limit });
  },
  columns: {
    ID: [({ id }) => `#${id}`],
    WHEN: ({ createdAtMs }) => agoText(createdAtMs),
    KIND: ({ kind }) => kind,
    BY: ({ author }) => author,
    PROJECT: ({ project }) => projectName(project),
    TITLE: (row) => [row.title, outcomeWord(row)].filter((part) => part !== "").join(", "),
  },
  empty: "Nothing is remembered that matches.",
});

export const search = verb({
  args: many(parsed(String, "What to look for, in any words", "query")),
  flags: { ...FILTER_FLAGS, limit: usually("10", number(1, 20, "At most this many, 1 to 20")) },
  async run(context, flags, ...words) {
    requireForwards(flags, "memory search");
    const { db, place } = await openStore(context, "read");
    const nowMs = Date.now();
    const filter = filterOf(db, context, flags);
    const text = words.join(" ");
    if (text.trim() === "" && Object.values(filter).every((one) => one === null)) {
      const next = "conclaude memory search WORDS";
      if (words.length === 0) {
        const why = "without words, it needs a filter: --here, --kind, --file, --since …";
        throw usageError("Missing argument: query", { why, next });
      }
      return {
        json: { results: [], quotedNowhere: [] },
        text: `Nothing was asked: say what to look for, as in \`${next}\`.`,
      };
    }
    const { home } = context.locations;
    const { results, quotedNowhere } = findMemory(db, text, {
      ...{ filter, nowMs, limit: flags.limit, time: await timeIn(text, nowMs) },
      here: { root: flags.here ? folderHere(context.cwd) : null, home },
      onRebuild: (why) => context.process.stderr.write(`${rebuildText(why)}\n`),
    });
    if (results.length === 0) {
      const { nothingFound } = await import("../unknown_filter.ts");
      const { project, file } = filter;
      return nothingFound(db, context, { flags, words, project, file, database: place.database });
    }
    const namesProject = !context.globals.json && isAnyOfOthers(results, context.cwd);
    const nameOf = (project: string | null) =>
      (flags.here && project !== filter.project ? FROM_AROUND : "") + projectName(project);
    return {
      json: { results, quotedNowhere },
      text: [
        ...quotedNowhere.length === 0 ? [] : [nowhereLine(quotedNowhere)],
        ...results.map((result) =>
          entryOf(result, { nowMs, nameOf: namesProject ? nameOf : null })
        ),
      ].join("\n"),
    };
  },
});

/** Searches for a text; without a text it returns the newest observations. */
export function findMemory(
  db: DatabaseSync,
  text: string,
  { onRebuild, here, ...options }: SearchOptions & {
    readonly onRebuild: (why: string) => void;
    /** The folder of the search; with it the search also covers the surrounding project. */
    readonly here?: Parameters<typeof answerHere>[3];
  },
): SearchAnswer {
  const { filter, limit } = options;
  if (text.trim() === "") {
    return { results: newestResults(db, { filter, limit }), quotedNowhere: [] };
  }
  const at = here ?? { root: null, home: null };
  return withIndex(db, () => answerHere(db, text, options, at), onRebuild);
}

function entryOf(
  result: SearchResult,
  { nowMs, nameOf }: {
    readonly nowMs: number;
    /** Returns the name of a project; null if the entry need not show it. */
    readonly nameOf: ((project: string | null) => string) | null;
  },
): string {
  const { id, kind, title, snippet, createdAtMs, tokens, project, branch } = result;
  const outcome = outcomeWord(result);
  const facts = [
    kind,
    agoBy(result.author, relativeTime(createdAtMs, nowMs)),
    ...nameOf === null ? [] : [nameOf(project)],
    ...branch === null ? [] : [branch],
    ...outcome === "" ? [] : [outcome],
    count(tokens, "token"),
  ];
  const text = snippet === title ? "" : `\n    ${plain(snippet)}`;
  return `#${id}  ${plain(title)}\n    ${plain(facts.join(" · "))}${text}`;
}
