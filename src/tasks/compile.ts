/**
 * `deno task compile [--target TRIPLE] [--output FILE] [--compiler SCRIPT]`: the program as one executable,
 * `dist/conclaude`.
 *
 * What is compiled is the bundle: the runtime then finds a few small files inside the executable instead of the sources and
 * the packages. Where the executable can run, its scripts hold their compiled code (`code_cache.ts`); on Linux
 * they lie in its overlay (`overlay.ts`).
 */
import { parseArgs } from "node:util";
import { type System, thisSystem } from "../cli/permissions.ts";
import { messageOf, UserError } from "../errors.ts";
import { addCodeCache, type Compile } from "./code_cache.ts";
import { BUNDLE, compileFlags, INCLUDED } from "./flags.ts";
import { layOverlay, takeApart } from "./lay_overlay.ts";
import { run, runDeno } from "./run_deno.ts";
import { runTask } from "./run_task.ts";

/** Machines that a release is made for, by the name that the compiler has for them. */
export const TARGETS: Readonly<Record<string, System>> = {
  "x86_64-unknown-linux-gnu": "linux",
  "aarch64-unknown-linux-gnu": "linux",
  "x86_64-apple-darwin": "darwin",
  "aarch64-apple-darwin": "darwin",
  "x86_64-pc-windows-msvc": "windows",
};

/** What to compile for, and where to. */
export interface CompileOptions {
  /** One of {@linkcode TARGETS}; this machine when not given. */
  readonly target?: string | undefined;
  /** `dist/conclaude` when not given; a Windows executable gets its `.exe`. */
  readonly output?: string | undefined;
  /** A shell script that compiles in the place of `deno compile`: it gets the file, the output and the flags. */
  readonly compiler?: string | undefined;
}

/** `no-runtime`: the part that every executable begins with could not be had; `why` says it in one line. */
export type Compiled =
  | { readonly kind: "made"; readonly path: string }
  | { readonly kind: "no-runtime"; readonly why: string };

/** Why there is no executable. */
export const NO_RUNTIME =
  "Deno's runtime for executables (denort) is not here and could not be fetched";

/** What helps then. */
export const RUNTIME_ADVICE =
  `Behind a firewall, get denort ${Deno.version.deno} some other way (it is an asset of Deno's releases) and set ` +
  "DENORT_BIN to its path.";

/**
 * Bundles and compiles.
 *
 * @throws {UserError} For an unknown target.
 * @throws {Error} With the report of the bundler or compiler, on anything but a runtime that cannot be had.
 */
export async function compileProgram(options: CompileOptions = {}): Promise<Compiled> {
  const { target = Deno.build.target } = options;
  const system = options.target === undefined ? thisSystem() : systemOf(options.target);
  const path = withEnding(options.output ?? "dist/conclaude", system);
  const bundled = await runDeno(["task", "--quiet", "bundle"]);
  if (!bundled.success) throw new Error(bundled.stderr);
  const compile: Compile = (main, output, flags) =>
    compileFile(main, output, { ...options, flags: [...flags, ...INCLUDED] });
  try {
    if (target === Deno.build.target) await quicken(compile);
    const isLaid = system === "linux" && await compileWithOverlay(path, options);
    if (!isLaid) await compile(`${BUNDLE}/main.js`, path, compileFlags(system));
  } catch (thrown) {
    if (thrown instanceof NoRuntime) return { kind: "no-runtime", why: thrown.message };
    throw thrown;
  }
  return { kind: "made", path };
}

/** An executable is as good without an overlay, only slower. @returns Whether it has one. */
async function compileWithOverlay(path: string, options: CompileOptions): Promise<boolean> {
  const copy = `${BUNDLE}-${Deno.pid}`;
  try {
    const { overlay, main } = await takeApart(BUNDLE, copy);
    await compileFile(main, path, {
      ...options,
      flags: [...compileFlags("linux"), "--include", copy],
    });
    await layOverlay(path, overlay);
    if (options.target === undefined) await check(path);
    return true;
  } catch (thrown) {
    if (thrown instanceof NoRuntime) throw thrown;
    console.error(`The executable has no overlay, so it starts slower: ${messageOf(thrown)}`);
    return false;
  } finally {
    await Deno.remove(copy, { recursive: true }).catch(() => {});
  }
}

/** @throws {Error} When an executable cannot load what is packed. */
async function check(path: string): Promise<void> {
  const { success, stderr } = await run(await Deno.realPath(path), ["config", "schema"]);
  if (!success) throw new Error(stderr);
}

/** An executable is as good without compiled code, only slower, so that nothing fails for it. */
async function quicken(compile: Compile): Promise<void> {
  try {
    await addCodeCache(BUNDLE, compile);
  } catch (thrown) {
    if (thrown instanceof NoRuntime) throw thrown;
    console.error(
      `The program's code is not compiled ahead, so it starts slower: ${messageOf(thrown)}`,
    );
  }
}

/** The part that every executable begins with could not be had. */
class NoRuntime extends Error {}

/**
 * Compiles a file as it stands.
 *
 * @throws {NoRuntime}
 * @throws {Error} With the compiler's report.
 */
export async function compileFile(
  main: string,
  output: string,
  { flags, target, compiler }: CompileOptions & { readonly flags: readonly string[] },
): Promise<void> {
  const options = target === undefined ? flags : [...flags, "--target", target];
  const { success, stderr } = compiler === undefined
    ? await runDeno([...COMPILE, ...options, "--output", output, main])
    : await run("bash", [compiler, main, output, ...options]);
  if (success) return;
  if (compiler === undefined && /base binary|denort/.test(stderr)) {
    throw new NoRuntime(causeOf(stderr));
  }
  throw new Error(stderr);
}

const COMPILE = ["compile", "--no-config", "--no-lock", "--no-check"];

function systemOf(target: string): System {
  const system = TARGETS[target];
  if (system === undefined) {
    throw new UserError(`Cannot compile for "${target}"`, {
      why: `it must be one of ${Object.keys(TARGETS).join(", ")}`,
      next: "deno task compile",
    });
  }
  return system;
}

function withEnding(path: string, system: System): string {
  return system === "windows" && !path.endsWith(".exe") ? `${path}.exe` : path;
}

/** The innermost cause in the compiler's report, which numbers them from the outermost on. */
function causeOf(report: string): string {
  const [message = ""] = report.split("Stack backtrace:");
  const causes = [...message.matchAll(/^\s+\d+: (.+)$/gm)].map(([, cause]) => cause ?? "");
  return causes.at(-1) ?? message.trim();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: "string" },
      output: { type: "string" },
      compiler: { type: "string" },
    },
  });
  const compiled = await compileProgram(values);
  if (compiled.kind === "no-runtime") {
    throw new UserError("Cannot compile the executable", {
      why: `${NO_RUNTIME}: ${compiled.why}`,
      next: `${RUNTIME_ADVICE} Or use \`deno task install\`, which installs a launcher instead`,
    });
  }
  const { size } = await Deno.stat(compiled.path);
  console.log(`${compiled.path} (${Math.round(size / 1_000_000)} MB)`);
}

if (import.meta.main) await runTask(main);
