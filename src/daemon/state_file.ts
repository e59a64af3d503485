/** The file that says who the daemon of a database is and how to talk to it. Only the lock tells whether one runs. */

/** What the daemon writes down of itself, for its clients. */
export interface DaemonState {
  readonly pid: number;
  /** When the system says that the process was started, in its own words; null where it does not tell. */
  readonly processMark: string | null;
  readonly startedAtMs: number;
  /** Null where there are no unix sockets. */
  readonly socket: string | null;
  /** Null when it listens on the socket alone. */
  readonly port: number | null;
  /** What opens the port: made anew at every start. */
  readonly token: string;
  readonly version: string;
}

/** Writes the file whole, readable for its owner alone; leaves one alone that says the same already. */
export function keepState(path: string, state: DaemonState): "kept" | "written" {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  if (readText(path) === text) return "kept";
  const draft = `${path}.${Deno.pid}.tmp`;
  Deno.writeTextFileSync(draft, text, { mode: 0o600 });
  Deno.renameSync(draft, path);
  return "written";
}

/** What the file says; null when there is none that can be read. */
export function readState(path: string): DaemonState | null {
  try {
    const state: unknown = JSON.parse(readText(path) ?? "");
    // Versions before this one wrote down no mark.
    return isState(state, "file") ? { ...state, processMark: state.processMark ?? null } : null;
  } catch {
    return null;
  }
}

/** Whether something tells of a daemon. @param kind Its answer has no token. */
export function isState(value: unknown, kind: "file" | "answer"): value is DaemonState {
  if (typeof value !== "object" || value === null) return false;
  const state = value as Record<string, unknown>;
  const texts = kind === "file" ? ["token", "version"] : ["version"];
  return ["pid", "startedAtMs"].every((name) => Number.isSafeInteger(state[name])) &&
    texts.every((name) => typeof state[name] === "string") &&
    (state["socket"] === null || typeof state["socket"] === "string") &&
    (state["port"] === null || Number.isSafeInteger(state["port"]));
}

function readText(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}
