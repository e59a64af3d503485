/**
 * Lays beside a bundle's scripts what the engine makes of them, so that a start of the executable compiles next to
 * nothing: V8's code cache, with every function that a usual session has called. Only the engine that runs it can make
 * it, so an executable of the same runtime goes through a session for it.
 */
import { RUNTIME_FLAGS, thisSystem } from "../cli/permissions.ts";
import { PACKED_FILE } from "./load.ts";
import { readScript, scriptFile } from "./script_file.ts";
import { playUsualSession, runToEnd } from "./usual_session.ts";
import { walk } from "./walk.ts";

/** Compiles a file into an executable, with these flags of `deno compile`. */
export type Compile = (main: string, output: string, flags: readonly string[]) => Promise<void>;

/** The variable that tells the executable where to keep what it made. */
const FOLDER = "CODE_CACHE";

/** The file in that folder that says that code which the executable had made was refused by it. */
const REFUSED = "refused";

/**
 * The bundle, but whoever loads a script of it is given the code that the runs before have made, and what is there at its
 * end is kept for the next.
 *
 * @param bundle The bundle's folder, as an import names it.
 */
function learner(bundle: string): string {
  return `import vm from "node:vm";
const scripts = new Map();
const fileOf = (name) => \`\${Deno.env.get("${FOLDER}")}/\${name.slice(name.lastIndexOf("/bundle/") + 8).replaceAll("/", "%")}\`;
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, { filename }) {
    let cachedData;
    try { cachedData = Deno.readFileSync(fileOf(filename)); } catch { /* the first run */ }
    super(source, { filename, cachedData });
    if (this.cachedDataRejected) Deno.writeTextFileSync(fileOf("/bundle/${REFUSED}"), filename);
    scripts.set(filename, this);
  }
};
const { exit } = Deno;
const keep = () => {
  for (const [name, script] of scripts) Deno.writeFileSync(fileOf(name), script.createCachedData());
};
Deno.exit = (status) => { keep(); exit(status); };
addEventListener("unload", keep);
await import("${bundle}/main.js");
`;
}

/**
 * Makes the code of those of a bundle's scripts that a usual session loads, and writes it into their files.
 *
 * @param bundle The bundle's folder, which is named `bundle`.
 * @returns How many scripts have their code then.
 * @throws {Error} When the executable cannot be made or run, or makes nothing of any script.
 */
export async function addCodeCache(bundle: string, compile: Compile): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "conclaude-code-" });
  const main = `${bundle}/../learner_${Deno.pid}.js`;
  try {
    await Deno.writeTextFile(main, learner("./bundle"));
    const executable = `${folder}/learner${thisSystem() === "windows" ? ".exe" : ""}`;
    await compile(main, executable, ["--no-code-cache", ...RUNTIME_FLAGS, "--allow-all"]);
    await playUsualSession((start) =>
      runToEnd([executable], { ...start, env: { ...start.env, [FOLDER]: folder } })
    );
    const refused = await Deno.readTextFile(`${folder}/${REFUSED}`).catch(() => undefined);
    if (refused !== undefined) throw new Error(`the engine refuses its own code of ${refused}`);
    const made = await addCode(bundle, folder);
    if (made === 0) throw new Error("the engine has kept nothing");
    return made;
  } finally {
    await Deno.remove(main).catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }
}

async function addCode(bundle: string, folder: string): Promise<number> {
  let made = 0;
  for await (const path of walk(bundle)) {
    if (!path.endsWith(".bin") || path === PACKED_FILE) continue;
    const code = await readIfThere(`${folder}/${path.replaceAll("/", "%")}`);
    if (code === undefined) continue;
    const { source } = readScript(await Deno.readFile(`${bundle}/${path}`));
    await Deno.writeFile(`${bundle}/${path}`, scriptFile({ source, code }));
    made++;
  }
  return made;
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}
