import { UserError } from "../errors.ts";

/** Runs a task; what it throws is told in three lines where it was meant for a person, and leaves with status 1. */
export async function runTask(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    console.error(`${thrown.what}\n  why:  ${thrown.why}\n  next: ${thrown.next}`);
    Deno.exit(1);
  }
}
