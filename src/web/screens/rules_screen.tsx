/** Rules: what is armed, how requirements stand, and what gates decided. */
import { useState } from "preact/hooks";
import { ask, rights, withQuery } from "../api.ts";
import { short } from "../format.ts";
import { Badge, Empty, Panel, Rows, Screen, Time } from "../kit/parts.tsx";
import { act, useData } from "../store.ts";
import type { ExecutionRow } from "../../db/executions.ts";
import type { Requirement, SessionNow } from "../types.ts";
import { ProjectChoice, useProjects } from "./memory_screen.tsx";

export function RulesScreen() {
  const projects = useProjects();
  const [chosen, choose] = useState("");
  const folder = chosen || projects[0];
  return (
    <Screen
      title="Rules"
      beside={<ProjectChoice projects={projects} chosen={folder ?? ""} onChoose={choose} />}
    >
      <div class="two">
        <Decisions />
        {folder === undefined ? <Empty title="No project yet." /> : (
          <div>
            <Requirements folder={folder} />
            <Guards folder={folder} />
          </div>
        )}
      </div>
    </Screen>
  );
}

function Decisions() {
  const path = withQuery("/audit", { status: "blocked", limit: 100 });
  const { value, error } = useData<{ executions: ExecutionRow[] }>(path, ["sessions"]);
  return (
    <Panel title="Denied, the newest first">
      <Rows rows={value?.executions} error={error} empty={<Empty title="Nothing was denied." />}>
        {({ id, sessionId, toolName, hookName, errorMessage, metadata, createdAtMs }) => {
          const { command, file_path: file } = Object(metadata["tool_input"]);
          return (
            <li key={id}>
              <a class="row tall" href={`#/session/${sessionId}/${id}`}>
                <Badge tone="bad">{toolName ?? hookName}</Badge>
                <span class="grow">
                  <code>{short(String(command ?? file ?? ""), 200)}</code>
                  <span class="faint block">{short(errorMessage ?? "", 400)}</span>
                </span>
                <Time at={createdAtMs} />
              </a>
            </li>
          );
        }}
      </Rows>
    </Panel>
  );
}

function Requirements({ folder }: { folder: string }) {
  const { value: now } = useData<{ sessions: SessionNow[] }>("/now", ["sessions"]);
  const [session, setSession] = useState("");
  const here = (now?.sessions ?? []).filter(({ projectDir }) => projectDir === folder);
  const path = withQuery("/requirements", { folder, session });
  const { value, error, reload } = useData<{ requirements: Requirement[]; why?: string }>(
    path,
    ["rules", "sessions"],
  );
  const satisfy = (name: string) =>
    act(
      `"${name}" is satisfied.`,
      () =>
        ask("POST", "/requirements/satisfy", { name, folder, ...session !== "" && { session } }),
    )
      .then(reload);
  return (
    <Panel title="Requirements">
      <p>
        <select
          aria-label="Session"
          value={session}
          onChange={({ currentTarget }) => setSession(currentTarget.value)}
        >
          <option value="">The branch</option>
          {here.map(({ sessionId, shortId, title }) => (
            <option key={sessionId} value={sessionId}>{shortId} {title ?? ""}</option>
          ))}
        </select>{" "}
        {session !== "" && rights() === "act" ? <Pause session={session} folder={folder} /> : null}
      </p>
      <Rows
        rows={value?.requirements}
        error={error}
        empty={
          <Empty title="No requirement counts here.">
            <p>
              {value?.why ?? (
                <>
                  Begin with <code>conclaude req init</code>
                </>
              )}
            </p>
          </Empty>
        }
      >
        {({ name, status, scope, why, run, satisfiedBy }) => (
          <li key={name} class="row tall">
            <Badge tone={status === "open" ? "warn" : "good"}>{status}</Badge>
            <span class="grow">
              {name} <span class="faint">{scope}{satisfiedBy ? ` · by ${satisfiedBy}` : ""}</span>
              {why === null ? null : <span class="faint block">{why}</span>}
              {run === null ? null : <code class="block">{run}</code>}
            </span>
            {status === "open" && rights() === "act"
              ? <button type="button" onClick={() => void satisfy(name)}>Satisfy</button>
              : null}
          </li>
        )}
      </Rows>
    </Panel>
  );
}

function Pause({ session, folder }: { session: string; folder: string }) {
  const [reason, setReason] = useState("");
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        void act("Its requirements are paused.", () =>
          ask("POST", "/requirements/pause", { session, folder, reason }));
      }}
    >
      <input
        aria-label="Reason"
        placeholder="Reason"
        value={reason}
        onInput={({ currentTarget }) =>
          setReason(currentTarget.value)}
      />
      <button type="submit" disabled={reason.trim() === ""}>Pause</button>
    </form>
  );
}

interface Guard {
  readonly name: string;
  readonly pattern: string | null;
}

function Guards({ folder }: { folder: string }) {
  const path = withQuery("/guards", { folder });
  const { value, error } = useData<{ rules: Guard[]; strict: boolean }>(path, ["rules"]);
  return (
    <Panel title={`Guards${value?.strict ? " · strict" : ""}`}>
      <Rows rows={value?.rules} error={error} empty={<Empty title="Nothing is guarded here." />}>
        {({ name, pattern }) => (
          <li key={`${name} ${pattern}`} class="row">
            <Badge tone="good">armed</Badge>
            <span class="grow">{name}</span>
            {pattern === null ? null : <code>{pattern}</code>}
          </li>
        )}
      </Rows>
    </Panel>
  );
}
