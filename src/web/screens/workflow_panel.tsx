/** Shows a workflow: its steps, the live output of its agents, and the possible actions. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, rights, withQuery } from "../api.ts";
import { short } from "../format.ts";
import { Badge, ConfirmButton, Panel, Problem, Time } from "../kit/parts.tsx";
import { act, useData } from "../store.ts";
import type { Workflow } from "../types.ts";
import { Changes } from "./review_panel.tsx";

interface Step {
  readonly key: string;
  readonly attempt: number;
  readonly type: string;
  readonly status: "running" | "finished" | "superseded";
  readonly outcome: {
    readonly success: boolean;
    readonly skipped: boolean;
    readonly error: string | null;
  } | null;
  readonly agentId: string | null;
  readonly startedAtMs: number;
}

interface Whole {
  readonly workflow: Workflow;
  readonly steps: readonly Step[];
  readonly actions: readonly ("approve" | "reject" | "cancel" | "retry")[];
}

export function WorkflowPanel({ id }: { id: string }) {
  const { value, error } = useData<Whole>(`/workflows/${id}`, ["work"]);
  const [shown, show] = useState<string | null>(null);
  const [hasChanges, showChanges] = useState(false);
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined) return <p class="faint" role="status">Loading …</p>;
  const { workflow, steps, actions } = value;
  const { name, taskTitle, status, reason, branch, decision } = workflow;
  const running = steps.find((step) => step.status === "running" && step.agentId !== null);
  const printing = shown ?? running?.agentId ?? null;
  const can = (action: Whole["actions"][number]) => rights() === "act" && actions.includes(action);
  return (
    <Panel title={`Workflow ${name} · ${status.replace("_", " ")}`}>
      {taskTitle === null ? null : <p class="strong">{taskTitle}</p>}
      <p class="faint">
        {id.slice(-8)}
        {branch === null ? "" : ` · ${branch}`}
        {decision === null ? "" : ` · ${decision} is carried out`}
      </p>
      {reason === null ? null : <p>{reason}</p>}
      <ul class="rows">
        {steps.map(({ key, attempt, type, status, outcome, agentId, startedAtMs }) => (
          <li key={`${key} ${attempt}`} class="row">
            <Badge tone={toneOf(status, outcome)}>{wordOf(status, outcome)}</Badge>
            <span class="grow">
              {key} <span class="faint">{type}{attempt > 1 ? `, attempt ${attempt}` : ""}</span>
              {" "}
              {outcome?.error ?? ""}
            </span>
            {agentId === null ? null : (
              <button
                type="button"
                aria-expanded={printing === agentId}
                onClick={() => show(agentId)}
              >
                Output
              </button>
            )}
            <Time at={startedAtMs} />
          </li>
        ))}
      </ul>
      {printing === null
        ? null
        : <AgentOutput key={printing} id={printing} isRunning={printing === running?.agentId} />}
      {branch === null
        ? null
        : (
          <details onToggle={({ currentTarget }) => showChanges(currentTarget.open)}>
            <summary>Changes</summary>
            {hasChanges ? <Changes of={`workflows/${id}`} comments={[]} onComment={null} /> : null}
          </details>
        )}
      <p class="inline">
        {can("approve") ? <a href={`#/questions/${id}`}>Review it</a> : null}
        {can("retry")
          ? (
            <button
              type="button"
              onClick={() =>
                void act("The workflow goes on.", () => ask("POST", `/workflows/${id}/retry`, {}))}
            >
              Retry
            </button>
          )
          : null}
        {can("cancel")
          ? (
            <ConfirmButton
              label="Cancel the workflow"
              sure="Cancel it for good"
              onYes={() =>
                void act(
                  "It is cancelled; its task is open again.",
                  () => ask("POST", `/workflows/${id}/cancel`, {}),
                )}
            />
          )
          : null}
      </p>
    </Panel>
  );
}

function wordOf(status: Step["status"], outcome: Step["outcome"]): string {
  if (status !== "finished" || outcome === null) return status;
  return outcome.skipped ? "skipped" : outcome.success ? "done" : "failed";
}

function toneOf(status: Step["status"], outcome: Step["outcome"]) {
  if (status === "running") return "accent";
  return status === "superseded" || outcome?.skipped ? "plain" : outcome?.success ? "good" : "bad";
}

interface Lines {
  readonly lines: readonly { readonly seq: number; readonly data: string }[];
  readonly lastSeq: number;
  readonly more: boolean;
}

const LOOK_MS = 1_000;
/** The number of last lines that are shown of an output. */
const MOST_LINES = 500;

/** Shows the live output of an agent. */
export function AgentOutput({ id, isRunning }: { id: string; isRunning: boolean }) {
  const [lines, setLines] = useState<Lines["lines"]>([]);
  const frame = useRef<HTMLPreElement>(null);
  useEffect(() => {
    let since = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const look = async () => {
      const page = await ask<Lines>("GET", withQuery(`/agents/${id}/output`, { since }))
        .catch(() => null);
      if (isOver) return;
      if (page !== null && page.lines.length > 0) {
        since = page.lastSeq;
        setLines((before) => [...before, ...page.lines].slice(-MOST_LINES));
      }
      if (page?.more || isRunning) timer = setTimeout(look, page?.more ? 0 : LOOK_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
      setLines([]);
    };
  }, [id, isRunning]);
  useEffect(() => {
    if (frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, [lines]);
  return (
    <pre class="output" ref={frame} tabIndex={0} aria-label="Output">
      {lines.length === 0
        ? "Nothing is printed yet."
        : lines.map(({ data }) => short(data, 4_000)).join("\n")}
    </pre>
  );
}
