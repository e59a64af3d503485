/** The screen "Rules": armed rules, the state of requirements, and decisions of gates. */
import { useState } from "preact/hooks";
import { ask, rights, withQuery } from "../api.ts";
import { short } from "../format.ts";
import { Badge, Empty, More, Panel, Rows, Screen, Time } from "../kit/parts.tsx";
import { useList } from "../list.ts";
import { act, useData } from "../store.ts";
import type { ExecutionRow } from "../../db/executions.ts";
import type { Requirement, SessionNow } from "../types.ts";
import { ExplainForm } from "./explain_form.tsx";
import { ProjectChoice, useProjects } from "./memory_screen.tsx";

export function RulesScreen() {
  const projects = useProjects();
  const [chosen, choose] = useState("");
  const [session, setSession] = useState("");
  const folder = chosen || projects[0];
  const { value: now } = useData<{ sessions: SessionNow[] }>("/now", ["sessions"]);
  const here = (now?.sessions ?? []).filter(({ projectDir }) => projectDir === folder);
  return (
    <Screen
      title="Rules"
      beside={
        <>
          <ProjectChoice
            projects={projects}
            chosen={folder ?? ""}
            onChoose={(project) => {
              choose(project);
              setSession("");
            }}
          />
          <select
            aria-label="Session"
            value={session}
            onChange={({ currentTarget }) => setSession(currentTarget.value)}
          >
            <option value="">The branch</option>
            {here.map(({ sessionId, shortId, title }) => (
              <option key={sessionId} value={sessionId}>{shortId} {title ?? ""}</option>
            ))}
          </select>
        </>
      }
    >
      <div class="two">
        <div>
          {folder === undefined ? null : <ExplainForm folder={folder} session={session} />}
          <Decisions />
        </div>
        {folder === undefined ? <Empty title="No project yet." /> : (
          <div>
            <Requirements folder={folder} session={session} />
            <Guards folder={folder} session={session} />
          </div>
        )}
      </div>
    </Screen>
  );
}

function Decisions() {
  const list = useList<ExecutionRow>("/audit?status=blocked", {
    name: "executions",
    parts: ["sessions"],
    keyOf: ({ id }) => id,
    atOf: ({ createdAtMs }) => createdAtMs,
  });
  return (
    <Panel title="Denied, the newest first">
      <Rows rows={list.rows} error={list.error} empty={<Empty title="Nothing was denied." />}>
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
      <More list={list} rest="conclaude audit list --status blocked" />
    </Panel>
  );
}

interface Standings {
  readonly requirements: readonly Requirement[];
  readonly why?: string;
  readonly pausedUntilMs?: number | null;
}

function Requirements({ folder, session }: { folder: string; session: string }) {
  const path = withQuery("/requirements", { folder, session });
  const { value, error, reload } = useData<Standings>(path, ["rules", "sessions"]);
  const [reason, setReason] = useState("");
  const target = { folder, ...session !== "" && { session } };
  const satisfy = (name: string) => {
    const metadata = reason.trim() === "" ? {} : { metadata: JSON.stringify({ reason }) };
    return act(
      `"${name}" is satisfied.`,
      () => ask("POST", "/requirements/satisfy", { name, ...target, ...metadata }),
    ).then((isDone) => isDone && setReason("")).then(reload);
  };
  const isOpen = value?.requirements.some(({ status }) => status === "open") === true;
  return (
    <Panel title="Requirements">
      {rights() !== "act" || !isOpen ? null : (
        <p>
          <input
            class="whole"
            aria-label="Why it is satisfied"
            placeholder="Why it is satisfied, kept with it"
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </p>
      )}
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
      <PauseForm
        noun="requirements"
        to={target}
        pausedUntilMs={value?.pausedUntilMs ?? null}
        onDone={reload}
      />
    </Panel>
  );
}

/** A form that pauses the rules or the requirements of a session, or ends the pause. */
function PauseForm(
  { noun, to, pausedUntilMs, onDone }: {
    noun: "guards" | "requirements";
    to: { readonly folder: string; readonly session?: string };
    pausedUntilMs: number | null;
    onDone: () => void;
  },
) {
  const [reason, setReason] = useState("");
  const [minutes, setMinutes] = useState("");
  if (to.session === undefined || rights() !== "act") return null;
  const send = (step: "pause" | "resume", done: string, terms: object = {}) =>
    void act(done, () => ask("POST", `/${noun}/${step}`, { ...to, ...terms })).then(onDone);
  if (pausedUntilMs !== null) {
    return (
      <p class="inline">
        <Badge tone="warn">paused</Badge>
        <button
          type="button"
          onClick={() => send("resume", `The ${noun} are in force again.`)}
        >
          End the pause
        </button>
      </p>
    );
  }
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        const lasts = minutes === "" ? {} : { minutes: Number(minutes) };
        send("pause", `Its ${noun} are paused.`, { reason, ...lasts });
      }}
    >
      <input
        aria-label={`Why the ${noun} are paused`}
        placeholder="Reason"
        value={reason}
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <input
        type="number"
        min="1"
        aria-label={`For how many minutes the ${noun} are paused`}
        placeholder="Minutes"
        value={minutes}
        onInput={({ currentTarget }) => setMinutes(currentTarget.value)}
      />
      <button type="submit" disabled={reason.trim() === ""}>Pause {noun}</button>
    </form>
  );
}

interface Guards {
  readonly rules: readonly { readonly name: string; readonly pattern: string | null }[];
  readonly strict: boolean;
  readonly pauses: readonly { readonly sessionId: string; readonly endsAtMs: number }[];
}

function Guards({ folder, session }: { folder: string; session: string }) {
  const path = withQuery("/guards", { folder });
  const { value, error, reload } = useData<Guards>(path, ["rules"]);
  const pause = value?.pauses.find(({ sessionId }) => sessionId === session);
  return (
    <Panel title={`Guards${value?.strict ? " · strict" : ""}`}>
      <Rows rows={value?.rules} error={error} empty={<Empty title="Nothing is guarded here." />}>
        {({ name, pattern }) => (
          <li key={`${name} ${pattern}`} class="row tall">
            <Badge tone="good">armed</Badge>
            <span class="grow">
              {name}
              {pattern === null ? null : <code class="block">{pattern}</code>}
            </span>
          </li>
        )}
      </Rows>
      <PauseForm
        noun="guards"
        to={{ folder, ...session !== "" && { session } }}
        pausedUntilMs={pause?.endsAtMs ?? null}
        onDone={reload}
      />
    </Panel>
  );
}
