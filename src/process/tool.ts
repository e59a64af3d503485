/**
 * Runs a tool of the system (git, a notifier) and reads what it says.
 *
 * The program may start the system's shell and nothing else by name, so every tool is started through it: the script is
 * fixed, and what the tool is called with are arguments, never text of the script.
 */
import type { Environment } from "../environment.ts";
import { endGroup } from "./start.ts";

/** What a tool left behind; null when it could not be started, or did not end in time. */
export type ToolOutput = { readonly code: number; readonly stdout: string } | null;

/** Makes the shell become the tool, so that there is no process between us and it. */
const BECOME = 'exec "$@"';

/**
 * Runs a tool to its end. It sees `PATH` and `HOME` of the environment and nothing else, and speaks English.
 *
 * @param words The tool's name and its arguments.
 * @param options `timeoutMs`: after that it is killed. `isAlone`: it starts no other program, so that nothing is left of it then.
 */
export async function runTool(
  words: readonly string[],
  options: {
    readonly folder: string;
    readonly timeoutMs: number;
    readonly environment: Pick<Environment, "variable">;
    readonly isAlone?: boolean;
  },
): Promise<ToolOutput> {
  const [program, args] = Deno.build.os === "windows"
    ? [words[0]!, words.slice(1)]
    : ["/bin/sh", ["-c", BECOME, "sh", ...words]];
  try {
    const child = new Deno.Command(program, {
      args,
      cwd: options.folder,
      clearEnv: true,
      env: variablesOf(options.environment),
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      detached: Deno.build.os !== "windows",
    }).spawn();
    const done = child.output()
      .then(({ code, stdout }) => ({ code, stdout: new TextDecoder().decode(stdout) }));
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), options.timeoutMs);
    const output = await Promise.race([done, late.promise]);
    clearTimeout(timer);
    if (output === null && options.isAlone === true) child.kill("SIGKILL");
    // Processes that it has started may hold its output open: do not wait for them.
    else if (output === null) void endGroup(child);
    return output;
  } catch {
    return null;
  }
}

function variablesOf({ variable }: Pick<Environment, "variable">): Record<string, string> {
  const names = ["PATH", "HOME", "USERPROFILE", "TEMP"] as const;
  const found = names.map((name) => [name, variable(name)] as const);
  return {
    LC_ALL: "C",
    // Looking must not wait for, or take, git's own locks.
    GIT_OPTIONAL_LOCKS: "0",
    ...Object.fromEntries(
      found.filter((pair): pair is [typeof pair[0], string] => pair[1] !== undefined),
    ),
  };
}
