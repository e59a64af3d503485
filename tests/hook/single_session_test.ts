/** The requirement that nobody else works in the same working tree, on the real program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { OTHER_SESSION, RequiredProject } from "../support/required_project.ts";

const ALONE = "requirements: {alone: {type: guard, guardType: single_session}}\n";

Deno.test("sessions in one working tree see each other, in whichever folder of it they began", async () => {
  using project = new RequiredProject(ALONE);
  const other = { session_id: OTHER_SESSION, cwd: join(project.path, "src") };
  await project.start();
  await project.start(other);
  assert.match((await project.edit())!, /another session works .*: 77aa11bb/);
  assert.match((await project.edit(other))!, /another session works .*: cad0ac4d/);
  assert.match(
    await project.req("status", "--session", "cad0ac4d"),
    /alone +open .*another session works .*: 77aa11bb/,
  );
  await project.send("SessionEnd", { ...other, reason: "other" });
  assert.equal(await project.edit(), null);
  assert.match(await project.req("status", "--session", "cad0ac4d"), /alone +met/);
});

Deno.test("another working tree, and a repository inside of this one, are other places", async () => {
  using project = new RequiredProject(ALONE);
  const tree = join(project.path, "trees", "one");
  const nested = join(project.path, "nested");
  project.git("worktree", "add", "-q", "-b", "one", tree);
  project.git("init", "-q", nested);
  await project.start();
  await project.start({ session_id: OTHER_SESSION, cwd: tree });
  await project.start({ session_id: "88bb22cc-0000-4000-8000-000000000003", cwd: nested });
  assert.equal(await project.edit(), null);
  assert.match(await project.req("status", "--session", "cad0ac4d"), /alone +met/);
});
