/** What a session is told when it starts, and while it works, through the real hooks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../support/git.ts";
import { hook, startProgram, type TempHome, tempHome } from "../support/program.ts";

const FIRST = "c0de0000-0000-4000-8000-000000000001";
const SECOND = "c0de0000-0000-4000-8000-000000000002";

/** A home with a repository in it. */
async function workplace(): Promise<TempHome & { readonly project: string }> {
  const home = tempHome();
  const project = join(home.path, "app");
  await Deno.mkdir(join(project, "src"), { recursive: true });
  await git(project, "init", "-q", "-b", "main");
  return Object.assign(home, { project });
}

type Workplace = Awaited<ReturnType<typeof workplace>>;

/** Sends an event as Claude Code does. @returns What Claude is told beside it; empty when nothing is. */
async function send(
  at: Workplace,
  event: string,
  fields: Record<string, unknown>,
  { session = FIRST, project = at.project } = {},
): Promise<string> {
  const { code, stdout, stderr } = await hook(
    event,
    {
      session_id: session,
      cwd: project,
      hook_event_name: event,
      ...fields,
    },
    at,
    { env: { HOME: at.path, CLAUDE_PROJECT_DIR: project } },
  );
  assert.deepEqual([code, stderr], [0, ""]);
  const answer = stdout === "" ? {} : JSON.parse(stdout);
  return answer.hookSpecificOutput?.additionalContext ?? "";
}

const start = (at: Workplace, source: string, options = {}) =>
  send(at, "SessionStart", { source }, options);
const edit = (at: Workplace, file: string, text: string) =>
  send(at, "PostToolUse", {
    tool_name: "Write",
    tool_input: { file_path: join(at.project, file), content: text },
    tool_response: { type: "create", structuredPatch: [] },
  });
const ran = (at: Workplace, command: string, stdout: string) =>
  send(at, "PostToolUse", {
    tool_name: "Bash",
    tool_input: { command },
    tool_response: { stdout, stderr: "" },
  });
const failed = (at: Workplace, command: string, error: string) =>
  send(at, "PostToolUseFailure", { tool_name: "Bash", tool_input: { command }, error });

/** Mends a failing test by an edit, commits, and leaves something open. */
async function work(at: Workplace): Promise<void> {
  await start(at, "startup");
  await send(at, "UserPromptSubmit", { prompt: "The login forgets its token, please mend it" });
  await failed(at, "npm test", "Exit code 1\nTypeError: token is undefined");
  await edit(at, "src/auth.ts", "export const token = 1;\n");
  await Deno.writeTextFile(join(at.project, "src/auth.ts"), "export const token = 1;\n");
  await ran(at, "npm test", "Tests: 4 passed, 4 total");
  await ran(at, "git commit -am x", "[main 1a2b3c4] Login keeps its token\n 1 file changed");
  await failed(at, "npm run lint", "Exit code 2\nerror: unused variable");
  await send(at, "Stop", { last_assistant_message: "The login works; lint still complains." });
  await send(at, "Drain", {});
}

Deno.test("a new session is told what is open, what was mended and what was committed, each with its number", async () => {
  using at = await workplace();
  await work(at);
  const told = await start(at, "startup", { session: SECOND });
  assert.match(told, /^## Memory of this project/);
  assert.match(told, /Left open on main:\n- #\d+ just now: `npm run lint` failed \(exit 2\)/);
  assert.match(told, /- #\d+ just now, fix: Fixed TypeError: token is undefined by src\/auth\.ts/);
  assert.match(told, /- #\d+ just now, commit: Commit 1a2b3c4 on main: Login keeps its token/);
  const [, number] = /#(\d+) just now, fix/.exec(told)!;
  const { stdout } = await startProgram(["memory", "show", number!], { env: { HOME: at.path } });
  assert.match(stdout, /^Fixed TypeError: token is undefined[^]*mended +#\d+[^]*src\/auth\.ts/);
});

Deno.test("nothing is told of another project, nor where there is nothing to tell", async () => {
  using at = await workplace();
  assert.equal(await start(at, "startup"), "");
  await work(at);
  const elsewhere = join(at.path, "elsewhere");
  await Deno.mkdir(elsewhere);
  assert.equal(await start(at, "startup", { session: SECOND, project: elsewhere }), "");
});

Deno.test("worktrees of a repository are one project", async () => {
  using at = await workplace();
  await work(at);
  await git(
    at.project,
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@t",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "one",
  );
  const tree = join(at.path, "tree");
  await git(at.project, "worktree", "add", "-q", "-b", "other", tree);
  const told = await start(at, "startup", { session: SECOND, project: tree });
  assert.match(told, /Session: The login forgets|The login forgets its token/);
});

Deno.test("a session that is resumed is told only of what others did since, a compacted one of its own past", async () => {
  using at = await workplace();
  await work(at);
  await start(at, "startup", { session: SECOND });
  assert.equal(await start(at, "resume", { session: SECOND }), "");
  await ran(at, "git commit -am y", "[main 2b3c4d5] Lint is happy\n 1 file changed");
  await send(at, "Drain", {});
  const news = await start(at, "resume", { session: SECOND });
  assert.match(news, /Lint is happy/);
  assert.doesNotMatch(news, /Login keeps its token/);
  assert.match(await start(at, "compact", { session: FIRST }), /Login keeps its token/);
});

Deno.test("what speaks of a file that is another one now says so", async () => {
  using at = await workplace();
  await work(at);
  const path = join(at.project, "src/auth.ts");
  const later = new Date(Date.now() + 60_000);
  await Deno.utime(path, later, later);
  assert.doesNotMatch(await start(at, "startup", { session: SECOND }), /changed since/);
  await Deno.writeTextFile(path, "export const token = 2;\n");
  await Deno.utime(path, later, later);
  const told = await start(at, "startup", { session: SECOND });
  assert.match(told, /fix: Fixed TypeError[^\n]*\(its file has changed since\)/);
  await Deno.remove(path);
  assert.match(await start(at, "startup", { session: SECOND }), /\(its file has changed since\)/);
});

Deno.test("the budget is kept, by whole lines, and 0 tells nothing", async () => {
  using at = await workplace();
  for (let n = 0; n < 40; n++) {
    await startProgram(["memory", "remember", `Note ${n}: ${"a long remark ".repeat(9)}`], {
      env: { HOME: at.path },
      cwd: at.project,
    });
  }
  const config = (tokens: number) =>
    Deno.writeTextFile(
      join(at.project, ".conclaude.yaml"),
      `memory: {context: {tokens: ${tokens}}}\n`,
    );
  const whole = await start(at, "startup");
  assert.ok(whole.length <= 1_200 * 3.5 && whole.length > 3_500, String(whole.length));
  await config(200);
  const few = await start(at, "startup", { session: SECOND });
  assert.ok(few.length <= 700 && few.length > 300, String(few.length));
  assert.match(few.trimEnd(), /finds more\.$/);
  await config(2_500);
  const most = await start(at, "startup", { session: SECOND });
  assert.ok(most.length <= 8_750 && most.length > 4_200, String(most.length));
  await config(0);
  assert.equal(await start(at, "startup", { session: SECOND }), "");
});

Deno.test("a note that stands in CLAUDE.md is not told again", async () => {
  using at = await workplace();
  for (const note of ["Tests need the service on port 5433", "Never push on Fridays"]) {
    await startProgram(["memory", "remember", note], { env: { HOME: at.path }, cwd: at.project });
  }
  await Deno.writeTextFile(join(at.project, "CLAUDE.md"), "# Rules\n\nNever push on Fridays.\n");
  const told = await start(at, "startup");
  assert.match(told, /port 5433/);
  assert.doesNotMatch(told, /Fridays/);
});

Deno.test("a prompt and an edit are answered with what is remembered, once, where that is switched on", async () => {
  using at = await workplace();
  await work(at);
  const prompt = { prompt: "The token of the login is undefined once more" };
  assert.equal(await send(at, "UserPromptSubmit", prompt, { session: SECOND }), "");
  await Deno.writeTextFile(
    join(at.project, ".conclaude.yaml"),
    "memory: {recall: {prompts: true, edits: true}}\n",
  );
  const told = await send(at, "UserPromptSubmit", prompt, { session: SECOND });
  assert.match(told, /^Remembered about this[^]*Fixed TypeError: token is undefined/);
  assert.ok(told.length <= 250 * 3.5, String(told.length));
  const again = await send(at, "UserPromptSubmit", prompt, { session: SECOND });
  assert.doesNotMatch(again, /Fixed TypeError/);
  const third = "c0de0000-0000-4000-8000-000000000003";
  const use = {
    tool_name: "Edit",
    tool_input: { file_path: join(at.project, "src/auth.ts"), old_string: "1", new_string: "2" },
  };
  const file = await send(at, "PreToolUse", use, { session: third });
  assert.match(file, /^Remembered about src\/auth\.ts[^]*Fixed TypeError/);
  assert.equal(await send(at, "PreToolUse", use, { session: third }), "");
  assert.equal(await send(at, "UserPromptSubmit", { prompt: "go on" }, { session: third }), "");
});

Deno.test("with memory switched off nothing is worked in and nothing told; captures stay", async () => {
  using at = await workplace();
  await Deno.writeTextFile(join(at.project, ".conclaude.yaml"), "memory: {enabled: false}\n");
  await work(at);
  assert.equal(await start(at, "startup", { session: SECOND }), "");
  const { stdout } = await startProgram(["queue", "stats", "--json"], { env: { HOME: at.path } });
  assert.equal(JSON.parse(stdout).byStatus.done, 0);
});
