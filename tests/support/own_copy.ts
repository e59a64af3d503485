/**
 * The executable under test, and copies of it to be moved and spoilt. Another program makes the copies: a process that
 * this one begins while it has a file open for writing has it open, too, until it becomes a program of its own, and
 * until then Linux does not start the file ("Text file busy", https://man7.org/linux/man-pages/man2/execve.2.html).
 */
import { REPOSITORY } from "./process.ts";

/** The executable to test; empty when there is none. */
export const EXECUTABLE = Deno.env.get("CONCLAUDE_BIN") ?? "";

/** Copies a program, so that the copy can be started at once. */
export function copyProgram(from: string, to: string): void {
  if (Deno.build.os === "windows") Deno.copyFileSync(from, to);
  else success(new Deno.Command("cp", { args: [from, to], stderr: "inherit" }).outputSync());
}

/** Runs a module's text in a process of its own, until the block ends, after its first line of output. */
export async function running(module: string): Promise<AsyncDisposable> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", module],
    cwd: REPOSITORY,
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { done } = await reader.read();
  if (done) success(await child.status);
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

function success({ code }: { readonly code: number }): void {
  if (code !== 0) throw new Error(`the other program left with ${code}`);
}
