/** Removes drafts of files when a signal ends the process that writes them. */
import { removeOpenDrafts } from "../upkeep/care/database_files.ts";
import { onEndingSignals } from "../system/process/start.ts";
import { exit, type Signal } from "../system/processes.ts";

/** As in a shell, the exit status after a signal is this number plus the signal's number. */
const ENDED_BY_SIGNAL = 128;
const SIGNAL_NUMBERS: Readonly<Partial<Record<Signal, number>>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGTERM: 15,
};

export function statusAfter(signal: Signal): number {
  return ENDED_BY_SIGNAL + SIGNAL_NUMBERS[signal]!;
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
