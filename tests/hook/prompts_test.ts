/** What the configuration does with prompts and after subagents. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { executions, lastMetadata, type Row } from "../support/look.ts";
import { hook, runProgram } from "../support/program.ts";
import { type GuardedHome, guardedHome } from "../support/guarded.ts";
import { testWith } from "../support/fixtures.ts";

const SESSION = "5e551044-0000-4000-8000-000000000001";

/** Sends a prompt. @returns The parsed answer; null for none. */
const send = (home: GuardedHome, prompt: unknown) => home.send("UserPromptSubmit", { prompt });

/** What Claude is told beside a prompt. */
async function contextOf(home: GuardedHome, prompt: unknown): Promise<string | null> {
  const answer = await send(home, prompt);
  if (answer === null) return null;
  const { hookSpecificOutput: output, ...rest } = answer;
  assert.deepEqual([rest, output.hookEventName], [{}, "UserPromptSubmit"]);
  return output.additionalContext;
}

const test = testWith(guardedHome);

test("rules add their texts to prompts that they match, in their order, a blank line between", async (home) => {
  home.configure(`userPromptSubmit:
  contextRules:
    - {pattern: "tide|moon", prompt: "Mind the moon."}
    - {pattern: "TIDE", prompt: "Never."}
    - {pattern: "TIDE", prompt: "Whatever the case.", caseInsensitive: true}
    - {pattern: ".", prompt: "Off.", enabled: false}
`);
  assert.equal(await contextOf(home, "the tide table"), "Mind the moon.\n\nWhatever the case.");
  assert.deepEqual(lastMetadata(home)["context"], [
    "userPromptSubmit.contextRules[0]",
    "userPromptSubmit.contextRules[2]",
  ]);
  for (const prompt of ["sea level", "", null, undefined, 7]) {
    assert.equal(await contextOf(home, prompt), null);
  }
});

test("@path stands for a file of the folder, and only of that", async (home) => {
  const project = home.configure(`userPromptSubmit:
  contextRules:
    - pattern: "."
      prompt: "Read @docs/a.md. Not @../secret, @missing.md, @link, @docs or me@docs/a.md"
    - {pattern: ".", prompt: "@large"}
`);
  Deno.mkdirSync(join(project, "docs"));
  Deno.writeTextFileSync(join(project, "docs/a.md"), "the rules $& $1\n");
  Deno.writeTextFileSync(join(home.path, "secret"), "top secret");
  Deno.symlinkSync(join(home.path, "secret"), join(project, "link"));
  Deno.writeTextFileSync(join(project, "large"), "x".repeat(1_000_000));
  const [first, large] = (await contextOf(home, "go"))!.split("\n\n");
  assert.equal(
    first,
    "Read the rules $& $1. Not @../secret, @missing.md, @link, @docs or me@docs/a.md",
  );
  assert.ok(large!.length < 40_000);
  assert.match(large!, /the rest of large is left out/);
  assert.deepEqual(lastMetadata(home)["missing"], ["../secret", "missing.md", "link", "docs"]);
});

test("commands run with prompts, change nothing of them, and their failures are noted", async (home) => {
  const project = home.configure(`userPromptSubmit:
  commands:
    - {run: 'echo "$CONCLAUDE_USER_PROMPT" >> ../seen; echo said; exit 2'}
    - {run: "echo moon >> ../seen", pattern: "MOON", caseInsensitive: true}
    - {run: "sleep 30", pattern: "^slow", timeout: 1}
`);
  assert.equal(await send(home, "one tide"), null);
  assert.equal(await send(home, "the moon"), null);
  const seen = Deno.readTextFileSync(join(project, "..", "seen"));
  assert.equal(seen, "one tide\nthe moon\nmoon\n");
  const [row] = executions(home);
  assert.equal(row!["status"], "success");
  assert.match(JSON.stringify((row!["metadata"] as Row)["commands"]), /failed with exit code 2/);
  assert.equal(await send(home, "slow"), null);
  assert.match(JSON.stringify(lastMetadata(home)["commands"]), /timed out after 1 second/);
});

test("a prompt of any size reaches a command, cut where the system takes no more", async (home) => {
  const project = home.configure(
    "userPromptSubmit: {commands: [{run: 'printf %s \"$CONCLAUDE_USER_PROMPT\" | wc -c > ../size'}]}",
  );
  await send(home, "é".repeat(500_000));
  assert.ok(Number(Deno.readTextFileSync(join(project, "..", "size"))) >= 30_000);
});

test("a slash command's own command holds the prompt back with status 2 alone", async (home) => {
  const project = home.configure(`userPromptSubmit:
  slashCommands:
    commands:
      "deploy*":
        - {run: 'echo "$CONCLAUDE_SLASH_COMMAND: $CONCLAUDE_SLASH_COMMAND_ARGS" >> ../seen; exit 2', message: "Not on Fridays"}
      "*": [{run: "echo any >> ../seen; exit 1"}]
      "/review": [{run: "echo review >> ../seen"}]
`);
  const { decision, reason } = await send(home, "/deploy-all now, please");
  assert.equal(decision, "block");
  assert.match(reason, /exit code 2.*\nNot on Fridays\n/s);
  const row = executions(home).at(-1)!;
  assert.equal(row["status"], "blocked");
  assert.deepEqual((row["metadata"] as Row)["rules"], [
    "userPromptSubmit.slashCommands.commands.deploy*[0]",
  ]);
  assert.equal(await send(home, "please\n  /review\nthis"), null);
  assert.equal(await send(home, "read /deploy and /etc/hosts"), null);
  assert.equal(
    Deno.readTextFileSync(join(project, "..", "seen")),
    "any\ndeploy-all: now, please\nany\nreview\n",
  );
  const [, command] = /`conclaude ([^`]+)`/.exec(reason)!;
  await runProgram(command!.split(" "), { env: { HOME: home.path }, cwd: project });
  assert.equal(await send(home, "/deploy now"), null);
});

test("a prompt is recorded as ever, with a title for the session", async (home) => {
  home.configure("userPromptSubmit: {contextRules: [{pattern: x, prompt: y}]}");
  await send(home, "Compute tides");
  const list = ["session", "list", "--json"];
  const { stdout } = await runProgram(list, { env: { HOME: home.path }, cwd: home.path });
  assert.match(stdout, /Compute tides/);
});

test("commands for subagents run by type and by id, those for all first, and hold nothing back", async (home) => {
  const project = home.configure(`subagentStop:
  commands:
    "rev*": [{run: "echo type $CONCLAUDE_AGENT_ID $CONCLAUDE_AGENT_TRANSCRIPT_PATH >> ../seen; false", message: "Look"}]
    "a-1*": [{run: "echo id $CONCLAUDE_HOOK_EVENT >> ../seen"}]
    "*": [{run: "echo all >> ../seen"}]
    "writer": [{run: "echo never >> ../seen"}]
`);
  const payload = {
    session_id: SESSION,
    cwd: project,
    agent_id: "a-17",
    agent_type: "reviewer",
    agent_transcript_path: "/a.jsonl",
    stop_hook_active: false,
  };
  const { code, stdout } = await hook("SubagentStop", payload, home);
  assert.equal(code, 0);
  const { systemMessage, ...rest } = JSON.parse(stdout);
  assert.deepEqual(rest, {});
  assert.match(systemMessage, /subagentStop\.commands\.rev\*\[0\] failed with exit code 1.*\nLook/);
  assert.equal(
    Deno.readTextFileSync(join(project, "..", "seen")),
    "all\nid SubagentStop\ntype a-17 /a.jsonl\n",
  );
  const row = executions(home).at(-1)!;
  assert.equal(row["status"], "failure");
  assert.equal(((row["metadata"] as Row)["commands"] as unknown[]).length, 3);
  const other = { ...payload, agent_id: "b", agent_type: "" };
  assert.equal((await hook("SubagentStop", other, home)).stdout, "");
});
