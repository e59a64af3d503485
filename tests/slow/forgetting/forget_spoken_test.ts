/** Observations that tell some of what is forgotten: they stay, and are named with what forgets them. */
import assert from "node:assert/strict";
import { printed } from "../../support/on_home.ts";
import { jsonOf } from "../../support/program.ts";
import { asked, edit, ran, said, verb, workplace } from "../../support/told_sessions.ts";

Deno.test("memory forget --file names the commands that have shown the file, and what forgets them", async () => {
  using at = await workplace();
  await edit(at, "src/login.ts", "export const SEAL = 'walrus';\n");
  await edit(at, "src/relogin.ts", "export const other = 1;\n");
  await ran(at, "git diff src/login.ts", "+export const SEAL = 'walrus';");
  await ran(at, "cat src/relogin.ts", "export const other = 1;");
  await said(at, "Done.");
  const run = (...args: string[]) => verb(at, "memory", ...args);
  const dry = await run("forget", "--file", "src/login.ts", "--dry-run", "--json");
  const { toldBy, wouldRemove } = jsonOf(dry);
  assert.equal(wouldRemove.captures, 1);
  assert.equal(toldBy.length, 1);
  const shown = await run("show", String(toldBy[0]));
  assert.match(shown.stdout, /git diff src\/login\.ts/);
  const { stdout } = await run("forget", "--file", "src/login.ts", "--yes");
  assert.match(
    stdout,
    new RegExp(`^Observations that stay tell some of the same: #${toldBy[0]}\\.$`, "m"),
  );
  const [, next] = /next: conclaude (memory forget \d+)\n/.exec(stdout) ?? [];
  await printed(at, at.project, ...next!.split(" "), "--yes");
  assert.doesNotMatch(await printed(at, at.project, "export"), /walrus/);
});

/** Prompts of which a rule is drawn that tells the same; the short one is too short to be looked for by its letters. */
const RULES = [
  "From now on never edit bomukawuzok files by hand.",
  "Never edit bomukawuzok by hand.",
];

Deno.test("memory forget of a prompt names the decision that was drawn from it, and the other way round", async () => {
  for (const rule of RULES) {
    for (const [forgotten, stays] of [["prompt", "decision"], ["decision", "prompt"]]) {
      using at = await workplace();
      await asked(at, rule);
      await said(at, "Understood.");
      const run = (...args: string[]) => verb(at, "memory", ...args);
      const { results } = jsonOf(await run("search", "bomukawuzok", "--json"));
      const numberOf = (kind: string | undefined) =>
        results.find((one: { kind: string }) => one.kind === kind).id;
      const [gone, other] = [numberOf(forgotten), numberOf(stays)];
      const dry = jsonOf(await run("forget", `${gone}`, "--dry-run", "--json"));
      assert.deepEqual(dry.toldBy, [other], rule);
      const { stdout } = await run("forget", `${gone}`, "--yes");
      const line = `^Observations that stay tell some of the same: #${other}\\.\\n` +
        `  next: conclaude memory forget ${other}$`;
      assert.match(stdout, new RegExp(line, "m"), rule);
      const last = jsonOf(await run("forget", `${other}`, "--yes", "--json"));
      assert.deepEqual(last.toldBy, [], rule);
      assert.doesNotMatch(await printed(at, at.project, "export"), /bomukawuzok/);
    }
  }
});

Deno.test("memory forget --dry-run names observations with the same words, and none with similar words", async () => {
  using at = await workplace();
  await said(at, "The alpha importer is built. Not done yet: docs of alpha.", { session: "a" });
  await said(at, "The beta importer is built. Not done yet: docs of beta.", { session: "b" });
  const quoted = "The alpha importer is built. Not done yet: docs of alpha. So it was said.";
  await said(at, quoted, { session: "c" });
  const run = (...args: string[]) => verb(at, "memory", ...args);
  const dry = jsonOf(await run("forget", "--session", "a", "--dry-run", "--json"));
  const { toldBy } = jsonOf(await run("forget", "--session", "a", "--yes", "--json"));
  assert.deepEqual(dry.toldBy, toldBy);
  assert.ok(toldBy.length > 0);
  for (const id of toldBy) assert.match((await run("show", `${id}`)).stdout, /So it was said/);
});
