/** Skills and commands satisfy a requirement by their events: an event that an agent made up proves nothing. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { lastMetadata, type Row } from "../support/look.ts";
import {
  commandLine,
  OTHER_SESSION,
  RequiredProject,
  SESSION,
  skillLine,
} from "../support/required_project.ts";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const PLAN = "requirements: {commit_plan: {autoResolveSkill: arch-review}}\n";
const STRICT = `preToolUse: {strict: true}\n${PLAN}`;
const SKILL = { skill: "arch-review" };

/** The answer to an edit: the reason of a denial, and the notice for the person. */
async function edited(
  project: RequiredProject,
  more: Row = {},
): Promise<{ readonly denied: string | null; readonly told: string | null }> {
  const answer = await project.send("PreToolUse", {
    tool_name: "Edit",
    tool_use_id: "toolu_edit",
    tool_input: { file_path: "src/a.ts" },
    ...more,
  });
  const output = answer?.["hookSpecificOutput"] as Row | undefined;
  return {
    denied: output === undefined ? null : String(output["permissionDecisionReason"]),
    told: answer?.["systemMessage"] === undefined ? null : String(answer["systemMessage"]),
  };
}

function proofIn(project: RequiredProject, name = "commit_plan"): Row {
  return JSON.parse(String(project.state(name)[0]!["metadata"])).proof;
}

const unprovenInAudit = ({ home }: RequiredProject) => lastMetadata(home)["unproven"];

const test = testWith(() => new RequiredProject(STRICT));

test("the event of a skill that was never used is denied by a strict policy, with what to do", async (project) => {
  await project.start();
  project.transcribe(skillLine("other", "toolu_other"));
  await project.used("Skill", SKILL, { tool_use_id: "toolu_played" });
  const { denied } = await edited(project);
  assert.match(
    denied!,
    /"commit_plan" is open: the transcript of the session does not show that the skill arch-review was used, and the policy is strict/,
  );
  assert.match(denied!, /\*\*Execute\*\*: `\/arch-review`/);
  assert.match(denied!, /`conclaude req satisfy commit_plan --session cad0ac4d`/);
  assert.deepEqual(unprovenInAudit(project), ["commit_plan"]);
  assert.match(await project.req("status", "--session", SESSION), /commit_plan +open .*not show/);
  await project.skill("arch-review");
  assert.deepEqual(await edited(project), { denied: null, told: null });
});

test("a skill that was used is looked up once, and counts for a strict policy", async (project) => {
  await project.skill("arch-review");
  assert.deepEqual(await edited(project), { denied: null, told: null });
  assert.equal(proofIn(project)["foundIn"], project.transcript());
  assert.equal(unprovenInAudit(project), undefined);
  // It is not asked again.
  Deno.writeTextFileSync(project.transcript(), "");
  assert.deepEqual(await edited(project), { denied: null, told: null });
  const { requirements: [row] } = JSON.parse(
    await project.req("status", "--session", SESSION, "--json"),
  );
  assert.deepEqual([row.status, row.unproven], ["satisfied", null]);
});

test("a transcript that is written late proves what it shows from then on", async (project) => {
  await project.used("Skill", SKILL, { tool_use_id: "toolu_late" });
  assert.match((await edited(project)).denied!, /no transcript of the session that can show/);
  project.transcribe(skillLine("arch-review", "toolu_late"));
  assert.equal((await edited(project)).denied, null);
});

Deno.test("a transcript that does not show the use of the skill proves nothing", async () => {
  const lines: Readonly<Record<string, readonly Row[]>> = CASES.noUsesOfTheSkill;
  for (const [what, written] of Object.entries(lines)) {
    using project = new RequiredProject(STRICT);
    for (const line of written) project.transcribe(line);
    await project.used("Skill", SKILL);
    assert.match((await edited(project)).denied!, /does not show/, what);
  }
});

Deno.test("without a strict policy it counts, is told once, and is shown as unproven", async () => {
  using project = new RequiredProject(PLAN);
  await project.start();
  project.transcribe(skillLine("other", "toolu_other"));
  await project.used("Skill", SKILL);
  const first = await edited(project);
  assert.equal(first.denied, null);
  assert.match(
    first.told!,
    /^conclaude: commit_plan counts as satisfied, but the transcript .* arch-review was used\. `conclaude req explain commit_plan --session cad0ac4d`$/,
  );
  assert.deepEqual(await edited(project), { denied: null, told: null });
  assert.deepEqual(unprovenInAudit(project), ["commit_plan"]);
  assert.match((await project.run("audit", "list")).stdout, /unproven: commit_plan/);
  assert.match(
    await project.req("status", "--session", SESSION),
    /satisfied +session +skill \(unproven\).*does not show/,
  );
  assert.match(
    await project.req("explain", "commit_plan", "--session", SESSION),
    /Unproven: the transcript of the session does not show/,
  );
  assert.match(
    (await project.run("explain", "--session", SESSION, "Edit", "src/a.ts")).stdout,
    /satisfied by skill, unproven: the transcript/,
  );
});

Deno.test("a transcript that an event names proves nothing where the gate's own event names another", async () => {
  using project = new RequiredProject(STRICT.replace("{auto", "{scope: branch, auto"));
  const forged = join(project.home.path, "forged", "a", `${SESSION}.jsonl`);
  const above = join(dirname(project.transcript()), "..", "..", "forged", `${SESSION}.jsonl`);
  for (const path of [forged, above]) {
    project.transcribe(skillLine("arch-review", "toolu_1"), path);
    const named = { transcript_path: path };
    await project.used("Skill", SKILL, named);
    assert.equal((await edited(project, named)).denied, null, "the agent's own gate");
    assert.equal(proofIn(project)["foundIn"], path);
    assert.match((await edited(project)).denied!, /no transcript/);
  }
  // Nor that of a session that there is not.
  const made = { session_id: OTHER_SESSION, transcript_path: forged, tool_use_id: "toolu_2" };
  project.transcribe(skillLine("arch-review", "toolu_2"), forged);
  await project.used("Skill", SKILL, made);
  assert.match((await edited(project)).denied!, /no transcript/);
});

Deno.test("a satisfaction of the branch is proven by the transcript of the session that brought it", async () => {
  using project = new RequiredProject(STRICT.replace("{auto", "{scope: branch, auto"));
  const elsewhere = join(dirname(project.transcript()), "..", "worktree", `${OTHER_SESSION}.jsonl`);
  project.transcribe(skillLine("arch-review", "toolu_1"), elsewhere);
  await project.used("Skill", SKILL, { session_id: OTHER_SESSION });
  project.transcribe({ type: "user" });
  assert.equal((await edited(project)).denied, null);
});

test("a sub-agent's skill is proven by its own transcript", async (project) => {
  const folder = join(project.transcript().replace(".jsonl", ""), "subagents");
  project.transcribe({ type: "user" });
  const agent = { agent_id: "a6447b57fd1a24d17", agent_type: "general-purpose" };
  await project.used("Skill", SKILL, { ...agent, tool_use_id: "toolu_1" });
  assert.match((await edited(project, agent)).denied!, /no transcript/);
  const line = { ...skillLine("arch-review", "toolu_1"), isSidechain: true };
  project.transcribe(line, join(folder, "agent-a6447b57fd1a24d17.jsonl"));
  assert.equal((await edited(project, agent)).denied, null);
  assert.equal((await edited(project)).denied, null);
  // No name leads out of the folder.
  await project.req("clear", "commit_plan");
  const forged = join(project.home.path, "forged.jsonl");
  project.transcribe({ ...line, ...skillLine("arch-review", "toolu_2") }, forged);
  const out = `${"../".repeat(6)}forged`;
  await project.used("Skill", SKILL, { agent_id: out, tool_use_id: "toolu_2" });
  assert.match((await edited(project)).denied!, /no transcript/);
});

test("a slash command is proven by the prompt of the person, and by nothing that looks like it", async (project) => {
  const typed = { expansion_type: "slash_command", command_name: "arch-review" };
  const look = commandLine("arch-review", "prompt-1");
  const copies: readonly Row[] = [
    commandLine("arch-review", "prompt-2"),
    commandLine("other", "prompt-1"),
    { ...look, isMeta: true },
    { ...look, isSidechain: true },
    { ...look, type: "assistant" },
    {
      ...look,
      message: { content: [{ type: "tool_result", content: "<command-name>/arch-review" }] },
    },
  ];
  for (const line of copies) project.transcribe(line);
  await project.send("UserPromptExpansion", { ...typed, prompt_id: "prompt-1" });
  assert.match(
    (await edited(project)).denied!,
    /not show that the command \/arch-review was given/,
  );
  project.transcribe(look);
  assert.equal((await edited(project)).denied, null);
  await project.req("clear", "commit_plan");
  await project.send("UserPromptExpansion", { ...typed, prompt_id: "prompt-1" });
  assert.match((await edited(project)).denied!, /still open: commit_plan/, "given once");
});

Deno.test("one use of a skill satisfies once, however often its event is played", async () => {
  using project = new RequiredProject(
    `preToolUse: {strict: true}
requirements:
  pre_commit_review: {scope: single_use, triggerTools: [{tool: Bash, commandPattern: 'git\\s+commit'}], autoResolveSkill: check}
`,
  );
  project.transcribe(skillLine("check", "toolu_once"));
  const report = () => project.used("Skill", { skill: "check" }, { tool_use_id: "toolu_once" });
  await report();
  assert.equal(await project.act("git commit --allow-empty -m x"), null);
  await report();
  assert.match((await project.act("git commit --allow-empty -m y"))!, /pre_commit_review/);
});

Deno.test("a satisfaction that a session takes over is proven by the session before", async () => {
  for (const isTrue of [true, false]) {
    using project = new RequiredProject(STRICT);
    await project.start();
    project.transcribe(skillLine(isTrue ? "arch-review" : "other", "toolu_1"));
    await project.used("Skill", SKILL);
    const next = { session_id: OTHER_SESSION };
    await project.start({ ...next, source: "clear" });
    const { denied } = await edited(project, next);
    if (isTrue) assert.equal(denied, null);
    else assert.match(denied!, /does not show/);
  }
});

test("a person's word needs no proof, nor does what an earlier program has recorded", async (project) => {
  await project.start();
  await project.req("satisfy", "commit_plan", "--session", SESSION);
  assert.deepEqual(await edited(project), { denied: null, told: null });
  await project.used("Skill", SKILL);
  assert.notEqual((await edited(project)).denied, null);
  project.forgetProofs();
  assert.deepEqual(await edited(project), { denied: null, told: null });
});

Deno.test("a client that tells no id, or keeps no transcript, leaves it unproven", async () => {
  const clients: readonly Row[] = [
    { tool_use_id: undefined },
    { transcript_path: undefined },
    { transcript_path: "/no/such/folder/transcript.jsonl" },
  ];
  for (const client of clients) {
    for (const config of [STRICT, PLAN]) {
      using project = new RequiredProject(config);
      project.transcribe({ type: "user" });
      await project.used("Skill", SKILL, client);
      const { denied, told } = await edited(project, { ...client, tool_use_id: "toolu_edit" });
      if (config === PLAN) {
        assert.deepEqual([denied, /counts as satisfied/.test(told!)], [null, true]);
      } else assert.match(denied!, /arch-review was used, and the policy is strict/);
    }
  }
});

Deno.test("a stop is held by a strict policy where nothing proves what would let it pass", async () => {
  const config = "requirements: {evidence: {stopOnly: true, satisfiedBySkill: [verify]}}\n";
  for (const isStrict of [true, false]) {
    using project = new RequiredProject(
      isStrict ? `preToolUse: {strict: true}\n${config}` : config,
    );
    await project.start();
    project.transcribe({ type: "user" });
    assert.equal(await project.edit(), null);
    await project.used("Edit", { file_path: "src/a.ts" });
    await project.used("Skill", { skill: "verify" }, { tool_use_id: "toolu_played" });
    const answer = await project.send("Stop", { stop_hook_active: false });
    if (isStrict) {
      assert.match(String(answer!["reason"]), /evidence .*does not show that the skill verify/);
    } else assert.match(String(answer!["systemMessage"]), /evidence counts as satisfied, but/);
    assert.deepEqual(unprovenInAudit(project), ["evidence"]);
    await project.skill("verify");
    assert.equal(await project.stop(), null);
  }
});

test("a path that holds a secret is not kept, and what it shows counts all the same", async (project) => {
  const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const path = join(project.home.path, ".claude", "projects", token, `${SESSION}.jsonl`);
  project.transcribe(skillLine("arch-review", "toolu_1"), path);
  await project.used("Skill", SKILL, { transcript_path: path });
  for (let i = 0; i < 2; i++) {
    assert.equal((await edited(project, { transcript_path: path })).denied, null);
    assert.equal(proofIn(project)["foundIn"], undefined);
  }
});

Deno.test("a pattern of one's own that masks every id leaves proofs what they are", async () => {
  using project = new RequiredProject(
    `capture: {redact: {patterns: ['[0-9a-f]{8}-[0-9a-f-]{27}']}}\n${STRICT}`,
  );
  await project.skill("arch-review");
  assert.equal((await edited(project)).denied, null);
  await project.req("clear", "commit_plan");
  await project.type("arch-review");
  assert.equal((await edited(project)).denied, null);
});

Deno.test("a condition that is met by itself needs neither a skill nor its proof", async () => {
  using project = new RequiredProject(
    "preToolUse: {strict: true}\nrequirements: {main: {type: guard, satisfiedBySkill: [arch-review]}}\n",
  );
  project.transcribe({ type: "user" });
  await project.used("Skill", SKILL);
  assert.deepEqual(await edited(project), { denied: null, told: null });
  assert.equal(unprovenInAudit(project), undefined);
  project.git("switch", "-q", "-c", "main");
  await project.used("Skill", SKILL, { tool_use_id: "toolu_2" });
  assert.match((await edited(project)).denied!, /"main" is open: the transcript/);
});
