import assert from "node:assert/strict";
import { compileAtOnce } from "../../src/tasks/bundled_code.ts";
import { packModules, reachedAtOnce } from "../../src/tasks/pack_modules.ts";
import { runDeno } from "../../src/tasks/run_deno.ts";

/** A bundle in a folder: what stays begins it, the others are packed. */
async function packed(
  code: Readonly<Record<string, string>>,
  stay: readonly string[],
): Promise<{ folder: string; run: () => Promise<unknown> }> {
  const folder = await Deno.makeTempDir({ prefix: "conclaude-pack-" });
  for (const [file, text] of Object.entries(code)) {
    await Deno.mkdir(`${folder}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${folder}/${file}`, text);
  }
  const bundle = async (args: readonly string[]) => {
    const { success, stderr } = await runDeno(["bundle", "--quiet", "--platform", "deno", ...args]);
    assert.ok(success, stderr);
  };
  await bundle(["--output", `${folder}/unpack.js`, "src/tasks/unpack.ts"]);
  await packModules(folder, stay, {
    files: Object.keys(code).filter((file) => !stay.includes(file)).sort(),
    toCommonJs: (files, outdir) =>
      bundle(["--minify", "--format=cjs", "--external=bundle:*", "--outdir", outdir, ...files]),
  });
  const run = async () => (await import(`file://${folder}/main.js`)).told;
  return { folder, run };
}

Deno.test("a packed module gives out what it did, and is loaded once, with what it needs, packed or not", async () => {
  globalThis.conclaudeRuns = 0;
  const { folder, run } = await packed({
    "main.js": `export const told = await (async () => {
      const [first, second] = await Promise.all([import("./cli/verb.js"), import("./cli/verb.js")]);
      await second.more();
      return [first === second, first.told(), first.count, first.lazily()];
    })();`,
    "stays.js": `export const stays = "stays";`,
    "cli/verb.js":
      `import { stays } from "../stays.js"; import { join } from "node:path"; import shared, { count, add } from "./shared.js";
      globalThis.conclaudeRuns++;
      export async function more() { add(); lazy = (await import("./lazy.js")).lazy; }
      let lazy; export function lazily() { return lazy; }
      export function told() { return [stays, join("a", "b"), shared]; }
      export { count };`,
    "cli/shared.js":
      `export let count = 1; export function add() { count++; } export default "shared";`,
    "cli/lazy.js": `export const lazy = "x".repeat(${3_000}).length;`,
    "other.js": `export const other = 1;`,
  }, ["main.js", "stays.js"]);
  try {
    assert.deepEqual(await run(), [
      true,
      ["stays", "a/b", "shared"],
      2, // what another module changes later is seen
      3000,
    ]);
    assert.equal(globalThis.conclaudeRuns, 1);
    const left = [...Deno.readDirSync(folder), ...Deno.readDirSync(`${folder}/cli`)];
    assert.deepEqual(left.filter(({ isFile }) => isFile).map(({ name }) => name).sort(), [
      "main.js",
      "packed.bin",
      "stays.js",
      "unpack.js",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("what a module imports at once stays with it", () => {
  const code = new Map([
    ["cli/run.js", `import{a}from"./a.js";import"../b.js";const c=()=>import("./c.js");`],
    ["cli/a.js", `export{b as a}from"../b.js";`],
    ["b.js", `import{d}from"./cli/d.js";export{d as b};`],
    ["cli/c.js", ""],
    ["cli/d.js", ""],
  ]);
  assert.deepEqual([...reachedAtOnce(["cli/run.js"], code)].sort(), [
    "b.js",
    "cli/a.js",
    "cli/d.js",
    "cli/run.js",
  ]);
});

Deno.test("a function that is compiled at once is there for the lines above it", async () => {
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(
      file,
      `const a=twice(1);let b=3;function twice(n){return n*2}async function later(){return b}export{a,twice,later};`,
    );
    await compileAtOnce(file, new Set(["twice", "later"]));
    const { a, later } = await import(`file://${file}`);
    assert.deepEqual([a, await later()], [2, 3]);
  } finally {
    await Deno.remove(file);
  }
});

declare global {
  var conclaudeRuns: number;
}
