/** Runs a line of the shell as Claude Code runs the command of a hook, and waits no longer than it would. */

import type { Environment } from "../environment.ts";
import { messageOf } from "../errors.ts";
import { endGroup, ENDING_SIGNALS, feed } from "./start.ts";

/** How a line ended. */
export type LineEnd =
  | {
    readonly kind: "ended";
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  /** It was still running, and was ended with all that it had started. */
  | { readonly kind: "late" }
  /** Nothing can be said of it: it could not be started, or this process was told to leave. */
  | { readonly kind: "unstarted"; readonly why: string };

/** How a line is run. */
export interface LineOptions {
  readonly stdin: string;
  /** Where it starts. */
  readonly folder: string;
  /** Variables beside those of this process, or in their place. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Whose variables are passed on. */
  readonly environment: Pick<Environment, "passedOn">;
}

/** Runs a line to its end. What it started and left behind in the background is not waited for. */
export async function runShellLine(line: string, options: LineOptions): Promise<LineEnd> {
  const { stdin, folder, env, timeoutMs } = options;
  const { passedOn } = options.environment;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(Deno.build.os === "windows" ? "bash" : "/bin/sh", {
      args: ["-c", line],
      cwd: folder,
      clearEnv: passedOn !== null,
      env: { ...passedOn, ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // A group of its own, to be ended as a whole.
      detached: Deno.build.os !== "windows",
    }).spawn();
  } catch (thrown) {
    return { kind: "unstarted", why: messageOf(thrown) };
  }
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const;
  // A pipe that breaks after the time is over is no error.
  texts.forEach((text) => text.catch(() => {}));
  const early = Promise.withResolvers<LineEnd>();
  const alarm = setTimeout(() => early.resolve({ kind: "late" }), timeoutMs);
  const interrupt = () => early.resolve({ kind: "unstarted", why: "it was interrupted" });
  for (const signal of ENDING_SIGNALS) Deno.addSignalListener(signal, interrupt);
  const ended = async () => {
    await feed(child, stdin);
    const { code } = await child.status;
    return { kind: "ended", code, stdout: await texts[0], stderr: await texts[1] } as const;
  };
  const end = await Promise.race([ended(), early.promise]);
  clearTimeout(alarm);
  for (const signal of ENDING_SIGNALS) Deno.removeSignalListener(signal, interrupt);
  if (end.kind === "ended") return end;
  await endGroup(child);
  child.unref();
  return end;
}
