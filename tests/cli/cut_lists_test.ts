/** Lists that are cut say how many more rows there are, and what each row is about; what there is one of is told as one. */
import assert from "node:assert/strict";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { makeTask } from "../support/tasks.ts";
import { moreLine } from "../../src/operations/table.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

const test = testWith(tempDatabase);

/** Events of tests are old, and would not be told any more. */
const NEW_EVENTS = "UPDATE events SET created_at_ms = unixepoch() * 1000";

const COMMAND = "npm test -- --watch";

test("every list that is cut says how many more there are and how to see them", async (temp) => {
  for (let n = 0; n < 23; n++) {
    saveEvent(temp.db, { sessionId: `s${n}`, capture: {}, execution: { metadata: {} } });
    makeTask(temp.db);
  }
  temp.db.exec(NEW_EVENTS);
  const told = async (...words: string[]) =>
    (await runVerb(words, temp)).stdout.trimEnd().split("\n").at(-1);
  for (const [words, line] of rowsOf<readonly [readonly string[], string]>(CASES.cutLists)) {
    assert.equal(await told(...words), line, words.join(" "));
  }
  assert.doesNotMatch((await told("queue", "list", "--limit", "23"))!, /more/);
  const { executions } = await runVerbJson(["audit", "list"], temp);
  assert.equal(executions.length, 23);
  const below = (n: number, most: number) => moreLine({ rows: Array(n), more: 20 }, { most });
  assert.equal(below(2_000, 1_000_000), "\n… and 20 more: add `--limit 2020`");
  assert.equal(below(1_000, 1_000), "\n… and 20 more: narrow the list");
  const { tasks, more } = await runVerbJson(["task", "list", "--limit", "3"], temp);
  assert.deepEqual([tasks.length, more], [3, true]);
  const { events } = await runVerbJson(["event", "list", "--limit", "3"], temp);
  assert.deepEqual(events.map(({ id }: { id: number }) => id), [21, 22, 23]);
});

test("the lists for programs show people what a row is about", async (temp) => {
  const payload = JSON.stringify({ tool_name: "Bash", tool_input: { command: COMMAND } });
  const capture = { toolName: "Bash", payload, filesTouched: [] };
  const cut = { files: [], input: `{"command":"${COMMAND}","description":"Ru…` };
  for (const metadata of [{ tool_input: { command: COMMAND } }, cut]) {
    saveEvent(temp.db, { counters: ["edits"], execution: { metadata } });
  }
  saveEvent(temp.db, { capture });
  makeTask(temp.db);
  temp.db.exec(NEW_EVENTS);
  const shown = async (...words: string[]) => (await runVerb(words, temp)).stdout;
  assert.equal((await shown("audit", "list")).split(COMMAND).length, 3);
  assert.match(await shown("queue", "list"), /Bash .*npm test/);
  assert.match(await shown("event", "list"), /task\.created {2}\S+ {2}A task {2}by/);
  temp.db.exec("UPDATE sessions SET title = 'Mend the login'");
  assert.match(await shown("counter", "list"), /edits +2 .*Mend the login/);
});

/** `1 captures`; not `1 was`. */
const ONE_TOLD_AS_MANY = /(?<![\d.:-])1 (?:[a-z]+ )?(?!(?:was|is|has|stays|says)\b)[a-z]{2,}s\b/;

test("a count of one is written in the singular", async (temp) => {
  const payload = JSON.stringify({ tool_input: { file_path: "/p/a.ts", content: "a" } });
  saveEvent(temp.db, {
    atMs: Date.now() - 3 * 86_400_000,
    capture: { payload },
    counters: ["edits"],
  });
  temp.db.close();

  const copy = `${temp.folder}/copy.jsonl`;
  const fresh = { home: temp.folder, database: `${temp.folder}/fresh.db` };
  const rows = [
    [temp, "status", "--verbose"],
    [temp, "queue", "drain"],
    [temp, "status", "--verbose"],
    [temp, "memory", "stats"],
    [temp, "memory", "search", "a.ts"],
    [temp, "export", "--output", copy],
    [fresh, "import", copy, "--dry-run"],
    [fresh, "import", copy],
    [temp, "queue", "prune", "--older-than", "1d", "--keep-raw", "0", "--dry-run"],
    [temp, "queue", "prune", "--older-than", "1d", "--keep-raw", "0"],
    [temp, "counter", "reset", "edits", "--session", "cad0ac4d"],
  ] as const;
  for (const [at, ...args] of rows) {
    const { code, stdout, stderr } = await runVerb(args, at);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    assert.match(stdout, /\b1\b/, args.join(" "));
    assert.doesNotMatch(stdout, ONE_TOLD_AS_MANY, args.join(" "));
  }
});
