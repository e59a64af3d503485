/** What hooks could not write yet: whoever wants all of it gets it, or is told that it is missing. */
import assert from "node:assert/strict";
import { held, hurried } from "../support/on_home.ts";
import { hook, jsonOf, runProgram, type TempHome, tempHome } from "../support/program.ts";

const SESSION = "3f6c1d0a-1111-4222-8333-444455556666";

function prompt(home: TempHome, text: string) {
  const payload = {
    session_id: SESSION,
    cwd: home.path,
    hook_event_name: "UserPromptSubmit",
    prompt: text,
  };
  return hook("UserPromptSubmit", payload, home);
}

Deno.test("an export contains the records of the spool, or names them as missing", async () => {
  using home = hurried(tempHome());
  const run = (...args: string[]) => runProgram(args, { env: { HOME: home.path } });
  await prompt(home, "the first pelican");
  {
    using _held = held(home.database);
    await prompt(home, "the second pelican");
    const { code, stdout, stderr } = await run("export");
    assert.equal(code, 1);
    assert.ok(stdout.includes("first pelican") && !stdout.includes("second pelican"));
    assert.match(
      stderr,
      /1 record of a hook is missing\n.*spool.*\n.*next: conclaude queue drain\n/,
    );
  }
  const { code, stdout, stderr } = await run("export");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(stdout.includes("second pelican"));
});

Deno.test("a search without results counts the captures that are not worked in yet", async () => {
  using home = hurried(tempHome());
  const run = (...args: string[]) => runProgram(args, { env: { HOME: home.path } });
  await prompt(home, "the first pelican");
  {
    using _held = held(home.database);
    await prompt(home, "the second pelican");
  }
  const { stdout } = await run("memory", "search", "pelican");
  assert.equal(
    stdout,
    "Nothing is remembered that matches.\n2 captures are not worked in yet: conclaude queue drain\n",
  );
  assert.equal(jsonOf(await run("memory", "search", "pelican", "--json")).waiting, 2);
  await run("queue", "drain");
  assert.match((await run("memory", "search", "pelican")).stdout, /second pelican/);
  assert.equal(
    (await run("memory", "search", "zebra")).stdout,
    "Nothing is remembered that matches.\n",
  );
});

Deno.test("db check does not call a locked database damaged, nor a truncated one new", async () => {
  using home = hurried(tempHome());
  const run = (...args: string[]) => runProgram(args, { env: { HOME: home.path } });
  await prompt(home, "the first pelican");
  await run("queue", "drain");
  {
    using _held = held(home.database);
    const { code, stdout } = await run("db", "check");
    assert.equal(code, 1);
    assert.match(stdout, /search index +it could not be looked at: another process is writing/);
    assert.ok(!stdout.includes("--fix"), stdout);
  }
  assert.equal((await run("db", "check")).code, 0);
  Deno.truncateSync(home.database);
  const { stderr } = await run("db", "check");
  assert.match(
    stderr,
    /something has cut it to nothing; nothing was changed\n.*next: conclaude doctor\n/,
  );
});
