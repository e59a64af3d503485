import assert from "node:assert/strict";
import { expandFiles, slashCommandOf } from "../../src/policy/prompts/prompt_commands.ts";

const SLASHES: readonly (readonly [prompt: string, name: string | null, args?: string])[] = [
  ["/deploy", "deploy", ""],
  ["  /deploy-all  now, please  ", "deploy-all", "now, please"],
  ["do this\n/review_2 a/b\nand that", "review_2", "a/b"],
  ["/one\n/two", "one", ""],
  ["/team:deploy all", "team:deploy", "all"],
  ["/windows line\r\nnext", "windows", "line"],
  ["read /etc/hosts", null],
  ["/etc/hosts", null],
  ["// comment", null],
  ["/", null],
  ["", null],
];
for (const [prompt, name, args] of SLASHES) {
  Deno.test(`slashCommandOf(${JSON.stringify(prompt)}) is ${name}`, () => {
    assert.deepEqual(slashCommandOf(prompt), name === null ? null : { name, args });
  });
}

const FILES: Readonly<Record<string, string>> = { "a.md": "A\n", "b.": "B", "docs/c": "C $& $1" };
const TEXTS: readonly (readonly [text: string, expanded: string, missing: readonly string[]])[] = [
  ["@a.md", "A", []],
  ["see @a.md, @docs/c.", "see A, C $& $1.", []],
  ["@b.", "B", []],
  ['(@a.md) "@a.md" [@a.md]', '(A) "A" [A]', []],
  ["ana@a.md and @none!", "ana@a.md and @none!", ["none"]],
  ["@", "@", []],
  ["@...", "@...", ["..."]],
];
for (const [text, expanded, missing] of TEXTS) {
  Deno.test(`expandFiles(${JSON.stringify(text)})`, () => {
    assert.deepEqual(expandFiles(text, (path) => FILES[path] ?? null), { text: expanded, missing });
  });
}
