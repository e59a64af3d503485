/**
 * A PostgreSQL of this test file: Debian's, on a free port, with TLS, as a user that may run it. It is started when it is
 * first asked for, and gone with the file. Each test makes a database of its own.
 */
import { chmodSync, chownSync, existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Server } from "../../../src/team/server.ts";
import { removeFolder } from "../../support/folders.ts";
import { until } from "../../support/wait.ts";

/** Where Debian keeps the programs of each version. */
const VERSIONS = "/usr/lib/postgresql";
/** Of every user of every test. */
export const PASSWORD = "opensesame";
/** Root may not run it: it is started as this user then. */
const ACCOUNT = "postgres";

/** The certificates that the server can be given: one is right for `localhost`, with the authority in `caFile`. */
export type Certificate = "right" | "foreign" | "expired" | "elsewhere";

/** How a certificate is made: by which authority, for which host and for how many days. */
const CERTIFICATES: Readonly<
  Record<Certificate, readonly [ca: string, host: string, days: number]>
> = {
  right: ["ca", "localhost", 30],
  foreign: ["other", "localhost", 30],
  expired: ["ca", "localhost", -1],
  elsewhere: ["ca", "elsewhere.example.org", 30],
};

/** The server of this test file. */
export interface Postgres {
  readonly port: number;
  /** The authority that signed the server's certificate. */
  readonly caFile: string;
  /** The server's log holds each statement. */
  readonly logFile: string;
  /** A new database, with its owner's address. */
  readonly database: () => Promise<TeamDatabase>;
  /** Makes a login that may connect. */
  readonly login: (name: string) => Promise<void>;
  /** Ends all connections and starts it again. @param kill As a crash does, instead of in order. */
  readonly restart: (
    options?: { readonly certificate?: Certificate; readonly kill?: boolean },
  ) => Promise<void>;
}

/** A database of a test. */
export interface TeamDatabase {
  readonly name: string;
  /** Its owner, who is not a superuser, as on a managed server. */
  readonly owner: string;
  /** Without a password: `postgres://ana@localhost:5433/t1`. @param port That of a proxy. */
  readonly address: (login: string, port?: number) => string;
  /** Runs SQL as a login; the superuser where none is named. @returns The rows. */
  // deno-lint-ignore no-explicit-any -- each query knows its columns
  readonly query: (sql: string, values?: readonly unknown[], login?: string) => Promise<any[]>;
  /** Copies it as a backup does. @returns Puts the copy in its place. */
  readonly backup: () => Promise<() => Promise<void>>;
  /** A connection of a login, to be ended by the caller. */
  readonly connect: (login?: string) => Promise<Server>;
}

let started: Promise<Postgres> | undefined;
let stop = () => {};
addEventListener("unload", () => stop());

/** Null where PostgreSQL can be started; else why not. */
export function needsPostgres(): string | null {
  if (Deno.build.os !== "linux") return "needs Linux";
  if (programs() === null) return "needs PostgreSQL";
  return Deno.uid() !== 0 || accountIds() !== null ? null : `needs a user ${ACCOUNT}`;
}

/** The server of this test file. @param options `logs`: whether it writes down each statement; the first call decides. */
export function postgres({ logs = true }: { readonly logs?: boolean } = {}): Promise<Postgres> {
  return started ??= start(logs);
}

/** The folder of the newest version's programs. */
function programs(): string | null {
  try {
    const versions = Array.from(Deno.readDirSync(VERSIONS), ({ name }) => name)
      .filter((name) => existsSync(join(VERSIONS, name, "bin", "postgres")))
      .sort((a, b) => Number(b) - Number(a));
    return versions.length === 0 ? null : join(VERSIONS, versions[0]!, "bin");
  } catch {
    return null;
  }
}

function accountIds(): readonly [uid: number, gid: number] | null {
  const line = new RegExp(`^${ACCOUNT}:[^:]*:(\\d+):(\\d+):`, "m")
    .exec(Deno.readTextFileSync("/etc/passwd"));
  return line === null ? null : [Number(line[1]), Number(line[2])];
}

async function start(logs: boolean): Promise<Postgres> {
  const bin = programs()!;
  const account = Deno.uid() === 0 ? accountIds() : null;
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-postgres-" }));
  const data = join(folder, "data");
  const logFile = join(folder, "log");
  const port = freePort();
  stop = () => removeFolder(folder);
  Deno.writeTextFileSync(join(folder, "password"), PASSWORD);
  makeCertificates(folder);
  for (const name of ["", ...Array.from(Deno.readDirSync(folder), ({ name }) => name)]) {
    const path = join(folder, name);
    // Whoever tests may read the authorities.
    chmodSync(path, name === "" ? 0o711 : name.endsWith(".crt") ? 0o644 : 0o600);
    if (account !== null && name !== "") chownSync(path, ...account);
  }
  if (account !== null) chownSync(folder, ...account);
  const as = account === null
    ? []
    : [`--reuid=${account[0]}`, `--regid=${account[1]}`, "--clear-groups"];
  const command = (program: string, args: readonly string[]) => {
    // A test that is killed leaves no server behind.
    return new Deno.Command("setpriv", {
      args: ["--pdeathsig=QUIT", ...as, join(bin, program), ...args],
      cwd: folder,
      env: { LC_ALL: "C.UTF-8" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    });
  };
  const made = command("initdb", [
    ...["-D", data, "-U", ACCOUNT, "-E", "UTF8", "-A", "scram-sha-256"],
    ...["--pwfile", join(folder, "password"), "--no-sync"],
  ]).outputSync();
  if (!made.success) throw new Error(`initdb: ${new TextDecoder().decode(made.stderr)}`);

  let child: Deno.ChildProcess;
  const run = async (certificate: Certificate) => {
    const settings = {
      port,
      listen_addresses: "localhost",
      unix_socket_directories: "",
      ssl: "on",
      ssl_cert_file: join(folder, `${certificate}.crt`),
      ssl_key_file: join(folder, `${certificate}.key`),
      // Nothing of a test has to outlive the machine; a killed server still finds what it wrote.
      fsync: "off",
      full_page_writes: "off",
      max_connections: 200,
      shared_buffers: "64MB",
      log_statement: logs ? "all" : "none",
      shared_preload_libraries: "pg_stat_statements",
      logging_collector: "on",
      log_directory: folder,
      log_filename: "log",
      log_file_mode: "0644",
    };
    child = command("postgres", [
      ...["-D", data],
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ]).spawn();
    const { pid } = child;
    child.unref();
    // It writes into its log from then on.
    child.stderr.cancel().catch(() => {});
    stop = () => {
      try {
        // SIGQUIT ends it at once, with all that it started.
        Deno.kill(pid, "SIGQUIT");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      } catch {
        // It has ended.
      }
      removeFolder(folder);
    };
    await until("PostgreSQL answers", async () => {
      try {
        await (await connectTo(port, ACCOUNT, "postgres")).end();
        return true;
      } catch {
        return false;
      }
    });
  };
  await run("right");

  let databases = 0;
  const query = async (sql: string, values: readonly unknown[] = []) => {
    const server = await connectTo(port, ACCOUNT, "postgres");
    try {
      return (await server.query(sql, values)).rows;
    } finally {
      await server.end();
    }
  };
  const login = async (name: string, more = "") => {
    const [there] = await query("SELECT 1 FROM pg_roles WHERE rolname = $1", [name]);
    await query(
      `${there ? "ALTER" : "CREATE"} ROLE "${name}" LOGIN ${more} PASSWORD '${PASSWORD}'`,
    );
  };
  return {
    port,
    caFile: join(folder, "ca.crt"),
    logFile,
    login: (name) => login(name),
    async database() {
      const name = `t${++databases}`;
      const owner = `owner${databases}`;
      await login(owner, "CREATEROLE");
      await query(`CREATE DATABASE ${name} OWNER ${owner}`);
      return {
        name,
        owner,
        address: (user, other = port) => `postgres://${user}@localhost:${other}/${name}`,
        connect: (user = ACCOUNT) => connectTo(port, user, name),
        async backup() {
          const copy = `${name}_copy${++databases}`;
          await query(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
          return async () => {
            await query(`DROP DATABASE ${name} WITH (FORCE)`);
            await query(`CREATE DATABASE ${name} TEMPLATE ${copy}`);
          };
        },
        async query(sql, values = [], user = ACCOUNT) {
          const server = await connectTo(port, user, name);
          try {
            return (await server.query(sql, values)).rows;
          } finally {
            await server.end();
          }
        },
      };
    },
    async restart({ certificate = "right", kill = false } = {}) {
      Deno.kill(child.pid, kill ? "SIGQUIT" : "SIGINT");
      child.ref();
      await child.status;
      await run(certificate);
    },
  };
}

async function connectTo(port: number, user: string, database: string): Promise<Server> {
  const server: Server = new pg.Client({
    ...{ host: "localhost", port, user, database, password: PASSWORD },
    ssl: false,
  });
  server.on("error", () => {});
  await server.connect();
  return server;
}

/** Two authorities, and the server's certificates. */
function makeCertificates(folder: string): void {
  const openssl = (...args: readonly string[]) => {
    const { success, stderr } = new Deno.Command("openssl", {
      args: [...args],
      cwd: folder,
      stdout: "null",
      stderr: "piped",
    }).outputSync();
    if (!success) throw new Error(`openssl: ${new TextDecoder().decode(stderr)}`);
  };
  const key = (name: string) => [
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-keyout", `${name}.key`],
  ];
  for (const ca of ["ca", "other"]) {
    openssl("req", "-x509", ...key(ca), "-out", `${ca}.crt`, "-days", "30", "-subj", `/CN=${ca}`);
  }
  for (const [name, [ca, host, days]] of Object.entries(CERTIFICATES)) {
    openssl("req", ...key(name), "-out", `${name}.csr`, "-subj", `/CN=${host}`);
    Deno.writeTextFileSync(join(folder, "names"), `subjectAltName=DNS:${host}\n`);
    openssl(
      ...["x509", "-req", "-in", `${name}.csr`, "-out", `${name}.crt`, "-extfile", "names"],
      ...["-CA", `${ca}.crt`, "-CAkey", `${ca}.key`, "-CAcreateserial", "-days", String(days)],
    );
  }
}

/** A port that nothing listens on. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
