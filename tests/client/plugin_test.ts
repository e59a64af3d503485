/** The real Claude Code with the plugin: installed from a folder or by a command, alone and beside `install-hooks`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { query } from "../support/look.ts";
import { findClaude, say, type ScenarioRun, type Steps, test, use } from "./harness.ts";

const tool = (name: string, input: Record<string, unknown>) =>
  use(`mcp__plugin_conclaude_conclaude__${name}`, input);

const NOTE = "The tide table is in metres";

const STEPS: Steps = [
  use("Bash", { command: "echo fine", description: "Say" }),
  tool("remember", { text: NOTE }),
  use("Skill", { skill: "conclaude:memory" }),
  say("All done."),
];

const ALONE = ["--dangerously-skip-permissions"];

/** Runs a program in a home of its own. @returns What it printed. */
async function run(program: string, args: readonly string[], home: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd: home,
    env: { HOME: home },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  assert.ok(success, text(stderr) + text(stdout));
  return text(stdout);
}

/** Everything that Claude Code told of was recorded once. */
function checkRecords({ database, payloads, sentToModel, summary }: ScenarioRun): void {
  const told = payloads.map(({ hook_event_name, tool_use_id }) =>
    `${hook_event_name} ${tool_use_id ?? ""}`
  );
  const rows = query(database, "SELECT hook_name, tool_use_id FROM hook_executions")
    .map((row) => `${row["hook_name"]} ${row["tool_use_id"] ?? ""}`);
  assert.ok(rows.length > 5, summary);
  assert.deepEqual(rows.toSorted(), told.toSorted());
  const [notes] = query(database, "SELECT count(*) AS n FROM observations WHERE kind = 'note'");
  assert.equal(notes!["n"], 1, "the MCP server has remembered");
  assert.match(sentToModel, /Memory of earlier sessions/);
  const captured = query(
    database,
    "SELECT tool_use_id FROM pending_queue WHERE tool_use_id IS NOT NULL",
  ).map((row) => row["tool_use_id"]);
  assert.equal(new Set(captured).size, captured.length);
  assert.equal(captured.length, 2, "Bash and Skill, and none of our own tools");
}

test("the real Claude Code loads the plugin from a folder: hooks, tools and skill; beside install-hooks nothing is recorded or told twice", async ({ executable, folder, runScenario }) => {
  for (const beside of [false, true]) {
    const name = beside ? "plugin-beside" : "plugin-folder";
    const home = join(folder, name, "home");
    await Deno.mkdir(home, { recursive: true });
    const plugin = await run(executable, ["plugin", "path"], home);
    const session = (name: string, steps: Steps) =>
      runScenario(name, {
        ...{ home, steps, project: join(folder, "project") },
        args: [...ALONE, "--plugin-dir", plugin],
        afterInstall: () =>
          beside ? undefined : withoutOurs(join(folder, name, "settings.json"), executable),
      });
    checkRecords(await session(name, STEPS));
    const { sentToModel } = await session(`${name}-next`, [say("Ready.")]);
    assert.equal(sentToModel.split(NOTE).length - 1, 1, "one hook tells the next session");
  }
});

test("the real Claude Code installs the plugin by a command, and an upgrade of the executable reaches it", async ({ executable, folder, runScenario }) => {
  const name = "plugin-command";
  const home = join(folder, name, "home");
  await Deno.mkdir(home, { recursive: true });
  const claude = await findClaude(folder);
  const plugin = await run(executable, ["plugin", "path"], home);
  await run(claude, ["plugin", "marketplace", "add", plugin], home);
  await run(claude, ["plugin", "install", "conclaude@conclaude", "--yes"], home);
  const settings = join(folder, name, "settings.json");
  const { enabledPlugins, extraKnownMarketplaces } = JSON.parse(
    await Deno.readTextFile(join(home, ".claude", "settings.json")),
  );
  const run1 = await runScenario(name, {
    steps: STEPS,
    args: ALONE,
    async afterInstall() {
      await withoutOurs(settings, executable, { enabledPlugins, extraKnownMarketplaces });
    },
  });
  checkRecords(run1);
  // What an earlier version has written is written anew.
  await Deno.writeTextFile(join(plugin, ".claude-plugin", "plugin.json"), '{"name":"conclaude"}');
  await run(claude, ["plugin", "update", "conclaude@conclaude"], home);
  assert.match(
    await Deno.readTextFile(join(plugin, ".claude-plugin", "plugin.json")),
    /"version": "/,
  );
});

/** Takes our hooks out of a settings file, and leaves those of the witness. */
async function withoutOurs(path: string, executable: string, more = {}): Promise<void> {
  const settings = JSON.parse(await Deno.readTextFile(path));
  for (
    const [event, groups] of Object.entries<{ hooks: { command: string }[] }[]>(settings.hooks)
  ) {
    settings.hooks[event] = groups.filter(({ hooks }) => !hooks[0]!.command.includes(executable));
  }
  await Deno.writeTextFile(path, JSON.stringify({ ...settings, ...more }));
}
