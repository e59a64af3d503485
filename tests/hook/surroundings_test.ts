import assert from "node:assert/strict";
import { join } from "node:path";
import { git, makeRepository } from "../support/git.ts";
import { runProgram } from "../support/program.ts";
import { asked, SECOND, start, work, workplace } from "../support/told_sessions.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(workplace);

const HEADING = /^## What is known from the repository around: (\S+) /m;

test("a session in a submodule is told what is known of the repository around, and marked so", async (at) => {
  await work(at);
  const inner = join(at.path, "inner");
  makeRepository(inner, { files: { "a.txt": "one\n" } });
  const words = "-c protocol.file.allow=always submodule add -q".split(" ");
  await git(at.project, ...words, inner, "part");
  const told = await start(at, "startup", { session: SECOND, project: join(at.project, "part") });
  assert.equal(HEADING.exec(told)?.[1], at.project);
  assert.match(told, /Left open on main:\n- #\d+ just now: `npm run lint` failed/);
  assert.doesNotMatch(told, /Memory of this project/);
});

test("a session in a plain folder is told of the workspace around; the home folder is none", async (at) => {
  const workspace = join(at.path, "workspace");
  const plain = join(workspace, "plain");
  await Deno.mkdir(plain, { recursive: true });
  await start(at, "startup", { project: at.path });
  assert.equal(await start(at, "startup", { session: SECOND, project: plain }), "");
  const third = "c0de0000-0000-4000-8000-000000000003";
  await asked(at, "Where are the keys?", { session: third, project: workspace });
  const note = ["memory", "remember", "The keys lie in the safe"];
  await runProgram(note, { env: { HOME: at.path }, cwd: workspace });
  const told = await start(at, "startup", { session: SECOND, project: plain });
  assert.equal(HEADING.exec(told)?.[1], workspace);
  assert.match(told, /The keys lie in the safe/);
  const searched = ["memory", "search", "keys", "safe", "--here"];
  const found = await runProgram(searched, { env: { HOME: at.path }, cwd: plain });
  assert.match(
    found.stdout,
    /The keys lie in the safe\n.* · from the repository around: workspace ·/,
  );
  await runProgram(["memory", "remember", "Own"], { env: { HOME: at.path }, cwd: plain });
  const both = await start(at, "startup", { session: SECOND, project: plain });
  assert.match(both, /^## Memory of this project[^]*Own[^]*repository around[^]*in the safe/);
});
