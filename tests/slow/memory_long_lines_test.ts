/** Captures of a megabyte on one line, of every tool and of hardly any form, are worked in within the time that a person waits. */
import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/database.ts";
import { query } from "../support/look.ts";
import { jsonOf, runProgram, tempHome } from "../support/program.ts";
import { saveEvent } from "../support/records.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };

const CHARS = 1_000_000;
/** Linear work takes some seconds; a pattern that looks at the rest from each place would take hours. */
const MAX_MS = 60_000;

const UNITS = CASES.longLineUnits;

type Fields = Record<string, unknown>;
const USES:
  readonly (readonly [toolName: string, outcome: "success" | "failure", (t: string) => Fields])[] =
    [
      [
        "Bash",
        "success",
        (t) => ({ tool_input: { command: "cat a" }, tool_response: { stdout: t } }),
      ],
      [
        "Bash",
        "failure",
        (t) => ({ tool_input: { command: "npm test" }, error: `Exit code 1\n${t}` }),
      ],
      [
        "Bash",
        "success",
        (t) => ({ tool_input: { command: `git commit -m "${t}"` }, tool_response: {} }),
      ],
      [
        "Edit",
        "success",
        (t) => ({ tool_input: { file_path: "/p/a", old_string: "a", new_string: t } }),
      ],
      ["mcp__a__b", "success", (t) => ({ tool_input: { q: 1 }, tool_response: [{ text: t }] })],
      ["UserPromptSubmit", "success", (t) => ({ prompt: `a${t}b` })],
      ["Stop", "success", (t) => ({ last_assistant_message: `a${t}b` })],
    ];

Deno.test("captures of a megabyte on one line are worked in within a minute", async () => {
  using home = tempHome();
  const db = await openDatabase(home.database, { busyTimeoutMs: 5_000 });
  let saved = 0;
  for (const unit of UNITS) {
    for (const [toolName, outcome, fields] of USES) {
      const payload = JSON.stringify(fields(unit.repeat(CHARS / unit.length)));
      saveEvent(db, { capture: { toolName, outcome, payload } });
      saved++;
    }
  }
  db.close();
  const begun = performance.now();
  const args = ["queue", "drain", "--json"];
  const { worked, failed } = jsonOf(await runProgram(args, { env: { HOME: home.path } }));
  assert.deepEqual([worked, failed], [saved, 0]);
  const elapsed = performance.now() - begun;
  assert.ok(elapsed < MAX_MS, `${Math.round(elapsed)} ms`);
  const [row] = query(home, "SELECT count(*) AS n FROM pending_queue WHERE status = 'done'");
  assert.equal(row?.["n"], saved);
});
