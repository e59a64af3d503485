/** A file that was moved keeps what is remembered of it, in a person's terminal and for the model. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../support/git.ts";
import { runProgram } from "../support/program.ts";
import { connect, keep, places } from "./support.ts";

const SOURCE = "export const tries = 3;\nexport const pauseMs = 250;\nexport const limit = 10;\n";

Deno.test("the timeline of a file tells what was done under its former names", async () => {
  using at = places();
  const { project } = at;
  await git(project, "init", "--quiet", "-b", "main");
  await git(project, "config", "user.name", "Ana");
  await git(project, "config", "user.email", "ana@example.com");
  Deno.writeTextFileSync(join(project, "retry.ts"), SOURCE);
  await git(project, "add", "--all");
  await git(project, "commit", "--quiet", "-m", "Begin");
  const edit = (path: string) => ({
    project: join(project, ".git"),
    title: `Edit of ${path}`,
    files: [{ path, digest: null }],
  });
  await keep(at.database, [edit("retry.ts"), edit("other.ts"), edit("backoff.ts")]);
  await using server = await connect(at);
  const told = async (file: string) => {
    const { stdout } = await runProgram(["memory", "timeline", file, "--json"], {
      env: { HOME: at.home },
      cwd: project,
    });
    const { text } = await server.call("timeline", { file });
    const ids = JSON.parse(stdout).observations.map(({ id }: { id: number }) => id);
    assert.deepEqual([...text.matchAll(/^#(\d+)/gm)].map(([, id]) => Number(id)), ids);
    return ids.toSorted();
  };
  await git(project, "mv", "retry.ts", "backoff.ts");
  assert.deepEqual(await told("backoff.ts"), [1, 3]);
  await git(project, "commit", "--quiet", "-m", "Say what it is");
  assert.deepEqual(await told("backoff.ts"), [1, 3]);
  Deno.mkdirSync(join(project, "src"));
  await git(project, "mv", "backoff.ts", "src/again.ts");
  assert.deepEqual(await told("src/again.ts"), [1, 3]);
  assert.deepEqual(await told("src/again.ts:2"), [1, 3]);
  // Another file is called so now.
  Deno.writeTextFileSync(join(project, "retry.ts"), "export {};\n");
  assert.deepEqual(await told("src/again.ts"), [3]);
});
