/** Now: the sessions and agents of all projects, those that wait for a person first. */
import { ago, folderName } from "../format.ts";
import { Badge, Empty, Panel, Problem, Rows, Screen, Time } from "../kit/parts.tsx";
import { seenUpTo } from "../seen.ts";
import { clock, useData } from "../store.ts";
import type { Now, SessionNow, State } from "../types.ts";

const QUIET_MS = 120_000;

export function NowScreen() {
  const { value, error } = useData<Now>("/now", ["sessions", "work"]);
  const { value: state } = useData<State>("/state", ["work"]);
  if (error !== undefined) {
    return (
      <Screen title="Now">
        <Problem error={error} />
      </Screen>
    );
  }
  const sessions = value?.sessions ?? [];
  const waiting = sessions.filter(({ waitsFor }) => waitsFor !== null);
  const working = sessions.filter(({ waitsFor }) => waitsFor === null);
  const agents = (state?.agents ?? []).filter(({ status }) =>
    ["starting", "running", "waiting"].includes(status)
  );
  const questions = value?.questions ?? [];
  return (
    <Screen title="Now" beside={<span class="faint">{sessions.length} active</span>}>
      <Panel title="Waits for you">
        <Rows
          rows={value === undefined ? undefined : [...questions, ...waiting]}
          empty={<Empty title="Nothing waits for you." />}
        >
          {(row) =>
            "sessionId" in row && "lastAtMs" in row
              ? <SessionRow key={row.sessionId} session={row} />
              : (
                <li key={(row as { id: string }).id}>
                  <a class="row" href="#/questions">
                    <Badge tone="accent">question</Badge>
                    <span class="grow">{(row as { text: string }).text}</span>
                  </a>
                </li>
              )}
        </Rows>
      </Panel>
      <Panel title="Works">
        <Rows
          rows={value === undefined ? undefined : working}
          empty={
            <Empty title="No session works now.">
              <p>
                Start Claude Code in a project. If nothing appears, <code>conclaude doctor</code>
                {" "}
                tells why.
              </p>
            </Empty>
          }
        >
          {(session) => <SessionRow key={session.sessionId} session={session} />}
        </Rows>
      </Panel>
      {agents.length === 0 ? null : (
        <Panel title="Agents">
          <ul class="rows">
            {agents.map((agent) => (
              <li key={agent.id} class="row">
                <Badge tone="good">{agent.status}</Badge>
                <span class="grow">{agent.name}</span>
                <span class="faint">{agent.kind}</span>
                <Time at={agent.startedAtMs} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Screen>
  );
}

function SessionRow({ session }: { session: SessionNow }) {
  const { sessionId, title, projectDir, branch, tool, waitsFor, lastAtMs } = session;
  const isQuiet = clock.value - lastAtMs > QUIET_MS;
  const seen = seenUpTo(sessionId);
  return (
    <li>
      <a class="row" href={`#/session/${sessionId}`}>
        {waitsFor !== null
          ? <Badge tone="warn">{waitsFor}</Badge>
          : tool !== null
          ? <Badge tone="good">{tool}</Badge>
          : <Badge>{isQuiet ? "quiet" : "thinks"}</Badge>}
        <span class="grow">{title ?? "No prompt yet"}</span>
        {seen !== null && lastAtMs > seen ? <Badge tone="accent">new</Badge> : null}
        <span class="faint narrow-hides">
          {folderName(projectDir)}
          {branch ? ` · ${branch}` : ""}
        </span>
        <span class="faint" title={new Date(lastAtMs).toLocaleString()}>
          {ago(lastAtMs, clock.value)}
        </span>
      </a>
    </li>
  );
}
