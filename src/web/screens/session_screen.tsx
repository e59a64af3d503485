/** The screen of one session: its story, and its timeline from the first prompt to now. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { withQuery } from "../api.ts";
import { msText, short } from "../format.ts";
import { LongList } from "../kit/long_list.tsx";
import { keyForPage } from "../keys.ts";
import { Badge, Empty, Problem, Screen, type Tone } from "../kit/parts.tsx";
import { StepDetails } from "../kit/step_details.tsx";
import { markSeen, seenUpTo } from "../seen.ts";
import { stepKey, useSteps } from "../step_list.ts";
import { useData } from "../store.ts";
import type { Step } from "../../memory/tell/session_steps.ts";
import type { SessionWhole } from "../types.ts";
import { copyLink, type Prompt, Story } from "./session_story.tsx";

/** The least time between two loads of the story of a running session. */
const STORY_MS = 3_000;
const TONES: Readonly<Record<string, Tone>> = {
  failed: "bad",
  denied: "bad",
  violated: "bad",
  "hook failed": "bad",
  asked: "warn",
  "let through": "warn",
  allowed: "good",
};
/** The speakers of messages; every other step has the name of its tool or event. */
const SPEAKERS: Readonly<Partial<Record<Step["kind"], string>>> = {
  prompt: "You",
  message: "Claude",
  notice: "Notice",
};
/** The lane of the session's main agent, besides the lanes of sub-agents. */
const OWN = "own";

export function SessionScreen({ id, at }: { id: string; at: string | undefined }) {
  const whole = useData<SessionWhole>(`/sessions/${id}`, [`session:${id}`, "memory"], STORY_MS);
  const { steps, more, isLoading, error, readBack } = useSteps(id);
  const [words, setWords] = useState("");
  const [lane, setLane] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [wanted, setWanted] = useState(at ?? null);
  const [jump, setJump] = useState<{ readonly key: string } | null>(null);
  const prompts = useMemo(() => promptsOf(whole.value, steps), [whole.value, steps]);
  const lanes = useMemo(() => lanesOf(steps), [steps]);
  const links = useMemo(() => linksOf(whole.value), [whole.value]);
  const text = words.trim().toLowerCase();
  const { value: matches } = useData<{ readonly observations: readonly number[] }>(
    text === "" ? null : withQuery(`/sessions/${id}/found`, { words: text }),
    [`session:${id}`, "memory"],
    STORY_MS,
  );
  const found = useMemo(
    () => {
      const matching = new Set<number | null>(matches?.observations);
      return steps.filter(({ agent, name, subject, observation }) =>
        (lane === "" || lane === (agent ?? OWN)) &&
        (`${name} ${subject}`.toLowerCase().includes(text) || matching.has(observation))
      );
    },
    [steps, text, lane, matches],
  );
  const days = useMemo(() => daysOf(found), [found]);
  useEffect(() => setWanted(at ?? null), [id, at]);
  // The wanted step may come before the loaded ones.
  const target = wanted === null
    ? undefined
    : steps.find((step) => step.id === wanted || `#${step.observation}` === wanted);
  useEffect(() => {
    if (target !== undefined) {
      setJump({ key: stepKey(target) });
      if (target.id === at) setOpen(new Set([target.id]));
      setWanted(null);
    } else if ((wanted !== null || text !== "") && more && !isLoading) readBack(true);
  }, [target, wanted, text, more, isLoading]);
  usePromptKeys(prompts, setWanted);
  if (error !== undefined && steps.length === 0) {
    return (
      <Screen title="Session">
        <Problem error={error} />
      </Screen>
    );
  }
  const seen = seenUpTo(id);
  const fresh = seen === null ? 0 : steps.filter(({ atMs }) => atMs > seen).length;
  const last = steps.at(-1);
  const isFiltered = text !== "" || lane !== "";
  return (
    <section class="screen session" aria-label="Session">
      <header class="screen-head">
        <h1>{whole.value?.session.title ?? "Session"}</h1>
        <div class="beside">
          {lanes.size === 0 ? null : (
            <select
              aria-label="Agent"
              value={lane}
              onChange={({ currentTarget }) => setLane(currentTarget.value)}
            >
              <option value="">All agents</option>
              <option value={OWN}>The session's own</option>
              {[...lanes].map(([agent, { name }]) => (
                <option key={agent} value={agent}>{name}</option>
              ))}
            </select>
          )}
          <input
            type="search"
            data-find
            placeholder="Find in this session"
            aria-label="Find in this session"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          {last !== undefined && (seen === null || fresh > 0)
            ? (
              <button type="button" onClick={() => markSeen(id, last.atMs)}>
                Seen to here{fresh > 0 ? ` (${fresh} new)` : ""}
              </button>
            )
            : null}
        </div>
      </header>
      <div class="session-columns">
        <Story
          whole={whole.value}
          error={whole.error}
          prompts={prompts}
          onJump={(step) => {
            setWords("");
            setLane("");
            setWanted(step);
          }}
        />
        <div class="timeline">
          {more
            ? (
              <button type="button" class="more" disabled={isLoading} onClick={() => readBack()}>
                {isLoading ? "Loading …" : "Show earlier steps"}
              </button>
            )
            : null}
          {found.length === 0
            ? isLoading ? <p class="faint" role="status">Loading …</p> : (
              <Empty
                title={isFiltered ? "No step matches." : "Nothing is known of its steps."}
              />
            )
            : (
              <LongList
                label="Timeline"
                rows={found}
                keyOf={stepKey}
                onTop={more && !isFiltered ? readBack : undefined}
                jump={jump}
              >
                {(step) => (
                  <StepRow
                    session={id}
                    step={step}
                    lane={lanes.get(step.agent ?? "")}
                    link={links.get(step.id)}
                    day={days.get(stepKey(step))}
                    isNew={seen !== null && step.atMs > seen}
                    isOpen={open.has(step.id)}
                    onToggle={() => setOpen(toggled(open, step.id))}
                    onJump={setWanted}
                  />
                )}
              </LongList>
            )}
        </div>
      </div>
    </section>
  );
}

/** Returns all prompts in order: those of the story, then those that memory does not have yet. */
function promptsOf(whole: SessionWhole | undefined, steps: readonly Step[]): readonly Prompt[] {
  const prompts = whole?.story.prompts ?? [];
  const known = new Set(prompts.map(({ step }) => step));
  const others = steps.filter(({ kind, id }) => kind === "prompt" && !known.has(id));
  return [...prompts, ...others.map(({ id, subject }) => ({ step: id, title: subject }))];
}

interface Lane {
  readonly number: number;
  readonly name: string;
}

/** The most lanes for which there is room; further sub-agents share the last one. */
const MOST_LANES = 4;

/** Gives each sub-agent a lane, by its id. */
function lanesOf(steps: readonly Step[]): ReadonlyMap<string, Lane> {
  const lanes = new Map<string, Lane>();
  for (const { agent, agentType } of steps) {
    if (agent === null || lanes.has(agent)) continue;
    const number = Math.min(lanes.size + 1, MOST_LANES);
    lanes.set(agent, { number, name: `${agentType ?? "agent"} ${agent.slice(0, 4)}` });
  }
  return lanes;
}

/** Returns the first step of each day, with the day; nothing if all steps are of today. */
function daysOf(steps: readonly Step[]): ReadonlyMap<string, string> {
  const days = new Map<string, string>();
  let last = "";
  for (const step of steps) {
    const day = new Date(step.atMs).toDateString();
    if (day !== last) days.set(stepKey(step), day);
    last = day;
  }
  const today = new Date().toDateString();
  return [...days.values()].every((day) => day === today) ? new Map() : days;
}

/** A link from a failed step to the step that mended it, or back. */
interface Link {
  readonly word: "mended" | "mends" | "not mended";
  readonly to: string | null;
}

function linksOf(whole: SessionWhole | undefined): ReadonlyMap<string, Link> {
  return new Map(
    whole?.story.failed.flatMap(({ step, mendedBy, mendedByStep }): [string, Link][] =>
      mendedBy === null ? [[step, { word: "not mended", to: null }]] : [
        [step, { word: "mended", to: mendedByStep }],
        ...mendedByStep === null
          ? []
          : [[mendedByStep, { word: "mends", to: step }] as [string, Link]],
      ]
    ),
  );
}

/** Makes `n` and `p` jump from prompt to prompt. */
function usePromptKeys(prompts: readonly Prompt[], onJump: (step: string) => void): void {
  const [at, setAt] = useState(-1);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const key = keyForPage(event);
      const by = key === "n" ? 1 : key === "p" ? -1 : 0;
      if (by === 0) return;
      const from = at < 0 ? prompts.length : at;
      const next = Math.min(Math.max(from + by, 0), prompts.length - 1);
      setAt(next);
      if (prompts[next] !== undefined) onJump(prompts[next].step);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [prompts, at]);
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(id)) next.add(id);
  return next;
}

function StepRow(
  { session, step, day, lane, link, isOpen, isNew, onToggle, onJump }: {
    session: string;
    step: Step;
    day: string | undefined;
    lane: Lane | undefined;
    link: Link | undefined;
    isOpen: boolean;
    isNew: boolean;
    onToggle: () => void;
    onJump: (step: string) => void;
  },
) {
  const { id, kind, name, subject, result, tookMs, atMs } = step;
  const hasMore = ["tool", "prompt", "message", "notice"].includes(kind);
  return (
    <>
      {day === undefined ? null : <p class="day">{day}</p>}
      <div class={`step ${kind} ${isNew ? "new" : ""} ${lane ? `lane lane-${lane.number}` : ""}`}>
        <div class="step-head">
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
            <span class="step-name">{SPEAKERS[kind] ?? name}</span>
            <span class="grow">{short(subject, 400)}</span>
            {lane === undefined ? null : <span class="faint narrow-hides">{lane.name}</span>}
            {result === "" ? null : <Badge tone={TONES[result] ?? "plain"}>{result}</Badge>}
            {tookMs === null ? null : <span class="faint narrow-hides">{msText(tookMs)}</span>}
          </button>
          {link === undefined
            ? null
            : link.to === null
            ? <Badge tone={link.word === "mended" ? "good" : "bad"}>{link.word}</Badge>
            : (
              <button
                type="button"
                class="badge good"
                onClick={() => onJump(link.to!)}
              >
                {link.word}
              </button>
            )}
        </div>
        {isOpen
          ? (
            <StepDetails
              session={session}
              step={step}
              onCopy={() => copyLink(session, id)}
            />
          )
          : null}
      </div>
    </>
  );
}
