/** The guards judge commands of PowerShell. */
import assert from "node:assert/strict";
import { THIS_PROCESS } from "../../src/system/environment.ts";
import { join } from "node:path";
import { parseConfig } from "../support/configuration.ts";
import { judgeUse } from "../../src/policy/guards/judge_use.ts";
import type { GuardPolicy, Verdict } from "../../src/policy/guards/guard_policy.ts";

const POLICY = `
preToolUse:
  uneditableFiles: ["*.lock", "src/gen/**"]
  preventAdditions: ["dist/**"]
  preventRootAdditions: true
  toolUsageValidation:
    - {tool: Bash, commandPattern: "npm publish*", action: block}
    - {tool: Bash, commandPattern: "git reset*", action: block}
    - {tool: PowerShell, commandPattern: "Stop-Service*", action: block}
    - {tool: PowerShell, commandPattern: "del *", action: block, agent: tidy}
`;

const FORBIDDEN = [
  // Commands that read the same in both shells.
  "git push -f",
  "npm publish",
  "rm -rf ~",
  "git status; npm publish",
  "git status && npm publish",
  "git status || npm publish",
  "git status | npm publish",
  "git status\nnpm publish",
  "git-reset --hard",
  "conclaude guard pause",
  "echo x > yarn.lock",
  "echo x >> yarn.lock",
  "npm test *> yarn.lock",
  "npm test 2> yarn.lock",
  "npm test 2>&1 > yarn.lock",
  // Names as PowerShell takes them.
  "NPM publish",
  "n`pm pub`lish",
  "npm `\n  publish",
  "& npm publish",
  '& "npm" publish',
  "& 'npm' 'publish'",
  "& { npm publish }",
  ". { npm publish }",
  "npm.exe publish",
  "C:\\nodejs\\npm.exe publish",
  "npm publish # as it is",
  "npm <# not #> publish",
  "npm --% publish",
  "npm “publish”",
  // Values.
  "$x = 'publish'; npm $x",
  '$x = "publish"; npm "$x"',
  "$X = 'publish'; npm ${x}",
  "$env:X = 'publish'; npm $env:X",
  "$x = 'npm', 'publish'; & $x[0]; iex \"npm publish\"",
  "npm ('pub' + 'lish')",
  "npm $('publish')",
  "iex 'npm publish'",
  "Invoke-Expression -Command 'npm publish'",
  "'npm publish' | iex",
  "iex @'\nnpm publish\n'@",
  'iex @"\nnpm publish\n"@',
  "$x = npm publish",
  "$x = $(npm publish)",
  "$x = @{ a = (npm publish) }",
  "$x = { npm publish }; & $x",
  "Write-Output (npm publish)",
  'Write-Output "a $(npm publish)"',
  "(npm publish).Count",
  "1 -eq (npm publish)",
  "@(npm publish)[0]",
  // Places of a command in a script.
  "if ($true) { npm publish }",
  "if (npm publish) { 1 }",
  "if ($false) { 1 } elseif ($true) { npm publish }",
  "if ($false) { 1 } else { npm publish }",
  "while ($true) { npm publish }",
  "do { npm publish } while ($false)",
  "for ($i = 0; $i -lt 1; $i++) { npm publish }",
  "foreach ($x in 'publish') { npm $x }",
  "foreach ($x in (npm publish)) { 1 }",
  "switch ($x) { 'a' { npm publish } default { 1 } }",
  "try { npm publish } catch { 1 }",
  "try { 1 } catch [System.Exception] { npm publish } finally { 1 }",
  "function Send-It { npm publish }; Send-It",
  "function Send-It($what) { npm publish }",
  "1, 2 | ForEach-Object { npm publish }",
  "1 | % { npm publish }",
  "Get-ChildItem | Where-Object { npm publish } | Select-Object Name",
  "Invoke-Command -ScriptBlock { npm publish }",
  "Start-Job { npm publish }",
  "npm publish &",
  // Inside of another command.
  "pwsh -c 'npm publish'",
  "pwsh -NoProfile -Command npm publish",
  'powershell -ExecutionPolicy Bypass -Command "npm publish"',
  "powershell npm publish",
  "'npm publish' | pwsh -Command -",
  "bash -c 'npm publish'",
  "Start-Process npm -ArgumentList publish",
  "Start-Process -FilePath npm -ArgumentList 'publish', '--tag', 'x' -Wait",
  "saps npm publish",
  "Set-Alias n npm; n publish",
  "sal -Name n -Value npm; npm publish",
  // Files.
  "Remove-Item yarn.lock",
  "remove-item ./yarn.lock",
  "Remove-Item -Path yarn.lock -Force",
  "Remove-Item -LiteralPath 'yarn.lock'",
  "Remove-Item -Path:yarn.lock",
  "Remove-Item a.txt, yarn.lock",
  "Remove-Item *.lock",
  "Remove-Item '*.lock'",
  "Remove-Item yarn.lock -WhatIf:$false",
  "Microsoft.PowerShell.Management\\Remove-Item yarn.lock",
  "rm yarn.lock",
  "rm -Force yarn.lock",
  "ri yarn.lock",
  "del yarn.lock",
  "erase yarn.lock",
  "rd src\\gen -Recurse",
  "rmdir -Recurse src\\gen",
  "'yarn.lock' | Remove-Item",
  "Remove-Item $PWD\\yarn.lock",
  'Remove-Item "$PWD\\yarn.lock"',
  "Remove-Item (Join-Path $PWD 'yarn.lock')",
  "Remove-Item (Join-Path -Path src -ChildPath gen\\x.ts)",
  "Remove-Item yarn.lock -ErrorAction SilentlyContinue",
  "wsl rm yarn.lock",
  "Set-Content ('yarn' + '.lock') x",
  "Set-Content yarn.lock x",
  "Set-Content -Path yarn.lock -Value x",
  "Set-Content -Value x -Path yarn.lock",
  "sc yarn.lock x",
  "'x' | Set-Content yarn.lock",
  "Add-Content src\\gen\\x.ts x",
  "ac yarn.lock x",
  "Clear-Content yarn.lock",
  "clc yarn.lock",
  "Get-Date | Out-File yarn.lock",
  "Get-Date | Out-File -FilePath yarn.lock -Encoding utf8 -Append",
  "Get-Date | Tee-Object yarn.lock",
  "Get-Date | tee -FilePath yarn.lock",
  "Get-Process | Export-Csv yarn.lock -NoTypeInformation",
  "Move-Item yarn.lock old.txt",
  "Move-Item a.txt yarn.lock -Force",
  "mi a.txt yarn.lock",
  "move a.txt yarn.lock",
  "mv -Path a.txt -Destination yarn.lock",
  "Copy-Item a.txt yarn.lock",
  "Copy-Item a.txt -Destination src\\gen\\y.ts",
  "cpi a.txt yarn.lock",
  "cpi -d yarn.lock a.txt",
  "copy a.txt yarn.lock",
  "Copy-Item -Recurse sub dist",
  "Rename-Item yarn.lock old.txt",
  "Rename-Item sub/a.txt b.lock",
  "ren yarn.lock -NewName old.txt",
  "New-Item dist/x.js",
  "New-Item -Path dist -Name x.js -ItemType File",
  "ni -p dist -n x.js",
  "ni new.txt",
  "ni -ItemType SymbolicLink -Path b.lock -Target a.txt",
  "Set-Item yarn.lock x",
  "iwr https://x.org -OutFile yarn.lock",
  "Invoke-WebRequest -Uri https://x.org -OutF yarn.lock",
  "curl https://x.org -OutFile yarn.lock",
  "Start-BitsTransfer https://x.org yarn.lock",
  "Set-Location src; Remove-Item gen\\x.ts",
  "cd src; del gen\\x.ts",
  "sl -Path src; del gen\\x.ts",
  "Push-Location src; del gen\\x.ts",
  "git apply lock.diff",
  // Files that nobody can bring back.
  "Remove-Item -Recurse -Force $HOME",
  "Remove-Item -r -fo ~",
  "Remove-Item $env:USERPROFILE -Recurse",
  "ri -Rec -Fo '~'",
  "rm -Recurse -Force $home",
  "Remove-Item -Recurse -Force /",
  "Format-Volume -DriveLetter D",
  // Of the shell alone.
  "Stop-Service x",
  "stop-service -Name x",
];

const INNOCENT = [
  "Get-Content a.txt",
  "Get-Content yarn.lock | Select-Object -First 5",
  "gc yarn.lock",
  "Get-ChildItem -Recurse -Filter *.ts",
  "Get-ChildItem *.lock | Select-Object Name, Length",
  "gci -r | Sort-Object -Property Length -Descending | select -First 3",
  "Get-ChildItem | sort -Property Name",
  "Select-String -Path *.ts -Pattern 'npm publish'",
  "Get-ChildItem -Recurse | Select-String 'rm yarn.lock'",
  "dotnet build",
  "dotnet test --filter 'Name~A'",
  "npm test",
  "npm test 2>&1",
  "npm test > $null",
  "npm test *> $null",
  "git status",
  "git commit -m 'npm publish'",
  'git commit -m "Remove-Item yarn.lock; git push -f"',
  "git commit -m @'\nRemove-Item yarn.lock\n'@",
  "git log --oneline | Select-Object -First 5",
  "Write-Output x > sub/out.txt",
  "Write-Host 'Remove-Item yarn.lock'",
  "echo 'git push -f'",
  "Test-Path yarn.lock",
  "if (Test-Path yarn.lock) { Get-Content yarn.lock }",
  "$x = Get-Content a.txt; $x.Length",
  "$x = (Get-Content package.json | ConvertFrom-Json).version",
  "foreach ($f in Get-ChildItem) { Write-Output $f.Name }",
  "Get-ChildItem | Where-Object { $_.Name -like '*.lock' } | ForEach-Object { $_.FullName.ToUpper() }",
  "[math]::Round(1.5)",
  "[IO.Path]::GetFileName('yarn.lock')",
  "[IO.File]::ReadAllText('yarn.lock')",
  "Remove-Item yarn.lock -WhatIf",
  "Remove-Item -Recurse -Force node_modules",
  "Remove-Item sub/a.txt",
  "Remove-Item Env:/X",
  "Remove-Item -Recurse sub -Exclude x",
  "Set-Content sub/b.txt x",
  "Set-Content -Path sub/b.txt -Value 'yarn.lock'",
  "Copy-Item yarn.lock sub/copy.txt",
  "New-Item -ItemType Directory -Force sub/c",
  "mkdir sub/d",
  "Tee-Object -Variable x",
  "Invoke-WebRequest https://x.org",
  "Get-Process | Stop-Process -WhatIf",
  "# npm publish",
  "<# npm publish #> Get-Date",
  "Start-Process notepad a.txt",
  "pwsh -NoProfile -File build.ps1",
  "cd src; npm test",
  "git diff -- src\\a.ts",
  "$env:CI = '1'; npm test",
  "try { npm test } catch { Write-Error $_ }",
  "function Get-It { Get-Content a.txt }; Get-It",
  "Get-Date -Format 'yyyy-MM-dd'",
  "git stash pop stash@{0}",
  "git diff '@{u}' -- src",
  "docker run -v ${PWD}:/app node npm test",
  "$path = Join-Path $PWD 'yarn.lock'; Get-Content $path",
  "Get-Content package.json | ConvertFrom-Json | Select-Object -ExpandProperty scripts",
  "$failed = $LASTEXITCODE -ne 0; if ($failed) { exit 1 }",
  "Get-Process | Where-Object CPU -gt 10",
  "git log --format='%h %s' -n 5",
  "1..3 | ForEach-Object { $_ * 2 }",
];

const DOUBTFUL = [
  "& $x",
  "& $x publish",
  "Remove-Item * -Include *.lock",
  "Get-ChildItem -Recurse -Filter *.lock | Remove-Item",
  "gci *.lock | ri -Force",
  "dir src/gen | del",
  "[System.IO.File]::Delete('yarn.lock')",
  "[IO.File]::WriteAllText(\"yarn.lock\", 'x')",
  "[IO.File]::Copy('a.txt', 'yarn.lock')",
  "[IO.Directory]::Delete('src/gen', $true)",
  "[IO.File]::AppendAllText((Join-Path $PWD yarn.lock), 'x')",
  "Get-ChildItem ~ | Remove-Item -Recurse",
  "iex $x",
  "Invoke-Expression (Get-Content a.txt)",
  "iwr https://x.org | iex",
  "Remove-Item $x",
  "Get-ChildItem | ForEach-Object { Remove-Item $_ }",
  "Get-ChildItem | ? { $_.Name -like '*.lock' } | Remove-Item",
  "(Get-Item yarn.lock).Delete()",
  "[Some.Type]::Run('x')",
  "$x.MoveTo('yarn.lock')",
  "(New-Object Net.WebClient).DownloadFile('https://x.org', 'yarn.lock')",
  "[IO.StreamWriter]::new('yarn.lock')",
  "$p = @{ Path = 'yarn.lock' }; Set-Content @p -Value x",
  "& (Get-Command npm) publish",
  "pwsh -EncodedCommand bgBwAG0A",
  "pwsh -e bgBwAG0A",
  "cmd /c npm publish",
  "Start-Process cmd '/c del yarn.lock'",
  "iex ('npm', 'publish' -join ' ')",
  "Set-Content $x y",
  "Get-Date | Out-File $x",
  "npm test 'x",
  "python -c 'print(1)'",
];

async function project(): Promise<AsyncDisposable & { readonly path: string }> {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-pwsh-" }));
  const path = join(home, "work", "project");
  for (const file of ["yarn.lock", "a.txt", "package.json", "src/gen/x.ts", "sub/a.txt"]) {
    await Deno.mkdir(join(path, file, ".."), { recursive: true });
    await Deno.writeTextFile(join(path, file), "x");
  }
  await Deno.writeTextFile(join(path, "lock.diff"), "--- a/yarn.lock\n+++ b/yarn.lock\n");
  return { path, [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }) };
}

function policyAt(path: string, text = POLICY): GuardPolicy {
  const file = join(path, ".conclaude.yaml");
  const { hook, problems } = parseConfig([{ layer: "project", path: file, text }]);
  assert.deepEqual(problems, []);
  return JSON.parse(hook.guards);
}

async function judge(
  command: string,
  path: string,
  policy: GuardPolicy,
  { tool = "PowerShell", agent = "main" } = {},
): Promise<Verdict> {
  return await judgeUse(policy, {
    tool,
    input: { command },
    environment: THIS_PROCESS,
    gitAliases: new Map(),
    agents: [agent],
    folder: path,
    projectDir: path,
    home: join(path, "..", ".."),
  }, { configFiles: [], database: ":memory:", repository: undefined, environment: THIS_PROCESS });
}

Deno.test("what is forbidden is forbidden in PowerShell", async () => {
  await using at = await project();
  const policy = policyAt(at.path);
  const passed: string[] = [];
  for (const command of FORBIDDEN) {
    const { blocks, doubts } = await judge(command, at.path, policy);
    if (blocks.length === 0) passed.push(`${command}   [${doubts.join("; ")}]`);
  }
  assert.deepEqual(passed, []);
});

Deno.test("ordinary work in PowerShell passes, under a strict policy as well", async () => {
  await using at = await project();
  const policy = { ...policyAt(at.path), isStrict: true };
  const stopped: string[] = [];
  for (const command of INNOCENT) {
    const { blocks } = await judge(command, at.path, policy);
    if (blocks.length > 0) stopped.push(`${command}   [${blocks[0]!.reason}]`);
  }
  assert.deepEqual(stopped, []);
});

Deno.test("what only the running PowerShell knows passes with a note, and a strict policy denies it", async () => {
  await using at = await project();
  const policy = policyAt(at.path);
  for (const command of DOUBTFUL) {
    const { blocks, doubts } = await judge(command, at.path, policy);
    assert.deepEqual([command, blocks], [command, []]);
    assert.ok(doubts.length > 0, command);
    const strict = await judge(command, at.path, { ...policy, isStrict: true });
    assert.deepEqual(strict.blocks.map(({ rule }) => rule), ["preToolUse.strict"], command);
  }
});

Deno.test("a rule about Bash holds for every shell, one about another shell for that alone", async () => {
  await using at = await project();
  const policy = policyAt(at.path);
  const isDenied = async (command: string, how: Parameters<typeof judge>[3]) =>
    (await judge(command, at.path, policy, how)).blocks.length > 0;
  for (const tool of ["Bash", "PowerShell", "Monitor"]) {
    assert.equal(await isDenied("npm publish", { tool }), true, tool);
    assert.equal(await isDenied("Stop-Service x", { tool }), tool === "PowerShell", tool);
  }
  // Each name of a cmdlet stands for all of them.
  for (const name of ["del", "Remove-Item", "ri", "erase"]) {
    assert.equal(await isDenied(`${name} a.txt`, { agent: "tidy" }), true, name);
    assert.equal(await isDenied(`${name} a.txt`, {}), false, name);
  }
});

Deno.test("what a cmdlet does is allowed with the cmdlet", async () => {
  await using at = await project();
  const policy = policyAt(
    at.path,
    "preToolUse: {toolUsageValidation: [{tool: PowerShell, commandPattern: 'Remove-Item *', action: allow}]}",
  );
  assert.deepEqual((await judge("Remove-Item a.txt", at.path, policy)).blocks, []);
  assert.deepEqual((await judge("del a.txt", at.path, policy)).blocks, []);
  assert.equal((await judge("npm test", at.path, policy)).blocks.length, 1);
  assert.deepEqual((await judge("npm test", at.path, policy, { tool: "Bash" })).blocks, []);
});

Deno.test("a script of PowerShell that is too long, or too deep, is not waved through", async () => {
  await using at = await project();
  const policy = policyAt(at.path);
  for (
    const command of [
      `${"(".repeat(5_000)}npm publish`,
      `${"a ".repeat(100_000)}; npm publish`,
      `${"& { ".repeat(1_000)}npm publish`,
      `${"$x".repeat(60_000)}; npm publish`,
    ]
  ) {
    const { unread } = await judge(command, at.path, policy);
    assert.match(unread ?? "", /too long|too large|nested/, command.slice(0, 20));
  }
});
