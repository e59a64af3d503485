import type { ClaimedCapture } from "../store/queue_work.ts";

/** What was captured, and may have mended, ended or taken back something that was there before it. */
export interface DoneBy {
  readonly capture: ClaimedCapture;
  /** Its observation. */
  readonly by: number;
  /** Epoch milliseconds: what is dated later than this was told by a clock that was set back since. */
  readonly nowMs: number;
}
