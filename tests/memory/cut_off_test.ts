/** Whether what a session was asked when it was cut off is told to be open still. */
import assert from "node:assert/strict";
import { stillOpen, supersededIn } from "../../src/memory/context_open.ts";
import { openEnds } from "../../src/memory/open_lines.ts";
import type { Tellable } from "../../src/memory/context_text.ts";
import { type SummarizedPart, summarizeSession } from "../../src/memory/session_summary.ts";

interface Told {
  /** Prompts, and between them what Claude said at the end of a turn (`= Done.`), or a file that was changed (`+ a.ts`). */
  readonly happened: readonly string[];
  /** By what it was cut off; null: its last turn is under way; not there: that has ended. */
  readonly cutOff?: string | null;
  readonly branch?: string;
}

const NOW = 1e12;
let last = 0;

function summaryOf({ happened, cutOff, branch = "main" }: Told): Tellable {
  const parts = happened.map((line): SummarizedPart => {
    const id = ++last;
    const [kind, title, files]: [SummarizedPart["kind"], string, string[]] = line.startsWith("= ")
      ? ["message", line.slice(2), []]
      : line.startsWith("+ ")
      ? ["edit", `Edit ${line.slice(2)}`, [line.slice(2)]]
      : ["prompt", line, []];
    const updatedAtMs = NOW - 1e6 + id;
    const facts = {};
    return {
      ...{ id, kind, title, text: title, files, facts, branch },
      ...{ outcome: null, resolvedBy: null, updatedAtMs },
    };
  });
  const { title, files, facts } = summarizeSession(parts, [], {
    isUnderWay: cutOff !== undefined,
  })!;
  const id = ++last;
  return {
    ...{ id, title, files, branch, kind: "summary", outcome: null, sessionId: `s${id}` },
    ...{ repeats: 1, resolvedBy: null, stale: null, updatedAtMs: NOW - 1e6 + id },
    facts: cutOff == null ? facts : { ...facts, cutOff },
  };
}

/** What is told to be open after some sessions, the oldest first. */
function openAfter(...sessions: readonly Told[]): string[] {
  const rows = sessions.map(summaryOf).reverse();
  const left = stillOpen(rows, { superseded: supersededIn(rows), nowMs: NOW });
  return openEnds(rows, left).map(({ label, text }) => `${label}: ${text}`);
}

const ASK = "Migrate all 30 handlers to the new router";
const CUT: Told = { happened: [ASK, "+ a.ts"], cutOff: "rate limit" };
const OPEN = [`cut off (rate limit) while: ${ASK}`];

Deno.test("what a session was asked when it was cut off is open, and not where its turn is under way or has ended", () => {
  assert.deepEqual(openAfter(CUT), OPEN);
  assert.deepEqual(openAfter({ ...CUT, cutOff: null }), []);
  assert.deepEqual(openAfter({ happened: [ASK, "+ a.ts", "= All 30 are migrated."] }), []);
});

Deno.test("of several prompts the last is told that says something", () => {
  const told: readonly (readonly [happened: readonly string[], asked: string | null])[] = [
    [["Rename the routes", "+ a.ts", ASK], ASK],
    [["Rename the routes", "+ a.ts", "= Renamed.", ASK], ASK],
    [[ASK, "+ a.ts", "= 12 are migrated.", "continue", "+ b.ts"], ASK],
    [["continue", "+ a.ts"], null],
  ];
  for (const [happened, asked] of told) {
    assert.deepEqual(
      openAfter({ happened, cutOff: "overloaded" }),
      asked === null ? [] : [`cut off (overloaded) while: ${asked}`],
    );
  }
});

Deno.test("it is over when a later session has gone on with it until a turn ended", () => {
  const later: readonly (readonly string[])[] = [
    ["continue", "+ b.ts", "= Done."],
    ["Go on where it was cut off", "+ b.ts", "= 18 are left. Shall I go on?"],
    ["Continue migrating the handlers", "+ b.ts", "= 12 of 30 are migrated."],
    ["Please go on with the migration to the new router", "+ b.ts", "= Done."],
    [ASK, "+ b.ts", "= All are migrated."],
    ["Migrate the remaining handlers", "+ a.ts", "= Done."],
    ["What is the state?", "= Nothing is committed.", "ok, go on", "+ b.ts", "= Done."],
  ];
  for (const happened of later) {
    assert.deepEqual(
      openAfter(CUT, { happened }).filter((line) => OPEN.includes(line)),
      [],
      happened[0],
    );
  }
});

Deno.test("it is not over by other work, by talk, on another branch, or by what was asked to be gone on with much later", () => {
  const later: readonly Told[] = [
    { happened: ["Add a dark theme to the settings page", "+ b.ts", "= Done."] },
    { happened: ["Add tests for the router", "+ router_test.ts", "= Added."] },
    { happened: ["Migrate the database to version 30", "+ db.ts", "= Done."] },
    { happened: ["How far is the migration of the handlers to the new router?", "= 12 are."] },
    { happened: ["continue", "= There is nothing to go on with."] },
    { happened: ["continue", "+ b.ts", "= Done."], branch: "dev" },
  ];
  for (const one of later) {
    assert.deepEqual(openAfter(CUT, one), OPEN, one.happened[0]);
  }
  const other = { happened: ["Add a dark theme to the page", "+ b.ts", "= Done."] };
  assert.deepEqual(openAfter(CUT, other, { happened: ["continue", "+ c.ts", "= Done."] }), OPEN);
});

Deno.test("a later session that is at it, or was cut off at it, takes its place", () => {
  const again = "Go on migrating the handlers to the new router";
  assert.deepEqual(openAfter(CUT, { happened: [again, "+ b.ts"], cutOff: null }), []);
  assert.deepEqual(
    openAfter(CUT, { happened: [again, "+ b.ts"], cutOff: "by the person" }),
    [`cut off (by the person) while: ${again}`],
  );
  assert.deepEqual(openAfter(CUT, { happened: ["go on", "+ b.ts"], cutOff: "overloaded" }), OPEN);
});
