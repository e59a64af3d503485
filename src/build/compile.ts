/**
 * `deno task compile [--target TRIPLE] [--output FILE] [--compiler SCRIPT]`: compiles the program into one executable,
 * `dist/conclaude`. When this machine can run it, `learn.ts` prepares it for a usual session. On Linux, the modules lie
 * in the executable's overlay (`load.ts`).
 */
import { parseArgs } from "node:util";
import { type System, thisSystem } from "../system/permissions.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { bundleProgram } from "./bundle.ts";
import { learnt } from "./learn.ts";
import { MODULES_FILE } from "./load.ts";
import { layOverlay, writeBundle } from "./modules_file.ts";
import { BUNDLE, compileFlags } from "./program.ts";
import { run, runDeno, runTask } from "./run_deno.ts";

/** The machines that get a release, by the compiler's names. */
const TARGETS: Readonly<Record<System, readonly string[]>> = {
  linux: ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"],
  darwin: ["x86_64-apple-darwin", "aarch64-apple-darwin"],
  windows: ["x86_64-pc-windows-msvc"],
};

export interface CompileOptions {
  /** One of {@linkcode TARGETS}; by default this machine. */
  readonly target?: string | undefined;
  /** The executable's path; by default `dist/conclaude`. A Windows executable gets its `.exe`. */
  readonly output?: string | undefined;
  /** A shell script to run instead of `deno compile`; its arguments are the file, the output and the flags. */
  readonly compiler?: string | undefined;
  /** Receives the reason when the executable will be slower; may throw to end the build. By default it prints. */
  readonly onSlower?: (notice: string) => void;
}

/** Reports that `deno compile` could not get denort, the base of every executable; `report` says why in one line. */
export class NoRuntime extends UserError {
  constructor(readonly report: string) {
    super("Cannot compile the executable", {
      why: `${NO_RUNTIME}: ${report}`,
      next: `${RUNTIME_ADVICE} Or use \`deno task install\`, which installs a launcher instead`,
    });
  }
}

/** Parts of messages: what failed, and what helps. */
export const NO_RUNTIME =
  "Deno's runtime for executables (denort) is not here and could not be fetched";
export const RUNTIME_ADVICE =
  `Behind a firewall, get denort ${Deno.version.deno} some other way (it is an asset of Deno's releases) and set ` +
  "DENORT_BIN to its path.";

/**
 * Bundles and compiles the program. When learning or the overlay fails, the executable is only slower, and `onSlower`
 * decides whether the build goes on.
 * @returns The executable's path.
 * @throws {UserError} For an unknown target, and {@linkcode NoRuntime}.
 * @throws {Error} With the report of the bundler or compiler.
 */
export async function compileProgram(options: CompileOptions = {}): Promise<string> {
  const system = options.target === undefined ? thisSystem() : systemOf(options.target);
  const { output = "dist/conclaude", onSlower = (notice) => console.error(notice) } = options;
  const path = system === "windows" && !output.endsWith(".exe") ? `${output}.exe` : output;
  const folder = `${BUNDLE}-${Deno.pid}`;
  const compile = (main: string, output: string, flags: readonly string[]) =>
    compileFile(main, output, { ...options, flags });
  const orSlower = async (lack: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (thrown) {
      if (thrown instanceof NoRuntime) throw thrown;
      onSlower(`The executable ${lack}, so it starts slower: ${messageOf(thrown)}`);
      return false;
    }
  };
  try {
    let bundle = await bundleProgram();
    if ([undefined, Deno.build.target].includes(options.target)) {
      await orSlower("does not have its code compiled ahead", async () => {
        bundle = await learnt(bundle, compile);
      });
    }
    const hasOverlay = system === "linux" && await orSlower("has no overlay", async () => {
      await writeBundle(folder, bundle, true);
      await compile(`${folder}/main.js`, path, compileFlags(system));
      await layOverlay(path, await Deno.readFile(`${folder}/${MODULES_FILE}`));
      if (options.target !== undefined) return;
      const { success, stderr } = await run(await Deno.realPath(path), ["config", "schema"]);
      if (!success) throw new Error(stderr);
    });
    if (!hasOverlay) {
      await writeBundle(folder, bundle);
      const included = ["--include", `${folder}/${MODULES_FILE}`];
      await compile(`${folder}/main.js`, path, [...compileFlags(system), ...included]);
    }
    return path;
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

/** Compiles a file without bundling it. @throws {NoRuntime} @throws {Error} With the compiler's report. */
export async function compileFile(
  main: string,
  output: string,
  { flags, target, compiler }: CompileOptions & { readonly flags: readonly string[] },
): Promise<void> {
  const options = target === undefined ? flags : [...flags, "--target", target];
  const command = ["compile", "--no-config", "--no-lock", "--no-check"];
  const { success, stderr } = compiler === undefined
    ? await runDeno([...command, ...options, "--output", output, main])
    : await run("bash", [compiler, main, output, ...options]);
  if (success) return;
  const isNoRuntime = compiler === undefined && /base binary|denort/.test(stderr);
  throw isNoRuntime ? new NoRuntime(causeOf(stderr)) : new Error(stderr);
}

function systemOf(target: string): System {
  const systems = Object.keys(TARGETS) as System[];
  const system = systems.find((it) => TARGETS[it].includes(target));
  if (system !== undefined) return system;
  const why = `it must be one of ${Object.values(TARGETS).flat().join(", ")}`;
  throw new UserError(`Cannot compile for "${target}"`, { why, next: "deno task compile" });
}

/** Finds the innermost cause in the compiler's report, which numbers causes from the outermost inwards. */
function causeOf(report: string): string {
  const [message = ""] = report.split("Stack backtrace:");
  const causes = [...message.matchAll(/^\s+\d+: (.+)$/gm)].map(([, cause]) => cause!);
  return causes.at(-1) ?? message.trim();
}

async function main(): Promise<void> {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { target: text, output: text, compiler: text } });
  const path = await compileProgram(values);
  console.log(`${path} (${Math.round((await Deno.stat(path)).size / 1_000_000)} MB)`);
}

if (import.meta.main) await runTask(main);
