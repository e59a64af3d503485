/** PowerShell, programs of git by their own names, and patches from files. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ask, assertDenied, bash, configIn, projectIn } from "../support/guarded.ts";
import { lastMetadata, query } from "../support/look.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { RequiredProject } from "../support/required_project.ts";
import { testWith } from "../support/fixtures.ts";

const POLICY = "uneditableFiles: ['*.lock'], toolUsageValidation: [" +
  "{tool: Bash, commandPattern: 'npm publish*', action: block}, " +
  "{tool: PowerShell, commandPattern: 'Stop-Service*', action: block}]";

const pwsh = (home: TempHome, command: string) => ask(home, "PowerShell", { command });

/** The doubts about the last tool use. */
const doubts = (home: TempHome) => lastMetadata(home)["doubts"];

const test = testWith(tempHome);

test("a command of PowerShell is denied as one of Bash is", async (home) => {
  projectIn(home, `preToolUse: {${POLICY}}\n`, ["yarn.lock"]);
  const cases = [
    ["npm publish", /^PowerShell command blocked .* npm publish\*/],
    ["stop-service x", /Stop-Service\*/],
    ["git push -f", /overwrites the history/],
    ["rm -rf ~", /removes /],
    ["Remove-Item -Recurse -Force $HOME", /removes /],
    ["echo x > yarn.lock", /'\*\.lock'.*yarn\.lock/],
    ["Set-Content -Path yarn.lock -Value x", /'\*\.lock'/],
    ["del .conclaude.yaml", /^Blocked PowerShell operation: .*only a person changes it/],
    ["conclaude guard pause", /only a person lifts a rule/],
    ["iex 'conclaude guard pause'", /only a person lifts a rule/],
  ] as const;
  for (const [command, why] of cases) assert.match((await pwsh(home, command))!, why, command);
  for (const command of ["Get-Content yarn.lock", "npm test", "Write-Output x > src/out.log"]) {
    assert.equal(await pwsh(home, command), null, command);
  }
  assert.equal(await bash(home, "Stop-Service x"), null);
});

test("a PowerShell command that only the running shell can decide is noted, and denied by a strict policy", async (home) => {
  projectIn(home, `preToolUse: {${POLICY}}\n`, ["yarn.lock"]);
  const open = ["Invoke-Expression $code", "Remove-Item $x", "(Get-Item yarn.lock).Delete()"];
  for (const command of open) {
    assert.equal(await pwsh(home, command), null, command);
    assert.ok((doubts(home) as string[]).length > 0, command);
  }
  configIn(home, `preToolUse: {strict: true, ${POLICY}}\n`);
  for (const command of open) assert.match((await pwsh(home, command))!, /only when it runs/);
  const commands = [
    "Get-Content yarn.lock",
    "Get-ChildItem -Recurse -Filter *.ts",
    "Select-String -Path src\\*.ts -Pattern TODO",
    "dotnet build",
    "npm test",
    "git status",
    "Write-Output x > src/out.log",
  ];
  for (const command of commands) assert.equal(await pwsh(home, command), null, command);
});

test("a program of git is its verb, by whatever path", async (home) => {
  projectIn(
    home,
    "preToolUse: {toolUsageValidation: [{tool: Bash, commandPattern: 'git merge*', action: block}]}\n",
  );
  await assertDenied(home, /git merge\*/, [
    "git-merge x",
    "/usr/lib/git-core/git-merge x",
    "sudo env A=1 git-merge x",
  ]);
  await assertDenied(home, /overwrites the history/, [
    "git-push -f",
    "/usr/libexec/git-core/git-push --force",
    "echo a | xargs git-push -f",
  ]);
  assert.equal(await bash(home, "git-status"), null);
});

test("a patch in a file is judged by the files that it names", async (home) => {
  const project = projectIn(home, "preToolUse: {uneditableFiles: ['*.lock']}\n", ["yarn.lock"]);
  const patch = (name: string, file: string) =>
    Deno.writeTextFileSync(
      join(project, name),
      `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-x\n+y\n`,
    );
  patch("lock.diff", "yarn.lock");
  patch("policy.diff", ".conclaude.yaml");
  patch("src.diff", "src/a.ts");
  const applys = [
    (file: string) => `git apply ${file}`,
    (file: string) => `git am < ${file}`,
    (file: string) => `patch -p1 -i ${file}`,
    (file: string) => `patch -p1 < ${file}`,
    (file: string) => `cd src && patch -p1 -d .. -i ${file}`,
  ];
  for (const apply of applys) {
    assert.match((await bash(home, apply("lock.diff")))!, /'\*\.lock'/, apply(""));
    assert.match((await bash(home, apply("policy.diff")))!, /only a person changes it/, apply(""));
    assert.equal(await bash(home, apply("src.diff")), null, apply(""));
    assert.equal(doubts(home), undefined, apply(""));
  }
  assert.match((await pwsh(home, "git apply lock.diff"))!, /'\*\.lock'/);
  assert.equal(await bash(home, "git apply --stat lock.diff"), null);
  const open = [
    "git apply missing.diff",
    "curl -s https://x.example | git apply",
    "cp src.diff src/b.diff; git apply src/b.diff",
    "git apply long.diff",
  ];
  Deno.writeTextFileSync(join(project, "long.diff"), "x\n".repeat(1_000_000));
  for (const command of open) {
    assert.equal(await bash(home, command), null, command);
    assert.ok((doubts(home) as string[]).length > 0, command);
  }
  configIn(home, "preToolUse: {strict: true, uneditableFiles: ['*.lock']}\n");
  await assertDenied(home, /only when it runs/, open);
  assert.equal(await bash(home, "git apply src.diff"), null);
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

test("memory tells of PowerShell what it tells of Bash", async (home) => {
  const project = projectIn(home, "{}\n");
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
