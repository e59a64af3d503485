/** Who is the daemon of a database, and how to talk to it. The lock alone tells whether it is there. */

/** What the daemon writes down of itself, for whoever looks for it. */
export interface DaemonState {
  readonly pid: number;
  readonly startedAtMs: number;
  /** Null where there are no unix sockets. */
  readonly socket: string | null;
  /** Null when it listens on the socket alone. */
  readonly port: number | null;
  /** What opens the port: made anew at every start. */
  readonly token: string;
  readonly version: string;
}

/** Writes the file whole, readable for its owner alone. */
export function writeState(path: string, state: DaemonState): void {
  const draft = `${path}.${Deno.pid}.tmp`;
  Deno.writeTextFileSync(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  Deno.renameSync(draft, path);
}

/** What the file says; null when there is none that can be read. */
export function readState(path: string): DaemonState | null {
  try {
    const state: unknown = JSON.parse(Deno.readTextFileSync(path));
    return isState(state) ? state : null;
  } catch {
    return null;
  }
}

function isState(value: unknown): value is DaemonState {
  if (typeof value !== "object" || value === null) return false;
  const state = value as Record<string, unknown>;
  return ["pid", "startedAtMs"].every((name) => Number.isSafeInteger(state[name])) &&
    ["token", "version"].every((name) => typeof state[name] === "string") &&
    (state["socket"] === null || typeof state["socket"] === "string") &&
    (state["port"] === null || Number.isSafeInteger(state["port"]));
}
