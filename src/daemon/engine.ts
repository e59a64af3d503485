/** What the daemon does of itself, beside answering: the part that takes tasks, starts agents and follows workflows. */
import type { DatabaseSync } from "node:sqlite";

/** The daemon's own work. */
export interface Engine {
  /** Takes up what an earlier daemon left, and begins. */
  start(): Promise<void>;
  /** Lets go; what runs goes on without it. */
  stop(): Promise<void>;
  /** Something may be there to do: looks at once. */
  wake(): void;
}

/** What the engine is given. */
export interface EngineContext {
  readonly db: DatabaseSync;
  /** To be called after every write, so that streams tell it without delay. */
  readonly changed: () => void;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
}

/** An engine for a database. */
export function createEngine(_context: EngineContext): Engine {
  return {
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    wake: () => {},
  };
}
