/** Which functions of a bundle a usual session calls, seen by running it. */
import { fileURLToPath } from "node:url";
import { thisSystem } from "../cli/permissions.ts";
import { runFlags } from "./flags.ts";
import { playUsualSession, runToEnd } from "./usual_session.ts";

/** What the engine writes of one script that it ran. */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/**
 * Runs a session through a bundle.
 *
 * @param main The absolute path of the bundle's `main.js`.
 * @returns Names of functions by the absolute path of their file.
 * @throws {Error} When a run does not end with status 0, or nothing was seen.
 */
export async function calledFunctions(main: string): Promise<ReadonlyMap<string, Set<string>>> {
  const called = new Map<string, Set<string>>();
  await playUsualSession(async (start) => {
    const coverage = await Deno.makeTempDir({ prefix: "conclaude-coverage-" });
    try {
      const flags = [...runFlags(thisSystem()), `--coverage=${coverage}`];
      await runToEnd([Deno.execPath(), "run", ...flags, main], start);
      if (start.isUsual) await addCalled(called, coverage);
    } finally {
      await Deno.remove(coverage, { recursive: true });
    }
  });
  if (called.size === 0) throw new Error("no function of the bundle was seen to be called");
  return called;
}

async function addCalled(called: Map<string, Set<string>>, coverage: string): Promise<void> {
  for await (const { name } of Deno.readDir(coverage)) {
    if (!name.endsWith(".json")) continue;
    const script: ScriptCoverage = JSON.parse(await Deno.readTextFile(`${coverage}/${name}`));
    if (!script.url.startsWith("file:")) continue; // was packed, so it is no part of a usual start
    const file = fileURLToPath(script.url);
    const names = called.get(file) ?? new Set();
    called.set(file, names);
    for (const { functionName, ranges } of script.functions) {
      if ((ranges[0]?.count ?? 0) > 0) names.add(functionName);
    }
  }
}
