/** `conclaude memory search|browse|list|show|timeline`: find observations and show them. */
import type { DatabaseSync } from "node:sqlite";
import { cutToColumns } from "../../base/columns.ts";
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { plain } from "../../base/plain.ts";
import { relativeTime } from "../../base/time.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { countAllWaiting } from "../../db/queue_work.ts";
import { spooledFiles } from "../../db/spool.ts";
import { OBSERVATION_KINDS } from "../../memory/observe/observation.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import {
  agoBy,
  nowhereLine,
  observationFacts,
  observationLine,
  outcomeWord,
  projectName,
} from "../../memory/search/observation_view.ts";
import {
  newestResults,
  type SearchOptions,
  type SearchResult,
} from "../../memory/search/search.ts";
import { timeIn } from "../../memory/search/time_words.ts";
import {
  capturesOfObservation,
  filesOfObservation,
  type MemoryFilter,
  type Observation,
  rebuildText,
  timelineAround,
  timelineOfFile,
  withIndex,
} from "../../memory/store.ts";
import { FROM_AROUND } from "../../memory/tell/around.ts";
import { answerHere } from "../../memory/tell/search_here.ts";
import { estimateTokens } from "../../memory/text.ts";
import type { CliContext } from "../context.ts";
import { statusAfter } from "../drafts_on_signal.ts";
import {
  number,
  oneOfFlag,
  parsed,
  PROJECT_FLAGS,
  proposing,
  SHARED,
  text,
  textFlag,
  usually,
  type Values,
} from "../flags.ts";
import {
  fileFilterOf,
  formerNamesOf,
  observationNamed,
  projectFilterOf,
  unknownFilters,
  unknownText,
} from "../memory_filter.ts";
import { flagsAgain } from "../next_command.ts";
import { openStore } from "../open_store.ts";
import { folderHere, isAnyOfOthers, sessionFilterOf } from "../session_lookup.ts";
import { factLines, linesOf } from "../table.ts";
import { isAtTerminal } from "../terminal.ts";
import { requireForwards, usageError } from "../usage.ts";
import { agoText, listVerb, readVerb } from "../list_and_show.ts";
import { many, verb } from "../verb.ts";

const NOTHING_MATCHES = "Nothing is remembered that matches.";

const FILTER_FLAGS = {
  ...PROJECT_FLAGS,
  session: SHARED.session,
  branch: textFlag("Only of this branch", "name"),
  file: textFlag("Only what is about this file or folder: src/auth.ts, auth.ts, src", "path"),
  kind: oneOfFlag(OBSERVATION_KINDS, "Only of this kind"),
  since: SHARED.since,
  until: SHARED.until,
} as const;
type FilterFlags = Values<typeof FILTER_FLAGS>;

/** Builds a filter from the flags. @throws {UserError} If one of them is not clear. */
function filterOf(
  db: DatabaseSync,
  context: CliContext,
  { verb, ...flags }: FilterFlags & { readonly verb: string },
): MemoryFilter {
  requireForwards(flags, `memory ${verb}`);
  const { branch = null, file, kind = null, since = null, until = null } = flags;
  return {
    branch,
    kind,
    sinceMs: since,
    untilMs: until,
    project: projectFilterOf(db, context, flags),
    sessionId: sessionFilterOf(db, flags.session),
    file: file === undefined ? null : fileFilterOf(db, context, file),
  };
}

export const list = listVerb({
  flags: { ...FILTER_FLAGS, limit: usually("20", number(1, 1_000, "At most this many")) },
  name: "observations",
  rows: ({ db, context }, flags, { limit }) =>
    newestResults(db, { filter: filterOf(db, context, { ...flags, verb: "list" }), limit }),
  columns: {
    ID: [({ id }) => `#${id}`],
    WHEN: ({ createdAtMs }) => agoText(createdAtMs),
    KIND: ({ kind }) => kind,
    BY: ({ author }) => author,
    PROJECT: ({ project }) => projectName(project),
    TITLE: (row) => [row.title, outcomeWord(row)].filter((part) => part !== "").join(", "),
  },
  empty: NOTHING_MATCHES,
});

export const search = readVerb({
  args: many(parsed(String, "What to look for, in any words", "query")),
  flags: { ...FILTER_FLAGS, limit: usually("10", number(1, 20, "At most this many, 1 to 20")) },
  async run({ db, place, context }, { limit, ...flags }, ...words) {
    const nowMs = Date.now();
    const filter = filterOf(db, context, { ...flags, verb: "search" });
    const text = words.join(" ");
    if (text.trim() === "" && Object.values(filter).every((one) => one === null)) {
      const next = "conclaude memory search WORDS";
      if (words.length === 0) {
        const why = "without words, it needs a filter: --here, --kind, --file, --since …";
        throw usageError("Missing argument: query", { why, next });
      }
      const asked = `Nothing was asked: say what to look for, as in \`${next}\`.`;
      return { json: { results: [], quotedNowhere: [] }, text: asked };
    }
    const { results, quotedNowhere } = findMemory(db, text, {
      filter,
      nowMs,
      limit,
      time: await timeIn(text, nowMs),
      here: { root: flags.here ? folderHere(context.cwd) : null, home: context.locations.home },
      onRebuild: (why) => context.process.stderr.write(`${rebuildText(why)}\n`),
    });
    if (results.length === 0) {
      const unknown = unknownFilters(db, flags, filter);
      const spool = { database: place.database, folders: context.locations.spoolFolders };
      const waiting = countAllWaiting(db) + spooledFiles(spool).length;
      const none = { results, quotedNowhere: [], ...unknown.length > 0 && { unknown } };
      return {
        json: { ...none, ...waiting > 0 && { waiting } },
        text: [
          NOTHING_MATCHES,
          unknownText(unknown, `conclaude memory search ${quoteWord(text)}`, flags),
          waiting > 0 &&
          `${
            count(waiting, "capture is", "captures are")
          } not worked in yet: conclaude queue drain`,
        ],
      };
    }
    const namesProject = !context.globals.json && isAnyOfOthers(results, context.cwd);
    const factsOf = (result: SearchResult) => [
      result.kind,
      agoBy(result.author, relativeTime(result.createdAtMs, nowMs)),
      namesProject && (flags.here && result.project !== filter.project ? FROM_AROUND : "") +
        projectName(result.project),
      result.branch,
      outcomeWord(result),
      count(result.tokens, "token"),
    ];
    return {
      json: { results, quotedNowhere },
      text: linesOf([
        quotedNowhere.length > 0 && nowhereLine(quotedNowhere),
        ...results.map((result) => [
          `#${result.id}  ${plain(result.title)}`,
          `    ${plain(factsOf(result).filter(Boolean).join(" · "))}`,
          result.snippet !== result.title && `    ${plain(result.snippet)}`,
        ]),
      ]).join("\n"),
    };
  },
});

/** Searches for a text; without a text it returns the newest observations. */
function findMemory(
  db: DatabaseSync,
  text: string,
  { onRebuild, here = { root: null, home: null }, ...options }: SearchOptions & {
    readonly onRebuild: (why: string) => void;
    /** The folder of the search; with it the search also covers the surrounding project. */
    readonly here?: Parameters<typeof answerHere>[3];
  },
) {
  return text.trim() === ""
    ? { results: newestResults(db, options), quotedNowhere: [] }
    : withIndex(db, () => answerHere(db, text, options, here), onRebuild);
}

/** The most hits of `browse`: instead of scrolling further, a person types another word. */
const MAX_HITS = 100;
const PROJECT_COLUMNS = 16;

export const browse = verb({
  args: many(parsed(String, "What to look for first, in any words", "query")),
  flags: FILTER_FLAGS,
  async run(context, flags, ...words) {
    if (!isAtTerminal(context)) {
      throw usageError("Cannot browse memory", {
        why: "there is no terminal to show it on",
        next: `conclaude memory search ${words.map(quoteWord).join(" ") || "WORDS"}`,
      });
    }
    const { db } = await openStore(context, "read");
    const filter = filterOf(db, context, { ...flags, verb: "browse" });
    const [{ browseOnTerminal }, { spokenTime }] = await Promise.all([
      import("../browse_terminal.ts"),
      import("../../memory/search/spoken_time.ts"),
    ]);
    const signal = await browseOnTerminal({
      find(text) {
        const nowMs = Date.now();
        const time = spokenTime(text, nowMs);
        // The screen has no line for a note that the index was rebuilt; the answer only comes later.
        const how = { filter, nowMs, time, limit: MAX_HITS, onRebuild: () => {} };
        const { results, quotedNowhere } = findMemory(db, text, how);
        const namesProject = new Set(results.map(({ project }) => project)).size > 1;
        const hits = results.map((one) => {
          const name = cutToColumns(projectName(one.project), PROJECT_COLUMNS);
          const line = observationLine({ ...one, repeats: 1 }, nowMs);
          return { id: one.id, line: namesProject ? `${line}  [${name}]` : line };
        });
        const order = text.trim() === "" ? ", the newest first" : "";
        const found = count(hits.length, "observation") + order;
        if (hits.length === 0) return { hits, note: NOTHING_MATCHES };
        if (quotedNowhere.length > 0) return { hits, note: nowhereLine(quotedNowhere) };
        return { hits, note: hits.length === MAX_HITS ? `The first ${found}` : found };
      },
      open: (id) => shownOf(db, String(id)).lines,
    }, words.join(" "));
    return { json: undefined, text: "", exitCode: signal === null ? 0 : statusAfter(signal) };
  },
});

export const show = readVerb({
  args: many(
    proposing("observation", text("Number of an observation, or the beginning of its uid", "id")),
    1,
  ),
  run({ db }, _flags, ...ids) {
    const shown = ids.map((id) => shownOf(db, id));
    return {
      json: shown.length === 1 ? shown[0]!.json : { observations: shown.map(({ json }) => json) },
      text: shown.map(({ lines }) => lines.map(plain).join("\n")).join(BETWEEN),
      quoted: true,
    };
  },
});

/** Separates observations, since their texts have empty lines of their own. */
const BETWEEN = `\n\n${"─".repeat(40)}\n\n`;

function shownOf(db: DatabaseSync, id: string) {
  const observation = observationNamed(db, id);
  const { title, text } = observation;
  const files = filesOfObservation(db, observation.id);
  const captures = capturesOfObservation(db, observation);
  const tokens = estimateTokens(`${title}\n${text}`);
  return {
    json: { ...observation, files, captures: captures.map(({ id }) => id), tokens },
    lines: [
      title,
      "",
      ...factLines([
        ...observationFacts(observation, Date.now()),
        ...files.map(({ path }) => ["file", path] as const),
        ...captures.map(({ id, isPruned }) => {
          const shown = isPruned ? `${id} (its payload was pruned)` : `conclaude queue show ${id}`;
          return ["capture", shown] as const;
        }),
      ]),
      "",
      ...text.split("\n"),
    ],
  };
}

export const timeline = readVerb({
  args: [
    proposing(
      "observation",
      text("Number of an observation, or a file or folder of the project", "id|file"),
    ),
  ],
  flags: { ...PROJECT_FLAGS, limit: usually("20", number(1, 100, "At most this many, 1 to 100")) },
  async run({ db, context }, { limit, ...flags }, target) {
    const now = Date.now();
    const project = projectFilterOf(db, context, flags);
    // A number means an observation. A person writes a file of such a name with its folder: `./12`.
    const isId = /^#?\d+$|^[\da-f]{8}-[\da-f]{4}-/.test(target.trim());
    const around = isId ? observationNamed(db, target) : null;
    if (around !== null && project !== null) requireOfProject(around, project, flags.project);
    const file = isId ? null : fileFilterOf(db, context, target);
    const formerly = isId ? [] : await formerNamesOf(context, target);
    const observations = around === null
      ? timelineOfFile(db, [file!, ...formerly], { project, limit })
      : timelineAround(db, around, limit);
    const found = { observations, ...formerly.length > 0 && { formerly } };
    if (observations.length > 0) {
      const namesProject = isAnyOfOthers(observations, context.cwd);
      const lines = observations.map((one) => {
        const mark = around === null ? "" : one.id === around.id ? "> " : "  ";
        const where = namesProject ? `  [${projectName(one.project)}]` : "";
        return `${mark}${observationLine(one, now)}${where}`;
      });
      return { json: found, text: lines };
    }
    const unknown = unknownFilters(db, { ...flags, file: target }, { project, file });
    const command = (of: string) => `conclaude memory timeline ${quoteWord(of)}`;
    const hints = unknown.flatMap((filter) => {
      const { flag, value, known } = filter;
      if (flag === "project") return unknownText([filter], command(target), flags);
      if (known.length === 0) return [`Nothing at all is known of the file "${value}".`];
      return [
        `Files like it: ${known.join(", ")}.`,
        `  next: ${command(known[0]!)}${flagsAgain(flags)}`,
      ];
    });
    return {
      json: { ...found, ...unknown.length > 0 && { unknown } },
      text: [`Nothing is remembered of "${target}".`, ...hints],
    };
  },
});

/** @throws {UserError} If an observation belongs to another project than the chosen one. */
function requireOfProject({ id, project }: Observation, chosen: string, named?: string): void {
  if (project === chosen) return;
  const whose = project === null ? "no project" : `the project ${folderOfProject(project)}`;
  throw new UserError(`Cannot show the timeline of #${id}`, {
    why: `it is of ${whose}, not of ${named === undefined ? "this one" : `"${named}"`}`,
    next: `conclaude memory timeline ${id}`,
  });
}
