/** Files that appeared in the project's folder, at a stop of the real program: which count, and how a person lets them be. */
import assert from "node:assert/strict";
import { lastMetadata } from "../support/look.ts";
import { RequiredProject } from "../support/required_project.ts";

const RULE = "preToolUse: {preventRootAdditions: true}\n";

/** A project of which only the rule about new files speaks, with its session begun. */
async function begun(config = RULE): Promise<RequiredProject> {
  const project = new RequiredProject(config);
  await project.start();
  return project;
}

Deno.test("files that were there at a stop under a pause count as known afterwards", async () => {
  using project = await begun();
  project.write("LICENSE", "x\n");
  const reason = (await project.stop())!;
  assert.match(reason, /detected: LICENSE\n[^]*count as known afterwards/);
  await project.follow(reason);
  assert.equal(await project.stop(), null);
  await project.run("guard", "resume", "--session", "cad0ac4d");
  assert.equal(await project.stop(), null);
  project.write("more.txt", "x\n");
  assert.match((await project.stop())!, /detected: more\.txt\n/);
});

Deno.test("a file that is committed is no addition, however it came into the folder", async () => {
  using project = new RequiredProject(RULE);
  project.git("switch", "-q", "-c", "docs");
  for (const name of ["DOC.md", "-d ü.md"]) project.write(name, "x\n");
  project.git("add", "--", "DOC.md", "-d ü.md");
  project.git("commit", "-q", "-m", "documents");
  project.git("switch", "-q", "feature/x");
  await project.start();
  project.git("merge", "-q", "docs");
  assert.equal(await project.stop(), null);
  project.write("staged.txt", "x\n");
  project.git("add", "staged.txt");
  assert.match((await project.stop())!, /detected: staged\.txt\n/);
});

Deno.test("a stop that is held once a turn does not say how many more there will be", async () => {
  using project = await begun();
  project.write("new.txt", "x\n");
  assert.doesNotMatch((await project.stop())!, /of at most/);
  assert.equal(await project.stop({ stop_hook_active: true }), null);
  assert.equal(lastMetadata(project.home)["inRow"], 1);
  project.configure(`stop: {maxBlocks: 2}\n${RULE}`);
  assert.match((await project.stop())!, /stop 1 of at most 2/);
  assert.match((await project.stop({ stop_hook_active: true }))!, /stop 2 of at most 2/);
});
