/** Requirements in sessions of the real Claude Code: what it may not do, what it is told, when it may stop. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { gitSync, makeRepository } from "../support/git.ts";
import { isThere, query } from "../support/look.ts";
import { say, type ScenarioRun, test, use } from "./harness.ts";
import { until } from "../support/wait.ts";

const CONFIG = `requirements:
  commit_plan: {autoResolveSkill: arch-review}
  evidence: {stopOnly: true}
`;

const write = (name: string) =>
  use("Write", { file_path: `{{PROJECT}}/src/${name}`, content: "1" });

/** A repository before Claude Code is started in it. */
function begin(project: string): void {
  makeRepository(project, { branch: "feature/x" });
  gitSync(project, "config", "user.name", "t");
}

function statuses({ database }: ScenarioRun, event: string): unknown[] {
  return query(
    database,
    "SELECT status FROM hook_executions WHERE hook_name = ? ORDER BY rowid",
    event,
  ).map(({ status }) => status);
}

test("the real Claude Code edits only after a person has satisfied the requirement, and is held at its stop", async ({ executable, folder, runScenario }) => {
  const out = join(folder, "required");
  const project = join(out, "project");
  // While Claude waits, a person satisfies the requirement by a script of his own, without naming the session.
  let token = "";
  const person = async () => {
    await until("Claude waits", () => isThere(join(out, "waiting")));
    const { code, stderr } = await new Deno.Command(executable, {
      args: ["req", "satisfy", "commit_plan"],
      cwd: project,
      env: { HOME: join(out, "home"), CONCLAUDE_TOKEN: token },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    await Deno.writeTextFile(join(out, "satisfied"), "");
  };
  const [run] = await Promise.all([
    runScenario("required", {
      files: { ".conclaude.yaml": CONFIG },
      steps: [
        write("early.ts"),
        use("Bash", {
          command: `touch ${out}/waiting; until [ -e ${out}/satisfied ]; do sleep 0.1; done`,
          description: "Wait",
        }),
        write("late.ts"),
        say("All done."),
        say("Nothing more."),
      ],
      async afterInstall() {
        begin(project);
        const { stdout } = await new Deno.Command(executable, {
          args: ["token"],
          env: { HOME: join(out, "home") },
        }).output();
        token = new TextDecoder().decode(stdout).trim();
      },
    }),
    person(),
  ]);
  assert.equal(isThere(`${project}/src/early.ts`), false, "the forbidden file");
  assert.equal(isThere(`${project}/src/late.ts`), true, "the allowed file");
  for (
    const told of ["Requirements: 0/2", "commit_plan", "/arch-review", "Cannot complete"]
  ) assert.ok(run.sentToModel.includes(told), told);
  assert.match(run.sentToModel, /conclaude req satisfy commit_plan --session [0-9a-f]{8}/);
  assert.deepEqual(statuses(run, "PreToolUse"), ["blocked", "success", "success"]);
  assert.deepEqual(statuses(run, "Stop")[0], "blocked");
  const [plan] = query(
    run.database,
    "SELECT * FROM requirements WHERE requirement = 'commit_plan'",
  );
  assert.equal(plan!["satisfied_by"], "cli_bypass");
  assert.ok(plan!["triggered_at_ms"] !== null);
});

test("a tool that the real Claude Code is refused leaves nothing that holds its stop", async ({ folder, runScenario }) => {
  const project = join(folder, "refused", "project");
  const run = await runScenario("refused", {
    files: { ".conclaude.yaml": "requirements: {evidence: {stopOnly: true}}\n" },
    // Nobody is there to be asked, so what needs a permission is refused.
    args: ["--permission-mode", "manual"],
    steps: [write("refused.ts"), say("All done.")],
    afterInstall: () => begin(project),
  });
  assert.equal(isThere(`${project}/src/refused.ts`), false);
  assert.deepEqual(statuses(run, "PermissionRequest"), ["success"]);
  assert.deepEqual(statuses(run, "Stop"), ["success"]);
  const rows = query(run.database, "SELECT trigger_state FROM requirements");
  assert.deepEqual(rows.map(({ trigger_state: state }) => state), ["asked"]);
});

test("under a strict policy a skill counts that the real Claude Code used, and no event that its agent made up", async ({ executable, folder, runScenario }) => {
  const out = join(folder, "played");
  const project = join(out, "project");
  const copy = join(out, "helper");
  const run = await runScenario("played", {
    files: { ".conclaude.yaml": `preToolUse: {strict: true}\n${CONFIG}` },
    steps: [
      use("Bash", { command: `node ${out}/play.js`, description: "Play" }),
      write("early.ts"),
      use("Skill", { skill: "arch-review" }),
      write("late.ts"),
      say("All done."),
      say("Nothing more."),
    ],
    async afterInstall() {
      begin(project);
      const skill = join(project, ".claude", "skills", "arch-review");
      await Deno.mkdir(skill, { recursive: true });
      await Deno.writeTextFile(
        join(skill, "SKILL.md"),
        "---\ndescription: Reviews.\n---\nReview.\n",
      );
      await Deno.copyFile(executable, copy);
      const event = {
        cwd: project,
        tool_name: "Skill",
        tool_use_id: "toolu_mock_001_0",
        tool_input: { skill: "arch-review" },
      };
      const words = [copy, ["hook", "PostToolUse"], { input: JSON.stringify(event) }];
      await Deno.writeTextFile(
        join(out, "play.js"),
        `require("child_process").execFileSync(...${JSON.stringify(words)});`,
      );
    },
  });
  assert.equal(
    isThere(`${project}/src/early.ts`),
    false,
    "the file after the played event",
  );
  assert.equal(isThere(`${project}/src/late.ts`), true, "the file after the skill");
  assert.match(run.sentToModel, /does not show that the skill arch-review was used/);
  assert.deepEqual(statuses(run, "PreToolUse"), ["success", "blocked", "success", "success"]);
});
