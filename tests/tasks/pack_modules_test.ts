import assert from "node:assert/strict";
import { compileAtOnce } from "../../src/tasks/bundled_code.ts";
import { packModules, reached, withBody } from "../../src/tasks/pack_modules.ts";
import { runDeno } from "../../src/tasks/run_deno.ts";

/** A bundle in a folder, with `main.js` as it would be bundled: with the loader in front. */
async function packed(
  code: Readonly<Record<string, string>>,
  scripts: readonly string[],
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
  await bundle(["--output", `${folder}/load.js`, "src/tasks/load.ts"]);
  const outside = ["packed", "script"].map((kind) => `--external=${kind}:*`);
  await packModules(folder, {
    main: "main.js",
    scripts,
    packed: Object.keys(code).filter((file) => !["main.js", ...scripts].includes(file)).sort(),
    toCommonJs: (files, outdir) =>
      bundle(["--minify", "--format=cjs", ...outside, "--outdir", outdir, ...files]),
  });
  const run = async () => {
    const probe =
      `import "./load.js"; console.log(JSON.stringify((await import("./main.js")).told));`;
    await Deno.writeTextFile(`${folder}/probe.js`, probe);
    const { success, stdout, stderr } = await runDeno(
      ["run", "--unstable-raw-imports", "--allow-all", "--no-config", `${folder}/probe.js`],
    );
    assert.ok(success, stderr);
    return JSON.parse(stdout);
  };
  return { folder, run };
}

Deno.test("a script and a packed module give out what they did, and are loaded once, with what they need of any kind", async () => {
  const verb = (own: string) =>
    `import{stays}from"../stays.js";import{join}from"node:path";import{shared,count,add}from"./shared.js";
    globalThis.runs = (globalThis.runs ?? 0) + 1;
    export async function more() { add(); lazy = (await import("./lazy.js")).lazy; }
    let lazy; export function lazily() { return lazy; }
    export function told() { return [stays, join("a", "b"), shared, "${own}", this === undefined]; }
    export { count };`;
  const { folder, run } = await packed({
    "main.js": `async function use(load) {
        const [first, second] = await Promise.all([load(), load()]);
        await second.more();
        return [first === second, (0, first.told)(), first.count, first.lazily()];
      }
      export const told = [await use(() => import("./cli/packed.js")), await use(() => import("./cli/script.js")), globalThis.runs];`,
    "stays.js": `export const stays = "stays";`,
    "cli/packed.js": verb("packed"),
    "cli/script.js": verb("script"),
    "cli/shared.js":
      `export let count = 1; export function add() { count++; } export const shared = "shared";`,
    "cli/lazy.js": `export const lazy = "x".repeat(${3_000}).length;`,
    "other.js": `export const other = 1;`,
  }, ["cli/script.js", "stays.js"]);
  try {
    assert.deepEqual(await run(), [
      // What another module changes later is seen.
      [true, ["stays", "a/b", "shared", "packed", false], 2, 3000],
      [true, ["stays", "a/b", "shared", "script", true], 3, 3000],
      2,
    ]);
    const left = [...Deno.readDirSync(folder), ...Deno.readDirSync(`${folder}/cli`)];
    assert.deepEqual(left.filter(({ isFile }) => isFile).map(({ name }) => name).sort(), [
      "load.js",
      "main.js",
      "packed.bin",
      "probe.js",
      "script.bin",
      "stays.bin",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the default of another module of the bundle is refused: as CommonJS it would be all of it", async () => {
  const code = {
    "main.js": `export const told = import("./verb.js");`,
    "verb.js": `import one,{two}from"./other.js";console.log(one,two);`,
    "other.js": `export default 1;export const two=2;`,
  };
  await assert.rejects(packed(code, []), {
    message: 'verb.js: import one,{two}from"./other.js"',
  });
});

Deno.test("only a script's own code is changed", () => {
  const source = '[(function(module,require,$import){"use strict";f("}),")}),["node:os"]]';
  assert.equal(
    withBody(source, (body) => body.toUpperCase()),
    '[(function(module,require,$import){"use strict";F("}),")}),["node:os"]]',
  );
});

Deno.test("what a module imports at once stays with it; what it may want later is known", () => {
  const code = new Map([
    ["cli/run.js", `import{a}from"./a.js";import"../b.js";const c=()=>import("./c.js");`],
    ["cli/a.js", `export{b as a}from"../b.js";`],
    ["b.js", `import{d}from"./cli/d.js";export{d as b};`],
    ["cli/c.js", ""],
    ["cli/d.js", ""],
  ]);
  const atOnce = ["b.js", "cli/a.js", "cli/d.js", "cli/run.js"];
  assert.deepEqual([...reached(["cli/run.js"], code, "at-once")].sort(), atOnce);
  assert.deepEqual(
    [...reached(["cli/run.js"], code, "ever")].sort(),
    [...atOnce, "cli/c.js"].sort(),
  );
});

Deno.test("a function that is compiled at once is there for the lines above it", async () => {
  const code = compileAtOnce(
    `const a=twice(1);let b=3;function twice(n){return n*2}async function later(){return b}export{a,twice,later};`,
    new Set(["twice", "later"]),
  );
  assert.match(code, /^var twice=\(function\(n\)/);
  const { a, later } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  assert.deepEqual([a, await later()], [2, 3]);
});
