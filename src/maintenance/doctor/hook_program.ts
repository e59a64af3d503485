import { baseName, isAbsolutePath } from "../../paths.ts";
import { isSameFile, whyNotRead, whyNotRun } from "../../process/executable.ts";
import { type Program, programLine } from "../../settings/hooks.ts";

/** What a hook's command starts. */
export interface HookProgram {
  /** The command up to `hook <Event>`. */
  readonly line: string;
  readonly executable: string;
  /** The script that Deno runs; null for an executable. */
  readonly script: string | null;
}

/** What stands between blanks, or in quotes. */
const WORD = /'(?<single>(?:[^']|'\\'')*)'|"(?<double>[^"]*)"|(?<bare>\S+)/g;

/** Reads one of our own commands: `/usr/local/bin/conclaude hook Stop`, `deno run … main.ts hook Stop`. */
export function readHookCommand(command: string): HookProgram {
  const line = command.replace(/\s+hook(?:\s+[A-Za-z]+)?\s*$/, "");
  const words = Array.from(
    line.matchAll(WORD),
    ({ groups }) =>
      groups?.["single"]?.replaceAll("'\\''", "'") ?? groups?.["double"] ?? groups?.["bare"] ?? "",
  );
  const executable = words[0] ?? "";
  const runsScript = /^deno(?:\.exe)?$/i.test(baseName(executable));
  return { line, executable, script: runsScript ? words.at(-1) ?? null : null };
}

/** Why the program cannot be started; null when it can, or when only the shell's `PATH` knows where it is. */
export function whyNotStarted({ executable, script }: HookProgram): string | null {
  if (!isAbsolutePath(executable)) return null;
  return whyNotRun(executable) ?? (script === null ? null : whyNotRead(script));
}

/** Whether a hook starts this very program. */
export function isSameProgram(
  { line, executable, script }: HookProgram,
  own: { readonly program: Program; readonly path: string },
): boolean {
  return line === programLine(own.program) || isSameFile(script ?? executable, own.path);
}
