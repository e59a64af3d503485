/** The address of a team's server, as a person types it. */
import { UserError } from "../base/errors.ts";

/** An address that was read. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Whether nothing leaves this machine, so that nothing has to be encrypted on the way. */
  readonly isLocal: boolean;
}

/** The modes of TLS that check whom one talks to. Others would accept any server, or talk in the clear. */
const SAFE_MODES = ["verify-full"];

/** The parts of an address that say who connects. */
const CREDENTIALS = ["user", "password"];

/**
 * What is wrong with an address that others read as well; undefined when nothing is. The login is not a part of it.
 */
export function sharedAddressFault(text: string): string | undefined {
  if (!isPostgres(text)) return "it is no address of a PostgreSQL server";
  const { username, password, searchParams } = new URL(text);
  const names = username + password !== "" || CREDENTIALS.some((name) => searchParams.has(name));
  return names
    ? "it holds a login or a password, and others read this file. Each person gives the login with " +
      "`conclaude team join --login LOGIN`, and keeps the password in ~/.pgpass, or gives --password-file or " +
      "--password-command"
    : undefined;
}

function isPostgres(text: string): boolean {
  return URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol);
}

/** An address with the login of whoever connects. @throws {UserError} When it names another one. */
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
 * @throws {UserError} When it is none, holds a password, or asks for less than a checked connection.
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
