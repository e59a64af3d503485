/** What the real Claude Code is told of a command that has changed what it may not, and of gates that cannot see. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { gitSync, makeRepository } from "../support/git.ts";
import { isThere, query } from "../support/look.ts";
import { say, type ScenarioRun, test, use } from "./harness.ts";

const bash = (command: string) => use("Bash", { command, description: "Run" });

/** A repository of the files that lie in the project. */
function begin(project: string): void {
  makeRepository(project, { branch: "feature/x" });
  gitSync(project, "config", "user.name", "t");
  gitSync(project, "add", ".");
  gitSync(project, "commit", "-qm", "Begin");
}

function violated({ database }: ScenarioRun): string[] {
  return query(
    database,
    `SELECT one.value ->> '$.name' AS name
       FROM hook_executions, json_each(metadata, '$.violated') AS one
      ORDER BY hook_executions.rowid`,
  ).map(({ name }) => String(name));
}

test("the real Claude Code is told what a command changed, undoes it with the command told, and stops", async ({ folder, runScenario }) => {
  const project = join(folder, "violated", "project");
  const write = "python3 -c \"open('a' + '.lock', 'w').write('evil')\"";
  const run = await runScenario("violated", {
    files: {
      ".conclaude.yaml": 'preToolUse: {uneditableFiles: [{pattern: "*.lock", effects: block}]}\n',
      "a.lock": "1\n",
    },
    steps: [
      bash(write),
      say("I am done."),
      bash("git restore --source=HEAD --staged --worktree -- a.lock"),
      say("Now I am done."),
    ],
    afterInstall: () => begin(project),
  });
  assert.equal(await Deno.readTextFile(join(project, "a.lock")), "1\n");
  assert.deepEqual(violated(run), ["a.lock"]);
  for (const told of ["in doubt", "a.lock", "undo: `git -C "]) {
    assert.ok(run.sentToModel.includes(told), told);
  }
  const stops = query(run.database, "SELECT status FROM hook_executions WHERE hook_name = 'Stop'");
  assert.equal(stops[0]!["status"], "blocked");
  assert.deepEqual(
    query(run.database, "SELECT name FROM violations WHERE settled_at_ms IS NULL"),
    [],
  );
});

for (
  const [answer, isWritten, told] of [
    ["allow", true, "conclaude let Write pass unjudged"],
    ["deny", false, "Blocked: whether"],
  ] as const
) {
  test(`gates of the real Claude Code that cannot see answer ${answer}, as gates.whenBlind says`, async ({ folder, runScenario }) => {
    const scenario = `blind-${answer}`;
    const out = join(folder, scenario);
    const database = join(out, "home", ".conclaude", "conclaude.db");
    const run = await runScenario(scenario, {
      files: {
        ".conclaude.yaml": `gates: {whenBlind: ${answer}}\nrequirements: {commit_plan: {}}\n`,
      },
      steps: [
        use("Write", { file_path: "{{PROJECT}}/src/a.ts", content: "1" }),
        say("All done."),
      ],
      async afterInstall() {
        begin(join(out, "project"));
        await Deno.mkdir(database, { recursive: true });
      },
    });
    assert.equal(isThere(join(run.project, "src", "a.ts")), isWritten);
    assert.ok([run.sentToModel, ...run.logs].some((text) => text.includes(told)), told);
  });
}
