/** The screen "Work": tasks of all projects by status, workflows and agents. */
import { ELSEWHERE_MS } from "../../work/task.ts";
import { useState } from "preact/hooks";
import { ask, rights } from "../api.ts";
import { folderName, msText } from "../format.ts";
import { Badge, ConfirmButton, Empty, More, Panel, Problem, Screen, Time } from "../kit/parts.tsx";
import { useWhole } from "../list.ts";
import { act, clock } from "../store.ts";
import type { Agent, Task, Workflow } from "../types.ts";
import { AgentOutput, WorkflowPanel } from "./workflow_panel.tsx";

const COLUMNS = [
  ["open", "Open"],
  ["in_progress", "In work"],
  ["blocked", "Blocked"],
  ["pending_merge", "Waits for a merge"],
  ["closed", "Closed"],
] as const;
const FIRST_CARDS = 50;

/** @param id The workflow that is shown with its steps. */
export function WorkScreen({ id }: { id: string | undefined }) {
  return (
    <Screen title="Work">
      {id === undefined ? null : <WorkflowPanel key={id} id={id} />}
      <div class="board">
        {COLUMNS.map(([status, title]) => <Column key={status} status={status} title={title} />)}
      </div>
      <Workflows shown={id} />
      <Agents />
    </Screen>
  );
}

function Column({ status, title }: { status: string; title: string }) {
  const list = useWhole<Task>(`/tasks?status=${status}`, {
    name: "tasks",
    parts: ["work"],
    first: FIRST_CARDS,
  });
  const { rows: tasks = [], error } = list;
  return (
    <section class="column" aria-label={title}>
      <h2>
        {title}{" "}
        <span class="faint">{tasks.length}{list.readOn !== null || list.isCut ? "+" : ""}</span>
      </h2>
      {error === undefined ? null : <Problem error={error} />}
      {list.rows?.length === 0 && status === "open"
        ? (
          <Empty title="No open task.">
            <p>
              <code>conclaude task create "…"</code> makes one.
            </p>
          </Empty>
        )
        : null}
      {tasks.map((task) => <Card key={task.id} task={task} />)}
      <More list={list} rest={`conclaude task list --all-projects --status ${status}`} />
    </section>
  );
}

function Workflows({ shown }: { shown: string | undefined }) {
  const path = "/workflows?status=running,pending_merge,blocked,failed";
  const list = useWhole<Workflow>(path, { name: "workflows", parts: ["work"] });
  const { rows: workflows = [], error } = list;
  if (error !== undefined) return <Problem error={error} />;
  if (workflows.length === 0) return null;
  return (
    <Panel title="Workflows">
      <ul class="rows">
        {workflows.map(({ id, name, taskTitle, status, currentStep, reason, updatedAtMs }) => (
          <li key={id}>
            <a
              class="row"
              href={`#/work/${id}`}
              aria-current={id === shown ? "true" : undefined}
            >
              <Badge tone={TONES[status] ?? "plain"}>{status.replace("_", " ")}</Badge>
              <span class="grow">
                {taskTitle ?? name}{" "}
                <span class="faint">
                  {[...taskTitle === null ? [] : [name], currentStep ?? ""]
                    .filter((part) =>
                      part !== ""
                    ).join(" · ")}
                  {reason ? `: ${reason}` : ""}
                </span>
              </span>
              <Time at={updatedAtMs} />
            </a>
          </li>
        ))}
      </ul>
      <More list={list} rest="conclaude workflow list --all-projects" />
    </Panel>
  );
}

const TONES: Readonly<Record<string, "good" | "warn" | "bad">> = {
  running: "good",
  pending_merge: "warn",
  blocked: "bad",
  failed: "bad",
};

function Agents() {
  const path = "/agents?status=starting,running";
  const list = useWhole<Agent>(path, { name: "agents", parts: ["work"] });
  const { rows: agents = [], error } = list;
  const [shown, show] = useState<string | null>(null);
  if (error !== undefined) return <Problem error={error} />;
  if (agents.length === 0) return null;
  return (
    <Panel title="Agents">
      <ul class="rows">
        {agents.map(({ id, name, taskTitle, kind, status, workflowId, createdAtMs }) => (
          <li key={id}>
            <div class="row">
              <Badge tone="good">{status}</Badge>
              <span class="grow">
                {workflowId === null ? name : <a href={`#/work/${workflowId}`}>{name}</a>}{" "}
                <span class="faint">{taskTitle}</span>
              </span>
              <Time at={createdAtMs} />
              {kind === "subagent" ? null : (
                <button
                  type="button"
                  aria-expanded={shown === id}
                  onClick={() => show(shown === id ? null : id)}
                >
                  Output
                </button>
              )}
              {rights() === "act" && kind !== "subagent"
                ? (
                  <ConfirmButton
                    label="Kill"
                    sure="Kill it"
                    onYes={() =>
                      void act("It is killed.", () => ask("POST", `/agents/${id}/kill`, {}))}
                  />
                )
                : null}
            </div>
            {shown === id ? <AgentOutput id={id} isRunning /> : null}
          </li>
        ))}
      </ul>
      <More list={list} rest="conclaude agent list" />
    </Panel>
  );
}

function Card({ task }: { task: Task }) {
  const { id, title, priority, claimedBy, leaseUntilMs, projectDir, reason, waitsFor } = task;
  const left = leaseUntilMs === null || leaseUntilMs === ELSEWHERE_MS
    ? null
    : leaseUntilMs - clock.value;
  const workflow = /^workflow:(.+)$/.exec(claimedBy ?? "")?.[1];
  return (
    <article class="card">
      <p class="strong">{title}</p>
      <p class="faint">
        {id.slice(-8)} · P{priority} · {folderName(projectDir)}
      </p>
      {waitsFor.length === 0
        ? null
        : <p class="faint">Waits for {waitsFor.map(({ title }) => title).join(", ")}</p>}
      {claimedBy === null ? null : (
        <p>
          <Badge tone={left !== null && left < 0 ? "warn" : "accent"}>
            {workflow === undefined
              ? claimedBy
              : <a href={`#/work/${workflow}`}>workflow {workflow.slice(-8)}</a>}
          </Badge>{" "}
          {left === null
            ? null
            : <span class="faint">{left < 0 ? "lapsed" : `${msText(left)} left`}</span>}
        </p>
      )}
      {reason === null || reason === "" ? null : <p class="faint">{reason}</p>}
      {rights() !== "act" ? null : task.status === "open" && waitsFor.length === 0
        ? (
          <button
            type="button"
            onClick={() =>
              void act("You have claimed it.", () => ask("POST", `/tasks/${id}/claim`, {}))}
          >
            Claim
          </button>
        )
        : claimedBy === "user" && task.status === "in_progress"
        ? (
          <p class="inline">
            <button
              type="button"
              onClick={() =>
                void act("It is done.", () => ask("POST", `/tasks/${id}/complete`, {}))}
            >
              Complete
            </button>
            <button
              type="button"
              onClick={() =>
                void act("You have given it back.", () => ask("POST", `/tasks/${id}/release`, {}))}
            >
              Release
            </button>
          </p>
        )
        : null}
    </article>
  );
}
