/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The page's frame: navigation, the current screen, keys, notices and connection. */
import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { quietly } from "../base/errors.ts";
import { enter, Refused, rights } from "./api.ts";
import { isTyping, keyForPage } from "./keys.ts";
import { Empty, Problem, Screen } from "./kit/parts.tsx";
import { tellWaiting } from "./notices.ts";
import { connection, follow, go, route, toast, useData } from "./store.ts";
import type { Now } from "./types.ts";
import { waitingIn } from "./waiting.ts";
import { HealthScreen } from "./screens/health_screen.tsx";
import { LatencyScreen } from "./screens/latency_screen.tsx";
import { MemoryScreen } from "./screens/memory_screen.tsx";
import { NowScreen } from "./screens/now_screen.tsx";
import { QuestionsScreen, useReviews } from "./screens/questions_screen.tsx";
import { RulesScreen } from "./screens/rules_screen.tsx";
import { SessionScreen } from "./screens/session_screen.tsx";
import { SessionsScreen } from "./screens/sessions_screen.tsx";
import { TeamScreen } from "./screens/team_screen.tsx";
import { WorkScreen } from "./screens/work_screen.tsx";

/** The screens: the key after `g`, the name, the address. */
const SCREENS = [
  ["n", "Now", "/now"],
  ["s", "Sessions", "/sessions"],
  ["m", "Memory", "/memory"],
  ["r", "Rules", "/rules"],
  ["w", "Work", "/work"],
  ["q", "Questions", "/questions"],
  ["t", "Team", "/team"],
  ["l", "Latency", "/latency"],
  ["h", "Health", "/health"],
] as const;

const CONNECTION_TEXTS = {
  opening: "Connecting …",
  live: "Live",
  lost: "The daemon is gone. This page waits for it: conclaude daemon start",
  closed: "This tab has no right any more: run conclaude ui",
} as const;

function Page() {
  const [isHelp, setHelp] = useState(false);
  useKeys(() => setHelp(true));
  const { value } = useData<Now>("/now", ["sessions", "work"]);
  const reviews = useReviews();
  const waiting = value === undefined || reviews === undefined
    ? undefined
    : waitingIn(value, reviews);
  const inbox = (value?.questions.length ?? 0) + (reviews?.length ?? 0);
  useEffect(() => {
    if (waiting === undefined) return;
    document.title = waiting.length === 0 ? "conclaude" : `(${waiting.length}) conclaude`;
    tellWaiting(waiting);
  }, [waiting?.map(({ key }) => key).join()]);
  const [, screen = "now", id, at] = route.value.split("/").map(decodePart);
  return (
    <div class="page">
      <a class="skip" href="#main">Skip to the content</a>
      <nav aria-label="Screens">
        <p class="brand">conclaude</p>
        {SCREENS.map(([key, name, path]) => (
          <a
            key={key}
            href={`#${path}`}
            aria-current={`/${screen}` === path || (screen === "session" && key === "s")
              ? "page"
              : undefined}
          >
            {name}
            {key === "q" && inbox > 0 ? <span class="count">{inbox}</span> : null}
          </a>
        ))}
        <p class={`connection ${connection.value}`} role="status">
          <span class="dot" aria-hidden="true" />
          <span>{CONNECTION_TEXTS[connection.value]}</span>
        </p>
        {rights() === "read" ? <p class="faint">This page may only look.</p> : null}
      </nav>
      <main id="main" tabIndex={-1}>
        {screen === "now" ? <NowScreen /> : null}
        {screen === "sessions" ? <SessionsScreen /> : null}
        {screen === "session" && id !== undefined ? <SessionScreen id={id} at={at} /> : null}
        {screen === "memory" ? <MemoryScreen id={id} /> : null}
        {screen === "rules" ? <RulesScreen /> : null}
        {screen === "work" ? <WorkScreen id={id} /> : null}
        {screen === "questions"
          ? <QuestionsScreen id={id} tree={id === "tree" ? at : undefined} />
          : null}
        {screen === "team" ? <TeamScreen /> : null}
        {screen === "latency" ? <LatencyScreen /> : null}
        {screen === "health" ? <HealthScreen /> : null}
        {(screen === "session" && id !== undefined) ||
            SCREENS.some(([, , path]) => path === `/${screen}`)
          ? null
          : (
            <Screen title="Nothing is here">
              <Empty title={`There is no screen "${screen}".`}>
                <p>
                  <a href="#/now">Now</a> shows what runs and what waits for you.
                </p>
              </Empty>
            </Screen>
          )}
      </main>
      {toast.value === null
        ? null
        : (
          <p class={`toast ${toast.value.isError ? "bad" : ""}`} role="status">
            {toast.value.text}
          </p>
        )}
      {isHelp ? <Help onClose={() => setHelp(false)} /> : null}
    </div>
  );
}

/** Shows the keys in the browser's modal dialog, which takes the focus and closes with Escape. */
function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog
      class="help"
      aria-label="Keys"
      ref={dialog}
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <div class="help-keys">
        <h2>Keys</h2>
        <dl class="facts">
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Find</dd>
          <dt>
            <kbd>j</kbd> <kbd>k</kbd>
          </dt>
          <dd>Next and previous row</dd>
          <dt>
            <kbd>Enter</kbd>
          </dt>
          <dd>Open the row</dd>
          <dt>
            <kbd>n</kbd> <kbd>p</kbd>
          </dt>
          <dd>Next and previous prompt of a session</dd>
          {SCREENS.map(([key, name]) => [
            <dt key={key}>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>,
            <dd key={name}>{name}</dd>,
          ])}
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>These keys</dd>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Leave a field, or this list</dd>
        </dl>
        <button type="button" onClick={onClose}>Close</button>
      </div>
    </dialog>
  );
}

/** Decodes a part of an address; returns it unchanged if it is invalid, since a person may have typed it. */
function decodePart(part: string): string {
  return quietly(() => decodeURIComponent(part)) ?? part;
}

/** The most time between two keys of a pair. */
const PAIR_MS = 1_000;

function useKeys(showHelp: () => void): void {
  useEffect(() => {
    let pairedAtMs = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && isTyping(event)) return (event.target as HTMLElement).blur();
      const pressed = keyForPage(event);
      if (pressed === null) return;
      const isPair = Date.now() - pairedAtMs < PAIR_MS;
      pairedAtMs = 0;
      const screen = SCREENS.find(([key]) => key === pressed);
      if (isPair && screen !== undefined) go(screen[2]);
      else if (pressed === "g") pairedAtMs = Date.now();
      else if (pressed === "?") showHelp();
      else if (pressed === "/") document.querySelector<HTMLElement>("[data-find]")?.focus();
      else if (pressed === "j" || pressed === "k") move(pressed === "j" ? 1 : -1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Moves the focus to the next or the previous row. */
function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main a.row, main .step-line")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
}

async function begin(): Promise<void> {
  const root = document.getElementById("page")!;
  try {
    await enter();
    if (rights() === null) {
      throw new Refused("This tab has no right to look", {
        why: "it was not opened by `conclaude ui`",
        next: "conclaude ui",
        status: 401,
      });
    }
    await follow();
    render(<Page />, root);
  } catch (thrown) {
    const error = thrown instanceof Refused
      ? thrown
      : new Refused("The page does not start", { why: String(thrown), next: "", status: 0 });
    render(
      <main class="alone">
        <Problem error={error} />
      </main>,
      root,
    );
  }
}

void begin();
