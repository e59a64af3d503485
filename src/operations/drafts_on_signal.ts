/** Removes drafts of files when a signal ends the process that writes them. */
import { constants } from "node:os";
import { removeOpenDrafts } from "../upkeep/care/database_files.ts";
import { onEndingSignals } from "../system/process/start.ts";
import { exit, type Signal } from "../system/processes.ts";

/** Returns the exit status of a process that a signal ends, as a shell gives it. */
export function statusAfter(signal: Signal): number {
  return 128 + constants.signals[signal as keyof typeof constants.signals];
}

/** Does the work and removes its drafts if a signal comes. Long work calls {@linkcode hearSignals} at times. */
export async function withoutDraftsLeft<Result>(work: () => Promise<Result>): Promise<Result> {
  using _hearing = onEndingSignals((signal) => {
    removeOpenDrafts();
    exit(statusAfter(signal));
  });
  return await work();
}

/** Lets listeners run for signals that came while this process worked. */
export function hearSignals(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
