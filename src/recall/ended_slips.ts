/** Closes failures of calls that were wrong themselves: the same program was called in another way since. */
import type { DatabaseSync } from "node:sqlite";
import { commandKey } from "../memory/observe/command_key.ts";
import { openSlips, resolveObservation } from "../store/open_failures.ts";

/** Wrong calls that may be open. They are seldom, so a drain remembers of which sessions there are any. */
export class OpenSlips {
  /** The programs that were called wrongly, by the session. */
  readonly #programs = new Map<string, Set<string>>();

  /** A session has called a program wrongly. */
  add(sessionId: string, program: string): void {
    this.#programs.get(sessionId)?.add(program);
  }

  /** Programs ran in a session: what it called wrongly of them before is over, without a fix. */
  end(
    db: DatabaseSync,
    { sessionId, atMs, nowMs, command, calls, by }: {
      readonly sessionId: string;
      /** When they ran. */
      readonly atMs: number;
      /** What is dated later than the present was wrong before a clock was set back. */
      readonly nowMs: number;
      readonly command: string;
      readonly calls: readonly string[];
      /** The observation of the command. */
      readonly by: number;
    },
  ): void {
    const open = this.#programs.get(sessionId) ?? programsOf(db, sessionId);
    this.#programs.set(sessionId, open);
    if (!calls.some((program) => open.has(program))) return;
    for (const slip of openSlips(db, sessionId)) {
      const isBefore = slip.updatedAtMs <= atMs || slip.updatedAtMs > nowMs;
      const isOther = commandKey(slip.command) !== commandKey(command);
      if (isBefore && isOther && calls.includes(slip.program)) resolveObservation(db, slip.id, by);
    }
    this.#programs.set(sessionId, programsOf(db, sessionId));
  }
}

function programsOf(db: DatabaseSync, sessionId: string): Set<string> {
  return new Set(openSlips(db, sessionId).map(({ program }) => program));
}
