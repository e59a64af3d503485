/** PowerShell, programs of git by their own names, and patches from files. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type GuardedHome, guardedHome } from "../support/guarded.ts";
import { lastMetadata, query } from "../support/look.ts";
import { hook, runProgram } from "../support/program.ts";
import { RequiredProject } from "../support/required_project.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const POLICY = "uneditableFiles: ['*.lock'], toolUsageValidation: [" +
  "{tool: Bash, commandPattern: 'npm publish*', action: block}, " +
  "{tool: PowerShell, commandPattern: 'Stop-Service*', action: block}]";

const pwsh = (home: GuardedHome, command: string) => home.ask("PowerShell", { command });

/** The doubts about the last tool use. */
const doubts = (home: GuardedHome) => lastMetadata(home)["doubts"];

const test = testWith(guardedHome);

test("a PowerShell command is denied, passed or noted as a Bash command is", async (home) => {
  home.configure(`preToolUse: {${POLICY}}\n`, ["yarn.lock"]);
  const cases = rowsOf<readonly [string, string]>(CASES.powershell);
  for (const [command, why] of cases) {
    assert.match((await pwsh(home, command))!, new RegExp(why), command);
  }
  for (const command of ["Get-Content yarn.lock", "npm test", "Write-Output x > src/out.log"]) {
    assert.equal(await pwsh(home, command), null, command);
  }
  assert.equal(await home.bash("Stop-Service x"), null);
  assert.equal(await pwsh(home, "Invoke-Expression $code"), null);
  assert.ok((doubts(home) as string[]).length > 0);
});

test("a program of git such as git-push is judged as its verb, under any path", async (home) => {
  home.configure(
    "preToolUse: {toolUsageValidation: [{tool: Bash, commandPattern: 'git merge*', action: block}]}\n",
  );
  await home.assertDenied(/git merge\*/, CASES.mergePrograms);
  await home.assertDenied(/overwrites the history/, CASES.pushPrograms);
  assert.equal(await home.bash("git-status"), null);
});

test("a patch on the disk is judged by the files that it names, and noted where it cannot be read", async (home) => {
  const project = home.configure("preToolUse: {uneditableFiles: ['*.lock']}\n", ["yarn.lock"]);
  const files = { lock: "yarn.lock", policy: ".conclaude.yaml", src: "src/a.ts" };
  for (const [name, file] of Object.entries(files)) {
    const text = `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-x\n+y\n`;
    Deno.writeTextFileSync(join(project, `${name}.diff`), text);
  }
  Deno.writeTextFileSync(join(project, "long.diff"), "x\n".repeat(1_000_000));
  for (const apply of ["git apply", "git am <", "cd src && patch -p1 -d .. -i"]) {
    assert.match((await home.bash(`${apply} lock.diff`))!, /'\*\.lock'/, apply);
    assert.match((await home.bash(`${apply} policy.diff`))!, /only a person changes it/, apply);
    assert.equal(await home.bash(`${apply} src.diff`), null, apply);
    assert.equal(doubts(home), undefined, apply);
  }
  assert.match((await pwsh(home, "git apply lock.diff"))!, /'\*\.lock'/);
  const unread = ["git apply missing.diff", "git apply long.diff"];
  for (const command of unread) {
    assert.equal(await home.bash(command), null, command);
    assert.ok((doubts(home) as string[]).length > 0, command);
  }
  home.configure("preToolUse: {strict: true, uneditableFiles: ['*.lock']}\n");
  await home.assertDenied(/only when it runs/, unread);
});

Deno.test("a requirement about commands holds for those of PowerShell, and for no others", async () => {
  using project = new RequiredProject(
    "requirements:\n" +
      "  told: {triggerTools: [{tool: Bash, commandPattern: 'git\\s+commit'}]}\n" +
      "  sent: {triggerTools: [{tool: PowerShell, commandPattern: 'Send-MailMessage'}]}\n",
  );
  const use = (command: string) => project.use("PowerShell", { command });
  assert.match((await use("git commit -m x"))!, /told/);
  assert.match((await use("if ($true) { git-commit -m x }"))!, /told/);
  assert.match((await use("Get-Date; send-mailmessage -To x"))!, /sent/);
  assert.equal(await use("git status"), null);
  assert.equal(await use("Get-Content src\\a.ts"), null);
  assert.equal(await project.bash("Send-MailMessage"), null);
  project.configure("requirements: {plan: {}}\n");
  assert.match((await use("Set-Content src\\a.ts y"))!, /plan/);
  assert.equal(await use("Get-Content src\\a.ts"), null);
});

test("memory observes PowerShell commands like Bash commands", async (home) => {
  const project = home.configure("{}\n");
  const report = async (event: string, fields: Record<string, unknown>) => {
    const session_id = "5e55a000-0000-4000-8000-000000000001";
    const payload = { session_id, cwd: project, tool_name: "PowerShell", ...fields };
    assert.equal((await hook(event, payload, home)).code, 0);
  };
  await report("PostToolUse", {
    tool_use_id: "toolu_1",
    tool_input: { command: "npm test" },
    tool_response: { stdout: "Tests: 3 passed, 3 total\n", stderr: "" },
  });
  await report("PostToolUseFailure", {
    tool_use_id: "toolu_2",
    tool_input: { command: "dotnet build" },
    error: "Exit code 1\nerror CS1002: ; expected",
  });
  await report("PostToolUse", {
    tool_use_id: "toolu_3",
    tool_input: { command: "git commit -m 'Add a thing'" },
    tool_response: { stdout: "[main 1a2b3c4] Add a thing\n 1 file changed\n", stderr: "" },
  });
  assert.equal((await runProgram(["queue", "drain"], { env: { HOME: home.path } })).code, 0);
  assert.deepEqual(
    query(
      home,
      "SELECT kind FROM observations WHERE kind <> 'summary' ORDER BY created_at_ms, rowid",
    ).map(({ kind }) => kind),
    ["test", "failure", "commit"],
  );
});
