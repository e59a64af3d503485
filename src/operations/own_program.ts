import type { Environment } from "../system/environment.ts";
import { baseName, isAbsolutePath, joinPath, parentOf, resolvePath } from "../base/paths.ts";
import { findOnPath, isBareName, isSameFile } from "../system/process/executable.ts";
import { type Program, quoteWord } from "../claude/settings/hooks.ts";
import { permissionFlags, RUNTIME_FLAGS, thisSystem } from "./permissions.ts";
import type { HooksPlace } from "../upkeep/doctor/settings_look.ts";
import { type CliContext, typedPath } from "./context.ts";

/** This program, as somebody else can start it. */
export interface OwnProgram {
  /** What a hook starts; it works in any folder and without a network. */
  readonly program: Program;
  /** The words that this process starts it with again. */
  readonly words: readonly string[];
  /** The file that is this program, as a person finds it: the executable, or the script that Deno runs. */
  readonly path: string;
  /** The executable; null when the program runs from source. */
  readonly executable: string | null;
  readonly fromSource: boolean;
}

/** The command that starts this program again, from any folder. */
export function ownProgram({ program, cwd, variable }: Environment): OwnProgram {
  const { executable, script, startedAs } = program;
  if (script === null) {
    const searchPath = variable("PATH");
    const path = findOwnPath(executable, { started: startedAs, cwd: cwd(), searchPath });
    return {
      program: { kind: "path", path },
      words: [executable],
      path,
      executable,
      fromSource: false,
    };
  }
  const words = [
    executable,
    "run",
    "--quiet",
    ...sourceFlags(script),
    ...RUNTIME_FLAGS,
    ...permissionFlags(thisSystem()),
    script,
  ];
  return {
    program: { kind: "line", line: words.map(quoteWord).join(" ") },
    words,
    path: script,
    executable: null,
    fromSource: true,
  };
}

/** The bundle holds everything; the sources need the names of `deno.json`, and the packages that are cached already. */
function sourceFlags(script: string): string[] {
  return script.endsWith(".js")
    ? ["--no-config", "--no-remote", "--no-npm"]
    : [`--config=${joinPath(parentOf(script), "deno.json")}`, "--no-lock", "--cached-only"];
}

/** How an executable was started, and where a shell looks for it. */
interface StartHints {
  readonly started: string;
  readonly cwd: string;
  readonly searchPath: string | undefined;
}

/**
 * The path of an executable as a person finds it. The system names the file behind all links
 * (`/opt/conclaude-0.1.0/conclaude`), which the next upgrade removes; a link stays.
 * @param executable What the system says.
 * @returns The first path without a version: as it was started, as the `PATH` finds it, or `executable`.
 */
export function findOwnPath(executable: string, hints: StartHints): string {
  const { started, cwd, searchPath } = hints;
  const typed = started === "" || isBareName(started)
    ? []
    : [isAbsolutePath(started) ? started : resolvePath(started, { folder: cwd })];
  const names = new Set([baseName(started), "conclaude", baseName(executable)]);
  names.delete("");
  const found = [...names].flatMap((name) => findOnPath(name, searchPath));
  const paths = [...typed, ...found].filter((path) => isSameFile(path, executable));
  return [...paths, executable].find((path) => !namesVersion(path)) ?? paths[0] ?? executable;
}

/** `/opt/conclaude-0.1.0/conclaude`, `/opt/Cellar/conclaude/0.1/bin/conclaude`. */
function namesVersion(path: string): boolean {
  return /\d+\.\d+/.test(path);
}

/**
 * Where hooks of this program are looked for from the current folder.
 * @param settings A settings file beside those that Claude Code always reads.
 */
export function hooksPlace(context: CliContext, settings?: string): HooksPlace {
  const { cwd, locations, environment } = context;
  const { variable } = environment;
  const { program, executable } = ownProgram(environment);
  return {
    environment,
    locations,
    settings: settings && typedPath(context, settings),
    projectDir: variable("CLAUDE_PROJECT_DIR") ?? cwd,
    claudeFolder: variable("CLAUDE_CONFIG_DIR"),
    program,
    executable,
    searchPath: variable("PATH"),
  };
}
