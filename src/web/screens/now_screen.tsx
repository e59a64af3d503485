/** The screen "Now": the sessions and agents of all projects, those that wait for a person first. */
import { ago, folderName, short } from "../format.ts";
import { Badge, Empty, Panel, Problem, Rows, Screen, Time } from "../kit/parts.tsx";
import { useWhole } from "../list.ts";
import { seenUpTo } from "../seen.ts";
import { clock, useData } from "../store.ts";
import type { Agent, Now, Question, SessionNow } from "../types.ts";
import { otherQuestions, waitsInTurn, wantedText } from "../waiting.ts";
import { ReviewRow, useReviews } from "./questions_screen.tsx";

const QUIET_MS = 120_000;
/** The most characters of a command that are shown. */
const MOST_CHARS = 400;

export function NowScreen() {
  const { value, error } = useData<Now>("/now", ["sessions", "work"]);
  const { rows: agents = [] } = useWhole<Agent>("/agents?status=starting,running", {
    name: "agents",
    parts: ["work"],
  });
  const reviews = useReviews();
  if (error !== undefined) {
    return (
      <Screen title="Now">
        <Problem error={error} />
      </Screen>
    );
  }
  const sessions = value?.sessions ?? [];
  const waiting = sessions.filter(({ waitsFor }) => waitsFor !== null);
  const [asking, idle] = [true, false].map((isAsking) =>
    waiting.filter((session) => waitsInTurn(session) === isAsking).map(sessionRow)
  );
  const working = sessions.filter(({ waitsFor }) => waitsFor === null);
  const toDo = value === undefined || reviews === undefined ? undefined : [
    ...asking!,
    ...reviews.map((one) => <ReviewRow key={one.id} workflow={one} isOpen={false} />),
    ...otherQuestions(value).map(questionRow),
    ...idle!,
  ];
  return (
    <Screen title="Now" beside={<span class="faint">{sessions.length} active</span>}>
      <Panel title="Waits for you">
        <Rows rows={toDo} empty={<Empty title="Nothing waits for you." />}>{(row) => row}</Rows>
      </Panel>
      <Panel title="Works">
        <Rows
          rows={value === undefined ? undefined : working}
          empty={
            <Empty title="No session works now.">
              {waiting.length > 0 ? null : (
                <p>
                  Start Claude Code in a project. If nothing appears, <code>conclaude doctor</code>
                  {" "}
                  tells why.
                </p>
              )}
            </Empty>
          }
        >
          {sessionRow}
        </Rows>
      </Panel>
      {agents.length === 0 ? null : (
        <Panel title="Agents">
          <ul class="rows">
            {agents.map((agent) => (
              <li key={agent.id} class="row">
                <Badge tone="good">{agent.status}</Badge>
                <span class="grow">
                  {agent.name} <span class="faint">{agent.taskTitle}</span>
                </span>
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

function questionRow({ id, text, taskTitle, createdAtMs }: Question) {
  return (
    <li key={id}>
      <a class="row" href="#/questions">
        <Badge tone="accent">question</Badge>
        <span class="grow">
          {text} <span class="faint">{taskTitle}</span>
        </span>
        <Time at={createdAtMs} />
      </a>
    </li>
  );
}

function sessionRow(session: SessionNow) {
  return <SessionRow key={session.sessionId} session={session} />;
}

function SessionRow({ session }: { session: SessionNow }) {
  const { sessionId, title, projectDir, branch, tool, wanted, waitsFor, lastAtMs } = session;
  const isQuiet = clock.value - lastAtMs > QUIET_MS;
  const seen = seenUpTo(sessionId);
  return (
    <li>
      <a
        class={waitsFor !== null && tool !== null ? "row tall" : "row"}
        href={`#/session/${sessionId}`}
      >
        {waitsFor !== null
          ? <Badge tone="warn">{waitsFor}</Badge>
          : tool !== null
          ? <Badge tone="good">{tool}</Badge>
          : <Badge>{isQuiet ? "quiet" : "thinks"}</Badge>}
        <span class="grow">
          {title ?? "No prompt yet"} {waitsFor === null
            ? <span class="faint">{short(wanted, MOST_CHARS)}</span>
            : tool === null
            ? null
            : <code class="block">{short(wantedText(session), MOST_CHARS)}</code>}
        </span>
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
