/** Reads and checks the address of a team's server that a person types. */
import { UserError } from "../base/errors.ts";

/** The parts of an address. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Whether the server is on this machine, so that the connection needs no encryption. */
  readonly isLocal: boolean;
}

/** The modes of TLS that check the server's identity. Others accept any server, or do not encrypt. */
const SAFE_MODES = ["verify-full"];

/** The parameters of an address that name who connects. */
const CREDENTIALS = ["user", "password"];

/**
 * Says what is wrong with an address in a file that others read, which must hold no login; undefined when it is right.
 */
export function sharedAddressFault(text: string): string | undefined {
  if (!isPostgres(text)) return "it is no address of a PostgreSQL server";
  const { username, password, searchParams } = new URL(text);
  const hasLogin = username + password !== "" || CREDENTIALS.some((name) => searchParams.has(name));
  return hasLogin
    ? "it holds a login or a password, and others read this file. Each person gives the login with " +
      "`conclaude team join --login LOGIN`, and keeps the password in ~/.pgpass, or gives --password-file or " +
      "--password-command"
    : undefined;
}

function isPostgres(text: string): boolean {
  return URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol);
}

/** Adds a person's login to an address. @throws {UserError} When the address names another login. */
export function withLogin(text: string, login: string | undefined): string {
  if (login === undefined || !isPostgres(text)) return text;
  const url = new URL(text);
  if (url.username !== "" && decodeURIComponent(url.username) !== login) {
    throw new UserError("Cannot tell which login is meant", {
      why: "the address names one, and --login another; nothing was changed",
      next: "Leave one of them out",
      exitCode: 2,
    });
  }
  url.username = encodeURIComponent(login);
  return url.href;
}

const EXAMPLE = "postgres://ana@db.example.org:5432/team";

/**
 * Reads an address.
 *
 * @throws {UserError} When it is no address, holds a password, or allows a connection that does not check the server.
 */
export function readAddress(text: string): ServerAddress {
  const refuse = (why: string, next: string) =>
    new UserError("Cannot use this address of a server", {
      why: `${why}; nothing was changed`,
      next,
      exitCode: 2,
    });
  if (!isPostgres(text)) {
    throw refuse("it is no address of a PostgreSQL server", `Write it like ${EXAMPLE}`);
  }
  const url = new URL(text);
  if (url.password !== "" || url.searchParams.has("password")) {
    const next = "Leave it out, and use ~/.pgpass, --password-file or --password-command";
    throw refuse("it holds a password, which other programs of this machine can see", next);
  }
  const database = decodeURIComponent(url.pathname.slice(1));
  const user = decodeURIComponent(url.username);
  if (user === "" || database === "") {
    throw refuse(
      `it names no ${user === "" ? "login" : "database"}`,
      `Write it like ${EXAMPLE}${user === "" ? ", or give --login LOGIN" : ""}`,
    );
  }
  const socket = url.searchParams.get("host");
  const host = socket ?? url.hostname.replace(/^\[|\]$/g, "");
  const isLocal = host.startsWith("/") || host === "localhost" || host === "::1" ||
    /^127\.\d+\.\d+\.\d+$/.test(host);
  const mode = url.searchParams.get("sslmode");
  if (mode !== null && !SAFE_MODES.includes(mode)) {
    const why = `"sslmode=${mode}" would accept any server`;
    throw refuse(
      why,
      "Leave it out: the certificate is always checked. For one of your own: --ca FILE",
    );
  }
  const known = ["sslmode", "host"];
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw refuse(`it has the unknown part "${unknown}"`, `Write it like ${EXAMPLE}`);
  }
  return { host, port: Number(url.port || 5432), user, database, isLocal };
}
