import assert from "node:assert/strict";
import { missingNames } from "../../src/tasks/linked_names.ts";

Deno.test("a name that is imported and not given out is told, and no other", () => {
  const code = new Map([
    ["a.js", `const x=1;export{x as y,x as default};`],
    [
      "cli/b.js",
      `import d,{y as q}from"../a.js";import*as all from"../a.js";export{y}from"../a.js";`,
    ],
    [
      "cli/c.js",
      `import{x}from"../a.js";export{z}from"./b.js";import{sep}from"node:path";import"./b.js";`,
    ],
    ["cli/d.js", `import{y}from"./gone.js";`],
  ]);
  assert.deepEqual(missingNames(code), [
    "cli/c.js: x of a.js",
    "cli/c.js: z of cli/b.js",
    "cli/d.js: y of cli/gone.js",
  ]);
});
