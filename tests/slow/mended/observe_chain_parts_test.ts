/** The commands of a script that passed, each as it would be typed alone: where a script ran decides which those are. */
import assert from "node:assert/strict";
import { chainParts } from "../../../src/memory/observe/chain_parts.ts";
import { scriptCommands } from "../../../src/memory/observe/shell_words.ts";

const ROOT = "/home/ana/app";
const partsOf = (command: string, shellFolder = "") =>
  chainParts(command, scriptCommands(command), { root: ROOT, shellFolder });

Deno.test("chainParts() gives each part with its folder, and follows the script into others", () => {
  const cases: readonly (readonly [command: string, shellFolder: string, parts: string[]])[] = [
    ["npx tsc && echo OK", ROOT, ["npx tsc"]],
    [
      "make a && cd web && make b >/dev/null",
      `${ROOT}/web`,
      ["make a", "cd web && make b >/dev/null"],
    ],
    [`make a && cd ${ROOT}/web && make b`, `${ROOT}/web`, ["make a", "cd web && make b"]],
    ["make a && cd 'my app' && make b", "", ["make a", 'cd "my app" && make b']],
    ["make a && cd - && make b", "", ["make a"]],
    ["make a", ROOT, []],
    ["make a && make b &", ROOT, []],
  ];
  for (const [command, shellFolder, parts] of cases) {
    assert.deepEqual(partsOf(command, shellFolder), parts, command);
  }
});

Deno.test("chainParts() gives none where the script seems to have begun in another folder", () => {
  assert.deepEqual(partsOf("make a && cd web && make b", `${ROOT}/api/web`), []);
  // A shell that is brought back to the project's folder every time began there.
  assert.deepEqual(partsOf("make a && cd web && make b", ROOT), ["make a", "cd web && make b"]);
});
