/** One session: its story, and its timeline from the first prompt to now. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, type Refused, withQuery } from "../api.ts";
import { folderName, short, took } from "../format.ts";
import { LongList } from "../kit/long_list.tsx";
import { Badge, Empty, Problem, Time, type Tone } from "../kit/parts.tsx";
import { StepDetails } from "../kit/step_details.tsx";
import { act, tell, useData } from "../store.ts";
import type { Step } from "../../operations/session_steps.ts";
import type { Log, SessionWhole } from "../types.ts";

const PAGE = 200;
/** So often the newest steps of a session that runs are asked for. */
const STEPS_MS = 500;
/** The story of a session that runs is made anew so often. */
const STORY_MS = 3_000;
const TONES: Readonly<Record<string, Tone>> = {
  failed: "bad",
  denied: "bad",
  "hook failed": "bad",
  asked: "warn",
  "let through": "warn",
  allowed: "good",
};

export function SessionScreen({ id, at }: { id: string; at: string | undefined }) {
  const whole = useData<SessionWhole>(`/sessions/${id}`, [`session:${id}`, "memory"], STORY_MS);
  const { steps, more, isLoading, error, loadEarlier } = useSteps(id);
  const [words, setWords] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [jump, setJump] = useState<{ readonly key: string } | null>(null);
  const [seen, setSeen] = useSeen(id);
  const prompts = useMemo(() => steps.filter(({ kind }) => kind === "prompt"), [steps]);
  const found = useMemo(() => {
    const text = words.trim().toLowerCase();
    return text === ""
      ? steps
      : steps.filter(({ subject, name }) => `${name} ${subject}`.toLowerCase().includes(text));
  }, [steps, words]);
  useEffect(() => {
    if (at !== undefined && steps.length > 0) setJump({ key: at });
  }, [at, steps.length > 0]);
  if (error !== undefined && steps.length === 0) return <Problem error={error} />;
  const fresh = steps.filter(({ atMs }) => atMs > seen).length;
  const last = steps.at(-1);
  return (
    <section class="screen session" aria-label="Session">
      <header class="screen-head">
        <h1>{whole.value?.session.title ?? "Session"}</h1>
        <div class="beside">
          <input
            type="search"
            data-find
            placeholder="Find in this session"
            aria-label="Find in this session"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          {last !== undefined && fresh > 0
            ? (
              <button type="button" onClick={() => setSeen(last.atMs)}>
                Seen to here ({fresh} new)
              </button>
            )
            : null}
        </div>
      </header>
      <div class="session-columns">
        <Story whole={whole.value} error={whole.error} prompts={prompts} onJump={setJump} />
        <div class="timeline">
          {more
            ? (
              <button type="button" class="more" disabled={isLoading} onClick={loadEarlier}>
                {isLoading ? "Loading …" : "Show earlier steps"}
              </button>
            )
            : null}
          {found.length === 0 && !isLoading
            ? <Empty title={words === "" ? "Nothing is known of its steps." : "No step matches."} />
            : (
              <LongList
                label="Timeline"
                rows={found}
                keyOf={({ id }) => id}
                onTop={more && words === "" ? loadEarlier : undefined}
                jump={jump}
              >
                {(step) => (
                  <StepRow
                    session={id}
                    step={step}
                    isNew={step.atMs > seen}
                    isOpen={open.has(step.id)}
                    onToggle={() => setOpen(toggled(open, step.id))}
                  />
                )}
              </LongList>
            )}
        </div>
      </div>
    </section>
  );
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(id)) next.add(id);
  return next;
}

function StepRow(
  { session, step, isOpen, isNew, onToggle }: {
    session: string;
    step: Step;
    isOpen: boolean;
    isNew: boolean;
    onToggle: () => void;
  },
) {
  const { kind, name, subject, result, tookMs, atMs } = step;
  const hasMore = kind === "tool" || kind === "prompt" || kind === "message";
  return (
    <div class={`step ${kind} ${isNew ? "new" : ""}`}>
      <button
        type="button"
        class="step-line"
        aria-expanded={isOpen}
        disabled={!hasMore}
        onClick={onToggle}
      >
        <time dateTime={new Date(atMs).toISOString()} title={new Date(atMs).toLocaleString()}>
          {new Date(atMs).toLocaleTimeString([], { hour12: false })}
        </time>
        <span class="step-name">
          {kind === "prompt" ? "You" : kind === "message" ? "Claude" : name}
        </span>
        <span class="grow">{short(subject, 400)}</span>
        {result === "" ? null : <Badge tone={TONES[result] ?? "plain"}>{result}</Badge>}
        {tookMs === null ? null : <span class="faint">{took(tookMs)}</span>}
      </button>
      {isOpen ? <StepDetails session={session} step={step} /> : null}
    </div>
  );
}

function Story(
  { whole, error, prompts, onJump }: {
    whole: SessionWhole | undefined;
    error: Refused | undefined;
    prompts: readonly Step[];
    onJump: (to: { readonly key: string }) => void;
  },
) {
  if (error !== undefined) return <Problem error={error} />;
  if (whole === undefined) return <p class="faint" role="status">Loading …</p>;
  const { session, story, agents } = whole;
  const link = `${location.origin}/#/session/${session.sessionId}`;
  return (
    <aside class="story" aria-label="Story">
      <p>
        <Badge tone={session.status === "active" ? "good" : "plain"}>{session.status}</Badge>{" "}
        {folderName(session.projectDir)}
        {session.branch ? ` · ${session.branch}` : ""} · <Time at={session.updatedAtMs} />
      </p>
      <p>
        <button
          type="button"
          onClick={() => void act("The link is copied.", () => navigator.clipboard.writeText(link))}
        >
          Copy link
        </button>
      </p>
      <h2>Prompts</h2>
      <ol class="anchors">
        {prompts.map(({ id, subject }) => (
          <li key={id}>
            <button type="button" class="link" onClick={() => onJump({ key: id })}>
              {short(subject, 120)}
            </button>
          </li>
        ))}
      </ol>
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
      <List title="Failed" rows={story.failed}>
        {({ title, mendedBy }) => (
          <>
            <Badge tone={mendedBy === null ? "bad" : "good"}>
              {mendedBy === null ? "open" : "mended"}
            </Badge>{" "}
            {mendedBy === null || mendedBy === 0
              ? title
              : <a href={`#/memory/${mendedBy}`}>{title}</a>}
          </>
        )}
      </List>
      <List title="Decided" rows={story.decided}>{({ title }) => title}</List>
      <List title="Left open" rows={story.open}>{(title) => title}</List>
      <List title="Sub-agents" rows={agents}>{({ name, status }) => `${name}, ${status}`}</List>
      {story.end === null ? null : <p class="faint">{story.end}</p>}
    </aside>
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

/** The steps of a session: the newest page, and earlier ones as they are asked for. */
function useSteps(id: string) {
  const path = withQuery(`/sessions/${id}/log`, { limit: PAGE });
  const newest = useData<Log>(path, [`session:${id}`], STEPS_MS);
  const [earlier, setEarlier] = useState<{ steps: readonly Step[]; more: boolean | null }>({
    steps: [],
    more: null,
  });
  const [isLoading, setLoading] = useState(false);
  const of = useRef(id);
  if (of.current !== id) {
    of.current = id;
    setEarlier({ steps: [], more: null });
  }
  // The newest page moves on while a session runs; what leaves it stays in the page.
  const held = useRef<readonly Step[]>([]);
  const steps = useMemo(() => {
    const fresh = newest.value?.steps ?? [];
    const begin = fresh[0]?.atMs ?? Infinity;
    const before = (held.current.length > 0 && fresh.length > 0 ? held.current : earlier.steps)
      .filter(({ atMs }) => atMs < begin);
    const known = new Set(fresh.map((step) => step.id));
    return [...before.filter((step) => !known.has(step.id)), ...fresh];
  }, [newest.value, earlier]);
  useEffect(() => {
    held.current = of.current === id ? steps : [];
  }, [steps]);
  useEffect(() => () => void (held.current = []), [id]);
  const more = earlier.more ?? newest.value?.more ?? false;
  const loadEarlier = () => {
    const [first] = steps;
    if (isLoading || !more || first === undefined) return;
    setLoading(true);
    const before = new Date(first.atMs).toISOString();
    ask<Log>("GET", withQuery(`/sessions/${id}/log`, { limit: PAGE, before }))
      .then((log) => {
        held.current = [...log.steps, ...steps];
        setEarlier({ steps: held.current, more: log.more });
      }, (thrown) => tell(String(thrown.message), true))
      .finally(() => setLoading(false));
  };
  return {
    steps,
    more,
    isLoading: isLoading || newest.value === undefined,
    error: newest.error,
    loadEarlier,
  };
}

const SEEN = "conclaude-seen";

/** Up to when a person has seen a session, kept in this browser. */
function useSeen(id: string): [number, (atMs: number) => void] {
  const read = () => JSON.parse(localStorage.getItem(SEEN) ?? "{}") as Record<string, number>;
  const [seen, set] = useState(() => read()[id] ?? 0);
  useEffect(() => set(read()[id] ?? 0), [id]);
  return [seen, (atMs) => {
    localStorage.setItem(SEEN, JSON.stringify({ ...read(), [id]: atMs }));
    set(atMs);
  }];
}
