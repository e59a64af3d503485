/** How the program is compiled, and how its bundle is run in the executable's place. */
import { permissionFlags, RUNTIME_FLAGS, type System, thisSystem } from "../cli/permissions.ts";

/**
 * Flags of `deno compile`. Without `--no-code-cache` the program would keep a cache file under its own name in the
 * temporary folder, which it shares with other users.
 */
export function compileFlags(system: System): string[] {
  return ["--no-code-cache", ...RUNTIME_FLAGS, ...permissionFlags(system)];
}

/** Where the bundle lies, from the clone's folder on. */
export const BUNDLE = "dist/bundle";

/** What the executable holds beside `main.js`, which loads its modules by their names. */
export const INCLUDED: readonly string[] = ["--include", BUNDLE];

/** Flags of `deno run` for the bundle: no configuration file, nothing from the network. */
export function runFlags(system: System): string[] {
  const alone = ["--quiet", "--no-config", "--no-remote", "--no-npm"];
  return [...alone, ...RUNTIME_FLAGS, ...permissionFlags(system)];
}

// For scripts that compile by other means: `deno run src/tasks/flags.ts`.
if (import.meta.main) {
  for (const flag of [...compileFlags(thisSystem()), ...INCLUDED]) console.log(flag);
}
