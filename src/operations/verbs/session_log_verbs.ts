import { setTimeout as pause } from "node:timers/promises";
import type { DatabaseSync } from "node:sqlite";
import { readVerb } from "../list_and_show.ts";
import { transcriptTail } from "../../claude/transcript/find_transcripts.ts";
import { transcriptReader } from "../../claude/transcript/transcript_reader.ts";
import { plainLines } from "../../base/plain.ts";
import { quietly } from "../../base/errors.ts";
import { durationText } from "../../base/time.ts";
import { readPayload } from "../../db/payloads.ts";
import { readStoredPayload } from "../../db/queue.ts";
import { type SessionRow, transcriptNear } from "../../db/sessions.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import {
  captureIdOf,
  captureOf,
  exclusionIn,
  isMemoryOff,
  projectFinder,
} from "../../upkeep/transfer/capture_of.ts";
import type { CliContext } from "../context.ts";
import { NAMED_SESSION, number, optional, parsed, switchOn, timeFlag } from "../flags.ts";
import { sessionOf, sessionOrNewest } from "../session_lookup.ts";
import {
  captureStep,
  cursorIn,
  decisionOf,
  newestSteps,
  type Step,
  stepsAfter,
} from "../../memory/tell/session_steps.ts";
import { cutLine } from "../table.ts";

export const log = readVerb({
  args: [NAMED_SESSION],
  flags: {
    follow: switchOn(
      "Go on with new steps until the session ends, or Ctrl-C; with --json a line each",
    ),
    limit: optional(number(1, 100_000, "Only the newest so many tool uses, with what is between")),
    before: timeFlag("Only before then: a time (2026-11-20T08:30), or an age (2h)"),
    after: optional(parsed(cursorIn, "Only what was written since: `next` of --json", "cursor")),
    full: switchOn("With what each step was given and gave back"),
  },
  async run({ db, context }, { follow, full, limit, before, after }, id) {
    const session = sessionOrNewest(db, context, id);
    const payloadOf = (step: Step) => full ? payloadOfStep(db, step) : undefined;
    const print = linePrinter(context, payloadOf);
    const { steps, more, next } = after === undefined
      ? await newestSteps(db, placeOf(session), {
        ...limit === undefined ? {} : { limit },
        ...before === undefined ? {} : { untilMs: before },
      })
      : await stepsAfter(db, placeOf(session), after);
    if (follow) {
      await followSteps(context, db, { session, steps, next, print });
      return { json: undefined, text: "" };
    }
    const told = steps.map((step) => ({
      ...step,
      ...full && { payload: payloadOf(step) ?? null },
    }));
    return {
      json: { sessionId: session.sessionId, steps: told, more, next },
      text: steps.length === 0 ? "Nothing is known of its steps." : steps.map(print).join("\n"),
      quoted: true,
    };
  },
});

/** Paths are shown from the project's folder. */
function placeOf({ sessionId, repository, projectDir }: SessionRow) {
  const folder = repository === null ? projectDir : folderOfProject(repository);
  return { sessionId, folder };
}

/** What a step was given and gave back; undefined where it is not stored, or not any more. */
function payloadOfStep(db: DatabaseSync, step: Step): unknown {
  const stored = readStoredPayload(db, step.id);
  return stored ? quietly(() => readPayload(stored).value) : decisionOf(db, step);
}

const LINE_CHARS = 80;
const NAME_CHARS = 10;
const STYLES: Readonly<Record<Step["kind"], string>> = {
  prompt: "1",
  tool: "0",
  message: "36",
  notice: "2",
  gate: "33",
  session: "2",
};
const FAILED = "31";
/** Who speaks, or what begins and ends; every other step stands under the name of its tool or event. */
const SPEAKERS: Readonly<Partial<Record<Step["kind"], string>>> = {
  prompt: "You",
  message: "Claude",
  notice: "Notice",
  session: "Session",
};
/** The tool of an MCP server tells more than the server. */
const MCP_SERVER = /^mcp__.+?__/;

/** Makes a function that writes a step as a line, with the day before the first step of each day. */
function linePrinter(
  { globals: { color } }: CliContext,
  payloadOf: (step: Step) => unknown,
): (step: Step) => string {
  let lastDay = "";
  const styled = (style: string, text: string) => color ? `\x1b[${style}m${text}\x1b[0m` : text;
  return (step) => {
    const { atMs, kind, name, subject, result, tookMs } = step;
    const at = new Date(atMs);
    const day = at.toDateString();
    const head = day === lastDay ? [] : [styled("2", day)];
    lastDay = day;
    const time = at.toTimeString().slice(0, 8);
    const who = (SPEAKERS[kind] ?? name.replace(MCP_SERVER, "")).slice(0, NAME_CHARS).padEnd(
      NAME_CHARS,
    );
    const end = [result, tookMs === null ? "" : tookText(tookMs)].filter((part) => part !== "")
      .map((part) => `, ${part}`).join("");
    const room = LINE_CHARS - time.length - who.length - 4 - end.length;
    const style = result === "failed" || result === "hook failed" ? FAILED : STYLES[kind];
    const what = styled(style, `${who}  ${cutLine(subject, room)}${end}`.trimEnd());
    return [...head, `${styled("2", time)}  ${what}`, ...fullLines(payloadOf(step))].join("\n");
  };
}

function tookText(ms: number): string {
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)}s` : durationText(ms);
}

/** Fields of a payload that say where and by whom, and not what. */
const PLACES = new Set(["tool_name", "tool_use_id", "project_dir", "cwd", "prompt_id"]);

/** A payload opened: the name of each field, then its text as it is. */
function fullLines(payload: unknown): string[] {
  return Object.entries(Object(payload)).filter(([name]) => !PLACES.has(name))
    .flatMap(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      return [`    ${name}:`, ...plainLines(text).split("\n").map((line) => `      ${line}`)];
    });
}

const LOOK_MS = 500;
/** How much later than the next step a hook may write a step, in milliseconds. */
const LATE_MS = 60_000;

/** Prints the steps, then new ones as hooks keep them or the transcript has them, until the session is over. */
async function followSteps(
  context: CliContext,
  db: DatabaseSync,
  { session, steps, next, print }: {
    readonly session: SessionRow;
    readonly steps: readonly Step[];
    /** The cursor behind them. */
    readonly next: string;
    readonly print: (step: Step) => string;
  },
): Promise<void> {
  const { sessionId } = session;
  const { stdout } = context.process;
  const seen = new Set<string>();
  const words = new Map<string, number>();
  let lastMs = 0;
  const tell = (step: Step) => {
    const { atMs, kind, name, subject, toolUseId } = step;
    const said = kind === "prompt" || kind === "message" ? `${name} ${subject}` : null;
    const isSaid = said !== null && Math.abs(atMs - (words.get(said) ?? -Infinity)) < LATE_MS;
    const use = kind === "tool" && toolUseId !== null ? toolUseId : step.id;
    if (seen.has(use) || isSaid) return;
    seen.add(use);
    if (said !== null) words.set(said, atMs);
    lastMs = Math.max(lastMs, atMs);
    stdout.write(`${context.globals.json ? JSON.stringify(step) : print(step)}\n`);
  };
  steps.forEach(tell);
  const path = transcriptNear(db, { repository: null, sessionId });
  const news = path === null
    ? undefined
    : quietly(() => transcriptNews(context, session, { db, path }));
  let cursor = next;
  for (let isOver = false; !isOver; await pause(isOver ? 0 : LOOK_MS)) {
    isOver = sessionOf(db, sessionId).status !== "active";
    const known: Step[] = [];
    for (let more = true; more;) {
      const written = await stepsAfter(db, placeOf(session), cursorIn(cursor));
      known.push(...written.steps);
      ({ more, next: cursor } = written);
    }
    const spoken = await news?.() ?? [];
    // What a hook kept says more than what the transcript has of the same step.
    [...known, ...spoken.filter(({ atMs }) => atMs >= lastMs - LATE_MS)].forEach(tell);
  }
}

/** Makes a function that gives the new steps in a transcript, as hooks would have kept them. */
function transcriptNews(
  { locations }: CliContext,
  session: SessionRow,
  { db, path }: { readonly db: DatabaseSync; readonly path: string },
): () => Promise<Step[]> {
  const [tail, reader, projectOf] = [
    transcriptTail(path),
    transcriptReader(),
    projectFinder(locations),
  ];
  const { folder } = placeOf(session);
  return async () => {
    const items = tail().flatMap((line) => reader.take(line).items);
    const project = await projectOf(session.projectDir);
    const isOff = isMemoryOff(db, session.sessionId);
    const kept = items.filter((item) =>
      item.sessionId === session.sessionId && exclusionIn(project, item, isOff) === null
    );
    return await Promise.all(kept.map(async (item) => {
      const capture = await captureOf(item, project);
      const at = { id: captureIdOf(item), createdAtMs: item.atMs, observationId: null };
      const payload = () => JSON.parse(capture.payload);
      return await captureStep({ ...capture, ...at }, {
        ...{ known: null, isWhole: false, payload, folder },
      });
    }));
  };
}
