/** What the guards live by, on the real program: wherever it lies, and however it is changed, only a person does it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ask, bash, projectIn } from "../support/guarded.ts";
import { type TempHome, tempHome } from "../support/program.ts";

const PROTECTED = /only a person changes it/;

const HOOKS = {
  PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "x", timeout: 10 }] }],
};

/** A settings file with hooks, in a folder of the home. */
function settingsIn(home: TempHome, folder: string): string {
  const path = join(home.path, folder, "settings.json");
  put(path, JSON.stringify({ hooks: HOOKS, permissions: {} }, null, 2));
  return path;
}

function put(path: string, text: string): void {
  Deno.mkdirSync(join(path, ".."), { recursive: true });
  Deno.writeTextFileSync(path, text);
}

Deno.test("an edit that never names the hooks disarms them", async () => {
  using home = tempHome();
  projectIn(home, "{}\n");
  const file_path = settingsIn(home, ".claude");
  const edit = (old_string: string, new_string: string) =>
    ask(home, "Edit", { file_path, old_string, new_string, replace_all: true });
  assert.match((await edit('"matcher": "*"', '"matcher": "x"'))!, PROTECTED);
  assert.match((await edit('"timeout": 10', '"timeout": 0'))!, PROTECTED);
  assert.match((await edit("}", ""))!, PROTECTED);
  const edits = [{ old_string: '"command": "x"', new_string: '"command": "true"' }];
  assert.match((await ask(home, "MultiEdit", { file_path, edits }))!, PROTECTED);
});

Deno.test("settings beside the hooks may be changed, and be written again as they are", async () => {
  using home = tempHome();
  projectIn(home, "{}\n");
  const file_path = settingsIn(home, ".claude");
  const content = Deno.readTextFileSync(file_path);
  assert.equal(await ask(home, "Write", { file_path, content }), null);
  const old_string = '"permissions": {}';
  const new_string = '"permissions": {},\n  "model": "m"';
  assert.equal(await ask(home, "Edit", { file_path, old_string, new_string }), null);
  assert.match((await ask(home, "Write", { file_path, content: "{}" }))!, PROTECTED);
  assert.match((await bash(home, `echo '{}' > ${file_path}`))!, PROTECTED);
});
