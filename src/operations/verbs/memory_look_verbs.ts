import type { DatabaseSync } from "node:sqlite";
import { readVerb } from "../list_and_show.ts";
import { plain } from "../../base/plain.ts";
import { UserError } from "../../base/errors.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { estimateTokens } from "../../memory/text.ts";
import {
  observationFacts,
  observationLine,
  projectName,
} from "../../memory/search/observation_view.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import {
  capturesOfObservation,
  filesOfObservation,
  type Observation,
  timelineAround,
  timelineOfFile,
  timelineOfNames,
} from "../../memory/store.ts";
import { number, PROJECT_FLAGS, proposing, text, usually } from "../flags.ts";
import { observationNamed } from "../observation_lookup.ts";
import { isAnyOfOthers } from "../session_lookup.ts";
import { nextHere } from "../next_command.ts";
import { fileFilterOf, formerNamesOf, projectFilterOf } from "../project_filter.ts";
import { factLines } from "../table.ts";
import { askedFor, type UnknownFilter, unknownFilters, unknownText } from "../unknown_filter.ts";
import { many } from "../verb.ts";

export const show = readVerb({
  args: many(
    proposing("observation", text("Number of an observation, or the beginning of its uid", "id")),
    1,
  ),
  about:
    "Shows observations whole: their texts, facts and files, and the captures that they were made of.",
  examples: ["conclaude memory show 42", "conclaude memory show 42 57 --json"],
  run({ db }, _flags, ...ids) {
    const shown = ids.map((id) => shownOf(db, observationNamed(db, id)));
    return {
      json: shown.length === 1 ? shown[0]!.json : { observations: shown.map(({ json }) => json) },
      text: shown.map(({ lines }) => lines.map(plain).join("\n")).join(BETWEEN),
      quoted: true,
    };
  },
});

/** Between several observations, whose texts have empty lines of their own. */
const BETWEEN = `\n\n${"─".repeat(40)}\n\n`;

/** An observation whole: for programs, and in lines. */
export function shownOf(db: DatabaseSync, observation: Observation) {
  const files = filesOfObservation(db, observation.id);
  const captures = capturesOfObservation(db, observation);
  const tokens = estimateTokens(`${observation.title}\n${observation.text}`);
  return {
    json: { ...observation, files, captures: captures.map(({ id }) => id), tokens },
    lines: [
      observation.title,
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
      ...observation.text.split("\n"),
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
  flags: {
    ...PROJECT_FLAGS,
    limit: usually("20", number(1, 100, "At most this many, 1 to 100")),
  },
  about:
    "For the number of an observation: what happened before and after it in its session. For a file or folder: its " +
    "observations, the newest first.",
  examples: ["conclaude memory timeline 42", "conclaude memory timeline src/auth.ts --here"],
  async run({ db, context }, flags, target) {
    const now = Date.now();
    // A number means an observation. A file with such a name is written with its folder: `./12`.
    const isId = /^#?\d+$/.test(target.trim()) || /^[\da-f]{8}-[\da-f]{4}-/.test(target.trim());
    const around = isId ? observationNamed(db, target) : null;
    const project = projectFilterOf(db, context, flags);
    if (around !== null && project !== null) {
      requireOfProject(around, { project, named: flags.project });
    }
    const file = around === null ? fileFilterOf(db, context, target) : null;
    const formerly = around === null ? await formerNamesOf(context, target) : [];
    const observations = around === null
      ? timelineOfNames(db, [file!, ...formerly], { project, limit: flags.limit })
      : timelineAround(db, around, flags.limit);
    const found = { observations, ...formerly.length > 0 && { formerly } };
    if (observations.length > 0) {
      const namesProject = isAnyOfOthers(observations, context.cwd);
      const lines = observations.map((one) => {
        const mark = around === null ? "" : one.id === around.id ? "> " : "  ";
        const where = namesProject ? `  [${plain(projectName(one.project))}]` : "";
        return `${mark}${observationLine(one, now)}${where}`;
      });
      return { json: found, text: lines.join("\n") };
    }
    const unknown = unknownFilters(db, {
      project: askedFor(flags.project, project),
      branch: null,
      file: askedFor(target, file),
    });
    const elsewhere = file !== null && project !== null && unknown.length === 0
      ? projectsOfFile(db, file, project)
      : [];
    const command = (of: string) =>
      nextHere(`conclaude memory timeline ${quoteWord(of)}`, context.globals);
    return {
      json: {
        ...found,
        ...unknown.length > 0 && { unknown },
        ...elsewhere.length > 0 && { elsewhere },
      },
      text: [
        `Nothing is remembered of "${plain(target)}"${elsewhere.length > 0 ? " there" : ""}.`,
        ...unknown.flatMap((one) => timelineHints(one, { command, target })),
        ...elsewhere.length === 0 ? [] : [
          `It is known in ${plain(elsewhere.join(", "))}.`,
          `  next: ${command(target)}`,
        ],
      ].join("\n"),
    };
  },
});

/** @throws {UserError} When an observation is of another project than the one that was asked for. */
function requireOfProject(
  { id, project: own }: Observation,
  { project, named }: { readonly project: string; readonly named: string | undefined },
): void {
  if (own === project) return;
  const whose = own === null ? "no project" : `the project ${folderOfProject(own)}`;
  throw new UserError(`Cannot show the timeline of #${id}`, {
    why: `it is of ${whose}, not of ${named === undefined ? "this one" : `"${named}"`}`,
    next: `conclaude memory timeline ${id}`,
  });
}

/** How many observations of all projects are read, and how many projects the answer names. */
const LOOKED_AT = 50;
const NAMED = 3;

/** Finds other projects that know a file of this name, the newest first. */
function projectsOfFile(db: DatabaseSync, file: string, project: string): string[] {
  const found = timelineOfFile(db, file, { project: null, limit: LOOKED_AT })
    .filter((one) => one.project !== project)
    .flatMap((one) => one.project === null ? [] : [folderOfProject(one.project)]);
  return [...new Set(found)].slice(0, NAMED);
}

/** Names known files or projects that resemble an unknown one. */
function timelineHints(
  filter: UnknownFilter,
  { command, target }: { readonly command: (of: string) => string; readonly target: string },
): string[] {
  const { flag, value, known } = filter;
  if (flag === "project") return unknownText([filter], command(target));
  if (known.length === 0) return [`Nothing at all is known of the file "${plain(value)}".`];
  return [`Files like it: ${plain(known.join(", "))}.`, `  next: ${command(known[0]!)}`];
}
