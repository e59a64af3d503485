/** Observations that only speak of a file which is forgotten: they stay, and are named with what forgets them. */
import assert from "node:assert/strict";
import { printed } from "../support/on_home.ts";
import { jsonOf, startProgram } from "../support/program.ts";
import { edit, ran, said, workplace } from "../support/told_sessions.ts";

Deno.test("memory forget --file names the commands that have shown the file, and what forgets them", async () => {
  using at = await workplace();
  await edit(at, "src/login.ts", "export const SEAL = 'walrus';\n");
  await edit(at, "src/relogin.ts", "export const other = 1;\n");
  await ran(at, "git diff src/login.ts", "+export const SEAL = 'walrus';");
  await ran(at, "cat src/relogin.ts", "export const other = 1;");
  await said(at, "Done.");
  const run = (...args: string[]) =>
    startProgram(["memory", ...args], { env: { HOME: at.path }, cwd: at.project });
  const dry = await run("forget", "--file", "src/login.ts", "--dry-run", "--json");
  const { speakOf, wouldRemove } = jsonOf(dry);
  assert.equal(wouldRemove.captures, 1);
  assert.equal(speakOf.length, 1);
  const shown = await run("show", String(speakOf[0]));
  assert.match(shown.stdout, /git diff src\/login\.ts/);
  const { stdout } = await run("forget", "--file", "src/login.ts", "--yes");
  assert.match(stdout, new RegExp(`shown by a command, it is in #${speakOf[0]}, which stay`));
  const [, next] = /next: conclaude (memory forget \d+)\n/.exec(stdout) ?? [];
  await printed(at, at.project, ...next!.split(" "), "--yes");
  assert.doesNotMatch(await printed(at, at.project, "export"), /walrus/);
});
