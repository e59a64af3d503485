/** Holds the README to the program: what it promises exists, and what exists is in it. */
import assert from "node:assert/strict";
import { CONFIG_ITEM_KEYS, CONFIG_KEYS } from "../src/config/schema.ts";
import { DEFAULT_EVENTS } from "../src/settings/hooks.ts";
import { ENVIRONMENT_NAMES } from "../src/cli/permissions.ts";
import { startProgram } from "./support/program.ts";

const README = await Deno.readTextFile(new URL("../README.md", import.meta.url));

/** The commands that a help page lists, by the name that starts each line under COMMANDS. */
async function commandsOf(...path: string[]): Promise<string[]> {
  const { stdout } = await startProgram([...path, "--help"]);
  const list = stdout.split("\nCOMMANDS\n")[1] ?? "";
  return list.split("\n").map((line) => /^ {2}(\S+)/.exec(line)?.[1]).filter((name) =>
    name !== undefined
  );
}

Deno.test("README.md has the two commands for a clone", () => {
  for (const task of ["demo", "test"]) {
    assert.ok(README.includes(`npx -y deno@2.9.6 task ${task}`), task);
  }
});

Deno.test("README.md names every verb and every action of the program", async () => {
  const verbs = await commandsOf();
  assert.ok(verbs.includes("session") && verbs.includes("doctor"), verbs.join());
  for (const verb of verbs) {
    assert.ok(README.includes(`\`${verb}`), `the verb ${verb} is missing`);
    for (const action of verb === "completions" ? [] : await commandsOf(verb)) {
      assert.ok(README.includes(`\`${verb} ${action}`), `${verb} ${action} is missing`);
    }
  }
});

Deno.test("README.md names no command that the program does not have", async () => {
  const verbs = new Set([...await commandsOf(), "hook"]);
  const inBlocks = [...README.matchAll(/^(?:.*&& )?conclaude ([a-z-]+)/gm)];
  const inLines = [...README.matchAll(/`conclaude ([a-z-]+)/g)];
  assert.ok(inBlocks.length > 5 && inLines.length > 2);
  for (const [, verb] of [...inBlocks, ...inLines]) {
    assert.ok(verbs.has(verb!), `there is no conclaude ${verb}`);
  }
});

Deno.test("README.md lists every key of the configuration with its default", () => {
  const rows = README.split("\n").filter((line) => line.startsWith("| `"))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  for (const { key, default: value, description } of [...CONFIG_KEYS, ...CONFIG_ITEM_KEYS]) {
    const shown = value === null
      ? "none"
      : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);
    const row = rows.find((cells) => cells[1] === `\`${key}\``);
    assert.ok(row, `${key} is missing`);
    assert.deepEqual([row[3], row[4]], [shown, description], key);
  }
});

Deno.test("README.md names every event that is installed and every variable that is read", () => {
  for (const event of DEFAULT_EVENTS) assert.ok(README.includes(event), event);
  for (const name of ENVIRONMENT_NAMES) assert.ok(README.includes(`\`${name}\``), name);
});

Deno.test("README.md names only tasks that exist", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  for (const [, task] of README.matchAll(/\bdeno(?:@[\d.]+)? task ([a-z:]+)/g)) {
    assert.ok(task! in tasks, task);
  }
});
