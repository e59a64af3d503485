/** Finds the daemon of a database by its files and talks to it; writes and reads the daemon's state file. */
import { isLocked } from "../db/process_lock.ts";
import { livesOn } from "../system/process/process_identity.ts";
import type { DaemonFiles } from "../system/daemon_files.ts";
import { readJsonFile, readText } from "../system/on_disk.ts";
import { OS } from "../system/environment.ts";
import { createHttpClient } from "../system/network.ts";
import { writeWhole } from "../system/write_file.ts";

/** The state that a daemon reports; only its state file also holds the token. */
export type KnownDaemon = Omit<DaemonState, "token" | "processMark">;

/** The result of a search. `silent`: a daemon exists, but does not answer yet or any more. */
export type FoundDaemon =
  | { readonly kind: "none" }
  | { readonly kind: "silent" }
  | { readonly kind: "running"; readonly state: KnownDaemon; readonly answers: boolean };

/** The longest wait for an answer, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * Looks for the daemon. The lock tells whether one exists, and its answer who it is. If nobody answers, the state file
 * counts if it names a daemon's process, since a killed daemon leaves its file behind.
 */
export async function findDaemon(files: DaemonFiles): Promise<FoundDaemon> {
  if (!isLocked(files.lock)) return { kind: "none" };
  const answering = await whoAnswers(files);
  if (answering !== null) return { kind: "running", answers: true, state: answering };
  const written = readState(files.state);
  if (written === null || !await livesOn(written, (line) => /\bdaemon run\b/.test(line))) {
    return { kind: "silent" };
  }
  const { token: _token, processMark: _mark, ...state } = written;
  return { kind: "running", answers: false, state };
}

/** Returns the daemon that answers for the database, even if somebody has removed its lock; null when none answers. */
export async function whoAnswers(files: DaemonFiles): Promise<KnownDaemon | null> {
  const answer = await askDaemon(files, { method: "GET", path: "/status" });
  if (answer?.status !== 200 || !isState(answer.body)) return null;
  const { pid, startedAtMs, socket, port, version } = answer.body;
  return { pid, startedAtMs, socket, port, version };
}

/** Whether the daemon has written its state file, which is the last step of its start. */
export function isWrittenDown(files: DaemonFiles, { pid, startedAtMs }: KnownDaemon): boolean {
  const written = readState(files.state);
  return written?.pid === pid && written.startedAtMs === startedAtMs;
}

/** Tells the daemon to stop. @returns Whether it received the request. */
export async function askToStop(files: DaemonFiles): Promise<boolean> {
  const answer = await askDaemon(files, { method: "POST", path: "/shutdown" });
  // A daemon that is already stopping refuses the request.
  return answer !== null && (answer.status === 202 || answer.status === 503);
}

/**
 * Sends a request to the daemon's socket, or, on Windows, to the port in its state file.
 * @returns Null if the daemon does not answer in time, or not with JSON.
 */
export async function askDaemon(
  files: DaemonFiles,
  { method, path, headers = {}, body }: {
    readonly method: "GET" | "POST";
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  },
): Promise<{ readonly status: number; readonly body: unknown } | null> {
  const written = OS === "windows" ? readState(files.state) : null;
  const { socket, port, token } = written ?? { socket: files.socket, port: null, token: "" };
  using client = socket === null
    ? undefined
    : createHttpClient({ proxy: { transport: "unix", path: socket } });
  try {
    const response = await fetch(`http://127.0.0.1${port === null ? "" : `:${port}`}${path}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        ...body === undefined ? {} : { "content-type": "application/json" },
      },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...client === undefined ? {} : { client },
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}

/** The daemon's state file. Only the lock tells whether the daemon runs. */
export interface DaemonState {
  readonly pid: number;
  /** When the process was started, in the system's own format; null if the system does not tell. */
  readonly processMark: string | null;
  readonly startedAtMs: number;
  /** Null on a system without unix sockets. */
  readonly socket: string | null;
  /** Null if the daemon listens only on the socket. */
  readonly port: number | null;
  /** The token for requests on the port; new at every start. */
  readonly token: string;
  readonly version: string;
}

/** Writes the state file, for its owner alone, unless its content is the same already. */
export function keepState(path: string, state: DaemonState): "kept" | "written" {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  if (readText(path) === text) return "kept";
  writeWhole(path, text, { mode: 0o600 });
  return "written";
}

export function readState(path: string): DaemonState | null {
  const state = readJsonFile(path);
  return isState(state) ? state : null;
}

function isState(value: unknown): value is DaemonState {
  return Number.isSafeInteger(Object(value).pid);
}
