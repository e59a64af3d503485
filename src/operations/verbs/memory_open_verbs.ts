import type { DatabaseSync } from "node:sqlite";
import { readVerb } from "../list_and_show.ts";
import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { type ContextLine, MAX_CONTEXT_CHARS } from "../../memory/tell/context_text.ts";
import { estimateTokens } from "../../memory/text.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import type { CliContext } from "../context.ts";
import { number, PROJECT_FLAGS, proposing, textFlag, usually } from "../flags.ts";
import { openHere, openLines } from "../open_here.ts";
import { projectNamed } from "../memory_filter.ts";
import { projectHere, sessionOf } from "../session_lookup.ts";
import { toldContext } from "../told_context.ts";

export const open = readVerb({
  flags: {
    project: PROJECT_FLAGS.project,
    limit: usually("20", number(1, 1_000, "At most this many of each kind")),
  },
  run({ db, context }, { project: named, limit }) {
    const project = named === undefined
      ? projectHere(context.cwd)
      : projectNamed(db, context, named);
    const all = openHere(db, project, { nowMs: Date.now() });
    const onwards = "`conclaude memory open --limit 1000`";
    const lines = openLines(all, { most: limit, onwards });
    const folder = folderOfProject(project);
    const text = lines.length === 0
      ? [`Nothing is open in ${folder}.`]
      : [`Open in ${folder}`, ...lines];
    return { json: { project, ...all }, text };
  },
});

export const context = readVerb({
  flags: {
    session: proposing(
      "session",
      textFlag("As if this session began now, by the beginning of its id", "id"),
    ),
  },
  async run({ db, place, context }, { session }) {
    const { contextTokens, memoryEnabled } = place.config;
    const at = placeOf(db, context, session);
    const start = await toldContext(db, at, { config: place.config, room: MAX_CONTEXT_CHARS });
    const priced = (lines: typeof start.lines) =>
      lines.map((line) => ({ ...line, tokens: estimateTokens(line.text) }));
    const lines = priced(start.lines);
    const leftOut = priced(start.leftOut);
    const tokens = start.text === "" ? 0 : estimateTokens(start.text);
    const project = plain(folderOfProject(at.project));
    const text = start.text === ""
      ? memoryEnabled && contextTokens > 0
        ? `Nothing is remembered of ${project} that a session would be told.`
        : "Sessions are told nothing: `memory.enabled` or `memory.context` is off."
      : [
        start.text,
        "",
        `${count(tokens, "token")} of ${contextTokens}, line by line:`,
        ...lines.map(lineOf),
        ...leftOut.length === 0 ? [] : ["", "Left out, since there is no room:"],
        ...leftOut.map(lineOf),
      ].join("\n");
    const json = { project: at.project, text: start.text, tokens, lines, leftOut };
    return { json, text, quoted: true };
  },
});

function lineOf({ text, tokens, why }: ContextLine & { readonly tokens: number }): string {
  const [name] = /^\S+/.exec(text) ?? [""];
  return `${String(tokens).padStart(5)}  ${plain(name.slice(0, 12)).padEnd(12)} ${why}`;
}

/** Returns the place where a session begins: this folder, or the folder of a known session. */
function placeOf(db: DatabaseSync, context: CliContext, id: string | undefined) {
  const { environment, locations: { home }, cwd } = context;
  const known = id === undefined ? null : sessionOf(db, id);
  const folder = known === null ? cwd : known.projectDir ?? cwd;
  const repository = findRepository(lookUpwards(folder));
  return {
    sessionId: known?.sessionId ?? "",
    project: known === null ? projectHere(cwd) : known.repository ?? folder,
    branch: known === null ? repository?.branch ?? null : known.branch,
    root: repository?.root ?? folder,
    source: "startup",
    seenAtMs: null,
    nowMs: Date.now(),
    home,
    environment,
  };
}
