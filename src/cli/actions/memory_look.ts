import type { DatabaseSync } from "node:sqlite";
import { plain, plainLines } from "../../capture/plain.ts";
import { UserError } from "../../errors.ts";
import { folderOfProject } from "../../memory/paths.ts";
import { estimateTokens } from "../../memory/tokens.ts";
import { observationFacts, observationLine, projectName } from "../../recall/view.ts";
import { quoteWord } from "../../settings/hooks.ts";
import {
  capturesOfObservation,
  filesOfObservation,
  timelineAround,
  timelineOfFile,
  timelineOfNames,
} from "../../store/memory_look.ts";
import type { Observation } from "../../store/observations.ts";
import type { CliContext } from "../context.ts";
import { observationNamed } from "../record_lookup.ts";
import { nextHere } from "../next_command.ts";
import { fileFilterOf, formerNamesOf, projectFilterOf } from "../project_filter.ts";
import { isAnyOfOthers } from "../session_lookup.ts";
import { openStore } from "../store.ts";
import { type UnknownFilter, unknownFilters, unknownText } from "../unknown_filter.ts";
import type { View } from "../view.ts";

/** `conclaude memory show ID` */
export async function showObservation(
  context: CliContext,
  _flags: Readonly<Record<never, never>>,
  id: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const observation = observationNamed(db, id);
  const files = filesOfObservation(db, observation.id);
  const captures = capturesOfObservation(db, observation);
  const tokens = estimateTokens(`${observation.title}\n${observation.text}`);
  return {
    json: { ...observation, files, captures: captures.map(({ id }) => id), tokens },
    text: [
      plain(observation.title),
      "",
      ...observationFacts(observation, Date.now())
        .map(([name, value]) => `${name.padEnd(14)}${value}`),
      ...files.map(({ path }) => `file          ${plain(path)}`),
      ...captures.map(({ id, isPruned }) =>
        `capture       ${id}  (${
          isPruned ? "its payload was pruned" : `conclaude queue show ${id}`
        })`
      ),
      "",
      plainLines(observation.text),
    ].join("\n"),
  };
}

/** `conclaude memory timeline ID|FILE` */
export async function showTimeline(
  context: CliContext,
  flags: { readonly project?: string; readonly here: boolean; readonly limit: number },
  target: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const now = Date.now();
  // A file may be called like a number; one that is meant so is written with a path: `./12`.
  const isId = /^#?\d+$/.test(target.trim()) || /^[\da-f]{8}-[\da-f]{4}-/.test(target.trim());
  const around = isId ? observationNamed(db, target) : null;
  const project = projectFilterOf(db, context, flags);
  if (around !== null && project !== null) requireOfProject(around, project, { flags, context });
  const file = around === null ? fileFilterOf(db, context, target) : null;
  const formerly = around === null ? await formerNamesOf(context, target) : [];
  const observations = around === null
    ? timelineOfNames(db, [file!, ...formerly], { project, limit: flags.limit })
    : timelineAround(db, around, flags.limit);
  const unknown = observations.length > 0 ? [] : unknownFilters(db, {
    project: flags.project === undefined || project === null
      ? null
      : { typed: flags.project, meant: project },
    branch: null,
    file: file === null ? null : { typed: target, meant: file },
  });
  const namesProject = isAnyOfOthers(observations, context.cwd);
  const isElsewhere = observations.length === 0 && file !== null && project !== null &&
    unknown.length === 0;
  const elsewhere = isElsewhere ? projectsOfFile(db, file, project) : [];
  return {
    json: {
      observations,
      ...formerly.length > 0 && { formerly },
      ...unknown.length > 0 && { unknown },
      ...elsewhere.length > 0 && { elsewhere },
    },
    text: observations.length === 0
      ? [
        `Nothing is remembered of "${plain(target)}"${elsewhere.length > 0 ? " there" : ""}.`,
        ...timelineHints(unknown, { target, globals: context.globals }),
        ...elsewhereHints(elsewhere, { target, globals: context.globals }),
      ].join("\n")
      : observations.map((one) =>
        `${one.id === around?.id ? "> " : around === null ? "" : "  "}${observationLine(one, now)}${
          namesProject ? `  [${plain(projectName(one.project))}]` : ""
        }`
      ).join("\n"),
  };
}

/** @throws {UserError} When an observation is of another project than the one that was asked for. */
function requireOfProject(
  { id, project: own }: Observation,
  project: string,
  { flags, context }: {
    readonly flags: { readonly project?: string };
    readonly context: CliContext;
  },
): void {
  if (own === project) return;
  throw new UserError(`Cannot show the timeline of #${id}`, {
    why: `it is of ${own === null ? "no project" : `the project ${folderOfProject(own)}`}, not of ${
      flags.project === undefined ? "this one" : `"${flags.project}"`
    }`,
    next: nextHere(`conclaude memory timeline ${id}`, context.globals),
  });
}

/** So many observations of other projects are looked at, and so many projects named. */
const LOOKED_AT = 50;
const NAMED = 3;

/** Other projects that know a file of this name, those with the newest first. */
function projectsOfFile(db: DatabaseSync, file: string, project: string): string[] {
  const found = timelineOfFile(db, file, { project: null, limit: LOOKED_AT })
    .filter((one) => one.project !== project)
    .flatMap((one) => one.project === null ? [] : [folderOfProject(one.project)]);
  return [...new Set(found)].slice(0, NAMED);
}

function elsewhereHints(
  elsewhere: readonly string[],
  { target, globals }: { readonly target: string; readonly globals: CliContext["globals"] },
): string[] {
  if (elsewhere.length === 0) return [];
  const command = `conclaude memory timeline ${quoteWord(target)}`;
  return [
    `It is known in ${plain(elsewhere.join(", "))}.`,
    `  next: ${nextHere(command, globals)}`,
  ];
}

/** What there is instead of a file or a project that nothing is known of. */
function timelineHints(
  unknown: readonly UnknownFilter[],
  { target, globals }: { readonly target: string; readonly globals: CliContext["globals"] },
): string[] {
  const command = (of: string) => nextHere(`conclaude memory timeline ${quoteWord(of)}`, globals);
  return unknown.flatMap(({ flag, value, known }) =>
    flag === "project"
      ? unknownText([{ flag, value, known }], command(target))
      : known.length === 0
      ? [`Nothing at all is known of the file "${plain(value)}".`]
      : [
        `Files like it: ${plain(known.join(", "))}.`,
        `  next: ${command(known[0]!)}`,
      ]
  );
}
