import type { Environment } from "../environment.ts";
import { joinPath, parentOf } from "../paths.ts";
import { type Program, quoteWord } from "../settings/hooks.ts";
import { findOwnPath } from "./own_path.ts";
import { permissionFlags, RUNTIME_FLAGS, thisSystem } from "./permissions.ts";

/** This program, as somebody else can start it. */
export interface OwnProgram {
  /** What a hook starts, from any folder and without a network. */
  readonly program: Program;
  /** The words that this process starts it with again. */
  readonly words: readonly string[];
  /** The file that is this program, as a person finds it: the executable, or the script that Deno runs. */
  readonly path: string;
  /** The executable; null when the program runs from source. */
  readonly executable: string | null;
  readonly fromSource: boolean;
}

/** How this very process was started, put so that it can be repeated from any folder. */
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
