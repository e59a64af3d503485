/**
 * `deno task compile [--target TRIPLE] [--output FILE]`: the program as one executable, `dist/conclaude`.
 *
 * What is compiled is the bundle: the runtime then finds two or three small files inside the executable instead of the
 * sources and the packages. The files that `main.js` imports lazily are part of its module graph, so they are
 * embedded too.
 */
import { parseArgs } from "node:util";
import { type System, thisSystem } from "../cli/permissions.ts";
import { UserError } from "../errors.ts";
import { compileFlags, INCLUDED } from "./flags.ts";
import { runDeno } from "./run_deno.ts";
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
  const system = options.target === undefined ? thisSystem() : systemOf(options.target);
  const path = withEnding(options.output ?? "dist/conclaude", system);
  const bundled = await runDeno(["task", "--quiet", "bundle"]);
  if (!bundled.success) throw new Error(bundled.stderr);
  const compiled = await runDeno([
    "compile",
    "--no-config",
    "--no-lock",
    "--no-check",
    ...compileFlags(system),
    ...INCLUDED,
    ...(options.target === undefined ? [] : ["--target", options.target]),
    "--output",
    path,
    "dist/bundle/main.js",
  ]);
  if (compiled.success) return { kind: "made", path };
  if (!/base binary|denort/.test(compiled.stderr)) throw new Error(compiled.stderr);
  return { kind: "no-runtime", why: causeOf(compiled.stderr) };
}

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
    options: { target: { type: "string" }, output: { type: "string" } },
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
