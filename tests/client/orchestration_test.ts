/**
 * A task that the real Claude Code works on: the daemon starts it as it starts any agent, in a working tree of its own;
 * it asks, is answered, goes on, and its work is approved. The model is a script.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeWorkedFolder } from "../support/worked_project.ts";
import {
  findClaude,
  findExecutable,
  HARNESS,
  reasonToSkip,
  say,
  type Steps,
  use,
} from "./harness.ts";
import { until } from "../support/wait.ts";
import { workflowText } from "../support/workflows.ts";

const skipped = reasonToSkip();
const title =
  "the real Claude Code does a task: its file is in its tree, its hooks under the task, its question answered, its work merged";

/** What the model says: a file, a question; then, resumed with the answer, the end. */
const stepsIn = (worktree: string): Steps => [
  use("Write", { file_path: join(worktree, "src", "made.txt"), content: "made by an agent\n" }),
  say("The file is there. Should I proceed? (y/n)"),
  say('```json\n{"success": true, "summary": "made.txt is there"}\n```'),
];

Deno.test({
  name: skipped === null ? title : `${title} (skipped: ${skipped})`,
  ignore: skipped !== null,
  // The daemon and the model's script are ended at the end.
  sanitizeResources: false,
  sanitizeOps: false,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-client-" }));
    const executable = await findExecutable(folder);
    const claude = await findClaude(folder);
    const project = join(folder, "project");
    const home = join(folder, "home");
    const settings = [`agentCommand: ${claude}`];
    makeWorkedFolder(project, { workflows: { one: WORKFLOW }, settings });
    await Deno.mkdir(join(home, ".claude"), { recursive: true });
    const env: Record<string, string> = {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: home,
      LANG: "C.UTF-8",
      ANTHROPIC_API_KEY: "dummy-key-for-loopback-only",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    };
    const run = async (...args: string[]) => {
      const { stdout, stderr, code } = await new Deno.Command(executable, {
        args,
        cwd: project,
        clearEnv: true,
        env,
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stdout);
      assert.equal(code, 0, `${args.join(" ")}: ${text}${new TextDecoder().decode(stderr)}`);
      return text === "" ? null : JSON.parse(text);
    };
    await run("install-hooks", "--settings", join(home, ".claude", "settings.json"), "--json");
    const words = ["--title", "Make a file", "--workflow", "one", "--start", "--json"];
    const { task } = await run("task", "create", ...words);
    const reaches = (status: string) =>
      until(
        status,
        async () => (await run("task", "show", task.id, "--json")).task.status === status,
      );
    const tree = task.id.replaceAll("-", "").slice(-12);
    const worktree = join(project, ".conclaude", "worktrees", tree);
    const model = await startModel(folder, { threads: [{ steps: stepsIn(worktree) }] });
    env["ANTHROPIC_BASE_URL"] = `http://127.0.0.1:${model.port}`;
    try {
      await run("daemon", "start", "--json");
      const asked = await until(
        "a question",
        async () => (await run("question", "list", "--json")).questions[0],
      );
      assert.equal(asked.text, "The file is there. Should I proceed? (y/n)");
      assert.equal(asked.taskId, task.id);
      await reaches("blocked");
      assert.equal(
        await Deno.readTextFile(join(worktree, "src", "made.txt")),
        "made by an agent\n",
      );
      await run("question", "answer", asked.id, "y", "--json");
      await reaches("pending_merge");
      await run("workflow", "approve", task.id, "--json");
      await reaches("closed");
      assert.equal(await Deno.readTextFile(join(project, "src", "made.txt")), "made by an agent\n");
      checkRecords(join(home, ".conclaude", "conclaude.db"), task.id);
    } finally {
      await run("daemon", "stop", "--json").catch(() => {});
      model.stop();
    }
    await Deno.remove(folder, { recursive: true });
  },
});

/** The sessions of both runs are one, and belong to the task; what the hooks saw of the file is there. */
function checkRecords(database: string, taskId: string): void {
  using db = new DatabaseSync(database, { readOnly: true });
  const sessions = db.prepare("SELECT session_id, task_id, agent_id FROM sessions").all();
  assert.equal(sessions.length, 1);
  assert.equal(sessions[0]!["task_id"], taskId);
  const agents = db.prepare(
    "SELECT id, status, session_id FROM agents WHERE kind = 'agent' ORDER BY id",
  ).all();
  assert.deepEqual(agents.map(({ status }) => status), ["completed", "completed"]);
  for (const { session_id } of agents) assert.equal(session_id, sessions[0]!["session_id"]);
  const writes = db.prepare("SELECT count(*) AS n FROM pending_queue WHERE tool_name = 'Write'")
    .get();
  assert.equal(Number(writes!["n"]), 1);
  const question = db.prepare("SELECT status, answer FROM questions").get();
  assert.deepEqual({ ...question }, { status: "resolved", answer: "y" });
}

/** One agent, and the merge of its work. */
const WORKFLOW = workflowText("one");

/** Starts the script that answers in the model's place. */
async function startModel(folder: string, scenario: unknown) {
  const out = join(folder, "model");
  await Deno.mkdir(out);
  const path = join(out, "scenario.json");
  await Deno.writeTextFile(path, JSON.stringify(scenario));
  const child = new Deno.Command("node", {
    args: [join(HARNESS, "mock-api.mjs"), "--scenario", path, "--port", "0", "--out", out],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const port = await until("the port", async () => {
    try {
      return (await Deno.readTextFile(join(out, "port"))).trim();
    } catch {
      return "";
    }
  });
  return {
    port,
    stop() {
      child.kill();
    },
  };
}
