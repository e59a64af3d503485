/** What a process was started with, as the system tells it: so that a number that was given out again is not taken for it. */

/** The command line of a process, its words with spaces between; null where there is none, or the system does not tell. */
export function readCommandLine(pid: number): string | null {
  const [program, args] = Deno.build.os === "linux"
    ? ["/bin/cat", [`/proc/${pid}/cmdline`]]
    : ["/bin/ps", ["-o", "args=", "-p", String(pid)]];
  try {
    const { stdout, success } = new Deno.Command(program as string, {
      args: args as string[],
      clearEnv: true,
      env: { LC_ALL: "C" },
      stdin: "null",
      stderr: "null",
    }).outputSync();
    const text = new TextDecoder().decode(stdout).replaceAll("\0", " ").trim();
    return success && text !== "" ? text : null;
  } catch {
    return null;
  }
}
