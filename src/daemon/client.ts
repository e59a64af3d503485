/** Finds the daemon of a database by its files, and talks to it. */
import { isDaemonLocked } from "../store/daemon_lock.ts";
import { type DaemonFiles, daemonFiles, realDatabase } from "../process/daemon_files.ts";
import { type DaemonState, readState } from "./state_file.ts";

/** What there is to be found: nobody, one that does not tell who it is (yet, or any more), or one to talk to. */
export type FoundDaemon =
  | { readonly kind: "none" }
  | { readonly kind: "silent" }
  | { readonly kind: "running"; readonly state: DaemonState };

/** What a daemon answered. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Longest wait for an answer, in milliseconds. */
const ANSWER_MS = 5_000;

/** Looks for the daemon. The lock is the truth; what a file says of a process that is gone counts for nothing. */
export function findDaemon(files: DaemonFiles): FoundDaemon {
  if (!isDaemonLocked(files.lock)) return { kind: "none" };
  const state = readState(files.state);
  return state === null ? { kind: "silent" } : { kind: "running", state };
}

/** {@linkcode findDaemon} of a database. @param privateFolder As in {@linkcode daemonFiles}. */
export function findDaemonOf(database: string, privateFolder: string): FoundDaemon {
  return findDaemon(daemonFiles(realDatabase(database), privateFolder));
}

/**
 * Asks a daemon.
 *
 * @returns `null` when it does not answer in time. @throws {Error} When its answer is no JSON.
 */
export async function askDaemon(
  { socket, port, token }: DaemonState,
  { method, path }: { readonly method: "GET" | "POST"; readonly path: string },
): Promise<Answer | null> {
  using client = socket === null
    ? undefined
    : Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  let response: Response;
  try {
    response = await fetch(`http://127.0.0.1${port === null ? "" : `:${port}`}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...client === undefined ? {} : { client },
    });
  } catch {
    return null;
  }
  return { status: response.status, body: await response.json() };
}
