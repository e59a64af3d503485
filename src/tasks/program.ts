import { fileURLToPath } from "node:url";
import { thisSystem } from "../cli/permissions.ts";
import { runFlags } from "./flags.ts";
import { REPOSITORY } from "./run_deno.ts";

/**
 * The words that start the program, before its own arguments: the executable in `CONCLAUDE_BIN` when that is set, else
 * the bundle in `dist/bundle`, with the permissions that the executable would have.
 */
export function programCommand(): readonly [string, ...string[]] {
  const executable = Deno.env.get("CONCLAUDE_BIN");
  return executable ? [executable] : bundleCommand();
}

/** The words that start the bundle. */
export function bundleCommand(): readonly [string, string, ...string[]] {
  const bundle = fileURLToPath(new URL("dist/bundle/main.js", REPOSITORY));
  return [Deno.execPath(), "run", ...runFlags(thisSystem()), bundle];
}

/**
 * What any process of ours needs beside its own variables. `runtimeCache` keeps the cache of Deno, where the program is
 * run with it, out of the program's home.
 */
export function surroundings(runtimeCache: string): Record<string, string> {
  const env: Record<string, string> = {
    PATH: "/usr/bin:/bin",
    DENO_DIR: runtimeCache,
    DENO_NO_UPDATE_CHECK: "1",
  };
  if (Deno.build.os !== "windows") return env;
  for (const name of ["PATH", "SystemRoot", "TEMP", "TMP"]) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  return env;
}
