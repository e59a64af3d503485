/** The folder that a command runs in is a part of what it is. */
import assert from "node:assert/strict";
import { inItsFolder } from "../../../src/memory/observe/command_folder.ts";
import { observe } from "../../../src/memory/observe/observe.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };
import { rowsOf } from "../../support/fixtures.ts";

const ROOT = "/home/ana/app";

Deno.test("a command names the folder that it ran in, by its own `cd` or by the shell's folder", () => {
  const told = rowsOf<readonly [command: string, shellFolder: string, told: string]>(
    CASES.foldersOfCommands,
  );
  for (const [command, shellFolder, wanted] of told) {
    assert.equal(inItsFolder(command, { root: ROOT, shellFolder }), wanted, `in ${shellFolder}`);
  }
  for (const command of CASES.foldersAsTyped) {
    assert.equal(inItsFolder(command, { root: ROOT, shellFolder: `${ROOT}/web` }), command);
  }
  assert.equal(inItsFolder("npm test", { root: null, shellFolder: "/p" }), "npm test");
});

Deno.test("a command's folder is the shell's where the capture has one, else the project's", () => {
  const commandIn = (payload: Record<string, string>) =>
    observe({
      toolName: "Bash",
      outcome: "success",
      payload: { tool_input: { command: "make" }, tool_response: "", ...payload },
      root: ROOT,
    })?.facts.command;
  assert.equal(commandIn({}), "make");
  assert.equal(commandIn({ project_dir: `${ROOT}/web` }), "cd web && make");
  assert.equal(commandIn({ project_dir: ROOT, cwd: `${ROOT}/web` }), "cd web && make");
  assert.equal(commandIn({ project_dir: `${ROOT}/web`, cwd: ROOT }), "make");
});
