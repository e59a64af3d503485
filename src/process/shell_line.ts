/** Runs a line of the shell as Claude Code runs the command of a hook, and waits no longer than it would. */

/** How a line ended. */
export type LineEnd =
  | {
    readonly kind: "ended";
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  /** It was still running, and was killed. */
  | { readonly kind: "late" }
  | { readonly kind: "unstarted"; readonly why: string };

/** How a line is run. */
export interface LineOptions {
  readonly stdin: string;
  /** Where it starts. */
  readonly folder: string;
  /** Variables beside those of this process, or in their place. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Runs a line to its end. What it started and left behind in the background is not waited for. */
export async function runShellLine(line: string, options: LineOptions): Promise<LineEnd> {
  const { stdin, folder, env, timeoutMs } = options;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(Deno.build.os === "windows" ? "bash" : "/bin/sh", {
      args: ["-c", line],
      cwd: folder,
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (thrown) {
    return { kind: "unstarted", why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const;
  // Nobody may be left to hear of a pipe that breaks after the time is over.
  texts.forEach((text) => text.catch(() => {}));
  let alarm: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    alarm = setTimeout(() => resolve(null), timeoutMs);
  });
  const ended = async () => {
    await feed(child, stdin);
    const { code } = await child.status;
    return { kind: "ended", code, stdout: await texts[0], stderr: await texts[1] } as const;
  };
  const end = await Promise.race([ended(), late]);
  clearTimeout(alarm);
  if (end !== null) return end;
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended, and what it started holds its pipes.
  }
  child.unref();
  return { kind: "late" };
}

/** A program that does not read to the end closes the pipe; that is its right. */
async function feed(child: Deno.ChildProcess, text: string): Promise<void> {
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // See above.
  }
}
