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
} from "../../memory/store.ts";
import { number, PROJECT_FLAGS, proposing, text, usually } from "../flags.ts";
import { observationNamed } from "../observation_lookup.ts";
import { isAnyOfOthers } from "../session_lookup.ts";
import { fileFilterOf, formerNamesOf, projectFilterOf } from "../project_filter.ts";
import { factLines } from "../table.ts";
import { typedFilter, type UnknownFilter, unknownFilters, unknownText } from "../unknown_filter.ts";
import { many } from "../verb.ts";

export const show = readVerb({
  args: many(
    proposing("observation", text("Number of an observation, or the beginning of its uid", "id")),
    1,
  ),
  run({ db }, _flags, ...ids) {
    const shown = ids.map((id) => shownOf(db, observationNamed(db, id)));
    return {
      json: shown.length === 1 ? shown[0]!.json : { observations: shown.map(({ json }) => json) },
      text: shown.map(({ lines }) => lines.map(plain).join("\n")).join(BETWEEN),
      quoted: true,
    };
  },
});

/** Separates observations, since their texts have empty lines of their own. */
const BETWEEN = `\n\n${"─".repeat(40)}\n\n`;

/** Shows a whole observation, for programs and as lines. */
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
  flags: { ...PROJECT_FLAGS, limit: usually("20", number(1, 100, "At most this many, 1 to 100")) },
  async run({ db, context }, flags, target) {
    const now = Date.now();
    // A number means an observation. A person writes a file of such a name with its folder: `./12`.
    const isId = /^#?\d+$/.test(target.trim()) || /^[\da-f]{8}-[\da-f]{4}-/.test(target.trim());
    const around = isId ? observationNamed(db, target) : null;
    const project = projectFilterOf(db, context, flags);
    if (around !== null && project !== null) {
      requireOfProject(around, { project, named: flags.project });
    }
    const file = around === null ? fileFilterOf(db, context, target) : null;
    const formerly = around === null ? await formerNamesOf(context, target) : [];
    const observations = around === null
      ? timelineOfFile(db, [file!, ...formerly], { project, limit: flags.limit })
      : timelineAround(db, around, flags.limit);
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
    const unknown = unknownFilters(db, {
      project: typedFilter(flags.project, project),
      branch: null,
      file: typedFilter(target, file),
    });
    const command = (of: string) => `conclaude memory timeline ${quoteWord(of)}`;
    const hintsOf = (filter: UnknownFilter) => {
      const { flag, value, known } = filter;
      if (flag === "project") return unknownText([filter], command(target));
      if (known.length === 0) return [`Nothing at all is known of the file "${value}".`];
      return [`Files like it: ${known.join(", ")}.`, `  next: ${command(known[0]!)}`];
    };
    return {
      json: { ...found, ...unknown.length > 0 && { unknown } },
      text: [`Nothing is remembered of "${target}".`, ...unknown.flatMap(hintsOf)],
    };
  },
});

/** @throws {UserError} If an observation belongs to another project than the chosen one. */
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
