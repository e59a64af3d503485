/** Gives the flags that compile the program, and the command that starts it: the executable or the bundle. */
import { fileURLToPath } from "node:url";
import { permissionFlags, RUNTIME_FLAGS, type System, thisSystem } from "../system/permissions.ts";
import { REPOSITORY } from "./run_deno.ts";

/** The bundle's folder, relative to the clone. */
export const BUNDLE = "dist/bundle";

/**
 * Returns flags of `deno compile`. Without `--no-code-cache` the program would keep a cache file under its own name in
 * the temporary folder, which it shares with other users.
 */
export function compileFlags(system: System): string[] {
  return ["--no-code-cache", ...RUNTIME_FLAGS, ...permissionFlags(system)];
}

/** Returns flags of `deno run` for the bundle, which needs no configuration file and no network. */
export function runFlags(system: System): string[] {
  const alone = ["--quiet", "--no-config", "--no-remote", "--no-npm"];
  return [...alone, ...RUNTIME_FLAGS, ...permissionFlags(system)];
}

/**
 * Returns the command that starts the program, without arguments: the executable in `CONCLAUDE_BIN` when that is set,
 * else the bundle in `dist/bundle`, with the executable's permissions.
 */
export function programCommand(): readonly [string, ...string[]] {
  const executable = Deno.env.get("CONCLAUDE_BIN");
  return executable ? [executable] : bundleCommand();
}

export function bundleCommand(): readonly [string, string, ...string[]] {
  const bundle = fileURLToPath(new URL(`${BUNDLE}/main.js`, REPOSITORY));
  return [Deno.execPath(), "run", ...runFlags(thisSystem()), bundle];
}

/**
 * Returns the environment variables that every process of the program needs. `runtimeCache` keeps Deno's cache out of
 * the program's home when Deno runs the bundle.
 */
export function surroundings(runtimeCache: string): Record<string, string> {
  const env = { PATH: "/usr/bin:/bin", DENO_DIR: runtimeCache, DENO_NO_UPDATE_CHECK: "1" };
  if (Deno.build.os !== "windows") return env;
  const names = ["PATH", "SystemRoot", "TEMP", "TMP"];
  const own = names.map((name) => [name, Deno.env.get(name)] as const);
  return { ...env, ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) };
}
