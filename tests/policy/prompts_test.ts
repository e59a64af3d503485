import assert from "node:assert/strict";
import { expandFiles, slashCommandOf } from "../../src/policy/prompts/prompt_commands.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const SLASHES = rowsOf<readonly [prompt: string, name: string | null, args?: string]>(
  CASES.slashes,
);
for (const [prompt, name, args] of SLASHES) {
  Deno.test(`slashCommandOf(${JSON.stringify(prompt)}) is ${name}`, () => {
    assert.deepEqual(slashCommandOf(prompt), name === null ? null : { name, args });
  });
}

const FILES: Readonly<Record<string, string>> = { "a.md": "A\n", "b.": "B", "docs/c": "C $& $1" };
const TEXTS = rowsOf<readonly [text: string, expanded: string, missing: readonly string[]]>(
  CASES.mentions,
);
for (const [text, expanded, missing] of TEXTS) {
  Deno.test(`expandFiles(${JSON.stringify(text)})`, () => {
    assert.deepEqual(expandFiles(text, (path) => FILES[path] ?? null), { text: expanded, missing });
  });
}
