/**
 * The tools of the MCP server. The model reads all descriptions at the start of each session, whether it needs a tool
 * or not, so together they take at most 900 tokens.
 */
import { headed, plain, plainLines } from "../base/plain.ts";
import { count } from "../base/counts.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { formerNames } from "../system/git/file_status.ts";
import type { ObservationKind } from "../memory/observe/observation.ts";
import { pathInProject } from "../memory/project_paths.ts";
import { timeIn } from "../memory/search/time_words.ts";
import { shortened } from "../memory/text.ts";
import { withoutLine } from "../base/paths.ts";
import { openFailuresOf } from "../memory/tell/open_now.ts";
import { rememberedText, rememberHere } from "../memory/drain/remember.ts";
import type { SearchResult } from "../memory/search/search.ts";
import { FROM_AROUND } from "../memory/tell/around.ts";
import { answerHere } from "../memory/tell/search_here.ts";
import * as view from "../memory/search/observation_view.ts";
import { integrityFaults } from "../upkeep/store.ts";
import * as memory from "../memory/store.ts";
import { daysMs, relativeTime } from "../base/time.ts";
import { type Call, folderOf, type InputSchema, observationOf } from "./tool_call.ts";
import { statSync } from "../system/files.ts";
import TEXTS from "./tools.json" with { type: "json" };

interface ToolText {
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** Whether the tool changes nothing. A client may call several such tools at once. */
  readonly isReadOnly: boolean;
}

/** Does the work of a tool and returns the answer for the model. @throws {UserError} */
type Run = (call: Call) => string | Promise<string>;

const RUNS: Readonly<Record<string, Run>> = { recall, open, timeline, remember, status };

export const TOOLS: Readonly<Record<string, ToolText & { readonly run: Run }>> = Object.fromEntries(
  Object.entries(TEXTS.tools as unknown as Readonly<Record<string, ToolText>>)
    .map(([name, text]) => [name, { ...text, run: RUNS[name]! }]),
);

export const INSTRUCTIONS = TEXTS.instructions;

/** `recall` lists the results of a search, one on each line, the best first. */
async function recall(call: Call): Promise<string> {
  const { db, project, nowMs, args } = call;
  const everywhere = args["everywhere"] === true;
  const { file, days } = args;
  const options = {
    filter: {
      ...memory.EVERYTHING,
      project: everywhere ? null : project.key,
      file: file === undefined ? null : pathInProject(withoutLine(String(file)), project.root),
      kind: (args["kind"] as ObservationKind | undefined) ?? null,
      sinceMs: days === undefined ? null : nowMs - daysMs(Number(days)),
    },
    limit: Number(args["limit"] ?? 10),
    nowMs,
    time: await timeIn(String(args["query"]), nowMs),
  };
  const rebuildNotes: string[] = [];
  const { results, quotedNowhere } = memory.withIndex(
    db,
    () => answerHere(db, String(args["query"]), options, project),
    (why) => rebuildNotes.push(memory.rebuildText(why)),
  );
  if (results.length === 0) {
    return everywhere ? "Nothing that matches is remembered of any project." : plain(
      `Nothing that matches is remembered of ${project.folder}; \`everywhere: true\` searches other projects too.`,
    );
  }
  return [
    headed(`Remembered of ${everywhere ? "all projects" : project.folder}`),
    ...quotedNowhere.length === 0 ? [] : [view.nowhereLine(quotedNowhere)],
    ...results.map((result) => lineOf(result, call)),
    ...rebuildNotes,
  ].join("\n");
}

function lineOf(result: SearchResult, { project: here, nowMs, args }: Call): string {
  const { id, kind, title, snippet, createdAtMs, tokens, project } = result;
  const outcome = view.outcomeWord(result);
  const isAround = args["everywhere"] !== true;
  const where = project === here.key
    ? ""
    : ` [${isAround ? FROM_AROUND : ""}${view.projectName(project)}]`;
  return plain(
    `#${id} ${view.agoBy(result.author, relativeTime(createdAtMs, nowMs))}, ${kind}${
      outcome === "" ? "" : ` (${outcome})`
    }` +
      `${where}: ${title}${snippet === title ? "" : ` — ${snippet}`} (${count(tokens, "token")})`,
  );
}

/** About 1,600 tokens of text. With its heading and facts a part takes at most about 2,000. */
const PART_CHARS = 5_600;
const MAX_FACT_CHARS = 240;
const MAX_FILES = 8;
const MAX_CAPTURES = 3;

/** `open` shows a whole observation, or one part of a long one. */
function open(call: Call): string {
  const { db, nowMs, args } = call;
  const observation = observationOf(call);
  const { id, files } = observation;
  const parts = partsOf(observation.text);
  const part = Number(args["part"] ?? 1);
  const text = parts[part - 1];
  if (text === undefined) {
    throw new UserError(`Cannot open part ${part} of #${id}`, {
      why: parts.length === 1 ? "it is whole in one part" : `it has ${parts.length} parts`,
      next: `open {"id": ${id}}`,
    });
  }
  const rest = part < parts.length ? `: open {"id": ${id}, "part": ${part + 1}} goes on` : "";
  const place = parts.length === 1 ? [] : ["", `[part ${part} of ${parts.length}${rest}]`];
  const heading = headed(`Observation #${id} of ${folderOf(observation)}`);
  if (part > 1) return [heading, plainLines(text), ...place].join("\n");
  const captures = memory.capturesOfObservation(db, observation).map(({ id }) => id);
  return [
    heading,
    plain(observation.title),
    ...view.observationFacts(observation, nowMs)
      .map(([name, value]) => `${name}: ${shortened(value, MAX_FACT_CHARS)}`),
    ...limitedList("files", files.map((path) => plain(shortened(path, MAX_FACT_CHARS))), MAX_FILES),
    ...limitedList("made of", captures, MAX_CAPTURES, "conclaude queue show ID"),
    "",
    plainLines(text),
    ...place,
  ].join("\n");
}

/** Splits a text into parts, at the end of a line if possible. An empty text is one part. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let at = 0;
  do {
    const piece = text.slice(at, at + PART_CHARS);
    const line = at + PART_CHARS < text.length ? piece.lastIndexOf("\n") : -1;
    let end = at + (line > PART_CHARS / 2 ? line + 1 : piece.length);
    // Keeps both halves of a surrogate pair in one part.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? "") && end < text.length) end--;
    parts.push(text.slice(at, end).trimEnd());
    at = end;
  } while (at < text.length);
  return parts;
}

function limitedList(name: string, all: readonly string[], limit: number, hint?: string): string[] {
  if (all.length === 0) return [];
  const more = all.length > limit ? `, and ${all.length - limit} more` : "";
  const how = hint === undefined ? "" : ` (${hint})`;
  return [`${name}: ${all.slice(0, limit).join(", ")}${more}${how}`];
}

/** `timeline` lists the observations before and after an observation, or all of a file. */
async function timeline(call: Call): Promise<string> {
  const { db, project, nowMs, args } = call;
  const { id, file } = args;
  const everywhere = args["everywhere"] === true;
  const limit = Number(args["limit"] ?? 20);
  if ((id === undefined) === (file === undefined)) {
    throw new UserError("Cannot call timeline", {
      why: id === undefined ? "neither `id` nor `file` is there" : "both `id` and `file` are there",
      next: "Call it with one of the two",
    });
  }
  if (id !== undefined) {
    const around = observationOf(call);
    const lines = memory.timelineAround(db, around, limit);
    return [
      headed(`Around #${around.id} in ${folderOf(around)}`),
      ...lines.map((one) =>
        `${one.id === around.id ? "> " : "  "}${view.observationLine(one, nowMs)}`
      ),
    ].join("\n");
  }
  const path = pathInProject(withoutLine(String(file)), project.root);
  const names = [path, ...await formerNames(path, project.root)];
  const lines = memory.timelineOfFile(db, names, {
    project: everywhere ? null : project.key,
    limit,
  });
  if (lines.length === 0) {
    const isElsewhere = !everywhere &&
      memory.timelineOfFile(db, [path], { project: null, limit: 1 }).length > 0;
    const where = isElsewhere
      ? ` in ${project.folder}, but in another project: \`everywhere: true\` tells of it too.`
      : ", in any project.";
    return plain(`Nothing is remembered of "${path}"${where}`);
  }
  const where = everywhere ? "all projects" : project.folder;
  return [
    headed(`What became of ${path} in ${where}`),
    ...lines.map((one) => view.observationLine(one, nowMs)),
  ].join("\n");
}

/** `remember` stores a note and masks its secrets. */
function remember({ db, folder, project, sessionId, redactPatterns, nowMs, args }: Call): string {
  const { file, replaces } = args;
  const note = rememberHere(db, String(args["text"]), {
    folder,
    redactPatterns,
    sessionId,
    files: file === undefined ? [] : [String(file)],
    atMs: nowMs,
    replaces: replaces === undefined ? null : Number(replaces),
  });
  return plain(`${rememberedText(note)} Project: ${project.folder}`);
}

const MAX_OPEN = 5;
/** The size of the largest database that `status` checks: reading 64 MB takes a quarter of a second. */
const MAX_CHECKED_BYTES = 64_000_000;

/** `status` tells what memory holds about this project, and whether the database is intact. */
function status({ db, database, project, nowMs }: Call): string {
  const { lastSummary, observations } = memory.projectMemory(db, project.key);
  const open = openFailuresOf(db, project.key, { nowMs: Date.now() });
  const { waiting, givenUp } = memory.memoryHealth(db, nowMs);
  const hint = givenUp === 0 ? "" : `, ${givenUp} were given up (conclaude queue list)`;
  return [
    headed(`Status of ${project.folder}`),
    `observations of this project: ${observations}`,
    `captures not worked in yet: ${waiting}${hint}`,
    `open failures: ${open.length}`,
    ...memory.readObservations(db, open.slice(0, MAX_OPEN).map(({ id }) => id)).map((one) =>
      `  ${view.observationLine(one, nowMs)}`
    ),
    `last session: ${lastSummary === null ? "none yet" : view.observationLine(lastSummary, nowMs)}`,
    `database: ${plain(database)}, ${healthOf({ db, database })}`,
  ].join("\n");
}

function healthOf({ db, database }: Pick<Call, "db" | "database">): string {
  try {
    if (statSync(database).size > MAX_CHECKED_BYTES) {
      return "readable; `conclaude doctor` looks at it whole";
    }
    const [fault] = integrityFaults(db, "quick");
    return fault === undefined ? "well" : `damaged: ${plain(fault)}; run \`conclaude doctor\``;
  } catch (thrown) {
    return `not readable: ${plain(messageOf(thrown))}; run \`conclaude doctor\``;
  }
}
