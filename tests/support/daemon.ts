/** Runs the daemon of a home, and talks to it byte by byte, so that nothing tidies up what a test sends. */
import { join } from "node:path";
import { addToken, PERSON_TOKEN } from "./person.ts";
import { spawnProgram, startProgram } from "./process.ts";
import type { TempHome } from "./program.ts";
import { pause } from "./wait.ts";

/** What was answered. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was answered
  readonly body: any;
}

/** A request. It comes from a person unless the header `conclaude-token` is empty. */
export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  /** Through the port, with its token unless the headers say otherwise. */
  readonly port?: boolean;
}

/** A daemon that runs. */
export interface RunningDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly socket: string;
  readonly port: number;
  readonly token: string;
  readonly child: Deno.ChildProcess;
  /** What it has written to stderr so far. */
  readonly stderr: () => string;
  readonly ask: (method: string, path: string, sent?: Sent) => Promise<Reply>;
  /** Its exit status, when it has left. */
  readonly left: Promise<Deno.CommandStatus>;
}

const READY_MS = 20_000;

/** Runs the daemon of a home, and waits until it answers; ended at the end of the block. */
export async function runDaemon(
  home: TempHome,
  { database = home.database, args = ["--port", "0"], env = {}, cwd }: {
    readonly database?: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
  } = {},
): Promise<RunningDaemon> {
  const child = spawnProgram(["--db", database, "daemon", "run", ...args], {
    env: { HOME: home.path, ...env },
    cwd,
  });
  await child.stdin.close();
  let stderr = "";
  const reading = child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (text) => void (stderr += text) }),
  );
  const printing = child.stdout.pipeTo(new WritableStream());
  const stateFile = database.replace(/\.db$/, ".daemon.json");
  const endMs = Date.now() + READY_MS;
  for (;;) {
    try {
      const state = JSON.parse(Deno.readTextFileSync(stateFile));
      if (state.pid === child.pid) break;
    } catch {
      // Not there yet.
    }
    if (Date.now() > endMs) throw new Error(`the daemon does not begin: ${stderr}`);
    await pause(20);
  }
  const { socket, port, token } = JSON.parse(Deno.readTextFileSync(stateFile));
  addToken(database);
  const ask: RunningDaemon["ask"] = (method, path, sent = {}) =>
    exchange(
      sent.port ? { port } : { socket },
      requestText(method, path, {
        ...sent,
        headers: {
          "conclaude-token": PERSON_TOKEN,
          ...sent.port
            ? { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` }
            : { host: "conclaude" },
          ...sent.headers,
        },
      }),
    );
  const left = child.status;
  return {
    pid: child.pid,
    socket,
    port,
    token,
    child,
    stderr: () => stderr,
    ask,
    left,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has left.
      }
      await Promise.all([left, reading, printing]);
    },
  };
}

/** A request as bytes. A header with an empty name is left out. */
export function requestText(
  method: string,
  path: string,
  { headers = {}, body }: Sent,
): Uint8Array {
  const encoder = new TextEncoder();
  const isBytes = body instanceof Uint8Array;
  const bytes = body === undefined
    ? new Uint8Array()
    : isBytes
    ? body
    : encoder.encode(typeof body === "string" ? body : JSON.stringify(body));
  const all: Record<string, string> = {
    connection: "close",
    ...body === undefined ? {} : { "content-type": "application/json" },
    ...bytes.length === 0 && body === undefined ? {} : { "content-length": String(bytes.length) },
    ...headers,
  };
  const lines = Object.entries(all).filter(([, value]) => value !== "").map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  const head = encoder.encode(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return whole;
}

/** Sends bytes and reads the answer to its end. */
async function exchange(
  door: { readonly socket: string } | { readonly port: number },
  request: Uint8Array,
): Promise<Reply> {
  using connection = "socket" in door
    ? await Deno.connect({ transport: "unix", path: door.socket })
    : await Deno.connect({ hostname: "127.0.0.1", port: door.port });
  const writing = writeAll(connection, request);
  const chunks: Uint8Array[] = [];
  const buffer = new Uint8Array(65_536);
  for (;;) {
    const length = await connection.read(buffer).catch(() => null);
    if (length === null) break;
    chunks.push(buffer.slice(0, length));
  }
  await writing;
  return readReply(await new Blob(chunks as BlobPart[]).bytes());
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  try {
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  } catch {
    // The server has heard enough.
  }
}

function readReply(bytes: Uint8Array): Reply {
  // A character for each byte, so that the lengths of chunks can be counted.
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const end = text.indexOf("\r\n\r\n");
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(":")),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const rest = text.slice(end + 4);
  const joined = headers.get("transfer-encoding") === "chunked" ? joinChunks(rest) : rest;
  const whole = new TextDecoder().decode(Uint8Array.from(joined, (char) => char.charCodeAt(0)));
  let body: unknown;
  try {
    body = JSON.parse(whole);
  } catch {
    body = undefined;
  }
  return { status: Number(first?.split(" ")[1] ?? 0), headers, text: whole, body };
}

function joinChunks(text: string): string {
  let whole = "";
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\r\n", at);
    const length = Number.parseInt(text.slice(at, end), 16);
    if (!(length > 0)) break;
    whole += text.slice(end + 2, end + 2 + length);
    at = end + 2 + length + 2;
  }
  return whole;
}

/** What a verb of the daemon says of that of a home, as JSON, with its exit code. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
export async function daemonVerb(home: TempHome, ...args: readonly string[]): Promise<any> {
  const env = { HOME: home.path };
  const { code, stdout } = await startProgram(["daemon", ...args, "--json"], { env });
  return { code, ...JSON.parse(stdout) };
}

/** The names of what lies beside the database of a home. */
export function besideDatabase(home: TempHome, ending: string): string {
  return join(home.path, ".conclaude", `conclaude.${ending}`);
}
