/** Tool uses that went past their gate, and the mods that can make them do so. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { conclaude, configIn, projectIn } from "../support/guarded.ts";
import { executions, type Row } from "../support/look.ts";
import { answerOf } from "../support/process.ts";
import { hook, type TempHome, tempHome } from "../support/program.ts";
import { run } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempHome);
const SESSION = "5e551044-0000-4000-8000-000000000001";

function use(home: TempHome, event: string, id: string, file = "src/a.ts") {
  return hook(event, {
    session_id: SESSION,
    cwd: join(home.path, "project"),
    tool_name: "Write",
    tool_use_id: id,
    tool_input: { file_path: join(home.path, "project", file), content: "x" },
  }, home);
}

const gatesOf = (home: TempHome) =>
  executions(home).filter((row) => row["hook_name"] === "PostToolUse")
    .map((row) => (row["metadata"] as Row)["gate"] ?? null);

/** A mod in the project, with this code. */
function putMod(home: TempHome, code: string, name = "round"): void {
  const folder = join(home.path, "project/.claude/skills", name);
  const files = {
    ".claude-plugin/plugin.json": JSON.stringify({ name }),
    "hooks/hooks.json": JSON.stringify({ modules: ["./m.js"] }),
    "hooks/m.js": code,
  };
  for (const [path, text] of Object.entries(files)) {
    Deno.mkdirSync(dirname(join(folder, path)), { recursive: true });
    Deno.writeTextFileSync(join(folder, path), text);
  }
}

test("a tool use that no gate was asked about, or that ran although it was denied, is noted and told", async (home) => {
  projectIn(home, 'preToolUse: { uneditableFiles: ["*.lock"] }\n');
  assert.equal((await run(home, "install-hooks")).code, 0);
  await use(home, "PreToolUse", "a");
  assert.equal(answerOf(await use(home, "PostToolUse", "a")).systemMessage, undefined);
  const { systemMessage } = answerOf(await use(home, "PostToolUse", "b"));
  assert.match(systemMessage, /Write ran without asking a gate.*install-hooks --managed/);
  await use(home, "PreToolUse", "c", "yarn.lock");
  const denied = answerOf(await use(home, "PostToolUse", "c", "yarn.lock"));
  assert.match(denied.systemMessage, /Write ran although a rule denied it/);
  assert.deepEqual(gatesOf(home), [null, "not asked", "denied but ran"]);
  assert.match((await run(home, "doctor")).stdout, /2 tool uses of the last 24 hours ran without/);
});

test("without rules, or without an installed gate, nothing is said of a tool use that was not asked about", async (home) => {
  projectIn(home, 'preToolUse: { uneditableFiles: ["*.lock"] }\n');
  await use(home, "PostToolUse", "a");
  configIn(
    home,
    "preToolUse: {denyDangerousCommands: false, protectPolicy: false, protectUncommitted: false}\n",
  );
  await use(home, "PostToolUse", "b");
  assert.deepEqual(gatesOf(home), [null, null]);
});

test("SessionStart and doctor name a mod that can answer for a tool, and no other", async (home) => {
  projectIn(home, 'preToolUse: { uneditableFiles: ["*.lock"] }\n');
  const begin = () =>
    hook("SessionStart", {
      session_id: SESSION,
      cwd: join(home.path, "project"),
      source: "startup",
    }, home);
  putMod(home, 'export function register(on) { on("turn.start", () => {}) }', "plain");
  assert.doesNotMatch(answerOf(await begin())?.systemMessage ?? "", /mod/);
  putMod(home, 'export function register(on) { on("tool.call", ($, e, next) => next()) }');
  const { systemMessage } = answerOf(await begin());
  assert.match(systemMessage, /the mod round \(.*skills\/round\) listens to tool\.call/);
  const { stdout } = await conclaude(home, "doctor");
  assert.match(stdout, /warn +mods +round .* listens to tool\.call/);
  assert.match(stdout, /ok +mods +plain .* listens to no tool/);
});
