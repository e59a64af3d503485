/** The session that a command means when nobody names one: the one that it is run in, or the only live one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { programCommand } from "../../src/build/program.ts";
import {
  finished,
  spawnAlone,
  startHook,
  startProgram,
  usualVariables,
} from "../support/process.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";
import { endedPid } from "../support/processes.ts";
import { change } from "../support/on_home.ts";

const ONE = "0e551011-0000-4000-8000-000000000001";
const OTHER = "0e551022-0000-4000-8000-000000000002";

const quoted = programCommand().map((word) => `'${word}'`).join(" ");

/** What a command says with `--json` that runs in a shell which plays Claude Code, after its session has begun. */
async function resumeInside(
  home: TempHome,
  sessionId: string,
  options: {
    readonly cwd: string;
    readonly from?: string;
    readonly within?: string;
    readonly project?: string;
  },
) {
  const { cwd, from = cwd, within = "sh -c", project } = options;
  const start = JSON.stringify({ session_id: sessionId, source: "startup", cwd: project ?? cwd });
  const inner = `${quoted} req resume --json; true`;
  const script = `
    printf '%s' '${start}' | CLAUDE_PID=$$ ${quoted} hook SessionStart >/dev/null
    cd '${from}'
    ${within} "${inner.replaceAll('"', '\\"')}"
    true`;
  return JSON.parse(await run(home, script, cwd));
}

async function run(home: TempHome, script: string, cwd: string): Promise<string> {
  const where = { cwd, env: usualVariables({ HOME: home.path, PATH: "/usr/bin:/bin" }) };
  const { stdout, stderr } = await finished(spawnAlone("/bin/sh", ["-c", script], where));
  return stdout || stderr;
}

function folder(home: TempHome, name = "project"): string {
  const path = join(home.path, name);
  Deno.mkdirSync(path, { recursive: true });
  return path;
}

/** A session that began without any process that we know of: nobody can tell that it is gone. */
function begin(home: TempHome, session_id: string, cwd: string, env = {}) {
  return startHook("SessionStart", { session_id, source: "startup", cwd }, home, { env });
}

async function resume(home: TempHome, cwd: string) {
  const { stdout } = await startProgram(["req", "resume", "--json"], {
    env: { HOME: home.path },
    cwd,
  });
  return JSON.parse(stdout);
}

const test = testWith(tempHome);

test.unix("a command in Claude Code's own shell means its session", async (home) => {
  const cwd = folder(home);
  await begin(home, OTHER, cwd);
  assert.equal((await resumeInside(home, ONE, { cwd })).sessionId, ONE);
});

test.unix("shells within shells, and a folder below, change nothing", async (home) => {
  const cwd = folder(home);
  const from = folder(home, "project/src/deep");
  await begin(home, OTHER, cwd);
  const within = "env A=1 sh -c 'sh -c \"$0\"; true'";
  assert.equal((await resumeInside(home, ONE, { cwd, from, within })).sessionId, ONE);
});

test.git("the worktrees of a repository are one project", async (home) => {
  const cwd = folder(home);
  const git = "git -c user.name=A -c user.email=a@example.org";
  await run(
    home,
    `${git} init -q . && ${git} commit -q --allow-empty -m one && ${git} worktree add -q ../tree`,
    cwd,
  );
  const tree = folder(home, "tree");
  await begin(home, OTHER, cwd);
  const from = folder(home, "tree/sub");
  assert.equal((await resumeInside(home, ONE, { cwd, from })).sessionId, ONE);
  const { error } = await resume(home, tree);
  assert.equal(error, undefined, "the shell of the other session is gone by now");
});

test.unix("a process number that was given to another process does not name a session", async (home) => {
  const cwd = folder(home);
  await begin(home, OTHER, cwd);
  await begin(home, ONE, cwd, { CLAUDE_PID: String(Deno.pid) });
  assert.equal((await resume(home, cwd)).sessionId, ONE);
  change(home.database, `UPDATE sessions SET claude_process = '1' WHERE session_id = '${ONE}'`);
  assert.equal((await resume(home, cwd)).sessionId, OTHER);
});

test("the only live session of a project is meant from anywhere", async (home) => {
  const cwd = folder(home);
  await begin(home, ONE, cwd);
  await begin(home, OTHER, folder(home, "elsewhere"));
  assert.equal((await resume(home, cwd)).sessionId, ONE);
  assert.equal((await resume(home, folder(home, "project/sub"))).sessionId, ONE);
});

test("when folders lie within folders, the nearest one with a session counts", async (home) => {
  await begin(home, OTHER, home.path);
  await begin(home, ONE, folder(home));
  assert.equal((await resume(home, folder(home, "project/sub"))).sessionId, ONE);
  assert.equal((await resume(home, folder(home, "else"))).sessionId, OTHER);
});

test.unix("a session whose process is gone is not meant", async (home) => {
  const cwd = folder(home);
  await begin(home, ONE, cwd);
  await begin(home, OTHER, cwd, { CLAUDE_PID: String(await endedPid()) });
  assert.equal((await resume(home, cwd)).sessionId, ONE);
});

test("when several sessions are possible, all are named with their folders and with how to choose", async (home) => {
  const cwd = folder(home);
  await begin(home, ONE, cwd);
  await begin(home, OTHER, cwd);
  const { error } = await resume(home, cwd);
  assert.match(error.why, /2 live sessions/);
  for (const id of ["0e551011", "0e551022"]) {
    assert.match(error.why, new RegExp(`${id} in ${cwd}, just now`));
  }
  assert.match(error.why, /`--session`/);
  assert.match(error.next, /^conclaude req resume --session 0e5510\d\d$/);
  const { code } = await startProgram(error.next.split(" ").slice(1), {
    env: { HOME: home.path },
    cwd,
  });
  assert.equal(code, 0);
});

test("where no session is live, that is said", async (home) => {
  const cwd = folder(home);
  await begin(home, ONE, folder(home, "elsewhere"));
  const { error } = await resume(home, cwd);
  assert.match(error.why, /no session of Claude Code is live in this project/);
  assert.equal(error.next, "conclaude session list");
});
