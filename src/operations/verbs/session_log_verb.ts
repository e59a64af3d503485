/** `conclaude session log`: every step of a session in order, and with `--follow` new ones as they come. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { quietly } from "../../base/errors.ts";
import { plain, plainLines } from "../../base/plain.ts";
import { durationText } from "../../base/time.ts";
import { transcriptTail } from "../../claude/transcript/find_transcripts.ts";
import { transcriptReader } from "../../claude/transcript/transcript_reader.ts";
import { readPayload } from "../../db/payloads.ts";
import { readStoredPayload } from "../../db/queue.ts";
import { type SessionRow, transcriptNear } from "../../db/sessions.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import {
  captureStep,
  cursorIn,
  decisionOf,
  newestSteps,
  type Step,
  stepsAfter,
  violationText,
} from "../../memory/tell/session_steps.ts";
import {
  captureIdOf,
  captureOf,
  exclusionIn,
  isMemoryOff,
  projectFinder,
} from "../../upkeep/transfer/capture_of.ts";
import type { CliContext } from "../context.ts";
import { briefDenial } from "../denial_text.ts";
import { NAMED_SESSION, numberFlag, optional, parsed, switchOn, timeFlag } from "../flags.ts";
import { sessionOf, sessionOrNewest } from "../session_lookup.ts";
import { openWord, type Violations, violationsIn } from "../session_violations.ts";
import { cutLine } from "../table.ts";
import { readVerb } from "../list_and_show.ts";

export const log = readVerb({
  args: [NAMED_SESSION],
  flags: {
    follow: switchOn(
      "Go on with new steps until the session ends, or Ctrl-C; with --json a line each",
    ),
    limit: numberFlag(1, 100_000, "Only the newest so many tool uses, with what is between"),
    before: timeFlag("Only before then: a time (2026-11-20T08:30), or an age (2h)"),
    after: optional(parsed(cursorIn, "Only what was written since: `next` of --json", "cursor")),
    full: switchOn("With what each step was given and gave back"),
  },
  async run({ db, context }, { follow, full, limit, before, after }, id) {
    const session = sessionOrNewest(db, context, id);
    const opened = (step: Step): Opened =>
      full ? { ...step, payload: payloadOfStep(db, step) ?? null } : step;
    const print = linePrinter(context, db, await violationsIn(context, db, session));
    const { steps, more, next } = after === undefined
      ? await newestSteps(db, placeOfSteps(session), {
        ...limit !== undefined && { limit },
        ...before !== undefined && { untilMs: before },
      })
      : await stepsAfter(db, placeOfSteps(session), after);
    if (follow) {
      const printed = (step: Step) => print(opened(step));
      await followSteps(context, db, { session, steps, next, print: printed });
      return { json: undefined, text: "" };
    }
    const shown = steps.map(opened);
    return {
      json: { sessionId: session.sessionId, steps: shown, more, next },
      text: shown.length === 0 ? "Nothing is known of its steps." : shown.map(print).join("\n"),
      quoted: true,
    };
  },
});

type Opened = Step & { readonly payload?: unknown };

/** Returns the session with the folder that shown paths are relative to: the project's. */
function placeOfSteps({ sessionId, repository, projectDir }: SessionRow) {
  const folder = repository === null ? projectDir : folderOfProject(repository);
  return { sessionId, folder };
}

/** Returns a step's input and output, or what a gate judged and decided; undefined if they are not stored. */
function payloadOfStep(db: DatabaseSync, step: Step): unknown {
  const stored = readStoredPayload(db, step.id);
  return stored ? quietly(() => readPayload(stored).value) : decisionOf(db, step);
}

/** Returns what a step is about, within some columns. A denial names its rule; a long command is cut for it. */
function subjectOf(db: DatabaseSync, step: Opened, room: number): string {
  const isDenied = step.result === "denied";
  const { why = "", rules } = Object(isDenied ? step.payload ?? decisionOf(db, step) : null);
  if (why === "") return cutLine(step.subject, room);
  const brief = briefDenial(why, rules).replace(/^preToolUse\./, "");
  const wanted = step.subject.replace(plain(why), "").replace(/: $/, "");
  const shown = cutLine(wanted, Math.max(Math.floor(room / 3), room - brief.length - 2));
  return cutLine([shown, brief].filter((part) => part !== "").join(": "), room);
}

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
/** The labels of steps by their kind; other steps have the name of their tool or event. */
const LABELS: Readonly<Partial<Record<Step["kind"], string>>> = {
  prompt: "You",
  message: "Claude",
  notice: "Notice",
  session: "Session",
};

/** The prefix of an MCP tool, which is dropped: the tool's own name tells more than the server's. */
const MCP_SERVER = /^mcp__.+?__/;

/** Returns a function that formats a step as a line, after a line with the day if that is new. */
function linePrinter(
  { globals: { color, columns } }: CliContext,
  db: DatabaseSync,
  violations: Violations,
): (step: Opened) => string {
  let lastDay = "";
  const styled = (style: string, text: string) => color ? `\x1b[${style}m${text}\x1b[0m` : text;
  return (step) => {
    const { atMs, kind, name, result, tookMs } = step;
    const at = new Date(atMs);
    const day = at.toDateString();
    const head = day === lastDay ? [] : [styled("2", day)];
    lastDay = day;
    const time = at.toTimeString().slice(0, 8);
    const label = LABELS[kind] ?? name.replace(MCP_SERVER, "");
    const who = label.slice(0, NAME_CHARS).padEnd(NAME_CHARS);
    const took = tookMs !== null &&
      (tookMs < 60_000 ? `${(tookMs / 1_000).toFixed(1)}s` : durationText(tookMs));
    const violation = result === "violated" &&
      violations.find((one) => one.createdAtMs === atMs && violationText(one) === step.subject);
    const end = [result, violation && openWord(violation), took].map((part) => part && `, ${part}`)
      .filter(Boolean).join("");
    const room = columns - time.length - who.length - 4 - end.length;
    const style = result === "failed" || result === "hook failed" ? FAILED : STYLES[kind];
    const what = styled(style, `${who}  ${subjectOf(db, step, room)}${end}`.trimEnd());
    return [...head, `${styled("2", time)}  ${what}`, ...fullLines(step.payload)].join("\n");
  };
}

/** The fields of a payload that tell its place and source, which `--full` leaves out. */
const PLACES = new Set(["tool_name", "tool_use_id", "project_dir", "cwd", "prompt_id"]);

function fullLines(payload: unknown): string[] {
  return Object.entries(Object(payload)).filter(([name]) => !PLACES.has(name))
    .flatMap(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      return [`    ${name}:`, ...plainLines(text).split("\n").map((line) => `      ${line}`)];
    });
}

const LOOK_MS = 500;
/** How far the times of a step by its hook and by the transcript may lie apart, in milliseconds. */
const LATE_MS = 60_000;

/** Prints the steps, then new ones from hooks and from the transcript, until the session is over. */
async function followSteps(
  context: CliContext,
  db: DatabaseSync,
  { session, steps, next, print }: {
    readonly session: SessionRow;
    readonly steps: readonly Step[];
    readonly next: string;
    readonly print: (step: Step) => string;
  },
): Promise<void> {
  const { sessionId } = session;
  const { stdout } = context.process;
  const seen = new Set<string>();
  const ofHooks = new Map<string, number>();
  const ofTranscript = new Map<string, number>();
  let lastMs = 0;
  /** Prints a step, unless the other source has told of it. */
  const tellFrom = (own: Map<string, number>, other: Map<string, number>) => (step: Step) => {
    const { atMs, kind, name, subject, toolUseId } = step;
    const words = kind === "prompt" || kind === "message" ? `${name} ${subject}` : null;
    const isTwin = words !== null && Math.abs(atMs - (other.get(words) ?? -Infinity)) < LATE_MS;
    const use = kind === "tool" && toolUseId !== null ? toolUseId : step.id;
    if (seen.has(use) || isTwin) return;
    seen.add(use);
    if (words !== null) own.set(words, atMs);
    lastMs = Math.max(lastMs, atMs);
    stdout.write(`${context.globals.json ? JSON.stringify(step) : print(step)}\n`);
  };
  const tell = tellFrom(ofHooks, ofTranscript);
  steps.forEach(tell);
  const path = transcriptNear(db, { repository: null, sessionId });
  const news = path && quietly(() => transcriptNews(context, session, { db, path }));
  let cursor = next;
  for (let isOver = false; !isOver; await pause(isOver ? 0 : LOOK_MS)) {
    isOver = sessionOf(db, sessionId).status !== "active";
    const known: Step[] = [];
    for (let more = true; more;) {
      const written = await stepsAfter(db, placeOfSteps(session), cursorIn(cursor));
      known.push(...written.steps);
      ({ more, next: cursor } = written);
    }
    const spoken = news ? await news() : [];
    // A hook's record of a step tells more than the transcript's, so it comes first.
    known.forEach(tell);
    spoken.filter(({ atMs }) => atMs >= lastMs - LATE_MS)
      .forEach(tellFrom(ofTranscript, ofHooks));
  }
}

/** Returns a function that reads the new steps of a transcript in the form in which hooks store steps. */
function transcriptNews(
  { locations }: CliContext,
  session: SessionRow,
  { db, path }: { readonly db: DatabaseSync; readonly path: string },
): () => Promise<Step[]> {
  const [tail, reader] = [transcriptTail(path), transcriptReader()];
  const projectOf = projectFinder(locations);
  const { folder } = placeOfSteps(session);
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
      const how = { known: null, isWhole: false, payload, folder };
      return await captureStep({ ...capture, ...at }, how);
    }));
  };
}
