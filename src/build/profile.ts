/**
 * `deno task profile [--runs N] [--home DIR] [--project DIR] [--compiler SCRIPT] -- ARGUMENTS`: where the program spends its
 * time. It runs the arguments with this task's input on an executable that times its steps, and prints each step that takes
 * long: the least time of the processor that it took in any run, without the steps inside it. A module has the number of its
 * script, a function the letter of its export besides.
 */
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { RUNTIME_FLAGS } from "../system/permissions.ts";
import { readAll, THIS_PROCESS } from "../system/environment.ts";
import { bundleProgram } from "./bundle.ts";
import { compileFile } from "./compile.ts";
import { learnt } from "./learn.ts";
import { MODULES_FILE } from "./load.ts";
import { layOverlay, writeBundle } from "./modules_file.ts";
import { run, runTask } from "./run_deno.ts";

/** Shorter steps are not printed, in milliseconds. */
const LEAST_MS = 0.1;

/** Code that runs the bundle in a folder, and writes at its end what each step took. */
const timer = (folder: string) => `
const usedMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const atMs = usedMs(), steps = [];
let inner = 0;
const timed = (name, work) => {
  const from = usedMs(), outer = inner;
  if (steps.length === 0 && outer === 0) steps.push(["before the first script", from - atMs]);
  inner = 0;
  try { return work(); } finally {
    const ms = usedMs() - from;
    steps.push([name, ms - inner]);
    inner = outer + ms;
  }
};
const wrap = (owner, name, tell) => {
  const method = owner[name];
  owner[name] = function (...given) {
    return timed(tell(this, ...given), () => method.apply(this, given));
  };
};
const vm = process.getBuiltinModule("node:vm");
const { Script } = vm;
vm.Script = class {
  constructor(source, options) {
    const size = Math.round(source.length / 1000);
    const name = "script " + options.filename.split("/").at(-1) + " (" + size + " kB" + (options.cachedData ? ")" : ", no code cache)");
    this.script = timed(name + ", compiled", () => new Script(source, options));
  }
  runInThisContext() {
    return this.script.runInThisContext().map(([number, body]) => {
      const names = /return\\{([^{}]*)\\}\\}$/.exec(String(body))?.[1].slice(0, 60);
      return [number, (...given) => {
        const made = timed("module " + number + " {" + names + "}", () => body(...given));
        for (const [name, member] of Object.entries(made ?? {})) {
          if (typeof member !== "function" || String(member).startsWith("class")) continue;
          const step = number + "." + name + " " + String(member).slice(0, 80);
          made[name] = Object.assign(function (...given) {
            return new.target ? new member(...given) : timed(step, () => member.apply(this, given));
          }, member);
        }
        return made;
      }];
    });
  }
};
for (const name of Object.keys(Deno).filter((name) => name.endsWith("Sync"))) {
  wrap(Deno, name, (_, path) => name + " " + String(path).split("/").slice(-2).join("/"));
}
const { getBuiltinModule } = process;
let isPatched = false;
process.getBuiltinModule = (name) => {
  const module = timed("runtime's " + name, () => getBuiltinModule.call(process, name));
  if (name === "node:sqlite" && !isPatched) {
    isPatched = true;
    const { DatabaseSync, StatementSync } = module;
    for (const method of ["exec", "prepare"]) {
      wrap(DatabaseSync.prototype, method, (_, sql) => method + " " + sql.replace(/\\s+/g, " "));
    }
    for (const method of ["all", "get", "run"]) {
      wrap(StatementSync.prototype, method, (it) => method + " " + it.sourceSQL.replace(/\\s+/g, " "));
    }
  }
  return module;
};
addEventListener("unload", () => {
  const all = usedMs() - atMs;
  const known = steps.reduce((sum, [, ms]) => sum + ms, 0);
  steps.push(["(all)", all], ["(the runtime's start)", atMs], ["(the program's own code)", all - known]);
  Deno.writeTextFileSync(${
  JSON.stringify(`${folder}/steps`)
}, JSON.stringify(steps) + "\\n", { append: true });
});
await import(${JSON.stringify(pathToFileURL(`${folder}/bundle/main.js`).href)});
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      runs: { type: "string", default: "15" },
      home: { type: "string", default: Deno.env.get("HOME") ?? "" },
      project: { type: "string", default: Deno.cwd() },
      compiler: { type: "string" },
    },
  });
  const stdin = Deno.stdin.isTerminal()
    ? ""
    : new TextDecoder().decode(readAll(THIS_PROCESS.stdin));
  const folder = await Deno.makeTempDir({ prefix: "conclaude-profile-" });
  try {
    const compile = (main: string, output: string, flags: readonly string[]) =>
      compileFile(main, output, { ...values, flags });
    await writeBundle(`${folder}/bundle`, await learnt(await bundleProgram(), compile), true);
    await Deno.writeTextFile(`${folder}/timer.js`, timer(folder));
    const flags = ["--no-code-cache", ...RUNTIME_FLAGS, "--allow-all"];
    await compile(`${folder}/timer.js`, `${folder}/timer`, flags);
    await layOverlay(`${folder}/timer`, await Deno.readFile(`${folder}/bundle/${MODULES_FILE}`));
    const place = {
      cwd: values.project,
      env: { ...Deno.env.toObject(), HOME: values.home, CLAUDE_PROJECT_DIR: values.project },
    };
    for (let at = 0; at < Number(values.runs); at++) {
      const { success, stderr } = await run(`${folder}/timer`, positionals, place, stdin);
      if (!success) throw new Error(stderr);
    }
    console.log(report(await Deno.readTextFile(`${folder}/steps`)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

type Step = readonly [name: string, ms: number];

/** The steps in the order of a run, with the least that each took. */
function report(text: string): string {
  const runs = text.trimEnd().split("\n").map((line): Step[] => JSON.parse(line));
  const byName = Map.groupBy(
    runs.flatMap((steps) => {
      const sums = new Map<string, number>();
      for (const [name, ms] of steps) sums.set(name, (sums.get(name) ?? 0) + ms);
      return [...sums];
    }),
    ([name]) => name,
  );
  return [...byName].flatMap(([name, steps]) => {
    const ms = Math.min(...steps.map(([, ms]) => ms));
    return ms < LEAST_MS ? [] : `${ms.toFixed(2).padStart(8)} ms  ${name.slice(0, 150)}`;
  }).join("\n");
}

if (import.meta.main) await runTask(main);
