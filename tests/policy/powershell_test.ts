/** Rules about PowerShell, and scripts of it that cannot be read. The spellings stand in `spellings_test.ts`. */
import assert from "node:assert/strict";
import { JudgedProject } from "../support/judged_project.ts";
import { POWERSHELL } from "./spellings.ts";

Deno.test("a rule about Bash holds for every shell, a rule about another shell for that shell alone", async () => {
  using at = new JudgedProject(POWERSHELL.policy, ["a.txt"]);
  const isDenied = async (command: string, { tool = "PowerShell", agent = "main" } = {}) =>
    (await at.judge(tool, command, { agent })).blocks.length > 0;
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

Deno.test("a rule that allows a cmdlet allows all of its names", async () => {
  using at = new JudgedProject(
    "preToolUse: {toolUsageValidation: [{tool: PowerShell, commandPattern: 'Remove-Item *', action: allow}]}",
    ["a.txt"],
  );
  const cases = [
    ["PowerShell", "Remove-Item a.txt", 0],
    ["PowerShell", "del a.txt", 0],
    ["PowerShell", "npm test", 1],
    ["Bash", "npm test", 0],
  ] as const;
  for (const [tool, command, count] of cases) {
    assert.equal((await at.judge(tool, command)).blocks.length, count, `${tool} ${command}`);
  }
});

Deno.test("a PowerShell script that is too long or too deep is reported as unread", async () => {
  using at = new JudgedProject(POWERSHELL.policy, []);
  for (
    const command of [
      `${"(".repeat(5_000)}npm publish`,
      `${"a ".repeat(100_000)}; npm publish`,
      `${"& { ".repeat(1_000)}npm publish`,
      `${"$x".repeat(60_000)}; npm publish`,
    ]
  ) {
    const { unread } = await at.judge("PowerShell", command);
    assert.match(unread ?? "", /too long|too large|nested/, command.slice(0, 20));
  }
});
