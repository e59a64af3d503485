/**
 * Compares the database with Claude Code's transcripts and fills gaps. This takes long, so it runs beside the requests,
 * and `state` tells its progress.
 */
import { isUserError, messageOf } from "../base/errors.ts";
import type { Progress } from "../operations/context.ts";
import { type BackfillState, gapsByProject, type Reconciled } from "../operations/project_gaps.ts";
import type { Daemon } from "./route.ts";
import { runVerb } from "./verb_route.ts";

export class Backfill {
  #running: BackfillState["running"] = null;
  #last: BackfillState["last"] = null;

  get state(): BackfillState {
    return { running: this.#running, last: this.#last };
  }

  /** Begins a run, unless one is running. @param fills Whether missing items are written. */
  begin(daemon: Daemon, fills: boolean): void {
    if (this.#running !== null) return;
    this.#running = { doing: "Looking for transcripts", done: 0 };
    void this.#run(daemon, fills).then((outcome) => {
      this.#last = outcome;
      this.#running = null;
    });
  }

  async #run(daemon: Daemon, fills: boolean): Promise<BackfillState["last"]> {
    const onProgress = (doing: string, far?: Progress) =>
      void (this.#running = { doing, done: 0, ...far });
    try {
      const runs = `reconcile${fills ? " --backfill" : ""}`;
      const { filled, ...result } = await runVerb(daemon, runs, { onProgress }) as Reconciled;
      return {
        ...{ kind: "done", atMs: Date.now(), transcripts: result.transcripts },
        ...{ projects: gapsByProject(result.sessions), worked: result.worked },
        filled: filled?.written ?? null,
      };
    } catch (thrown) {
      const why = isUserError(thrown) ? `${thrown.what}: ${thrown.why}` : messageOf(thrown);
      return { kind: "failed", atMs: Date.now(), why };
    }
  }
}
