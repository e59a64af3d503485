import assert from "node:assert/strict";
import { join } from "node:path";
import { startHook, startProgram } from "../support/process.ts";
import { observed, tempHome } from "../support/program.ts";
import { putTranscripts } from "../support/transcripts.ts";
import { makeRepository } from "../support/git.ts";
import { it } from "../support/fixtures.ts";
import CASES from "../testdata/process_cases.json" with { type: "json" };
import { rowsOf } from "../support/rows.ts";

/** What is said to each verb, in this order. */
const SAID = rowsOf<readonly [verb: string, ...said: string[]]>(CASES.saidToVerbs);

/** At least one command line of every verb, as it is used without a terminal; `HOME` stands for the temporary one. */
const COMMAND_LINES = SAID.flatMap(([verb, ...said]) =>
  said.map((words) => `${verb} ${words}`.trimEnd())
);

/** The first command line of each verb. */
function firstOfEachVerb(): string[] {
  const byVerb = Map.groupBy(COMMAND_LINES, (line) => line.split(" ")[0]!);
  return [...byVerb.values()].map(([first]) => first!).filter((line) => !line.startsWith("--"));
}

it.slow("no verb asks for a permission that the program does not have", async () => {
  using home = tempHome();
  const project = join(home.path, "project");
  // A repository, so that git is asked.
  makeRepository(project, { branch: "topic" });
  const env = { HOME: home.path, TERM: "xterm-256color", CI: "true", FORCE_COLOR: "1" };
  const replace = { HOME: home.path, PROJECT: project };
  await startHook("SessionStart", observed("SessionStart.startup", replace), home);
  await startHook("PostToolUse", observed("PostToolUse.Edit", replace), home);
  putTranscripts(home, ["tools"]);
  for (const line of [...COMMAND_LINES, ...firstOfEachVerb().map((line) => `${line} --json`)]) {
    const args = line.replace("HOME", home.path).split(" ");
    const { stdout, stderr } = await startProgram(args, { env, cwd: project });
    assert.doesNotMatch(stdout + stderr, /NotCapable|Requires \S+ access|PermissionDenied/, line);
    assert.doesNotMatch(stderr, /^\s+at .*\.[jt]s:\d+/m, `${line} ends with a stack trace`);
  }
});

Deno.test("every verb is among the command lines above", async () => {
  using home = tempHome();
  const { stdout } = await startProgram(["--help"], { env: { HOME: home.path } });
  const commands = stdout.slice(stdout.indexOf("\nSTART\n"));
  const verbs = [...commands.matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm)].map(([, verb]) => verb!);
  assert.ok(verbs.length > 0);
  const tried = new Set(COMMAND_LINES.map((line) => line.split(" ")[0]));
  assert.deepEqual(verbs.filter((verb) => !tried.has(verb)), []);
});
