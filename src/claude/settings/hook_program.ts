/** Which program a hook's command starts, and whether it can be started. */
import { baseName, isAbsolutePath } from "../../base/paths.ts";
import {
  findOnPath,
  IS_WINDOWS,
  isBareName,
  isSameFile,
  whyNotRead,
  whyNotRun,
} from "../../system/process/executable.ts";
import type { Machine } from "./armed.ts";
import { OWN_MARK, type Program, programLine } from "./hooks.ts";
import { splitWords } from "./own_handler.ts";

export interface HookProgram {
  /** The command up to `hook <Event>`. */
  readonly line: string;
  readonly executable: string;
  /** The script that Deno runs; null for an executable. */
  readonly script: string | null;
}

/** What follows the program. */
const REST = new RegExp(`\\s+hook(?:\\s+[A-Za-z]+)?(?:\\s+${OWN_MARK})?\\s*$`);

/** Reads one of our own commands: `/usr/local/bin/conclaude hook Stop`, `deno run … main.ts hook Stop`. */
export function readHookCommand(command: string): HookProgram {
  const line = command.replace(REST, "");
  const words = splitWords(line) ?? line.split(/\s+/);
  const executable = words[0] ?? "";
  const runsScript = /^deno(?:\.exe)?$/i.test(baseName(executable));
  return { line, executable, script: runsScript ? words.at(-1) ?? null : null };
}

/** The file that a hook starts; null when no folder of `PATH` has it. Variables stay as they are written. */
export function fileOf({ executable }: HookProgram, searchPath: string | undefined): string | null {
  return isBareName(executable) ? findOnPath(executable, searchPath)[0] ?? null : executable;
}

/** Null when it can be started, or when only the shell knows where it is. */
export function whyNotStarted(program: HookProgram, searchPath: string | undefined): string | null {
  const { executable, script } = program;
  const file = fileOf(program, searchPath);
  if (file === null) return `no folder of the PATH has an executable \`${executable}\``;
  if (!isAbsolutePath(file)) return null;
  return whyNotRun(file) ?? (script === null ? null : whyNotRead(script));
}

export function machineHere(searchPath: string | undefined): Machine {
  return {
    whyNotStarted: (command) => whyNotStarted(readHookCommand(command), searchPath),
    hasPowerShell: () => IS_WINDOWS || findOnPath("pwsh", searchPath).length > 0,
  };
}

/** Whether a hook starts this very program. */
export function isSameProgram(
  program: HookProgram,
  own: {
    readonly program: Program;
    readonly path: string;
    readonly searchPath: string | undefined;
  },
): boolean {
  const started = program.script ?? fileOf(program, own.searchPath);
  return program.line === programLine(own.program) ||
    (started !== null && isSameFile(started, own.path));
}
