/**
 * Makes a bundle fast for usual sessions. An executable with the same runtime plays the demo twice. The first run shows
 * which modules are loaded together; they become one script. The second run stores V8's code cache of each script, with
 * every called function. Only the engine that will run the code can make its cache.
 */
import { pathToFileURL } from "node:url";
import { RUNTIME_FLAGS, thisSystem } from "../system/permissions.ts";
import { IMPORT, REQUIRE } from "./load.ts";
import { type Bundle, type Group, joined, writeBundle } from "./modules_file.ts";
import { runDeno } from "./run_deno.ts";

/**
 * Returns code that runs the bundle in a folder. The code gives the engine the cache of earlier runs, stores the cache
 * at the end, and notes which scripts were loaded.
 */
const learner = (folder: string) => `
const folder = ${JSON.stringify(`${folder}/`)};
const vm = process.getBuiltinModule("node:vm");
const { Script } = vm;
const scripts = new Map();
vm.Script = class extends Script {
  constructor(source, { filename }) {
    const number = filename.slice(filename.lastIndexOf("/") + 1);
    let cachedData;
    try { cachedData = Deno.readFileSync(folder + "code/" + number); } catch { /* the first run */ }
    super(source, { filename, cachedData });
    if (this.cachedDataRejected) throw new Error("the engine refuses its own code");
    scripts.set(number, this);
  }
};
addEventListener("unload", () => {
  Deno.writeTextFileSync(folder + "runs", "[" + [...scripts.keys()] + "]\\n", { append: true });
  for (const [number, script] of scripts) {
    Deno.writeFileSync(folder + "code/" + number, script.createCachedData());
  }
});
await import(${JSON.stringify(pathToFileURL(`${folder}/bundle/main.js`).href)});
`;

/** Groups the modules and adds their code cache. @throws {Error} When the learner cannot be compiled or run. */
export async function learnt(
  bundle: Bundle,
  compile: (main: string, output: string, flags: readonly string[]) => Promise<void>,
): Promise<Bundle> {
  const folder = await Deno.makeTempDir({ prefix: "conclaude-learner-" });
  const executable = `${folder}/learner${thisSystem() === "windows" ? ".exe" : ""}`;
  const play = async (played: Bundle) => {
    await writeBundle(`${folder}/bundle`, played);
    await Deno.mkdir(`${folder}/code`);
    const demo = ["run", "-RW", "--allow-run", "--allow-env", "src/build/demo.ts", executable];
    const { success, stderr } = await runDeno(demo);
    if (!success) throw new Error(stderr);
  };
  try {
    await Deno.writeTextFile(`${folder}/learner.js`, learner(folder));
    const flags = ["--no-code-cache", ...RUNTIME_FLAGS, "--allow-all"];
    await compile(`${folder}/learner.js`, executable, flags);
    await play(bundle);
    const runs = (await Deno.readTextFile(`${folder}/runs`)).trimEnd().split("\n")
      .map((line): number[] => JSON.parse(line));
    const groups = groupsOf(bundle.modules, runs);
    await Deno.remove(`${folder}/code`, { recursive: true });
    await play({ ...bundle, groups });
    const codes = groups.map((_, i) =>
      Deno.readFile(`${folder}/code/${bundle.modules.length + i}`)
    );
    const made = await Promise.all(codes);
    return { ...bundle, groups: groups.map((group, i) => ({ ...group, code: made[i]! })) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Modules of at least this many characters together become one group of their own where several groups hold them. */
const SHARED_LENGTH = 16_384;

/**
 * Makes a group for each module that the runs load lazily: the module and all its imports, except the modules that a
 * common group has always loaded before. Modules that the same several groups hold become a group of their own where
 * they are large; of small ones each group has a copy.
 */
function groupsOf(modules: readonly string[], runs: readonly (readonly number[])[]): Group[] {
  const imports = modules.map((source) => numbersIn(source, REQUIRE));
  const lazy = new Set(modules.flatMap((source) => numbersIn(source, IMPORT)));
  const imported = new Set(imports.flat());
  const entries = [...new Set(runs.flat())].filter((it) => lazy.has(it) || !imported.has(it));
  const runsOf = (entry: number) => runs.filter((run) => run.includes(entry));
  const common = entries.filter((entry) => runsOf(entry).length > runs.length / 2);
  const members = new Map(entries.map((entry) => {
    const loaded = runsOf(entry).map((run) => run.slice(0, run.indexOf(entry)));
    const before = common.filter((other) => loaded.every((it) => it.includes(other)));
    return [entry, reached([entry], imports).difference(reached(before, imports))];
  }));
  const groupOf = (entries: readonly number[], held: Iterable<number>): Group => ({
    entries,
    source: joined([...held].map((it) => modules[it]!)),
    code: new Uint8Array(),
  });
  const holders = (module: number) => entries.filter((entry) => members.get(entry)!.has(module));
  const others = modules.keys().filter((module) => !members.has(module));
  const shared = [...Map.groupBy(others, (module) => holders(module).join()).values()]
    .filter((held) =>
      holders(held[0]!).length > 1 && groupOf([], held).source.length >= SHARED_LENGTH
    );
  const apart = new Set(shared.flat());
  return [
    ...shared.map((held) => groupOf(holders(held[0]!), held)),
    ...entries.map((entry) => groupOf([entry], members.get(entry)!.difference(apart))),
  ];
}

/** Returns the modules and everything that they import, directly or through others. */
function reached(from: readonly number[], imports: readonly (readonly number[])[]): Set<number> {
  const reached = new Set(from);
  for (const module of reached) for (const imported of imports[module]!) reached.add(imported);
  return reached;
}

/** Finds the numbers of the modules that a script passes to a function. */
function numbersIn(source: string, name: string): number[] {
  return source.split(`${name}(`).map(Number.parseFloat).filter(Number.isInteger);
}
