/** Programs that the daemon is measured with: servers that are started and ended, and a client that costs little itself. */
import { join } from "node:path";
import { openDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { REPOSITORY } from "../support/process.ts";
import { makeTask } from "../support/tasks.ts";
import type { Workplace } from "./fixture.ts";
import { startUnheard } from "./measure.ts";

/** A server that listens. */
export interface Serving extends AsyncDisposable {
  readonly pid: number;
  readonly socket: string;
}

/** What is asked, beside the host. */
export interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const READY_MS = 20_000;

/** The daemon of a workplace. */
export async function serveDaemon(program: string, place: Workplace): Promise<Serving> {
  const child = start(program, ["daemon", "run"], place);
  const stateFile = place.database.replace(/\.db$/, ".daemon.json");
  const state = () => JSON.parse(Deno.readTextFileSync(stateFile));
  await untilReady(() => state().pid === child.pid);
  return serving(child, state().socket);
}

/** The least that a server can do and still keep something: one row, in one transaction, for each request. */
export async function serveBare(program: string, place: Workplace): Promise<Serving> {
  const socket = join(place.home, "bare.sock");
  const child = start(program, [join(place.home, "bare.db"), socket], place);
  await untilReady(() => Deno.statSync(socket).isSocket === true);
  return serving(child, socket);
}

/** The source of {@linkcode serveBare}'s program. */
export const BARE_SERVER = join(REPOSITORY, "tests", "bench", "bare_server.js");

const start = (command: string, args: readonly string[], { env, project }: Workplace) =>
  startUnheard({ command, args, env, cwd: project });

async function untilReady(isReady: () => boolean): Promise<void> {
  for (const endMs = Date.now() + READY_MS;;) {
    try {
      if (isReady()) return;
    } catch {
      // Not there yet.
    }
    if (Date.now() > endMs) throw new Error("the server does not begin");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function serving(child: Deno.ChildProcess, socket: string): Serving {
  return {
    pid: child.pid,
    socket,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

/** Makes tasks that are open. @returns Their ids. */
export async function makeTasks(place: Workplace, count: number): Promise<string[]> {
  using db = await openDatabase(place.database, { busyTimeoutMs: 1_000 });
  const atMs = Date.now() - count;
  const ids = transaction(db, () =>
    Array.from({ length: count }, (_, i) =>
      makeTask(db, {
        title: `Task ${i}`,
        tags: ["auth"],
        projectDir: place.project,
        repository: `${place.project}/.git`,
        atMs: atMs + i,
      }).id));
  return ids;
}

/** A connection that is kept, and does one request after the other. */
export class Client {
  readonly #connection: Deno.Conn;
  readonly #buffer = new Uint8Array(65_536);

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  static async open(socket: string): Promise<Client> {
    return new Client(await Deno.connect({ transport: "unix", path: socket }));
  }

  /** Asks, and reads the answer to its end. @throws {Error} When it is not 2xx. */
  async ask(asked: Asked): Promise<void> {
    await this.send(asked);
    let text = "";
    for (;;) {
      const length = await this.#connection.read(this.#buffer);
      if (length === null) throw new Error("the server has hung up");
      text += DECODER.decode(this.#buffer.subarray(0, length));
      const head = text.indexOf("\r\n\r\n");
      if (head < 0) continue;
      const size = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
      // What comes back is plain ASCII here: as many characters as bytes.
      if (text.length < head + 4 + size) continue;
      if (!/^HTTP\/1\.1 2/.test(text)) throw new Error(`${asked.path}: ${text}`);
      return;
    }
  }

  /** Asks, and reads nothing. */
  async send({ method, path, headers = {} }: Asked): Promise<void> {
    const all = Object.entries({
      host: "conclaude",
      ...method === "POST" ? { "content-length": "0" } : {},
      ...headers,
    });
    const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
    const bytes = ENCODER.encode(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    await this.#connection.write(bytes);
  }

  /** What comes, piece by piece, as text. */
  async *pieces(): AsyncGenerator<string> {
    for (;;) {
      const length = await this.#connection.read(this.#buffer).catch(() => null);
      if (length === null) return;
      yield DECODER.decode(this.#buffer.subarray(0, length));
    }
  }

  close(): void {
    this.#connection.close();
  }
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
