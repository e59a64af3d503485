import assert from "node:assert/strict";
import { join } from "node:path";
import { keepCrashed } from "../../src/hook/failure.ts";
import { locate } from "../../src/system/environment.ts";
import { someOf } from "../support/lanes.ts";
import { homeAlone } from "../support/program.ts";
import { FORMED_SECRETS } from "../support/secret_texts.ts";
import { it } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

/** What `keepCrashed()` left in the spool and the log of a folder of its own. */
async function keptOf(text: string, event: string | undefined): Promise<string> {
  using folder = tempFolder();
  const environment = homeAlone(folder.path);
  const locations = locate(environment);

  const flags = { event, db: undefined, noDb: false };
  await keepCrashed(new Error("it broke"), { stdin: text, flags, environment });
  const files = [...Deno.readDirSync(locations.spoolFolders[0]!)].map(({ name }) =>
    Deno.readTextFileSync(join(locations.spoolFolders[0]!, name))
  );
  return [...files, Deno.readTextFileSync(locations.logFile)].join("\n");
}

Deno.test("an event whose handling failed is kept whole, with its session and the error", async () => {
  const kept = await keptOf(
    JSON.stringify({
      session_id: "s-1",
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      x: "y",
    }),
    undefined,
  );
  const { record } = JSON.parse(kept.split("\n", 1)[0]!);
  const { hookName, status, errorMessage } = record.execution;
  assert.deepEqual(
    [record.sessionId, hookName, status, errorMessage, record.capture.toolName],
    ["s-1", "PostToolUse", "failure", "it broke", "Bash"],
  );
  assert.match(record.capture.payload, /"x\\":\\"y/);
});

it.sized("an event whose handling failed is kept without the secrets in any of its fields", async () => {
  for (const secret of someOf(Object.values(FORMED_SECRETS), 12)) {
    const text = `use ${secret} now`;
    const fields = {
      session_id: "s-1",
      hook_event_name: `Odd ${text}`,
      tool_name: text,
      tool_use_id: text,
      tool_input: { command: text },
    };
    for (const event of [undefined, `Odd ${text}`]) {
      const kept = await keptOf(JSON.stringify(fields), event);
      assert.ok(!kept.includes(secret), `${text} in ${kept}`);
    }
  }
});
