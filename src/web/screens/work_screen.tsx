/** Work: tasks of all projects by status, workflows and agents. */
import { ask, rights } from "../api.ts";
import { folderName, took } from "../format.ts";
import { Asking, Badge, Empty, Panel, Problem, Screen, Time } from "../kit/parts.tsx";
import { act, clock, useData } from "../store.ts";
import type { State, Task } from "../types.ts";

const COLUMNS = [
  ["open", "Open"],
  ["in_progress", "In work"],
  ["blocked", "Blocked"],
  ["pending_merge", "Waits for a merge"],
  ["closed", "Closed"],
] as const;
const MOST_CARDS = 50;

export function WorkScreen() {
  const { value, error } = useData<State>("/state", ["work"]);
  if (error !== undefined) {
    return (
      <Screen title="Work">
        <Problem error={error} />
      </Screen>
    );
  }
  const tasks = value?.tasks ?? [];
  const running = (value?.agents ?? []).filter(({ status }) =>
    ["starting", "running", "waiting"].includes(status)
  );
  const workflows = (value?.workflows ?? []).filter(({ status }) => status !== "closed");
  return (
    <Screen title="Work">
      {value !== undefined && tasks.length === 0
        ? (
          <Empty title="No tasks.">
            <p>
              <code>conclaude task create "…"</code> makes one.
            </p>
          </Empty>
        )
        : null}
      <div class="board">
        {COLUMNS.map(([status, title]) => {
          const cards = tasks.filter((task) => task.status === status);
          return (
            <section key={status} class="column" aria-label={title}>
              <h2>
                {title} <span class="faint">{cards.length}</span>
              </h2>
              {cards.slice(0, MOST_CARDS).map((task) => <Card key={task.id} task={task} />)}
            </section>
          );
        })}
      </div>
      {workflows.length === 0 ? null : (
        <Panel title="Workflows">
          <ul class="rows">
            {workflows.map(({ id, name, status, reason, updatedAtMs }) => (
              <li key={id} class="row">
                <Badge tone={status === "blocked" ? "bad" : status === "running" ? "good" : "warn"}>
                  {status.replace("_", " ")}
                </Badge>
                <span class="grow">{name}{reason ? `: ${reason}` : ""}</span>
                {rights() === "act" && ["blocked", "failed"].includes(status)
                  ? (
                    <button
                      type="button"
                      onClick={() =>
                        void act("The workflow goes on.", () =>
                          ask("POST", `/workflows/${id}/retry`, {}))}
                    >
                      Retry
                    </button>
                  )
                  : null}
                {rights() === "act" && status === "pending_merge"
                  ? (
                    <>
                      <button
                        type="button"
                        onClick={() =>
                          void act(
                            "It is approved.",
                            () => ask("POST", `/workflows/${id}/approve`, {}),
                          )}
                      >
                        Approve
                      </button>
                      <Asking
                        label="Reject"
                        sure="Reject it"
                        onYes={() =>
                          void act(
                            "It is rejected.",
                            () =>
                              ask("POST", `/workflows/${id}/reject`, {}),
                          )}
                      />
                    </>
                  )
                  : null}
                <Time at={updatedAtMs} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {running.length === 0 ? null : (
        <Panel title="Agents">
          <ul class="rows">
            {running.map(({ id, name, status, startedAtMs }) => (
              <li key={id} class="row">
                <Badge tone="good">{status}</Badge>
                <span class="grow">{name}</span>
                <Time at={startedAtMs} />
                {rights() === "act"
                  ? (
                    <Asking
                      label="Kill"
                      sure="Kill it"
                      onYes={() =>
                        void act("It is killed.", () => ask("POST", `/agents/${id}/kill`, {}))}
                    />
                  )
                  : null}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Screen>
  );
}

function Card({ task }: { task: Task }) {
  const { id, title, priority, claimedBy, leaseUntilMs, projectDir, reason, dependsOn } = task;
  const left = leaseUntilMs === null ? null : leaseUntilMs - clock.value;
  return (
    <article class="card">
      <p class="strong">{title}</p>
      <p class="faint">
        {id.slice(-8)} · P{priority} · {folderName(projectDir)}
        {dependsOn.length > 0 ? ` · waits for ${dependsOn.length}` : ""}
      </p>
      {claimedBy === null ? null : (
        <p>
          <Badge tone={left !== null && left < 0 ? "warn" : "accent"}>{claimedBy}</Badge>{" "}
          {left === null
            ? null
            : <span class="faint">{left < 0 ? "lapsed" : `${took(left)} left`}</span>}
        </p>
      )}
      {reason === null || reason === "" ? null : <p class="faint">{reason}</p>}
      {rights() === "act" && task.status === "open"
        ? (
          <button
            type="button"
            onClick={() =>
              void act("You have claimed it.", () => ask("POST", `/tasks/${id}/claim`, {}))}
          >
            Claim
          </button>
        )
        : null}
    </article>
  );
}
