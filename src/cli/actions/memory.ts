import { plain, plainLines } from "../../capture/plain.ts";
import { estimateTokens } from "../../memory/tokens.ts";
import { areOfSeveral, observationFacts, observationLine, projectName } from "../../recall/view.ts";
import {
  capturesOfObservation,
  filesOfObservation,
  timelineAround,
  timelineOfFile,
} from "../../store/memory_look.ts";
import type { CliContext } from "../context.ts";
import { observationNamed } from "../observation_lookup.ts";
import { fileFilterOf, projectFilterOf } from "../project_filter.ts";
import { openStore } from "../store.ts";
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
  const observations = around === null
    ? timelineOfFile(db, fileFilterOf(db, context, target), {
      project: projectFilterOf(db, context, flags),
      limit: flags.limit,
    })
    : timelineAround(db, around, flags.limit);
  const namesProject = areOfSeveral(observations);
  return {
    json: { observations },
    text: observations.length === 0
      ? `Nothing is remembered of "${plain(target)}".`
      : observations.map((one) =>
        `${one.id === around?.id ? "> " : around === null ? "" : "  "}${observationLine(one, now)}${
          namesProject ? `  [${plain(projectName(one.project))}]` : ""
        }`
      ).join("\n"),
  };
}
