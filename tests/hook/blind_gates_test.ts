/** What gates answer that cannot see: the database, the branch or the policy cannot be read. */
import assert from "node:assert/strict";
import { lastMetadata, type Row } from "../support/look.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";

const STRICT = "preToolUse: {strict: true}\n";
const PROT = "requirements: {prot: {type: guard, protectedBranches: [main]}";
const OFF = "database: {enabled: false}\n";

Deno.test("a condition that is met by itself needs no database, also for a strict policy", async () => {
  using project = new RequiredProject(`${STRICT}${OFF}${PROT}, size: {type: dynamic}}\n`);
  project.git("branch", "main");
  assert.equal(await project.edit(), null);
  assert.equal(await project.bash("echo x > src/a.ts"), null);
  const explained = await project.run("explain", "Edit", "src/a.ts");
  assert.match(explained.stdout, /^Allowed[^]*requirements\.prot +allows +its condition is met/);
  assert.match((await project.run("req", "status")).stdout, /none of them denies anything/);
  assert.match(await project.start(), /none of them denies anything/);
  project.git("switch", "-q", "main");
  assert.match((await project.edit())!, /"prot" is satisfied.*database is switched off/);
  assert.match((await project.run("req", "status")).stdout, /"prot" is about is denied here/);
  const { code, stdout } = await project.run("explain", "Edit", "src/a.ts", "--all");
  assert.equal(code, 1);
  assert.match(stdout, /^Denied[^]*requirements\.prot +forbids[^]*size +allows/);
});

Deno.test("without a database a strict policy denies requirements that need a person or the other sessions", async () => {
  const alone = "alone: {type: guard, guardType: single_session}";
  using project = new RequiredProject(`${STRICT}${OFF}${PROT}, plan: {}, ${alone}}\n`);
  const reason = (await project.edit())!;
  assert.match(reason, /whether "plan", "alone" are satisfied/);
  assert.doesNotMatch(reason, /prot/);
  const { stdout, code } = await project.run("req", "status");
  assert.equal(code, 0);
  assert.match(stdout, /what plan, alone are about is denied here, for the database is switched/);
  assert.deepEqual(JSON.parse((await project.run("req", "status", "--json")).stdout).denied, [
    "plan",
    "alone",
  ]);
});

Deno.test("a database that is held or broken denies nothing that needs none", async () => {
  using project = new RequiredProject(`database: {busyTimeoutMs: 100}\n${STRICT}${PROT}}\n`);
  await project.start();
  {
    using _held = project.lock();
    assert.equal(await project.edit(), null);
  }
  project.configure(`database: {busyTimeoutMs: 100}\n${STRICT}${PROT}, plan: {}}\n`);
  {
    using _held = project.lock();
    const reason = (await project.edit())!;
    assert.match(reason, /whether "plan" is satisfied cannot be read/);
  }
  Deno.writeTextFileSync(project.home.database, "no database");
  assert.match((await project.edit())!, /whether "plan" is satisfied cannot be read/);
  project.configure(`${STRICT}${PROT}}\n`);
  assert.equal(await project.edit(), null);
});

Deno.test("a rule that allows what a person would be asked for leaves it to the person while a requirement is open", async () => {
  using project = new RequiredProject(
    "permissionRequest: {default: allow}\nrequirements: {plan: {}}\n",
  );
  await project.start();
  const ask = (input: Row, tool: string) =>
    project.send("PermissionRequest", { tool_name: tool, tool_input: input });
  assert.equal(await ask({ file_path: "src/a.ts" }, "Edit"), null);
  assert.equal(await ask({ command: "echo x > src/a.ts" }, "Bash"), null);
  const allowed = {
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
  };
  assert.deepEqual(await ask({ command: "ls" }, "Bash"), allowed);
  await project.req("satisfy", "plan", "--session", "cad0ac4d");
  assert.deepEqual(await ask({ file_path: "src/a.ts" }, "Edit"), allowed);
});

Deno.test("the audit shows which facts of a branch git could not tell", async () => {
  using project = new RequiredProject(
    "requirements: {size: {type: dynamic, cacheTtl: 0}, prot: {type: guard}, plan: {stopOnly: true}}\n",
  );
  Deno.writeTextFileSync(`${project.path}/.git/config`, "[core\n");
  assert.equal(await project.edit(), null);
  assert.ok(lastMetadata(project.home)["unknown"]);
  assert.match((await project.run("audit", "list")).stdout, /size: git did not tell/);
  const { requirements } = JSON.parse((await project.run("req", "status", "--json")).stdout);
  assert.deepEqual(
    requirements.map(({ type, calculator, guardType }: Row) => [type, calculator ?? guardType]),
    [["dynamic", "branch_size"], ["guard", "protected_branch"], ["blocking", undefined]],
  );
});

/** What is answered before an edit: the decision, and what the person is told beside it. */
async function answerTo(project: RequiredProject): Promise<readonly [string, string]> {
  const input = { file_path: `${project.path}/src/a.ts` };
  const answer = await project.send("PreToolUse", { tool_name: "Edit", tool_input: input });
  const { permissionDecision, permissionDecisionReason } = Object(answer?.["hookSpecificOutput"]);
  const told = permissionDecisionReason ?? answer?.["systemMessage"] ?? "";
  return [String(permissionDecision ?? "passes"), String(told)];
}

/** Each way in which a gate can be blind, and what it says then. */
const BLIND: readonly (readonly [
  name: string,
  rules: string,
  says: RegExp,
  spoil: (project: RequiredProject) => Promise<void>,
])[] = [
  [
    "a file in the place of the database",
    "requirements: {plan: {}}\n",
    /whether "plan" is satisfied cannot be read from the database/,
    async (project) => {
      await project.start();
      Deno.writeTextFileSync(project.home.database, "no database");
    },
  ],
  [
    "a branch that git cannot tell",
    PROT + "}\n",
    /whether "prot" counts here cannot be known/,
    ({ path }) => Deno.writeTextFile(`${path}/.git/HEAD`, "ref: refs/heads/.invalid\n"),
  ],
];

for (const [name, rules, says, spoil] of BLIND) {
  Deno.test(`gates.whenBlind decides about ${name}`, async () => {
    for (
      const [keys, decision] of [
        ["", "passes"],
        ["gates: {whenBlind: ask}\n", "ask"],
        ["gates: {whenBlind: deny}\n", "deny"],
        [STRICT, "deny"],
        [`gates: {whenBlind: allow}\n${STRICT}`, "passes"],
      ] as const
    ) {
      using project = new RequiredProject(keys + rules);
      await spoil(project);
      const [answered, told] = await answerTo(project);
      assert.equal(answered, decision, keys);
      assert.match(told, says, keys);
      if (decision === "deny") {
        const explained = await project.run("explain", "Edit", "src/a.ts");
        assert.match(explained.stdout, /^Denied[^]*requirements\.\w+ +forbids/, keys);
      }
    }
  });
}

Deno.test("gates.whenBlind decides about commands whose changes nobody could prove without the database", async () => {
  const rules = 'preToolUse: {uneditableFiles: ["*.lock"]}\n';
  for (
    const [keys, decision] of [["", undefined], ["gates: {whenBlind: ask}\n", "ask"], [
      "gates: {whenBlind: deny}\n",
      "deny",
    ]] as const
  ) {
    using project = new RequiredProject(keys + rules);
    Deno.mkdirSync(project.home.database, { recursive: true });
    const use = (command: string) => ({ tool_name: "Bash", tool_input: { command } });
    const ask = (command: string) => project.send("PreToolUse", use(command));
    assert.equal(Object(await ask("ls; cat src/a.ts"))["hookSpecificOutput"], undefined);
    const answer = await ask("node x.js");
    const { permissionDecision, permissionDecisionReason = "" } = Object(
      answer?.["hookSpecificOutput"],
    );
    assert.equal(permissionDecision, decision);
    const told = /what commands change of protected files cannot be known/;
    if (decision !== undefined) assert.match(permissionDecisionReason, told);
    assert.equal(await project.edit(), null);
    const explained = await project.run("explain", "Bash", "node x.js");
    assert.equal(explained.code, decision === "deny" ? 1 : 0, explained.stdout);
  }
});

Deno.test("what cannot be compared without the database is said once in a session", async () => {
  using project = new RequiredProject('preToolUse: {uneditableFiles: ["*.lock"]}\n');
  Deno.mkdirSync(project.home.database, { recursive: true });
  const use = { tool_name: "Bash", tool_input: { command: "node x.js" } };
  const told: string[] = [];
  for (const event of ["PreToolUse", "PostToolUse", "PreToolUse", "Stop"]) {
    const answer = await project.send(event, event === "Stop" ? {} : use);
    told.push(String(answer?.["systemMessage"] ?? ""));
  }
  assert.match(told[0]!, /^conclaude: what commands change of protected files cannot be known/);
  assert.deepEqual(told.slice(1), ["", "", ""]);
});

Deno.test("gates.whenBlind of a policy file stays in force while the file cannot be read", async () => {
  for (
    const [answer, decision] of [["allow", "passes"], ["ask", "ask"], ["deny", "deny"]] as const
  ) {
    using project = new RequiredProject(`gates: {whenBlind: ${answer}}\n`);
    assert.equal((await answerTo(project))[0], "passes");
    project.configure("gates: [\n");
    const [answered, told] = await answerTo(project);
    assert.equal(answered, decision);
    if (decision !== "passes") assert.match(told, /the rules cannot be read.*not valid YAML/);
  }
});

Deno.test("where gates allow, the session's last branch counts for a branch that git cannot tell, as explain says too", async () => {
  using project = new RequiredProject("requirements: {plan: {}}\n");
  await project.start();
  Deno.writeTextFileSync(`${project.path}/.git/HEAD`, "ref: refs/heads/.invalid\n");
  assert.match((await project.edit())!, /plan/);
  const { stdout, code } = await project.run("explain", "Edit", "src/a.ts", "--session", SESSION);
  assert.deepEqual(
    [code, /^Denied[^]*requirements\.plan +forbids/.test(stdout)],
    [1, true],
    stdout,
  );
});
