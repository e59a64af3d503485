/** What the daemon does of itself, beside answering: the part that takes tasks, starts agents and follows workflows. */

/** The daemon's own work; {@linkcode import("../engine/engine.ts").Engine} is it. */
export interface Engine {
  /** Takes up what an earlier daemon left, and begins. */
  start(): Promise<void>;
  /** Lets go; what runs goes on without it. */
  stop(): Promise<void>;
  /** Something may be there to do: looks at once. */
  wake(): void;
}
