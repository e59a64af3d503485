/** `memory browse` on a real terminal. */
import assert from "node:assert/strict";
import { type Stage, stage } from "../cli/support.ts";
import { it } from "../support/fixtures.ts";
import { type OnTerminal, runOnTerminal, type TerminalStep } from "../support/terminal.ts";

const [UP, DOWN, ENTER, ESCAPE, CTRL_C, CTRL_Z, BACKSPACE] = [
  "\x1b[A",
  "\x1b[B",
  "\r",
  "\x1b",
  "\x03",
  "\x1a",
  "\x7f",
];

/** Browses notes about ports and uploads. */
async function browse(
  given: readonly TerminalStep[] | ((place: Stage) => readonly TerminalStep[]),
  { words = [] as readonly string[], rows = 24 } = {},
): Promise<OnTerminal> {
  using place = stage();
  for (const note of ["The port is 5434", "Uploads need a token", "Uploads end after a minute"]) {
    await place.run(["memory", "remember", note]);
  }
  const steps = typeof given === "function" ? given(place) : given;
  return await runOnTerminal(["memory", "browse", ...words], steps, {
    rows,
    cwd: place.project,
    env: { HOME: place.home, TERM: "xterm-256color" },
  });
}

/** The terminal is as it was before: its settings, its screen and its cursor. */
function assertLeftAsItWas(seen: OnTerminal, status: number): void {
  const { screens: _screens, ...left } = seen;
  assert.deepEqual(left, {
    last: "before",
    cursor: [1, 0],
    status,
    settingsKept: true,
    isAlternate: false,
    isCursorShown: true,
  });
}

it.terminal("memory browse finds what is typed, opens what is chosen, and goes back", async () => {
  const seen = await browse([
    { until: "3 observations, the newest first" },
    { type: "upload", until: "Search: upload\\s+2 observations" },
    { type: DOWN, until: "\n> #2 " },
    {
      type: ENTER,
      until: "^Uploads need a token\n(?s:.*)kind +note",
    },
    { type: "xy", until: "Esc goes back" },
    { type: ESCAPE, until: "^Search: upload\\s+2 observations(?s:.*)> #2 " },
    { type: UP, until: "> #3 (?s:.*)\nEsc clears" },
    { type: `${BACKSPACE.repeat(6)}port`, until: "Search: port\\s+1 observation\n> #1 " },
    { type: ESCAPE, until: "3 observations, the newest first(?s:.*)\nEsc ends" },
    { type: ESCAPE, until: "^before$" },
  ]);
  assertLeftAsItWas(seen, 0);
});

it.terminal("memory browse begins with the words of the command line, and says when nothing is found", async () => {
  const seen = await browse([
    { until: "Search: port\\s+1 observation\n> #1 " },
    { type: `${BACKSPACE.repeat(4)}zzz`, until: "Nothing is remembered that matches" },
    { type: ENTER, until: "Nothing is remembered that matches" },
    { type: CTRL_C, until: "^before$" },
  ], { words: ["port"] });
  assertLeftAsItWas(seen, 0);
});

it.terminal("a signal, Ctrl-C in an open hit, and Ctrl-D leave the terminal as it was; Ctrl-Z does nothing", async () => {
  const begun = { until: "3 observations" };
  const opened = { type: ENTER, until: "Esc goes back" };
  const ends: readonly (readonly [steps: readonly TerminalStep[], status: number])[] = [
    [[begun, { signal: 15, until: "^before$" }], 143],
    [[begun, opened, { signal: 1, until: "^before$" }], 129],
    [[begun, { type: "upl", until: "upl" }, { signal: 2, until: "^before$" }], 130],
    [[begun, opened, { type: CTRL_C, until: "^before$" }], 0],
    [[begun, { type: CTRL_Z, until: "3 obs" }, { type: "port", until: "1 obs" }, {
      type: CTRL_C,
      until: "^before$",
    }], 0],
    [[begun, { type: "\x04", until: "^before$" }], 0],
  ];
  for (const [steps, status] of ends) assertLeftAsItWas(await browse(steps), status);
});

it.terminal("memory browse fills a terminal whose size changes, however small it is", async () => {
  const seen = await browse([
    { until: "3 observations, the newest first" },
    { resize: [6, 40], until: "^Search:(?s:.*)#3 (?s:.*)Esc ends" },
    { type: DOWN, until: "> #2 " },
    { resize: [30, 100], until: "^Search:(?s:.*)#3 (?s:.*)#1 (?s:.*)type to search" },
    { resize: [30, 120], until: "^Search:(?s:.*)#3 (?s:.*)#1 (?s:.*)type to search" },
    { type: ENTER, until: "Esc goes back" },
    { resize: [8, 30], until: "^Uploads need a token\n(?s:.*)Esc" },
    { type: CTRL_C, until: "^before$" },
  ]);
  for (const [at, rows] of [24, 6, 6, 30, 30, 30, 8].entries()) {
    assert.equal(seen.screens[at]!.split("\n").length, rows, seen.screens[at]);
  }
  assertLeftAsItWas(seen, 0);
});

it.terminal("an error while somebody browses is told on the screen of before", async () => {
  for (const key of ["port", ENTER]) {
    const { last, cursor: _cursor, screens: _screens, ...left } = await browse(({ database }) => [
      { until: "3 observations" },
      { spoil: database, type: key, until: "^before\n" },
    ]);
    assert.match(last, /^before\nCannot finish the command\n {2}why: {2}no such table: /);
    assert.deepEqual(left, {
      status: 1,
      settingsKept: true,
      isAlternate: false,
      isCursorShown: true,
    });
  }
});

Deno.test("without a terminal memory browse says what to use instead", async () => {
  using place = stage();
  const { code, stdout, stderr } = await place.run(["memory", "browse"]);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /no terminal[^]*next: conclaude memory search WORDS\n/);
});
