/** `conclaude session list|show|log`: the sessions, their stories and their steps. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { count } from "../../base/counts.ts";
import { quietly } from "../../base/errors.ts";
import { plain, plainLines } from "../../base/plain.ts";
import { durationText } from "../../base/time.ts";
import { transcriptTail } from "../../claude/transcript/find_transcripts.ts";
import { transcriptReader } from "../../claude/transcript/transcript_reader.ts";
import { listCounters } from "../../db/counters.ts";
import { readPayload } from "../../db/payloads.ts";
import { readStoredPayload } from "../../db/queue.ts";
import { listSessions, type SessionRow, tellingId, transcriptNear } from "../../db/sessions.ts";
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
import { type Line, type SessionStory, sessionStory } from "../../memory/tell/shown_story.ts";
import {
  captureIdOf,
  captureOf,
  exclusionIn,
  isMemoryOff,
  projectFinder,
} from "../../upkeep/transfer/capture_of.ts";
import { violationsOfSession } from "../../policy/store.ts";
import { type Agent, listAgents } from "../../work/store.ts";
import type { CliContext } from "../context.ts";
import { briefDenial } from "../denial_text.ts";
import {
  NAMED_SESSION,
  numberFlag,
  oneOfFlag,
  optional,
  parsed,
  SHARED,
  switchOn,
  timeFlag,
  toggle,
} from "../flags.ts";
import { projectHere, sessionOf, sessionOrNewest } from "../session_lookup.ts";
import { cutLine, factLines, firstLines, type Lines, section } from "../table.ts";
import { shortTaskId } from "../task_view.ts";
import { agoText, listVerb, readVerb } from "../list_and_show.ts";
import { group } from "../verb.ts";

const list = listVerb({
  flags: {
    status: oneOfFlag(["active", "ended", "abandoned"], "Only sessions with this status"),
    here: toggle("Only of the project in this folder"),
    until: timeFlag("Only those whose last sign of life was before then, as an age or a time"),
    limit: SHARED.limit,
  },
  name: "sessions",
  rows: ({ db, context }, { status, here, until }, { limit }) =>
    listSessions(db, {
      project: here ? projectHere(context.cwd) : null,
      status: status ?? null,
      ...until !== undefined && { untilMs: until },
      limit,
    }),
  columns: ({ db }) => ({
    ID: (s) => tellingId(db, s.sessionId),
    STATUS: (s) => s.status,
    "LAST SEEN": (s) => agoText(s.updatedAtMs),
    BRANCH: (s) => s.branch,
    TASK: (s) => s.taskId === null ? null : shortTaskId(s.taskId),
    PROJECT: (s) => s.projectDir,
    TITLE: (s) => s.title,
  }),
  empty:
    "No sessions yet. Hooks write them: run `conclaude install-hooks`, then start Claude Code.",
});

const show = readVerb({
  args: [NAMED_SESSION],
  flags: { verbose: switchOn("With where it ran, its process, and its counters") },
  async run({ db, context }, { verbose }, id) {
    const session = sessionOrNewest(db, context, id);
    const violations = await violationsIn(context, db, session);
    const counters = listCounters(db, session.sessionId);
    const agents = listAgents(db, { kinds: ["subagent"], sessionId: session.sessionId });
    const story = sessionStory(db, session);
    const { status, endReason } = session;
    const plumbing = factLines([
      ["title", session.title],
      ["status", endReason ? `${status} (${endReason})` : status],
      ["source", session.source],
      ["repository", session.repository],
      ["folder", session.cwd],
      ["permissions", session.permissionMode],
      ["process", session.claudePid],
      ["agent", session.agentId],
      ["started", agoText(session.startedAtMs)],
      ...counters.map(({ type, value }) => [type, value] as const),
    ]);
    return {
      json: { session, counters, agents, story, violations },
      text: [storyLines(db, session, { story, violations, agents }), verbose && ["", plumbing]],
    };
  },
});

/** Lists what a session was told of as changed without being allowed, and whether that is open now. */
async function violationsIn(
  context: CliContext,
  db: DatabaseSync,
  { sessionId, projectDir }: SessionRow,
) {
  const told = violationsOfSession(db, sessionId);
  if (told.length === 0) return [];
  const [{ stillOpenIn }, { placeOf }] = await Promise.all([
    import("../open_here.ts"),
    import("../open_store.ts"),
  ]);
  const there = { ...context, cwd: projectDir ?? context.cwd };
  const open = await stillOpenIn(there, told, { db, config: (await placeOf(there)).config });
  return told.map((one) => {
    const { subject, name, kind, rule, who, undo, createdAtMs, settledAtMs } = one;
    const isOpen = open.includes(one);
    return { subject, name, kind, rule, who, undo, createdAtMs, settledAtMs, isOpen };
  });
}

type Violations = Awaited<ReturnType<typeof violationsIn>>;

const openWord = ({ isOpen }: Violations[number]) => isOpen ? "open" : "settled";

/** How many lines each list has at most, so that a story fits on a screen. */
const MAX = {
  denied: 4,
  violated: 4,
  files: 5,
  commits: 4,
  failed: 4,
  fixes: 3,
  decided: 4,
  open: 5,
  agents: 3,
} as const;

/** Formats a session's story in lines of at most 80 columns. */
function storyLines(
  db: DatabaseSync,
  session: SessionRow,
  { story, violations, agents }: {
    readonly story: SessionStory;
    readonly violations: Violations;
    readonly agents: readonly Agent[];
  },
): Lines[] {
  const { sessionId, startedAtMs, updatedAtMs, projectDir, branch, taskId, status } = session;
  const { asked, files, tests, end, waiting } = story;
  const log = `\`conclaude session log ${tellingId(db, sessionId)}\``;
  const list = (lines: readonly string[], most: number) => firstLines(lines, most, log);
  const numbered = ({ id, title }: Line) => `#${id} ${title}`;
  // A failure that is left open appears only in the section for open items.
  const { left = [], told = [] } = Object.groupBy(
    story.failed,
    ({ title, mendedBy }) => mendedBy === null && story.open.includes(title) ? "left" : "told",
  );
  const lineOfLeft = new Map(left.map((one) => [one.title, numbered(one)]));
  const open = story.open.map((title) => lineOfLeft.get(title) ?? title);
  const failed = told.map((one) =>
    `${one.mendedBy === null ? "not mended" : "mended    "}  ${numbered(one)}`
  );
  const runs = tests.green + tests.red;
  // The reason gets a line of its own, since a long command would hide it.
  const pairs = (all: readonly (readonly [what: string, why: string])[], most: number) => [
    all.slice(0, most).map(([what, why]) => [
      cutLine(what, 78),
      why !== "" && `  ${cutLine(why, 76)}`,
    ]),
    all.length > most && `… and ${all.length - most} more: ${log}`,
  ];
  const denied = story.denied.map(({ tool, subject, why, rules }) =>
    [`${tool}  ${subject}`, why && briefDenial(why, rules)] as const
  );
  const openFirst = violations.toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen));
  const violated = openFirst.map((one) => {
    const by = one.who === "command" ? "by a command of the session" : "by whom is unknown";
    const how = `${openWord(one)}; ${by}; told ${agoText(one.createdAtMs)}`;
    return [violationText(one), how] as const;
  });
  return [
    factLines([
      ["session", sessionId],
      ["project", projectDir],
      ["branch", branch],
      ["task", taskId],
      ["lasted", `${durationText(updatedAtMs - startedAtMs)}, until ${agoText(updatedAtMs)}`],
      ["ended", end ?? (status === "active" ? "not yet: it is active" : status)],
    ], 9).map((line) => cutLine(line, 80)),
    section(
      asked.count > 1 ? `Asked (the first of ${count(asked.count, "prompt")})` : "Asked",
      asked.first !== null && firstLines([asked.first], 1, log),
    ),
    section("Done", [
      list(files.map(fileLine), MAX.files),
      list(story.commits.map(numbered), MAX.commits),
      runs > 0 && `${count(runs, "test run")}: ${tests.green} green, ${tests.red} red`,
    ]),
    section("Denied", pairs(denied, MAX.denied)),
    section("Violated", [
      pairs(violated, MAX.violated),
      violations.some(({ isOpen }) => isOpen) &&
      "How each is undone: `conclaude config accept --dry-run`",
    ]),
    section("Failed", [
      list(failed, MAX.failed),
      waiting === 0 && told.some(({ mendedBy }) => mendedBy === null) &&
      "Not mended, yet not open: `conclaude memory open --help` says what is.",
    ]),
    section("Mended by", list(story.fixes.map(numbered), MAX.fixes)),
    section("Decided", list(story.decided.map(numbered), MAX.decided)),
    section("Left open", list(open, MAX.open)),
    section(
      "Sub-agents",
      list(agents.map(({ id, name, status }) => `${id}  ${name}, ${status}`), MAX.agents),
    ),
    "",
    waiting > 0 && `${count(waiting, "capture")} not worked in yet: \`conclaude queue drain\``,
    `Every step: ${log}`,
  ];
}

function fileLine({ path, added, removed }: SessionStory["files"][number]): string {
  return `${`+${added}`.padStart(6)} ${`−${removed}`.padStart(5)}  ${path}`;
}

const log = readVerb({
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

export const session = group({ list, show, log });
