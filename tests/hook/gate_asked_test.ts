/** Tool uses that went past their gate, and the mods that can make them do so. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type GuardedHome, guardedHome, SESSION } from "../support/guarded.ts";
import { executions, type Row } from "../support/look.ts";
import { answerOf } from "../support/process.ts";
import { hook } from "../support/program.ts";
import { run } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(guardedHome);
const LONG_AGO = new Date(Date.now() - 3_600_000);

function use(home: GuardedHome, event: string, id: string, file = "src/a.ts") {
  const tool_input = { file_path: join(home.project, file), content: "x" };
  return home.send(event, { tool_name: "Write", tool_use_id: id, tool_input });
}

const gatesOf = (home: GuardedHome) =>
  executions(home).filter((row) => row["hook_name"] === "PostToolUse")
    .map((row) => (row["metadata"] as Row)["gate"] ?? null);

/** A mod in the project, with this code. */
function putMod(home: GuardedHome, code: string, name = "round"): void {
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
  home.configure('preToolUse: { uneditableFiles: ["*.lock"] }\n');
  assert.equal((await run(home, "install-hooks")).code, 0);
  await use(home, "PreToolUse", "a");
  assert.equal((await use(home, "PostToolUse", "a")).systemMessage, undefined);
  const { systemMessage } = await use(home, "PostToolUse", "b");
  assert.match(systemMessage, /Write ran without asking a gate.*install-hooks --managed/);
  await use(home, "PreToolUse", "c", "yarn.lock");
  const denied = await use(home, "PostToolUse", "c", "yarn.lock");
  assert.match(denied.systemMessage, /Write ran although a rule denied it/);
  assert.deepEqual(gatesOf(home), [null, "not asked", "denied but ran"]);
  assert.match((await run(home, "doctor")).stdout, /2 tool uses of the last 24 hours ran without/);
});

test("without rules, or without an installed gate, nothing is said of a tool use that was not asked about", async (home) => {
  home.configure('preToolUse: { uneditableFiles: ["*.lock"] }\n');
  await use(home, "PostToolUse", "a");
  home.configure(
    "preToolUse: {denyDangerousCommands: false, protectPolicy: false, protectUncommitted: false}\n",
  );
  await use(home, "PostToolUse", "b");
  assert.deepEqual(gatesOf(home), [null, null]);
});

test("nothing is said of a tool that the matchers of the gates leave out", async (home) => {
  home.configure('preToolUse: { uneditableFiles: ["*.lock"] }\n');
  assert.equal((await run(home, "install-hooks")).code, 0);
  const read = (id: string, session = SESSION) =>
    hook("PostToolUse", {
      session_id: session,
      cwd: join(home.path, "project"),
      tool_name: "Read",
      tool_use_id: id,
      tool_input: { file_path: "a.ts" },
    }, home);
  await read("a");
  home.configure(
    "preToolUse: { toolUsageValidation: [{ tool: Read, pattern: 'x/**', action: block }] }\n",
  );
  await read("b");
  assert.equal((await run(home, "install-hooks")).code, 0);
  const later = SESSION.replace(/1$/, "2");
  await hook("SessionStart", { session_id: later, cwd: join(home.path, "project") }, home);
  await read("c", later);
  assert.deepEqual(gatesOf(home), [null, null, "not asked"]);
});

test("SessionStart and doctor name a mod that can answer for a tool, and no other", async (home) => {
  home.configure('preToolUse: { uneditableFiles: ["*.lock"] }\n');
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
  const status = await home.run("status", "--verbose");
  assert.match(status.stdout, /mods +round \(.*\) listens to tool\.call\n/);
  const { stdout } = await home.run("doctor");
  assert.match(stdout, /warn +mods +round .* listens to tool\.call/);
  assert.match(stdout, /ok +mods +plain .* listens to no tool/);
});

/** Hooks that have been installed for long, in a project with a rule. */
async function armed(home: GuardedHome): Promise<string> {
  home.configure('preToolUse: { uneditableFiles: ["*.lock"] }\n');
  assert.equal((await run(home, "install-hooks")).code, 0);
  const settings = join(home.path, ".claude/settings.json");
  Deno.utimeSync(settings, LONG_AGO, LONG_AGO);
  return settings;
}

/** One event of a session. @returns What the person is told; empty for nothing. */
async function tell(home: GuardedHome, event: string, fields: Record<string, unknown> = {}) {
  const answer = await home.send(event, { transcript_path: join(home.path, "t.jsonl"), ...fields });
  return String(answer?.systemMessage ?? "");
}

test("a tool use that went past its gate is told at the stop and at the project's next start, once each", async (home) => {
  await armed(home);
  await tell(home, "SessionStart", { source: "startup" });
  await use(home, "PostToolUse", "a");
  assert.match(await tell(home, "Stop"), /in this session 1 tool use ran without asking/);
  assert.doesNotMatch(await tell(home, "Stop"), /gate/);
  const next = { session_id: "5e551044-0000-4000-8000-000000000002", source: "startup" };
  assert.match(
    await tell(home, "SessionStart", next),
    /earlier sessions of this project 1 tool use/,
  );
  assert.doesNotMatch(await tell(home, "SessionStart", next), /gate/);
});

/** A transcript in which Claude used a tool, with how it ended. */
function transcript(home: GuardedHome, result: Record<string, unknown>): void {
  const timestamp = new Date().toISOString();
  const message = (role: string, content: Record<string, unknown>) =>
    JSON.stringify({ type: role, timestamp, message: { role, content: [content] } });
  const lines = [
    message("assistant", { type: "tool_use", id: "toolu_9", name: "Write", input: {} }),
    message("user", { type: "tool_result", tool_use_id: "toolu_9", content: "", ...result }),
  ];
  Deno.writeTextFileSync(join(home.path, "t.jsonl"), `${lines.join("\n")}\n`);
}

const drained = (home: GuardedHome) =>
  executions(home).filter((row) => row["hook_name"] === "Drain").map((row) => {
    const { gate, unheard, tools } = row["metadata"] as Row;
    return { gate, unheard, tools };
  });

test("a tool use that only the transcript has is found after the turn, once", async (home) => {
  await armed(home);
  await tell(home, "UserPromptSubmit", { prompt: "go" });
  transcript(home, {});
  await tell(home, "Drain");
  await tell(home, "Drain");
  assert.deepEqual(drained(home), [{
    gate: "not asked",
    unheard: ["toolu_9"],
    tools: ["Write"],
  }]);
  assert.match(await tell(home, "Stop"), /in this session 1 tool use ran without asking/);
});

test("a tool use that failed before any gate, or that a hook was told of, is no finding", async (home) => {
  await armed(home);
  transcript(home, { is_error: true, content: "<tool_use_error>InputValidationError" });
  await tell(home, "Drain");
  transcript(home, {});
  await tell(home, "PreToolUse", { tool_name: "Write", tool_use_id: "toolu_9", tool_input: {} });
  await tell(home, "Drain");
  assert.deepEqual(drained(home), []);
});

/** What else can be the reason that no gate is on record. */
const INNOCENT: Readonly<Record<string, (home: GuardedHome, settings: string) => void>> = {
  "the hooks were installed a moment ago": (_home, settings) =>
    Deno.utimeSync(settings, new Date(), new Date()),
  "the matcher does not ask about the tool": (_home, settings) => {
    const { hooks } = JSON.parse(Deno.readTextFileSync(settings));
    hooks.PreToolUse[0].matcher = "Bash";
    Deno.writeTextFileSync(settings, JSON.stringify({ hooks }));
    Deno.utimeSync(settings, LONG_AGO, LONG_AGO);
  },
  "the gate gave no answer in time": (home) =>
    Deno.writeTextFileSync(
      join(home.path, "t.jsonl"),
      '{"attachment":{"type":"hook_cancelled","hookEvent":"PreToolUse","toolUseID":"toolu_1"}}\n',
    ),
};

for (const [why, prepare] of Object.entries(INNOCENT)) {
  test(`no alarm where ${why}`, async (home) => {
    prepare(home, await armed(home));
    const told = await tell(home, "PostToolUse", {
      tool_name: "Write",
      tool_use_id: "toolu_1",
      tool_input: { file_path: "a.txt", content: "x" },
    });
    assert.doesNotMatch(told, /gate/);
    assert.notEqual(gatesOf(home)[0], "not asked");
  });
}
