/** Verbs of a person: what Claude Code has started may not run them, whatever it is called and however it hides. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PERSON_VERBS } from "../../src/policy/guards/lifting.ts";
import { VERBS } from "../../src/operations/all_verbs.ts";
import type { Verbs } from "../../src/operations/verb.ts";
import { programCommand } from "../../src/build/program.ts";
import { query } from "../support/look.ts";
import { change } from "../support/on_home.ts";
import { addToken, PERSON_TOKEN, personCalls } from "../support/person.ts";
import {
  type Finished,
  finished,
  spawnAlone,
  startAsAgent,
  startHook,
  usualVariables,
} from "../support/process.ts";
import { jsonOf, type TempHome, tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";
import { sleeper } from "../support/processes.ts";

const SESSION = "0e551011-0000-4000-8000-000000000001";

/** Begins a session that a process runs; without one no process is known of it. */
async function begin(home: TempHome, pid?: number, cwd = home.path): Promise<void> {
  const start = { session_id: SESSION, source: "startup", cwd };
  await startHook("SessionStart", start, home, {
    env: pid === undefined ? {} : { CLAUDE_PID: String(pid) },
  });
}

const [pause] = personCalls(SESSION);
const asAgent = (
  home: TempHome,
  args: readonly string[] = pause,
  env: Record<string, string> = {},
) => startAsAgent(args, { env: { HOME: home.path, ...env }, cwd: home.path });

function isPaused(home: TempHome): boolean {
  return query(home.database, "SELECT 1 FROM pauses").length > 0;
}

function assertRefused({ code, stderr, stdout }: Finished, why: RegExp): void {
  assert.match(stderr + stdout, /Only a person may run `conclaude/);
  const told = (stderr + stdout).replace(/\s+/g, " ");
  assert.match(told, why);
  assert.match(told, /nothing was changed/);
  assert.equal(code, 1);
}

const quoted = programCommand().map((word) => `'${word}'`).join(" ");

/** Runs a script of the shell that starts the program as `$CONCLAUDE`. @returns Its output. */
async function shell(home: TempHome, script: string, env: Record<string, string> = {}) {
  const words = ["-c", script.replaceAll("$CONCLAUDE", quoted)];
  const where = { cwd: home.path, env: usualVariables({ HOME: home.path, ...env }) };
  return (await finished(spawnAlone("/bin/sh", words, where))).stdout;
}

/** A double fork, with `setsid`: the process is handed to the first one, and has no terminal. */
const forked = (command: string) =>
  `(setsid sh -c "(${command}) >out 2>&1; touch ended" &)
   for i in $(seq 600); do [ -e ended ] && break; sleep 0.05; done; cat out; rm ended`;

Deno.test("the verbs that the guards keep from an agent are those that the program keeps for a person", async () => {
  const ofPerson: string[] = [];
  const walk = async (one: Verbs[string]): Promise<void> => {
    if (one.kind === "lazy") return await walk(await one.load());
    if (one.kind === "group") { for (const inner of Object.values(one.verbs)) await walk(inner); }
    else if (one.person !== undefined) ofPerson.push(one.person);
  };
  for (const one of Object.values(VERBS)) await walk(one);
  const guarded = Object.entries(PERSON_VERBS)
    .flatMap(([noun, verbs]) => [...verbs].map((verb) => `${noun} ${verb}`));
  const alone = ["import", "import claude-mem", "import transcripts", "ui", "uninstall-hooks"];
  assert.deepEqual(ofPerson.sort(), [...guarded, ...alone].sort());
});

const test = testWith(tempHome);

test.slow("every verb for persons refuses a process below Claude Code, also with a token", async (home) => {
  await begin(home, Deno.pid);
  addToken(home.database);
  const env = { CONCLAUDE_TOKEN: PERSON_TOKEN };
  const results = await Promise.all(personCalls(SESSION).map((args) => asAgent(home, args, env)));
  for (const result of results) {
    assertRefused(result, new RegExp(`process ${Deno.pid}, which runs session 0e551011`));
  }
  assert.match(
    Deno.readTextFileSync(join(home.path, ".conclaude", "conclaude.log")),
    /warn .* refused `conclaude guard pause`/,
  );
  // Looking stays free, and so does starting work.
  const lines = [
    ["guard", "list"],
    ["memory", "forget", "--text", "nothing", "--dry-run"],
    ["task", "create", "--title", "a task"],
  ];
  for (const args of lines) {
    const { code, stderr } = await asAgent(home, args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  }
});

test("install-hooks adds hooks for anybody, and takes none away for an agent", async (home) => {
  await begin(home, Deno.pid);
  assert.equal((await asAgent(home, ["install-hooks", "--strict"])).code, 0);
  assert.equal((await asAgent(home, ["install-hooks", "--strict"])).code, 0);
  for (const fewer of [["--events", "SessionStart"], [], ["--strict", "--command", "sh"]]) {
    assertRefused(await asAgent(home, ["install-hooks", ...fewer]), /runs session/);
  }
});

test("while a session runs, a person is recognised by a terminal or a token", async (home) => {
  using other = sleeper();
  assert.equal((await asAgent(home, ["token"])).code, 0, "no session yet");
  await begin(home, other.pid);
  assertRefused(await asAgent(home), /no terminal, and session 0e551011 is under way/);
  assertRefused(await asAgent(home, pause, { CONCLAUDE_TOKEN: "made up" }), /no terminal/);
  assertRefused(await asAgent(home, ["token"]), /no terminal/);
  assert.equal(isPaused(home), false);
  addToken(home.database);
  assert.equal((await asAgent(home, pause, { CONCLAUDE_TOKEN: PERSON_TOKEN })).code, 0);
  assert.equal(isPaused(home), true);
  // No token makes another one, or keeps its holder from being asked for his ancestors.
  assertRefused(await asAgent(home, ["token"], { CONCLAUDE_TOKEN: PERSON_TOKEN }), /no terminal/);
});

test("a token is kept as a hash, counts until it is revoked, and only in its own database", async (home) => {
  using other = sleeper();
  const token = (await asAgent(home, ["token"])).stdout.trim();
  const revoked = (await asAgent(home, ["token"])).stdout.trim();
  assert.match(token, /^[\da-f]{64}$/);
  assert.equal(Deno.readTextFileSync(home.database).includes(token), false);
  assert.deepEqual(jsonOf(await asAgent(home, ["token", "--revoke", "--json"])), { revoked: 2 });
  const again = (await asAgent(home, ["token"])).stdout.trim();
  await begin(home, other.pid);
  assertRefused(await asAgent(home, pause, { CONCLAUDE_TOKEN: revoked }), /no terminal/);
  // Another database beside it does not help: the one that hooks write into is asked as well.
  const elsewhere = ["--db", join(home.path, "mine.db")];
  const mine = (await asAgent(home, [...elsewhere, "token"])).stdout.trim();
  assert.equal(mine, "", "the usual database knows a session");
  assertRefused(await asAgent(home, [...elsewhere, ...pause]), /no terminal/);
  assert.equal((await asAgent(home, pause, { CONCLAUDE_TOKEN: again })).code, 0);
});

test.setsid("a double fork does not hide an agent while a session runs", async (home) => {
  using other = sleeper();
  await begin(home, other.pid);
  assert.match(
    await shell(home, forked(`$CONCLAUDE guard pause --session ${SESSION}`)),
    /Only a/,
  );
  // An agent may play that its session is over: the process still runs.
  await startHook("SessionEnd", { session_id: SESSION, reason: "other" }, home);
  assert.match(
    await shell(home, forked(`$CONCLAUDE guard pause --session ${SESSION}`)),
    /Only a/,
  );
  assert.equal(isPaused(home), false);
  // A script that cron starts looks the same, and shows a token.
  addToken(home.database);
  const said = await shell(home, forked(`$CONCLAUDE guard pause --session ${SESSION}`), {
    CONCLAUDE_TOKEN: PERSON_TOKEN,
  });
  assert.match(said, /The guards are lifted/);
});

test.script("a person at a terminal runs the verbs, below any number of shells", async (home) => {
  using other = sleeper();
  await begin(home, other.pid);
  const typed = `sh -c '$CONCLAUDE guard pause --session ${SESSION}; true'`.replaceAll("'", '"');
  const said = await shell(
    home,
    `script -qec '${typed.replaceAll("'", "'\\''")}' /dev/null </dev/null`,
  );
  assert.match(said, /The guards are lifted/);
  assert.equal(isPaused(home), true);
});

test.script("an agent with a terminal of its own is no person", async (home) => {
  await begin(home, Deno.pid);
  const call = `$CONCLAUDE guard pause --session ${SESSION}`.replaceAll("'", '"');
  const said = await shell(
    home,
    `script -qec '${call.replaceAll("'", "'\\''")}' /dev/null </dev/null`,
  );
  assert.match(said, /Only a person/);
  assert.equal(isPaused(home), false);
});

test("the process of a session stays known after an event that names another one", async (home) => {
  using other = sleeper();
  await begin(home, Deno.pid);
  const use = { session_id: SESSION, tool_name: "Read", tool_input: {}, tool_response: {} };
  await startHook("PostToolUse", use, home, { env: { CLAUDE_PID: String(other.pid) } });
  const rows = query(home.database, "SELECT claude_pid FROM session_processes ORDER BY seen_at_ms");
  assert.deepEqual(rows.map((row) => row["claude_pid"]), [Deno.pid, other.pid]);
  assertRefused(await asAgent(home), /runs session/);
});

test.unix("a command knows its session from Claude Code's variables, also below a shell that cleared them", async (home) => {
  await begin(home);
  addToken(home.database);
  const said = await shell(
    home,
    `env -u CLAUDE_CODE_SESSION_ID sh -c "${quoted} guard pause --session ${SESSION} 2>&1; true"; true`,
    { CLAUDE_CODE_SESSION_ID: SESSION, CONCLAUDE_TOKEN: PERSON_TOKEN },
  );
  assert.match(said, /session 0e551011 started it/);
});

test.unix("an agent with another HOME is recognised in the project of its session", async (home) => {
  using false_ = tempHome();
  const project = join(home.path, "project");
  Deno.mkdirSync(project);
  await begin(home, Deno.pid, project);
  const from = (folder: string, verb: string) =>
    shell(home, `cd '${folder}' && HOME='${false_.path}' $CONCLAUDE ${verb} 2>&1; true`);
  assert.match(await from(project, "config init"), /runs session/);
  assert.match(await from(false_.path, "config init"), /\.conclaude\.yaml/);
  // A token counts only in its own database, so another home gives one out as well.
  assert.match(await from(project, "token"), /runs session/);
  assert.match(await from(false_.path, "token"), /\n[\da-f]{64}\n$/);
});

test.setsid("an agent that locks the database is still refused", async (home) => {
  using other = sleeper();
  await begin(home, other.pid);
  change(home, "PRAGMA journal_mode = DELETE");
  using holder = new DatabaseSync(home.database);
  holder.exec("BEGIN EXCLUSIVE");
  const said = await shell(home, forked("$CONCLAUDE uninstall-hooks"));
  assert.match(said, /Only a person .*\n.*cannot be asked who is at work/);
  holder.exec("ROLLBACK");
});

test("an agent's configuration file does not lead to another database", async (home) => {
  await begin(home, Deno.pid);
  for (const database of [`{path: ${join(home.path, "other.db")}}`, "{enabled: false}"]) {
    const folder = Deno.makeTempDirSync({ dir: home.path });
    Deno.writeTextFileSync(join(folder, ".conclaude.yaml"), `database: ${database}\n`);
    for (const args of [["uninstall-hooks"], ["config", "init", "--force"]]) {
      assertRefused(
        await startAsAgent(args, { env: { HOME: home.path }, cwd: folder }),
        /runs session/,
      );
    }
  }
});

test.setsid("an agent with another HOME and a double fork is recognised by the files of its session", async (home) => {
  using elsewhere = tempHome();
  using other = sleeper();
  const project = join(home.path, "project");
  Deno.mkdirSync(project);
  await begin(home, other.pid, project);
  const settings = join(home.path, ".claude", "settings.json");
  const calls = [
    `cd ${elsewhere.path} && HOME=${elsewhere.path} $CONCLAUDE uninstall-hooks --settings ${settings}`,
    `cd ${project} && HOME=${elsewhere.path} $CONCLAUDE config init --force`,
  ];
  for (const call of calls) {
    assert.match(await shell(home, forked(call)), /no terminal, and session 0e551011/);
  }
});
