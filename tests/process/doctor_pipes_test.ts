/** What lies where a file should be, and is a pipe: nobody waits for it, and doctor names it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { spoolSuffix } from "../../src/db/spool.ts";
import { queryValue } from "../support/look.ts";
import { startHook, startProgram } from "../support/process.ts";
import { jsonOf, type TempHome, tempHome } from "../support/program.ts";
import { needsTools, needsUnix } from "../support/requirements.ts";
import { testWith } from "../support/fixtures.ts";
import { slowTest } from "../support/lanes.ts";

const USE = { session_id: "s1", tool_name: "Bash", tool_use_id: "a" };
/** Whoever opens a pipe that nobody writes to would wait for ever. */
const PATIENCE = ["timeout", "20"];

const missing = needsUnix() ?? needsTools("mkfifo", "timeout");

function makePipe(path: string): void {
  const { success } = new Deno.Command("mkfifo", { args: [path] }).outputSync();
  assert.ok(success);
}

async function inTime(home: TempHome, ...args: string[]) {
  const finished = await startProgram(args, {
    env: { HOME: home.path },
    cwd: home.path,
    through: PATIENCE,
  });
  assert.ok(finished.code <= 1, `${args.join(" ")}: ${finished.code} ${finished.stderr}`);
  return finished;
}

const test = testWith(tempHome, missing);

for (
  const [name, suffixOf] of [
    ["another database's", () => ".aaaaaaaa.json"],
    ["this database's", spoolSuffix],
  ] as const
) {
  test.slow(`a pipe with the name of ${name} record is named, and waited for by nobody`, async (home) => {
    await startHook("PostToolUse", USE, home);
    const folder = join(home.path, ".conclaude", "spool");
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const pipe = join(folder, `01a20e2f-0000-7000-8000-000000000001${suffixOf(home.database)}`);
    makePipe(pipe);

    const { checks } = jsonOf(await inTime(home, "doctor", "--json"));
    const spool = checks.find((row: { name: string }) => row.name === "spool");
    assert.equal(
      spool.message,
      `${pipe} has the name of a record and is a pipe or a device, so it is left alone`,
    );
    for (
      const verb of ["doctor --fix", "status", "queue drain", "memory forget --text Qx7 --yes"]
    ) {
      await inTime(home, ...verb.split(" "));
    }
    const { code } = await startHook("PostToolUse", { ...USE, tool_use_id: "b" }, home, {
      through: PATIENCE,
    });
    assert.equal(code, 0);
    assert.equal(queryValue(home, "SELECT count(*) FROM pending_queue"), 2);
    assert.ok(Deno.lstatSync(pipe).isFifo);
  });
}

slowTest("a pipe where a file of the home should be is waited for by nobody", async () => {
  const told: Readonly<Record<string, RegExp>> = {
    "conclaude.db-wal": /conclaude\.db-wal is a pipe or a device, where the database has a file/,
    "conclaude.db-shm": /conclaude\.db-shm is a pipe or a device, where the database has a file/,
    "conclaude.log": /no error and no warning in the last 24 hours/,
    "config.yaml": /config\.yaml: the file cannot be read: not a regular file/,
  };
  for (const [name, says] of Object.entries(told)) {
    using home = tempHome();
    await startHook("PostToolUse", USE, home);
    const path = join(home.path, ".conclaude", name);
    if (name.startsWith("conclaude.db-")) Deno.removeSync(path);
    makePipe(path);
    const { stdout } = await inTime(home, "doctor");
    assert.match(stdout, says);
    await inTime(home, "doctor", "--fix");
  }
}, missing);

test("a hook that has something to log writes it beside a pipe, not into it", async (home) => {
  Deno.mkdirSync(home.database, { recursive: true, mode: 0o700 });
  makePipe(join(home.path, ".conclaude", "conclaude.log"));
  const { code } = await startHook("PostToolUse", USE, home, { through: PATIENCE });
  assert.equal(code, 0);
  assert.ok(Deno.lstatSync(join(home.path, ".conclaude", "conclaude.log")).isFifo);
});
