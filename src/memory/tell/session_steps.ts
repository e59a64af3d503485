/** Lists the steps of a session in order: prompts, tool uses, messages, notices of Claude Code, decisions of gates. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { plain } from "../../base/plain.ts";
import {
  auditMark,
  type ExecutionRow,
  type HookedUse,
  hookedUses,
  readExecution,
  tellingExecutions,
} from "../../db/executions.ts";
import { readPayload } from "../../db/payloads.ts";
import {
  beginOfNewest,
  captureMark,
  capturesOfSession,
  lastCaptureAtMs,
  readStoredPayload,
  type SessionCapture,
  type Span,
  type Written,
} from "../../db/queue.ts";
import { stepsOfSession } from "../observe/session_observations_table.ts";
import { WORDS, wordsKindOf } from "../observe/capture_keys.ts";
import { wantedIn } from "../project_paths.ts";
import type { ObservationKind, ToolUse } from "../observe/observation.ts";
import { titleLine } from "../text.ts";
import { ownValue } from "../../base/mapping.ts";

export interface Step {
  /** The id of the capture, audit row or observation that records the step. */
  readonly id: string;
  readonly atMs: number;
  readonly kind: "prompt" | "tool" | "message" | "notice" | "gate" | "session";
  /** The name of the tool, or of the hook's event. */
  readonly name: string;
  /** What the step is about, in one line. */
  readonly subject: string;
  readonly result:
    | ""
    | "failed"
    | "denied"
    | "asked"
    | "allowed"
    | "let through"
    | "hook failed"
    | "violated";
  /** The time from a tool's gate to its result, or from a prompt to the last message of its turn; null if unknown. */
  readonly tookMs: number | null;
  readonly toolUseId: string | null;
  /** The sub-agent that took the step, and its type; null for the session's own agent. */
  readonly agent: string | null;
  readonly agentType: string | null;
  /** The observation that was made from the step; null if there is none, or its capture waits. */
  readonly observation: number | null;
}

/** The results of gates and hooks. The first row that fits counts. */
const DECISIONS: readonly {
  readonly result: Step["result"];
  readonly fits: (row: ExecutionRow) => boolean;
  /** The field of the metadata that holds the reason, when there is no error. */
  readonly why?: string;
}[] = [
  { result: "denied", fits: ({ status }) => status === "blocked" },
  { result: "hook failed", fits: ({ status }) => status === "failure" || status === "timeout" },
  { result: "asked", fits: ({ metadata }) => "asked" in metadata, why: "asked" },
  { result: "allowed", fits: ({ metadata }) => "allowedBy" in metadata, why: "allowedBy" },
  { result: "let through", fits: ({ metadata }) => "letThrough" in metadata, why: "letThrough" },
];

/** The field of the metadata that names what was changed without being allowed, and found by this hook. */
const VIOLATED = "violated";

/** The events at which a session begins and ends. The field holds the reason. */
const EDGES: Readonly<Record<string, { readonly word: string; readonly field: string }>> = {
  SessionStart: { word: "began", field: "source" },
  SessionEnd: { word: "ended", field: "reason" },
};

/** A span that contains every session. */
const ALWAYS: Span = { sinceMs: 0, untilMs: Date.UTC(9999, 0) };

/** A session, and the folder to which its paths are relative. */
type Place = Readonly<{ sessionId: string; folder: string | null }>;

/** Steps of a session in order, and the cursor for reading on. */
export interface Steps {
  readonly steps: readonly Step[];
  /** Whether there are more steps: before these ones or, when read from a cursor, after them. */
  readonly more: boolean;
  /** The cursor after everything that is written so far. */
  readonly next: string;
}

/** Returns the newest steps before a moment. @param limit The most captures that are read; undefined for all. */
export async function newestSteps(
  db: DatabaseSync,
  place: Place,
  { limit, untilMs = ALWAYS.untilMs }: { readonly limit?: number; readonly untilMs?: number } = {},
): Promise<Steps> {
  // A row that is written during this call is returned twice rather than never.
  const next = cursorText(markOf(db));
  const { sessionId } = place;
  const sinceMs = limit === undefined ? 0 : beginOfNewest(db, sessionId, { count: limit, untilMs });
  const steps = await stepsOf(db, place, { sinceMs, untilMs });
  return { steps, more: sinceMs > 0, next };
}

/** The most audit rows and captures that are read at once. */
const MOST_WRITTEN = { audit: 5_000, captures: 200 };

/** Returns the steps that were written after a cursor, however old they are. */
export async function stepsAfter(db: DatabaseSync, place: Place, cursor: Cursor): Promise<Steps> {
  const newest = markOf(db);
  const upTo = (name: keyof Cursor) => Math.min(newest[name], cursor[name] + MOST_WRITTEN[name]);
  const next = { audit: upTo("audit"), captures: upTo("captures") };
  return {
    steps: await stepsOf(db, place, {
      audit: { after: cursor.audit, upTo: next.audit },
      captures: { after: cursor.captures, upTo: next.captures },
    }),
    more: next.audit < newest.audit || next.captures < newest.captures,
    next: cursorText(next),
  };
}

/** How far a reader has read: numbers of rows in the order of writing. */
export type Cursor = Readonly<{ audit: number; captures: number }>;

function markOf(db: DatabaseSync): Cursor {
  return { audit: auditMark(db).newest, captures: captureMark(db) };
}

function cursorText({ audit, captures }: Cursor): string {
  return `${audit}.${captures}`;
}

/** Reads the text of a cursor. @throws {SyntaxError} When the text is no cursor. */
export function cursorIn(text: string): Cursor {
  const [, audit, captures] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  if (captures === undefined) throw new SyntaxError("expected `next` of an earlier answer");
  return { audit: Number(audit), captures: Number(captures) };
}

/** The time that few tool uses exceed, in milliseconds. */
const LONG_USE_MS = 900_000;
/** How many of the newest hooks are searched for the gates of new steps. */
const MOST_HOOKS = 5_000;

async function stepsOf(
  db: DatabaseSync,
  { sessionId, folder }: Place,
  part: Span | Readonly<Record<keyof Cursor, Written>>,
): Promise<Step[]> {
  const isSpan = "sinceMs" in part;
  const told = tellingExecutions(db, sessionId, {
    part: isSpan ? part : part.audit,
    fields: [...DECISIONS.flatMap(({ why }) => why ?? []), VIOLATED],
  });
  const steps = told.flatMap((row) => decisionStep(row, folder));
  const captures = capturesOfSession(db, sessionId, isSpan ? part : part.captures);
  const observed = new Map(
    stepsOfSession(db, sessionId, {
      ids: captures.flatMap(({ observationId }) => observationId ?? []),
      span: isSpan ? part : null,
    }).map((one) => [one.id, one]),
  );
  const hooked = captures.length === 0 ? new Map() : hookedUses(db, sessionId, {
    toolUseIds: captures.flatMap(({ toolUseId }) => toolUseId ?? []),
    span: {
      sinceMs: captures[0]!.createdAtMs - LONG_USE_MS,
      untilMs: captures.at(-1)!.createdAtMs + LONG_USE_MS,
    },
    limit: isSpan ? Number.MAX_SAFE_INTEGER : MOST_HOOKS,
  });
  const seen = new Set<number>();
  for (const capture of captures) {
    const { id, observationId, toolUseId, createdAtMs } = capture;
    const known = observationId === null ? undefined : observed.get(observationId);
    if (known !== undefined) seen.add(known.id);
    const step = await captureStep(capture, {
      known: known ?? null,
      // An observation that was repeated has only the title of its last time.
      isWhole: known !== undefined && (known.repeats === 1 || known.kind === "search"),
      payload: () => quietly(() => readPayload(readStoredPayload(db, id)!).value),
      folder,
    });
    const use: HookedUse | undefined = hooked.get(toolUseId ?? "");
    const { gateAtMs = null, agent = null, agentType = null } = step.kind === "tool"
      ? use ?? {}
      : {};
    const tookMs = gateAtMs === null ? null : createdAtMs - gateAtMs;
    steps.push({ ...step, tookMs, agent, agentType });
  }
  // Retention removes captures before the observations that were made from them.
  for (const { id, kind, title, outcome, createdAtMs } of observed.values()) {
    if (seen.has(id)) continue;
    steps.push({
      id: `#${id}`,
      atMs: createdAtMs,
      kind: kindOf(kind),
      name: kind,
      subject: title,
      result: outcome === "failure" ? "failed" : "",
      toolUseId: null,
      observation: id,
      ...UNKNOWN,
    });
  }
  // A violation has the time of the tool use that made it, and the sort keeps the order of equal times.
  steps.push(...told.flatMap(violationSteps));
  steps.sort((a, b) => a.atMs - b.atMs);
  return withTurns(
    steps,
    (untilMs) => lastCaptureAtMs(db, sessionId, { toolName: WORDS.prompt.event, untilMs }),
  );
}

/** The fields of a step about which nothing is known. */
const UNKNOWN = { tookMs: null, agent: null, agentType: null };

/** The title and kind that an observation gives to a step. */
type Seen = { readonly title: string; readonly kind: ObservationKind | null };

/** Makes the step of a capture. `known` is its observation; the payload is read unless `isWhole`. */
export async function captureStep(
  { id, toolName, toolUseId, outcome, createdAtMs, observationId }: SessionCapture,
  { known, isWhole, payload, folder }: {
    readonly known: Seen | null;
    readonly isWhole: boolean;
    readonly payload: () => unknown;
    readonly folder: string | null;
  },
): Promise<Step> {
  const words = wordsKindOf(toolName);
  const use = () => ({ toolName, outcome, payload: Object(payload()), root: folder });
  const { title: text, kind } = isWhole ? known! : await seenIn(use(), known);
  const lead = `${toolName} `;
  return {
    id,
    atMs: createdAtMs,
    toolUseId,
    observation: observationId,
    ...UNKNOWN,
    kind: words === null
      ? "tool"
      : words !== "prompt"
      ? "message"
      : kind === "prompt" || kind === null
      ? "prompt"
      : "notice",
    name: toolName,
    subject: plain(text.startsWith(lead) ? text.slice(lead.length) : text),
    result: outcome === "failure" ? "failed" : "",
  };
}

/** Observes one capture alone. When it gives no observation, or was pruned, returns `instead`, or else its input. */
async function seenIn(use: ToolUse, instead: Seen | null): Promise<Seen> {
  const { observe } = await import("../observe/observe.ts");
  return quietly(() => observe(use)) ?? instead ??
    { title: titleLine(JSON.stringify(use.payload["tool_input"] ?? "")), kind: null };
}

function decisionStep(row: ExecutionRow, folder: string | null): Step[] {
  const { id, hookName, toolName, toolUseId, createdAtMs, metadata } = row;
  const at = { id, atMs: createdAtMs, toolUseId, observation: null, ...UNKNOWN };
  const found = DECISIONS.find(({ fits }) => fits(row));
  if (found !== undefined) {
    const wanted = wantedIn(metadata["tool_input"], folder);
    const why = whyOf(row, found);
    // The tool's input comes first, since the end of a line may be cut.
    const subject = plain([wanted, why].filter((text) => text !== "").join(": "));
    return [{ ...at, kind: "gate", name: toolName ?? hookName, subject, result: found.result }];
  }
  const edge = ownValue(EDGES, hookName);
  if (edge === undefined) return [];
  const why = metadata[edge.field];
  const subject = plain(why ? `${edge.word} (${why})` : edge.word);
  return [{ ...at, kind: "session", name: hookName, subject, result: "" }];
}

/** Makes a step of each forbidden change that a hook found, with the name of its rule. */
function violationSteps(
  { id, hookName, toolName, toolUseId, createdAtMs: atMs, metadata }: ExecutionRow,
): Step[] {
  const all = metadata[VIOLATED];
  const at = { atMs, toolUseId, observation: null, ...UNKNOWN } as const;
  return (Array.isArray(all) ? all : []).map((one, n): Step => ({
    ...at,
    id: `${id}/${n}`,
    kind: "gate",
    name: toolName ?? hookName,
    subject: violationText(Object(one)),
    result: "violated",
  }));
}

/** Names what was changed without being allowed, and the rule. */
export function violationText(
  { name, rule }: { readonly name?: unknown; readonly rule?: unknown },
): string {
  return plain(`${name} (${rule})`);
}

function whyOf({ errorMessage, metadata }: ExecutionRow, { why = "" }: { why?: string }): string {
  return errorMessage ?? String(metadata[why] ?? "");
}

/** Returns the tool input that a gate judged, its reason and rules; undefined for a step that is no decision. */
export function decisionOf(db: DatabaseSync, { id, kind }: Step) {
  const row = kind === "gate" ? readExecution(db, id) : undefined;
  return row && {
    tool_input: row.metadata["tool_input"] ?? {},
    why: whyOf(row, DECISIONS.find(({ fits }) => fits(row)) ?? {}),
    ...("rules" in row.metadata && { rules: row.metadata["rules"] }),
  };
}

function kindOf(kind: ObservationKind): Step["kind"] {
  return kind === "prompt" || kind === "message" ? kind : "tool";
}

/** Adds a turn's length to its last message. @param askedBefore Returns when the last prompt before a moment came. */
function withTurns(
  steps: readonly Step[],
  askedBefore: (untilMs: number) => number | null,
): Step[] {
  let askedMs: number | null | undefined;
  return steps.map((step) => {
    if (step.kind === "prompt" || step.kind === "notice") askedMs = step.atMs;
    if (step.kind !== "message") return step;
    if (askedMs === undefined) askedMs = askedBefore(step.atMs);
    return askedMs === null ? step : { ...step, tookMs: step.atMs - askedMs };
  });
}
