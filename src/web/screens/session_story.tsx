/** Shows the story of a session: its prompts, changes, denied tool uses, failures and fixes. */
import { useState } from "preact/hooks";
import type { Refused } from "../api.ts";
import { folderName, short } from "../format.ts";
import { Badge, Problem, Time } from "../kit/parts.tsx";
import { act, useData } from "../store.ts";
import type { Now, SessionWhole } from "../types.ts";
import { wantedText } from "../waiting.ts";

export type Prompt = SessionWhole["story"]["prompts"][number];

/** Copies the address of a session or of one of its steps. */
export function copyLink(sessionId: string, step?: string): void {
  const path = [sessionId, ...step === undefined ? [] : [step]].map(encodeURIComponent).join("/");
  const link = `${location.origin}/#/session/${path}`;
  void act("The link is copied.", () => navigator.clipboard.writeText(link));
}

/** On screens of this width the story is beside the timeline; on others it is folded. */
const BESIDE = "(min-width: 901px)";

export function Story(
  { whole, error, prompts, onJump }: {
    whole: SessionWhole | undefined;
    error: Refused | undefined;
    prompts: readonly Prompt[];
    onJump: (step: string) => void;
  },
) {
  if (error !== undefined) return <Problem error={error} />;
  if (whole === undefined) return <p class="faint" role="status">Loading …</p>;
  const { session, story, violations, agents } = whole;
  const isOpen = matchMedia(BESIDE).matches;
  return (
    <details class="story" open={isOpen}>
      <summary>Story</summary>
      <p>
        <Badge tone={session.status === "active" ? "good" : "plain"}>{session.status}</Badge>{" "}
        {folderName(session.projectDir)}
        {session.branch ? ` · ${session.branch}` : ""} · <Time at={session.updatedAtMs} />
      </p>
      <Waits sessionId={session.sessionId} />
      <p>
        <button type="button" onClick={() => copyLink(session.sessionId)}>Copy link</button>
      </p>
      <Prompts prompts={prompts} onJump={onJump} />
      <List title="Changed" rows={story.files}>
        {({ path, added, removed }) => (
          <>
            <span class="came">+{added}</span> <span class="went">−{removed}</span> {path}
          </>
        )}
      </List>
      <List title="Commits" rows={story.commits}>{({ title }) => title}</List>
      {story.tests.green + story.tests.red === 0 ? null : (
        <p>
          Tests: <span class="came">{story.tests.green} green</span>,{" "}
          <span class="went">{story.tests.red} red</span>
        </p>
      )}
      <List title="Denied" rows={story.denied}>
        {({ tool, subject, why }) => (
          <>
            <Badge tone="bad">{tool}</Badge> {subject} <span class="faint">{why}</span>
          </>
        )}
      </List>
      <List title="Violated" rows={violations}>
        {({ name, rule, isOpen, createdAtMs }) => (
          <>
            <Badge tone={isOpen ? "bad" : "plain"}>{isOpen ? "open" : "settled"}</Badge> {name}{" "}
            <span class="faint">{rule}</span> <Time at={createdAtMs} />
          </>
        )}
      </List>
      <List title="Failed" rows={story.failed}>
        {({ title, step, mendedBy, mendedByStep }) => (
          <>
            <button type="button" class="link" onClick={() => onJump(step)}>{title}</button>{" "}
            {mendedBy === null
              ? story.open.includes(title)
                ? <Badge tone="bad">open</Badge>
                : <Badge tone="plain">not mended</Badge>
              : mendedByStep !== null
              ? (
                <button type="button" class="badge good" onClick={() => onJump(mendedByStep)}>
                  mended
                </button>
              )
              : mendedBy === 0
              ? <Badge tone="good">mended</Badge>
              : <a class="badge good" href={`#/memory/${mendedBy}`}>mended</a>}
          </>
        )}
      </List>
      <List title="Mended by" rows={story.fixes}>
        {({ id, title }) => <a href={`#/memory/${id}`}>{title}</a>}
      </List>
      <List title="Decided" rows={story.decided}>{({ title }) => title}</List>
      <List
        title="Left open"
        rows={story.open.filter((open) => story.failed.every(({ title }) => title !== open))}
      >
        {(title) => title}
      </List>
      <List title="Sub-agents" rows={agents}>
        {({ id, name, status, worktree }) => (
          <>
            {name}, {status}{" "}
            {worktree === null ? null : <a href={`#/questions/tree/${id}`}>its changes</a>}
          </>
        )}
      </List>
      <List title="Ended" rows={story.end === null ? [] : [story.end]}>{(how) => how}</List>
    </details>
  );
}

/** The number of last prompts that are shown at first. */
const MOST_PROMPTS = 50;

function Prompts(
  { prompts, onJump }: { prompts: readonly Prompt[]; onJump: (step: string) => void },
) {
  const [isWhole, setWhole] = useState(false);
  const before = isWhole ? 0 : Math.max(0, prompts.length - MOST_PROMPTS);
  return (
    <>
      <h2>Prompts</h2>
      {before === 0 ? null : (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {before} earlier
        </button>
      )}
      <ol class="anchors" start={before + 1}>
        {prompts.slice(before).map(({ step, title }) => (
          <li key={step}>
            <button type="button" class="link" onClick={() => onJump(step)}>
              {short(title, 120)}
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Shows what the session waits for, and the tool use that a person is asked to permit. */
function Waits({ sessionId }: { sessionId: string }) {
  const { value } = useData<Now>("/now", ["sessions", "work"]);
  const now = value?.sessions.find((one) => one.sessionId === sessionId);
  if (now === undefined || now.waitsFor === null) return null;
  return (
    <p>
      Waits for <Badge tone="warn">{now.waitsFor}</Badge> <code>{short(wantedText(now), 400)}</code>
    </p>
  );
}

const MOST_LINES = 12;

function List<Row>(
  { title, rows, children }: {
    title: string;
    rows: readonly Row[];
    children: (row: Row) => preact.ComponentChildren;
  },
) {
  const [isWhole, setWhole] = useState(false);
  if (rows.length === 0) return null;
  const shown = isWhole ? rows : rows.slice(0, MOST_LINES);
  return (
    <>
      <h2>{title}</h2>
      <ul class="lines">{shown.map((row, i) => <li key={i}>{children(row)}</li>)}</ul>
      {shown.length === rows.length
        ? null
        : (
          <button type="button" class="link" onClick={() => setWhole(true)}>
            {rows.length - shown.length} more
          </button>
        )}
    </>
  );
}
