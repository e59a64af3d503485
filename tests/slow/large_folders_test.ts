/** Commands about folders that hold more than a hook has the time to read. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { entriesOf } from "../../src/system/on_disk.ts";
import { guardedHome } from "../support/guarded.ts";
import { hook } from "../support/program.ts";
import { answerOf } from "../support/process.ts";
import { executions, type Row } from "../support/look.ts";
import { it } from "../support/fixtures.ts";

const RULE = "uneditableFiles: ['*.lock']";
/** So many take 4 MB of the folder itself, also where an entry takes 20 bytes. */
const FILL = "mkdir big && cd big && seq 220000 | xargs touch";

it.unix("a folder of 220,000 files is not read: its removal is noted as in doubt, and strict mode denies it", async () => {
  for (const isStrict of [false, true]) {
    using home = guardedHome();
    const cwd = home.configure(`preToolUse: {strict: ${isStrict}, ${RULE}}\n`);
    new Deno.Command("sh", { args: ["-c", FILL], cwd }).outputSync();
    assert.equal(entriesOf(join(cwd, "big")), null);
    for (const command of ["rm -rf big", "rm big/*"]) {
      const fields = { session_id: "s1", cwd, tool_name: "Bash", tool_input: { command } };
      const answer = answerOf(await hook("PreToolUse", fields, home));
      const decision = answer?.hookSpecificOutput.permissionDecision ?? null;
      assert.equal(decision, isStrict ? "deny" : null, command);
      const { doubts } = executions(home).at(-1)!["metadata"] as Row;
      assert.match(String(doubts), /more files than can be looked/, command);
    }
  }
});
