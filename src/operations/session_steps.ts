/** The steps of a session in order: prompts, tool uses, messages, and what gates decided. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { plain } from "../base/plain.ts";
import { type ExecutionRow, listExecutions } from "../db/executions.ts";
import { readPayload } from "../db/payloads.ts";
import {
  capturesOfSession,
  readStoredPayload,
  type SessionCapture,
  type Span,
} from "../db/queue.ts";
import { stepsOfSession } from "../memory/store.ts";
import { wordsKindOf } from "../memory/observe/capture_keys.ts";
import type { ObservationKind, ToolUse } from "../memory/observe/observation.ts";
import { titleLine } from "../memory/text.ts";

export interface Step {
  /** Of the capture, the audit row or the observation that tells of it. */
  readonly id: string;
  readonly atMs: number;
  readonly kind: "prompt" | "tool" | "message" | "gate" | "session";
  /** The tool, or the event of the hook. */
  readonly name: string;
  /** One line. */
  readonly subject: string;
  readonly result: "" | "failed" | "denied" | "asked" | "allowed" | "let through" | "hook failed";
  /** From the gate of a tool to its result, and from a prompt to the last message of its turn; null where not known. */
  readonly tookMs: number | null;
  readonly toolUseId: string | null;
  /** The observation that it was worked into; null while it waits. */
  readonly observation: number | null;
}

/** How what a gate or hook did is told: the first row that fits counts. */
const DECISIONS: readonly {
  readonly result: Step["result"];
  readonly fits: (row: ExecutionRow) => boolean;
  /** The field of the metadata that says why, where no error does. */
  readonly why?: string;
}[] = [
  { result: "denied", fits: ({ status }) => status === "blocked" },
  { result: "hook failed", fits: ({ status }) => status === "failure" || status === "timeout" },
  { result: "asked", fits: ({ metadata }) => "asked" in metadata, why: "asked" },
  { result: "allowed", fits: ({ metadata }) => "allowedBy" in metadata, why: "allowedBy" },
  { result: "let through", fits: ({ metadata }) => "letThrough" in metadata, why: "letThrough" },
];

/** Begins and ends a session; the field says how. */
const EDGES: Readonly<Record<string, { readonly word: string; readonly field: string }>> = {
  SessionStart: { word: "begins", field: "source" },
  SessionEnd: { word: "ends", field: "reason" },
};

/** All the time that a session may have. */
export const ALWAYS: Span = { sinceMs: 0, untilMs: Date.UTC(9999, 0) };

/** The steps of a session in a time, in their order. @param folder What paths are relative to. */
export async function stepsOf(
  db: DatabaseSync,
  { sessionId, folder }: { readonly sessionId: string; readonly folder: string | null },
  span: Span,
): Promise<Step[]> {
  const { sinceMs, untilMs } = span;
  const observed = new Map(stepsOfSession(db, sessionId, span).map((one) => [one.id, one]));
  const executions = listExecutions(db, {
    ...{ sessionId, hookName: null, toolName: null, status: null },
    ...{ sinceMs, untilMs, limit: Number.MAX_SAFE_INTEGER },
  });
  const gateAtMs = new Map(
    executions.flatMap(({ hookName, toolUseId, createdAtMs }) =>
      hookName === "PreToolUse" && toolUseId !== null ? [[toolUseId, createdAtMs]] : []
    ),
  );
  const steps: Step[] = executions.flatMap(decisionStep);
  const told = new Set<number>();
  for (const capture of capturesOfSession(db, sessionId, span)) {
    const { id, observationId, toolName, toolUseId, createdAtMs } = capture;
    const known = observationId === null ? undefined : observed.get(observationId);
    if (known !== undefined) told.add(known.id);
    const begunMs = wordsKindOf(toolName) === null ? gateAtMs.get(toolUseId ?? "") : undefined;
    steps.push({
      ...await captureStep(capture, {
        title: known?.title ?? null,
        // An observation that was repeated has the title of the last time.
        isWhole: known !== undefined && (known.repeats === 1 || known.kind === "search"),
        payload: () => quietly(() => readPayload(readStoredPayload(db, id)!).value),
        folder,
      }),
      tookMs: begunMs === undefined ? null : createdAtMs - begunMs,
    });
  }
  // Retention removes captures before the observations that they gave.
  for (const { id, kind, title, outcome, createdAtMs } of observed.values()) {
    if (told.has(id) || createdAtMs < sinceMs) continue;
    steps.push({
      ...{ id: `#${id}`, atMs: createdAtMs, kind: kindOf(kind), name: kind, subject: title },
      ...{ result: outcome === "failure" ? "failed" : "", tookMs: null, toolUseId: null },
      observation: id,
    });
  }
  return withTurns(steps.sort((a, b) => a.atMs - b.atMs));
}

/** The step of a capture. @param how `title`: of its observation; unless it is `isWhole`, the payload is read. */
export async function captureStep(
  { id, toolName, toolUseId, outcome, createdAtMs, observationId }: SessionCapture,
  { title, isWhole, payload, folder }: {
    readonly title: string | null;
    readonly isWhole: boolean;
    readonly payload: () => unknown;
    readonly folder: string | null;
  },
): Promise<Step> {
  const words = wordsKindOf(toolName);
  const use = () => ({ toolName, outcome, payload: Object(payload()), root: folder });
  const text = isWhole ? title! : await titleOf(use(), title);
  const lead = `${toolName} `;
  return {
    ...{ id, atMs: createdAtMs, toolUseId, observation: observationId, tookMs: null },
    kind: words === null ? "tool" : words === "prompt" ? "prompt" : "message",
    name: toolName,
    subject: plain(text.startsWith(lead) ? text.slice(lead.length) : text),
    result: outcome === "failure" ? "failed" : "",
  };
}

/** What a capture is called by itself; `instead` where it gives no observation or was pruned. */
async function titleOf(use: ToolUse, instead: string | null): Promise<string> {
  const { observe } = await import("../memory/observe/observe.ts");
  return quietly(() => observe(use))?.title ?? instead ??
    titleLine(JSON.stringify(use.payload["tool_input"] ?? ""));
}

function decisionStep(row: ExecutionRow): Step[] {
  const { id, hookName, toolName, toolUseId, createdAtMs, metadata, errorMessage } = row;
  const at = { id, atMs: createdAtMs, toolUseId, tookMs: null, observation: null };
  const found = DECISIONS.find(({ fits }) => fits(row));
  if (found !== undefined) {
    const { command, file_path: file } = Object(metadata["tool_input"]);
    const why = errorMessage ?? String(metadata[found.why ?? ""] ?? "");
    // What was wanted stands first: a line may be cut.
    const subject = plain([command ?? file ?? "", why].filter((text) => text !== "").join(": "));
    return [{ ...at, kind: "gate", name: toolName ?? hookName, subject, result: found.result }];
  }
  const edge = EDGES[hookName];
  if (edge === undefined) return [];
  const subject = plain([edge.word, metadata[edge.field] ?? ""].join(" ").trim());
  return [{ ...at, kind: "session", name: hookName, subject, result: "" }];
}

function kindOf(kind: ObservationKind): Step["kind"] {
  return kind === "prompt" || kind === "message" ? kind : "tool";
}

/** Adds to the last message of a turn how long the turn took. */
function withTurns(steps: readonly Step[]): Step[] {
  let askedMs: number | null = null;
  return steps.map((step) => {
    if (step.kind === "prompt") askedMs = step.atMs;
    return step.kind === "message" && askedMs !== null
      ? { ...step, tookMs: step.atMs - askedMs }
      : step;
  });
}
