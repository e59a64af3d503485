/** Files that appeared in the project's folder, at a stop of the real program: which count, and how a person lets them be. */
import assert from "node:assert/strict";
import { executions, type Row } from "../../support/look.ts";
import { RequiredProject } from "../../support/required_project.ts";

/** A project of which only the rule about new files speaks, with its session begun. */
async function begun(config = "{}\n"): Promise<RequiredProject> {
  const project = new RequiredProject(config);
  await project.start();
  return project;
}

Deno.test("what a person allowed with a pause is known from the stop under it on", async () => {
  using project = await begun();
  project.write("LICENSE", "x\n");
  const reason = (await project.stop())!;
  assert.match(reason, /detected: LICENSE\n[^]*count as known afterwards/);
  const [, pause] = /`conclaude (guard pause [^`]+)`/.exec(reason)!;
  await project.run(...pause!.split(" "));
  assert.equal(await project.stop(), null);
  await project.run("guard", "resume", "--session", "cad0ac4d");
  assert.equal(await project.stop(), null);
  project.write("more.txt", "x\n");
  assert.match((await project.stop())!, /detected: more\.txt\n/);
});

Deno.test("what git has committed is no addition, whichever way it came", async () => {
  using project = new RequiredProject("{}\n");
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

Deno.test("a new dotfile holds no stop", async () => {
  using project = await begun();
  project.write(".env", "x\n");
  assert.equal(await project.stop(), null);
});

Deno.test("a stop that is held once a turn does not say how many more there will be", async () => {
  using project = await begun();
  project.write("new.txt", "x\n");
  assert.doesNotMatch((await project.stop())!, /of at most/);
  assert.equal(await project.stop({ stop_hook_active: true }), null);
  assert.equal((executions(project.home).at(-1)!["metadata"] as Row)["inRow"], 1);
  project.configure("stop: {maxBlocks: 2}\n");
  assert.match((await project.stop())!, /stop 1 of at most 2/);
  assert.match((await project.stop({ stop_hook_active: true }))!, /stop 2 of at most 2/);
});
