/** Closes failures of calls that were wrong themselves: the same program was called in another way since. */
import type { DatabaseSync } from "node:sqlite";
import { commandKey } from "../memory/observe/command_key.ts";
import { type OpenSlip, openSlips, resolveObservation } from "../store/open_failures.ts";

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
    const open = this.#programs.get(sessionId) ?? programsOf(openSlips(db, sessionId));
    this.#programs.set(sessionId, open);
    if (!calls.some((program) => open.has(program))) return;
    const isOver = ({ program, command: wrong, updatedAtMs }: OpenSlip) =>
      calls.includes(program) && (updatedAtMs <= atMs || updatedAtMs > nowMs) &&
      commandKey(wrong) !== commandKey(command);
    const { over = [], left = [] } = Object.groupBy(
      openSlips(db, sessionId),
      (slip) => isOver(slip) ? "over" : "left",
    );
    for (const { id } of over) resolveObservation(db, id, by);
    this.#programs.set(sessionId, programsOf(left));
  }
}

function programsOf(slips: readonly OpenSlip[]): Set<string> {
  return new Set(slips.map(({ program }) => program));
}
