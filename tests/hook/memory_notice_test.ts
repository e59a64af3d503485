/** What the person sees of memory when a session starts, and which sessions take a line there, through the real hooks. */
import assert from "node:assert/strict";
import { answerOf } from "../support/process.ts";
import { hook, runProgram } from "../support/program.ts";
import { SECOND, type Workplace, workplace } from "../support/told_sessions.ts";
import { testWith } from "../support/fixtures.ts";
import { join } from "node:path";

const test = testWith(workplace);

/** What the person is told at the start of a session. */
async function noticeOf(
  at: Workplace,
  { source = "startup", project = at.project } = {},
): Promise<string> {
  const payload = { session_id: SECOND, cwd: project, source };
  const env = { HOME: at.path, CLAUDE_PROJECT_DIR: project };
  return answerOf(await hook("SessionStart", payload, at, { env }))?.systemMessage ?? "";
}

test("the person sees in one line what memory holds and what is open, where there is something", async (at) => {
  assert.equal(await noticeOf(at), "");
  await at.work();
  await at.talked(1);
  await at.verb("task", "create", "--title", "Write the guide");
  await at.verb("task", "create", "--title", "Mend the clock");
  const line =
    "conclaude: memory of 2 sessions here; open: 1 failure, 2 tasks. `conclaude memory open`";
  assert.equal(await noticeOf(at), line);
  await at.todos({ "write docs": "pending" });
  await at.said("Later.");
  assert.match(await noticeOf(at), /open: 1 failure, 1 todo, 2 tasks\./);
});

test("a resumed session shows it too, a compacted or cleared one does not, and a key switches it off", async (at) => {
  await at.work();
  assert.match(await noticeOf(at), /1 failure/);
  assert.match(
    await noticeOf(at, { source: "resume" }),
    /memory of 1 session here; open: 1 failure\./,
  );
  for (const source of ["compact", "clear"]) assert.equal(await noticeOf(at, { source }), "");
  await at.configure("memory: {context: {notice: false}}\n");
  assert.doesNotMatch(await noticeOf(at), /memory of/);
});

test("memory without anything open names the list", async (at) => {
  await at.asked("Write a greeting, please");
  await at.edit("src/hi.ts", "hi\n");
  await at.said("Written.");
  assert.equal(
    await noticeOf(at),
    "conclaude: memory of 1 session here. `conclaude memory list`",
  );
});

test("sessions of a word that changed nothing take no line among the last sessions", async (at) => {
  const id = (n: number) => ({ session: `c0de0000-0000-4000-8000-00000000020${n}` });
  await at.work();
  for (const [n, word] of ["continue", "ok", "はい"].entries()) {
    await at.asked(word, id(n));
    await at.ran("cat src/auth.ts", "export const token = 1;", id(n));
    await at.said(`The token stands in src/auth.ts, and that is all there is to it (${n}).`, id(n));
  }
  const told = await at.start();
  assert.match(told, /Last sessions:\n- #\d+ just now: The login forgets its token[^\n]*\n(?!-)/);
  // What such a session said last is told all the same.
  assert.match(told, /as Claude said it:\n- #\d+ [^\n]*that is all there is to it \(2\)/);
  await at.asked("go on", id(4));
  await at.edit("src/b.ts", "1\n", id(4));
  await at.said("Done.", id(4));
  assert.match(await at.start(), /Last sessions:\n- #\d+ just now: go on: Done\. \(1 file\)/);
});

test("a new folder is told where its repository was before, until that is moved", async (at) => {
  await at.inGit("commit -q --allow-empty -m one");
  await at.work();
  const now = join(at.path, "moved here");
  assert.doesNotMatch(await noticeOf(at), /memory move/);
  Deno.renameSync(at.project, now);
  const hint = `conclaude memory move ${at.project} '${now}'`;
  assert.ok(
    (await noticeOf(at, { project: now })).includes(`is gone. If it moved, run \`${hint}\``),
  );
  const run = (...args: string[]) => runProgram(args, { env: { HOME: at.path }, cwd: now });
  const { stdout } = await run("status");
  assert.ok(stdout.replace(/\s+/g, " ").includes(hint.replace(/\s+/g, " ")), stdout);
  assert.deepEqual(JSON.parse((await run("status", "--json")).stdout).recent.formerFolders, [
    at.project,
  ]);
  assert.equal((await run("memory", "move", at.project, now)).code, 0);
  assert.match(await at.start("startup", { session: SECOND, project: now }), /Left open on main/);
  assert.doesNotMatch((await run("status")).stdout, /memory move/);
});

test("a clone beside the repository is not told of a move", async (at) => {
  await at.inGit("commit -q --allow-empty -m one", `clone -q . ${join(at.path, "clone")}`);
  await at.work();
  assert.doesNotMatch(await noticeOf(at, { project: join(at.path, "clone") }), /memory move/);
});
