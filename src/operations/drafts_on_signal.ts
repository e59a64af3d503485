/** Work that writes drafts, which must be gone when a signal ends the process. */
import { removeOpenDrafts } from "../upkeep/care/database_files.ts";
import { onEndingSignals } from "../system/process/start.ts";
import { exit, type Signal } from "../system/processes.ts";

/** As in a shell, the exit status after a signal is this plus the number of the signal. */
const ENDED_BY_SIGNAL = 128;
const SIGNAL_NUMBERS: Readonly<Partial<Record<Signal, number>>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGTERM: 15,
};

/** The exit status of a process that a signal ends. */
export function statusAfter(signal: Signal): number {
  return ENDED_BY_SIGNAL + SIGNAL_NUMBERS[signal]!;
}

/** Removes drafts when a signal ends the process. Long work calls {@linkcode hearSignals} now and then. */
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
