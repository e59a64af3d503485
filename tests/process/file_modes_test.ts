/** What the program writes is for its user alone, whatever the umask says. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { entriesBelow } from "../support/look.ts";
import { privateMounts } from "../support/private_mounts.ts";
import { change } from "../support/on_home.ts";
import { startHook, startProgram } from "../support/process.ts";
import { observed, type TempHome, tempHome } from "../support/program.ts";
import { closeDatabase } from "../support/spoilt.ts";
import { it, rowsOf, testWith } from "../support/fixtures.ts";
import { putTranscripts } from "../support/transcripts.ts";
import { makeRepository } from "../support/git.ts";
import CASES from "../testdata/process_cases.json" with { type: "json" };

const OPEN = ["sh", "-c", 'umask 000; exec "$@"', "sh"];
const USE = { session_id: "s1", tool_name: "Bash", tool_use_id: "a" };

/** What others could read or write below a folder. */
function openToOthers(folder: string): string[] {
  return entriesBelow(folder).flatMap(({ path, isFolder }) => {
    const mode = Deno.lstatSync(path).mode! & 0o777;
    const wanted = isFolder ? 0o700 : 0o600;
    return mode === wanted ? [] : [`${path.slice(folder.length)} ${mode.toString(8)}`];
  });
}

function namesBelow(folder: string): string[] {
  return entriesBelow(folder).map(({ path }) => path.slice(folder.length + 1));
}

function openHook(home: TempHome, event: string) {
  return startHook(event, USE, home, { through: OPEN });
}

const test = testWith(tempHome);

test.unix("the database and its companions are private with an open umask", async (home) => {
  await openHook(home, "SessionStart");
  await openHook(home, "PostToolUse");
  await openHook(home, "SessionEnd");
  const names = namesBelow(home.path);
  for (const end of ["", "-wal", "-shm"]) {
    assert.ok(names.includes(`.conclaude/conclaude.db${end}`), end);
  }
  assert.deepEqual(openToOthers(home.path), []);
});

test.unix("companions that are made anew are private, too", async (home) => {
  await openHook(home, "PostToolUse");
  closeDatabase(home.database);
  await openHook(home, "PostToolUse");
  assert.ok(namesBelow(home.path).includes(".conclaude/conclaude.db-wal"));
  assert.deepEqual(openToOthers(home.path), []);
});

test.unix("log, spool, waiting records and set-aside ones are private", async (home) => {
  Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
  Deno.mkdirSync(home.database, { mode: 0o700 });
  await openHook(home, "PostToolUse");
  await openHook(home, "PostToolUse");
  const spooled = namesBelow(home.path).filter((name) => name.endsWith(".json"));
  assert.equal(spooled.length, 2);
  assert.ok(namesBelow(home.path).includes(".conclaude/conclaude.log"));
  assert.deepEqual(openToOthers(home.path), []);

  Deno.writeTextFileSync(join(home.path, spooled[0]!), "damaged");
  Deno.removeSync(home.database);
  await openHook(home, "PostToolUse");
  assert.ok(namesBelow(home.path).includes(`${spooled[0]!}.damaged`));
  assert.deepEqual(openToOthers(home.path), []);
});

test.unix("a database elsewhere lies in private folders that were made for it", async (home) => {
  const database = join(home.path, "far", "away", "c.db");
  const env = { HOME: home.path, CONCLAUDE_DB_PATH: database };
  await startProgram(["hook", "PostToolUse"], { stdin: USE, env, through: OPEN });
  assert.ok(namesBelow(home.path).includes("far/away/c.db-wal"));
  assert.deepEqual(openToOthers(home.path), []);
});

test.unix("files that remember a told notice are private", async (home) => {
  await openHook(home, "PostToolUse");
  change(home, "PRAGMA user_version = 9999");
  await openHook(home, "PostToolUse");
  assert.ok(namesBelow(home.path).some((name) => name.includes("notices/said-")));
  assert.deepEqual(openToOthers(home.path), []);
});

it.mounts("the second spool place and /tmp/conclaude.db are private", async () => {
  await using place = await privateMounts();
  const inTmp = () => [...Deno.readDirSync(place.outside("/tmp"))].map(({ name }) => name);
  const before = inTmp();
  const send = (env: Record<string, string>) =>
    startProgram(["hook", "PostToolUse"], {
      stdin: USE,
      env,
      cwd: "/",
      through: [...place.through, ...OPEN],
    });
  await send({});
  await place.run("mkdir /mnt/c.db");
  await send({ CONCLAUDE_DB_PATH: "/mnt/c.db" });
  const made = inTmp().filter((name) => !before.includes(name));
  assert.ok(made.includes("conclaude.db-wal"));
  for (const name of made) {
    const path = place.outside(`/tmp/${name}`);
    const { mode, isDirectory } = Deno.lstatSync(path);
    assert.equal(mode! & 0o777, isDirectory ? 0o700 : 0o600, name);
    assert.deepEqual(openToOthers(path), []);
  }
  const waiting = made.flatMap((name) => namesBelow(place.outside(`/tmp/${name}`)));
  assert.ok(waiting.some((file) => file.endsWith(".json")));
});

test.unix("commands that write keep their files private, too", async (home) => {
  const session = "0198aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee";
  await startProgram(["counter", "increment", "builds", "--session", session], {
    env: { HOME: home.path },
    through: OPEN,
  });
  assert.ok(namesBelow(home.path).includes(".conclaude/conclaude.db"));
  assert.deepEqual(openToOthers(home.path), []);
});

test.unix("a database behind a link to nothing is private too", async (home) => {
  Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
  Deno.mkdirSync(join(home.path, "data"), { mode: 0o700 });
  Deno.symlinkSync(join(home.path, "data", "real.db"), home.database);
  await startHook("PostToolUse", USE, home);
  for (const name of ["real.db", "real.db-wal", "real.db-shm"]) {
    assert.equal(Deno.statSync(join(home.path, "data", name)).mode! & 0o777, 0o600, name);
  }
});

/** What is said to each verb, in this order. */
const SAID = rowsOf<readonly [verb: string, ...said: string[]]>(CASES.saidToVerbs);

/** At least one command line of every verb, as it is used without a terminal; `HOME` stands for the temporary one. */
const COMMAND_LINES = SAID.flatMap(([verb, ...said]) =>
  said.map((words) => `${verb} ${words}`.trimEnd())
);

/** The first command line of each verb. */
function firstOfEachVerb(): string[] {
  const byVerb = Map.groupBy(COMMAND_LINES, (line) => line.split(" ")[0]!);
  return [...byVerb.values()].map(([first]) => first!).filter((line) => !line.startsWith("--"));
}

it.slow("no verb asks for a permission that the program does not have", async () => {
  using home = tempHome();
  const project = join(home.path, "project");
  // A repository, so that git is asked.
  makeRepository(project, { branch: "topic" });
  const env = { HOME: home.path, TERM: "xterm-256color", CI: "true", FORCE_COLOR: "1" };
  const replace = { HOME: home.path, PROJECT: project };
  await startHook("SessionStart", observed("SessionStart.startup", replace), home);
  await startHook("PostToolUse", observed("PostToolUse.Edit", replace), home);
  putTranscripts(home, ["tools"]);
  for (const line of [...COMMAND_LINES, ...firstOfEachVerb().map((line) => `${line} --json`)]) {
    const args = line.replace("HOME", home.path).split(" ");
    const { stdout, stderr } = await startProgram(args, { env, cwd: project });
    assert.doesNotMatch(stdout + stderr, /NotCapable|Requires \S+ access|PermissionDenied/, line);
    assert.doesNotMatch(stderr, /^\s+at .*\.[jt]s:\d+/m, `${line} ends with a stack trace`);
  }
});

Deno.test("every verb is among the command lines above", async () => {
  using home = tempHome();
  const { stdout } = await startProgram(["--help"], { env: { HOME: home.path } });
  const commands = stdout.slice(stdout.indexOf("\nSTART\n"));
  const verbs = [...commands.matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm)].map(([, verb]) => verb!);
  assert.ok(verbs.length > 0);
  const tried = new Set(COMMAND_LINES.map((line) => line.split(" ")[0]));
  assert.deepEqual(verbs.filter((verb) => !tried.has(verb)), []);
});
