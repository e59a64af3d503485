import { readAll, THIS_PROCESS } from "../system/environment.ts";
import { handleHook } from "./handle.ts";
import type { Answer, HookFlags } from "./handler.ts";

/** Handles the event on stdin and exits with 0: a fault is logged and does not stop Claude Code. */
export async function runHook(args: readonly string[]): Promise<never> {
  const flags = readFlags(args);
  const stdin = readAll(THIS_PROCESS.stdin);
  try {
    answerAndLeave(await handleHook(stdin, flags, THIS_PROCESS));
  } catch (thrown) {
    let answer: Answer = null;
    try {
      const { keepCrashed } = await import("./failure.ts");
      await keepCrashed(thrown, { stdin, flags, environment: THIS_PROCESS });
    } catch (lost) {
      const why = lost instanceof Error ? lost.message : lost;
      answer = { systemMessage: `conclaude could not keep this event: ${why}` };
    }
    answerAndLeave(answer);
  }
}

/** Reads `[EVENT] [--db PATH] [--no-db] [--conclaude]`. The last flag only marks whose command it is. */
export function readFlags(args: readonly string[]): HookFlags {
  const at = args.indexOf("--db");
  const joined = args.find((arg) => arg.startsWith("--db="))?.slice("--db=".length);
  return {
    event: args.find((arg, i) => !arg.startsWith("--") && (at < 0 || i !== at + 1)),
    db: joined ?? (at < 0 ? undefined : args[at + 1]),
    noDb: args.includes("--no-db"),
  };
}

/** Writes the whole answer, and exits. Skipping the runtime's teardown saves about 2 ms of every hook. */
function answerAndLeave(answer: Answer): never {
  if (answer !== null) {
    const bytes = new TextEncoder().encode(JSON.stringify(answer) + "\n");
    try {
      for (let written = 0; written < bytes.length;) {
        written += Deno.stdout.writeSync(bytes.subarray(written));
      }
    } catch {
      // Claude Code has closed the pipe. The event is stored already.
    }
  }
  Deno.exit(0);
}
