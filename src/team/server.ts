/** Connects to a team's server. Only `conclaude team …` loads this file, and with it the PostgreSQL client. */
import pg from "pg";
import { isUserError, messageOf, UserError } from "../base/errors.ts";
import type { Environment } from "../system/environment.ts";
import { readText } from "../system/on_disk.ts";
import { readAddress, type ServerAddress } from "./address.ts";
import { passwordOf } from "./password.ts";
import type { WayToServer } from "./types.ts";

/** A connection to PostgreSQL. The client has no types of its own. */
export interface Server {
  readonly connect: () => Promise<void>;
  readonly end: () => Promise<void>;
  readonly on: (event: "error" | "notification", listener: (it: unknown) => void) => void;
  readonly query: (
    sql: string,
    values?: readonly unknown[],
    // deno-lint-ignore no-explicit-any -- each query knows its columns
  ) => Promise<{ readonly rows: any[] }>;
  readonly escapeIdentifier: (name: string) => string;
}

const CONNECT_MS = 5_000;
const ANSWER_MS = 90_000;
const MAX_CA_BYTES = 1_000_000;

/** The environment of the connection, and the limit for connecting, in milliseconds. */
interface ConnectOptions {
  readonly environment: Environment;
  readonly connectMs?: number;
}

/** Connects, runs `work` and disconnects. @throws {UserError} When the server cannot be reached, or fails. */
export async function withServer<Result>(
  way: WayToServer,
  options: ConnectOptions,
  work: (server: Server) => Promise<Result>,
): Promise<Result> {
  const server = await connect(way, options);
  try {
    return await work(server);
  } catch (thrown) {
    throw serverError(way, thrown);
  } finally {
    await server.end().catch(() => {});
  }
}

/** Connects to a server. @throws {UserError} When the server cannot be reached. */
export async function connect(
  way: WayToServer,
  { environment, connectMs = CONNECT_MS }: ConnectOptions,
): Promise<Server> {
  const address = readAddress(way.address);
  const { host, port, user, database } = address;
  const password = await passwordOf(way, address, environment);
  const server: Server = new pg.Client({
    host,
    port,
    user,
    database,
    application_name: "conclaude",
    // This is a function, since the client would look for a missing password by itself.
    password: () => password ?? noPassword(),
    ssl: tlsOptions(address, way),
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // The server itself ends a statement earlier (`statement_timeout`); this limit is for one that does not answer.
    query_timeout: ANSWER_MS,
    options: "-c search_path=pg_catalog -c statement_timeout=60000 -c lock_timeout=30000",
  });
  // After an error between two queries, the next query fails.
  server.on("error", () => {});
  try {
    await server.connect();
    return server;
  } catch (thrown) {
    await server.end().catch(() => {});
    throw serverError(way, thrown);
  }
}

function noPassword(): never {
  throw new UserError("Cannot sign in to the team's server", {
    why: "it asks for a password, and there is none for it",
    next: "Write it into ~/.pgpass (mode 0600), or join with --password-file or --password-command",
  });
}

/** Returns the options of TLS; false for a server on this machine for which no certificate was given. */
function tlsOptions({ isLocal }: ServerAddress, { caFile }: WayToServer) {
  if (caFile === undefined) return isLocal ? false : { rejectUnauthorized: true };
  const ca = readText(caFile, MAX_CA_BYTES);
  if (ca !== null) return { ca, rejectUnauthorized: true };
  throw new UserError("Cannot work with the team's server", {
    why: `the certificates of --ca cannot be read: ${caFile}`,
    next: "Put the file back, or join again with another one",
  });
}

/** Faults that a person can mend, by the error codes of PostgreSQL, the network and TLS. */
const KNOWN_FAULTS: readonly {
  readonly code: RegExp;
  readonly why: string;
  readonly next: string;
}[] = [
  {
    code: /^(?:28P01|28000)$/,
    why: "the server does not accept this user with this password",
    next: "Look at ~/.pgpass, --password-file or --password-command, and ask the team's owner",
  },
  {
    code: /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    why: "it cannot be reached: there is no such host, it is away, or nothing listens there",
    next: "What waits is kept. Once it can be reached: conclaude team sync",
  },
  {
    code:
      /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?)$/,
    why: "its certificate is not signed by one that is trusted here",
    next: "Join with `--ca FILE`, the certificate of the team's own authority",
  },
  {
    code: /^CERT_HAS_EXPIRED$/,
    why: "its certificate has expired",
    next: "The server needs a new certificate; nothing is sent until then",
  },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    why: "its certificate belongs to another host",
    next: "Use the host's name as its certificate has it",
  },
  {
    code: /^3F000$|^42883$|^42P01$/,
    why: "no team is set up there",
    next: "An owner of the database runs `conclaude team init ADDRESS`",
  },
  {
    code: /^42501$/,
    why: "this user does not belong to the project there",
    next: "An owner of the project runs `conclaude team members --add LOGIN`",
  },
];

/** Turns an error of the server or the connection into one for a person. The error names no password. */
export function serverError({ address }: WayToServer, thrown: unknown): Error {
  if (isUserError(thrown)) return thrown;
  const code = String((thrown as { readonly code?: unknown })?.code ?? "");
  const text = messageOf(thrown);
  const known = KNOWN_FAULTS.find((fault) => fault.code.test(code)) ?? faultInWords(text);
  return new UserError("Cannot work with the team's server", {
    why: `${readAddress(address).host}: ${known?.why ?? text}`,
    next: known?.next ?? "conclaude team status",
    reason: isOffline(code, text) ? "OFFLINE" : code,
    cause: thrown,
  });
}

/** Finds a fault by the words of the message, since the runtime and the client give no code for some faults. */
function faultInWords(text: string) {
  const [, code] = ([
    [/UnknownIssuer|unable to (?:verify|get)|self.signed/i, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    // The client says this when a host does not answer in time.
    [/^timeout expired$/, "ETIMEDOUT"],
    [/expired/i, "CERT_HAS_EXPIRED"],
    [/NotValidForName|does not match certificate|altname/i, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ] as const).find(([pattern]) => pattern.test(text)) ?? [];
  if (/does not support SSL/.test(text)) {
    return {
      why: "it does not encrypt its connections",
      next: "Switch on `ssl` on the server: only a server on this machine may do without it",
    };
  }
  return code === undefined ? undefined : KNOWN_FAULTS.find((fault) => fault.code.test(code));
}

/** Tells whether the server could not be reached, or closed the connection. */
function isOffline(code: string, text: string): boolean {
  return /^(?:E[A-Z]+|57P0[123]|08\w{3})$/.test(code) ||
    /timeout|terminated|closed|ended|refused|unreachable/i.test(text);
}
