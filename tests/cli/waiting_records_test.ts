/** What hooks could not write yet: whoever wants all of it gets it, or is told that it is missing. */
import assert from "node:assert/strict";
import { held, hurried } from "../support/on_home.ts";
import { testWith } from "../support/fixtures.ts";
import { run } from "../support/verb.ts";
import { hook, jsonOf, type TempHome, tempHome } from "../support/program.ts";

const SESSION = "3f6c1d0a-1111-4222-8333-444455556666";

const prompt = (home: TempHome, text: string) =>
  hook("UserPromptSubmit", { session_id: SESSION, cwd: home.path, prompt: text }, home);

const test = testWith(() => hurried(tempHome()));

test("an export contains the records of the spool, or names them as missing", async (home) => {
  await prompt(home, "the first pelican");
  {
    using _held = held(home.database);
    await prompt(home, "the second pelican");
    const { code, stdout, stderr } = await run(home, "export");
    assert.equal(code, 1);
    assert.ok(stdout.includes("first pelican") && !stdout.includes("second pelican"));
    assert.match(
      stderr,
      /1 record of a hook is missing\n.*spool.*\n.*next: conclaude queue drain\n/,
    );
  }
  const { code, stdout, stderr } = await run(home, "export");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(stdout.includes("second pelican"));
});

test("a search without results counts the captures that are not worked in yet", async (home) => {
  await prompt(home, "the first pelican");
  {
    using _held = held(home.database);
    await prompt(home, "the second pelican");
  }
  const { stdout } = await run(home, "memory", "search", "pelican");
  assert.equal(
    stdout,
    "Nothing is remembered that matches.\n2 captures are not worked in yet: conclaude queue drain\n",
  );
  assert.equal(jsonOf(await run(home, "memory", "search", "pelican", "--json")).waiting, 2);
  await run(home, "queue", "drain");
  assert.match((await run(home, "memory", "search", "pelican")).stdout, /second pelican/);
  assert.equal(
    (await run(home, "memory", "search", "zebra")).stdout,
    "Nothing is remembered that matches.\n",
  );
});

test("db check does not call a locked database damaged, nor a truncated one new", async (home) => {
  await prompt(home, "the first pelican");
  await run(home, "queue", "drain");
  {
    using _held = held(home.database);
    const { code, stdout } = await run(home, "db", "check");
    assert.equal(code, 1);
    assert.match(stdout, /search index +it could not be looked at: another process is writing/);
    assert.ok(!stdout.includes("--fix"), stdout);
  }
  assert.equal((await run(home, "db", "check")).code, 0);
  Deno.truncateSync(home.database);
  const { stderr } = await run(home, "db", "check");
  assert.match(
    stderr,
    /something has cut it to nothing; nothing was changed\n.*next: conclaude doctor\n/,
  );
});
