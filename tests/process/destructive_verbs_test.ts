/** Verbs that remove something show a person at a terminal what goes, and ask; programs are not asked. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Stage, stage } from "../cli/support.ts";
import { saveEvent } from "../support/records.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import { gitSync } from "../support/git.ts";
import { runOnTerminal } from "../support/terminal.ts";
import CASES from "../testdata/process_cases.json" with { type: "json" };

const DAY_MS = 86_400_000;

/** Old sessions with a capture each, worked in; and what is said of requirements on two branches. */
async function filled(place: Stage): Promise<void> {
  await place.run(["db", "migrate"]);
  const db = new DatabaseSync(place.database);
  const atMs = Date.now() - 100 * DAY_MS;
  for (let n = 0; n < 12; n++) {
    saveEvent(db, {
      atMs: atMs + n,
      sessionId: `0${n}980c5e`,
      session: { title: `Mend ${n}` },
      capture: {},
    });
  }
  db.exec("UPDATE sessions SET status = 'ended', ended_at_ms = updated_at_ms");
  db.close();
  await place.run(["queue", "drain"]);
  place.configure("requirements:\n  tested: {scope: branch}\n  reviewed: {scope: branch}\n");
  gitSync(place.project, "init", "-q", "-b", "main");
  gitSync(place.project, "commit", "-q", "--allow-empty", "-m", "begin");
  for (const branch of ["main", "gone"]) {
    await place.run(["req", "satisfy", "tested", "reviewed", "--branch", branch]);
  }
}

const VERBS = rowsOf<{
  readonly words: readonly string[];
  /** What is shown before the question, and the question. */
  readonly shows: readonly string[];
  /** Counts what has not gone. */
  readonly left: string;
}>(CASES.destructive);

const test = testWith(stage);

for (const { words, shows, left } of VERBS) {
  const name = words.slice(0, 2).join(" ");
  test.terminal(`${name} shows what goes and asks, on a terminal, unless it is told --yes`, async (place) => {
    await filled(place);
    const env = { HOME: place.home, TERM: "xterm" };
    const count = () => {
      using db = new DatabaseSync(place.database);
      return Number(db.prepare(left).get()!["n"]);
    };
    const before = count();
    assert.ok(before > 0);
    const options = { cwd: place.project, env, rows: 40 };
    const no = await runOnTerminal(words, [
      { until: "\\[y/N\\]" },
      { type: "n\r", until: "the answer was no; nothing was changed" },
    ], options);
    for (const shown of shows) assert.match(no.screens[0]!, new RegExp(shown, "m"));
    assert.deepEqual([no.status, count()], [1, before]);
    const yes = await runOnTerminal([...words, "--yes"], [{ until: "\n\\S" }], options);
    assert.doesNotMatch(yes.last, /\[y\/N\]/);
    assert.deepEqual([yes.status, count()], [0, 0]);
  });

  test(`${name} does not ask a program`, async (place) => {
    await filled(place);
    const { code } = await place.run(words);
    using db = new DatabaseSync(place.database);
    assert.deepEqual([code, db.prepare(left).get()!["n"]], [0, 0]);
  });
}
