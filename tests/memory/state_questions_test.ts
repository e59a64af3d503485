/** Questions about how things stand are answered by what is there, not by what only speaks of it. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { askedState } from "../../src/memory/state_questions.ts";
import { searchMemory } from "../../src/recall/search.ts";
import { EVERYTHING, type MemoryFilter } from "../../src/store/memory_search.ts";
import { tempDatabase } from "../support/records.ts";

const NOW_MS = Date.UTC(2026, 6, 15);

interface Row {
  readonly kind: string;
  readonly title: string;
  readonly session?: string;
  readonly outcome?: string;
  readonly branch?: string;
  readonly by?: number;
}

/** Keeps observations a minute apart, the last one a minute ago. */
function keep(db: DatabaseSync, rows: readonly Row[]): void {
  const insert = db.prepare(
    `INSERT INTO observations
       (uid, session_id, project, branch, kind, outcome, title, text, terms, facts, resolved_by, created_at_ms, updated_at_ms)
     VALUES (?1, ?2, '/p', ?3, ?4, ?5, ?6, ?6, '', '{"command":"' || ?1 || '"}', ?7, ?8, ?8)`,
  );
  rows.forEach(({ kind, title, session = "s", outcome = null, branch = "main", by = null }, at) => {
    const atMs = NOW_MS - (rows.length - at) * 60_000;
    insert.run(`u${at}`, session, branch, kind, outcome, title, by, atMs);
  });
}

const ROWS: readonly Row[] = [
  { kind: "test", title: "Tests fail: pytest: test_old", outcome: "failure", by: 0 },
  // What is newest is not told by the names of sessions: the older one has the lower.
  { kind: "commit", title: "Commit 1a2b3c4: Count anew", session: "a" },
  { kind: "test", title: "Tests fail: pytest: test_tax", outcome: "failure", branch: "side" },
  { kind: "failure", title: "`make` failed (exit 2)", outcome: "failure" },
  { kind: "commit", title: "Commit 2b3c4d5: Add rates", session: "z" },
  { kind: "commit", title: "Commit 3c4d5e6: Taken back", session: "z", by: 0 },
  {
    kind: "prompt",
    title: "Open the settings when a test of the last commit is failing: what is open?",
  },
];

Deno.test("what is open, what fails and what came last is answered by that", async () => {
  using temp = await tempDatabase();
  keep(temp.db, ROWS);
  const ask = (text: string, filter: Partial<MemoryFilter> = {}) =>
    searchMemory(temp.db, text, {
      filter: { ...EVERYTHING, ...filter },
      limit: 10,
      nowMs: NOW_MS,
    }).map(({ title }) => title);
  const [, first, tax, make, rates] = ROWS.map(({ title }) => title);
  for (const text of ["which tests are failing", "What tests still fail?", "failing tests"]) {
    assert.equal(ask(text)[0], tax, text);
  }
  for (const text of ["what is open", "What's still failing?", "open failures", "open"]) {
    assert.deepEqual(ask(text).slice(0, 2), [make, tax], text);
  }
  for (const text of ["last commit", "the latest commits", "what was the last commit?"]) {
    assert.deepEqual(ask(text).slice(0, 2), [rates, first], text);
  }
  assert.equal(ask("what is open", { branch: "side" })[0], tax);
  assert.equal(ask("last commit", { sessionId: "a" })[0], first);
  assert.equal(ask("last commit", { untilMs: NOW_MS - 5 * 60_000 })[0], first);
  assert.ok(!ask("last commit", { kind: "prompt" }).includes(rates!));
  assert.equal(ask("last commit").length, new Set(ask("last commit")).size, "none twice");
});

Deno.test("what was fixed, committed or decided in a time is answered by that, the newest first", async () => {
  using temp = await tempDatabase();
  const told = (kind: string, title: string) => ({ kind, title });
  keep(temp.db, [
    told("fix", "Fixed test_tax by src/tax.py"),
    told("commit", "Commit 1a2b3c4: Count anew"),
    told("decision", "Prices are kept in cents"),
    told("prompt", "Please fix what did not work last week"),
    told("command", "Run git merge fix/tax"),
    told("fix", "Fixed test_rate by src/rate.py"),
  ]);
  const weekAgo = temp.db.prepare(
    "UPDATE observations SET created_at_ms = created_at_ms - 604800000, updated_at_ms = updated_at_ms - 604800000 WHERE id < 3",
  );
  weekAgo.run();
  const first = (text: string, nowMs = NOW_MS) =>
    searchMemory(temp.db, text, { filter: EVERYTHING, limit: 10, nowMs })[0]?.title;
  assert.equal(first("what did we fix last week?"), "Fixed test_tax by src/tax.py");
  assert.equal(first("What have you fixed?"), "Fixed test_rate by src/rate.py");
  assert.equal(first("what did I commit last week"), "Commit 1a2b3c4: Count anew");
  assert.equal(first("what have we decided so far"), "Prices are kept in cents");
  for (const said of ["what did we fix in the parser", "what did we read", "what have we done"]) {
    assert.equal(askedState(said), null, said);
  }
});

Deno.test("a question about something is none about how things stand", () => {
  for (
    const said of [
      "which tests are failing on windows",
      "open the settings page",
      "what is open telemetry",
      "last commit of the parser",
      "why is the test failing",
      "latest version",
      "last",
      "the last constructor",
    ]
  ) assert.equal(askedState(said), null, said);
  assert.deepEqual(askedState("last fixes"), { kinds: ["fix"], which: "newest" });
  assert.deepEqual(askedState("latest test run"), { kinds: ["test"], which: "newest" });
});
