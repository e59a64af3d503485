import assert from "node:assert/strict";
import { join } from "node:path";
import { answerOf } from "../support/process.ts";
import { hook, runProgram } from "../support/program.ts";
import { inGit, SECOND, start, work, type Workplace, workplace } from "../support/told_sessions.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(workplace);

/** A session begins. @returns What the person is told. */
async function noticeOf(at: Workplace, project: string): Promise<string> {
  const event = { session_id: SECOND, cwd: project, hook_event_name: "SessionStart" };
  const env = { HOME: at.path, CLAUDE_PROJECT_DIR: project };
  return answerOf(await hook("SessionStart", { ...event, source: "startup" }, at, { env }))
    ?.systemMessage ?? "";
}

test("a new folder is told where its repository was before, until that is moved", async (at) => {
  await inGit(at, "commit -q --allow-empty -m one");
  await work(at);
  const now = join(at.path, "moved here");
  assert.doesNotMatch(await noticeOf(at, at.project), /memory move/);
  Deno.renameSync(at.project, now);
  const hint = `conclaude memory move ${at.project} '${now}'`;
  assert.ok((await noticeOf(at, now)).includes(`is gone. If it moved, run \`${hint}\``));
  const run = (...args: string[]) => runProgram(args, { env: { HOME: at.path }, cwd: now });
  const { stdout } = await run("status");
  assert.ok(stdout.replace(/\s+/g, " ").includes(hint.replace(/\s+/g, " ")), stdout);
  assert.deepEqual(JSON.parse((await run("status", "--json")).stdout).recent.formerFolders, [
    at.project,
  ]);
  assert.equal((await run("memory", "move", at.project, now)).code, 0);
  assert.match(await start(at, "startup", { session: SECOND, project: now }), /Left open on main/);
  assert.doesNotMatch((await run("status")).stdout, /memory move/);
});

test("a clone beside the repository is not told of a move", async (at) => {
  await inGit(at, "commit -q --allow-empty -m one", `clone -q . ${join(at.path, "clone")}`);
  await work(at);
  assert.doesNotMatch(await noticeOf(at, join(at.path, "clone")), /memory move/);
});
