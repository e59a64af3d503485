import type { Environment } from "../system/environment.ts";
import { baseName, isAbsolutePath, joinPath, parentOf, resolvePath } from "../base/paths.ts";
import { modPlaces } from "../claude/plugins.ts";
import { findOnPath, isBareName, isSameFile } from "../system/process/executable.ts";
import { type Program, quoteWord } from "../claude/settings/hooks.ts";
import { permissionFlags, RUNTIME_FLAGS, thisSystem } from "../system/permissions.ts";
import type { HooksPlace } from "../claude/settings/installed_hooks.ts";
import { type CliContext, typedPath } from "./context.ts";

/**
 * Finds out how to start this program again from any folder. `program` is the command that hooks run, `words` the one
 * that this process runs, `path` the file as a person knows it, `executable` null if the program runs from source.
 */
export function ownProgram({ program, cwd, variable }: Environment) {
  const { executable, script, startedAs } = program;
  if (script === null) {
    const searchPath = variable("PATH");
    const path = findOwnPath(executable, { started: startedAs, cwd: cwd(), searchPath });
    const program: Program = { kind: "path", path };
    return { program, words: [executable], path, executable };
  }
  const flags = [...sourceFlags(script), ...RUNTIME_FLAGS, ...permissionFlags(thisSystem())];
  const words = [executable, "run", "--quiet", ...flags, script];
  const started: Program = { kind: "line", line: words.map(quoteWord).join(" ") };
  return { program: started, words, path: script, executable: null };
}

/** Returns Deno's flags for a script. The bundle holds all code; the sources need `deno.json` and cached packages. */
function sourceFlags(script: string): string[] {
  return script.endsWith(".js")
    ? ["--no-config", "--no-remote", "--no-npm"]
    : [`--config=${joinPath(parentOf(script), "deno.json")}`, "--no-lock", "--cached-only"];
}

/** Returns a path of the executable that outlives an upgrade: one without a version, with links left unresolved. */
export function findOwnPath(
  executable: string,
  { started, cwd, searchPath }: {
    readonly started: string;
    readonly cwd: string;
    readonly searchPath: string | undefined;
  },
): string {
  const typed = started === "" || isBareName(started)
    ? []
    : [isAbsolutePath(started) ? started : resolvePath(started, { folder: cwd })];
  const names = new Set([baseName(started), "conclaude", baseName(executable)]);
  names.delete("");
  const found = [...names].flatMap((name) => findOnPath(name, searchPath));
  const paths = [...typed, ...found].filter((path) => isSameFile(path, executable));
  return [...paths, executable].find((path) => !/\d+\.\d+/.test(path)) ?? paths[0] ?? executable;
}

/** Returns the places to search for this program's hooks. @param settings One more settings file. */
export function hooksPlace(context: CliContext, settings?: string): HooksPlace {
  const { cwd, locations, environment } = context;
  const { variable } = environment;
  const { program, executable } = ownProgram(environment);
  const projectDir = variable("CLAUDE_PROJECT_DIR") ?? cwd;
  return {
    ...modPlaces({ projectDir, home: locations.home, environment }),
    locations,
    settings: settings && typedPath(context, settings),
    program,
    executable,
    searchPath: variable("PATH"),
  };
}
