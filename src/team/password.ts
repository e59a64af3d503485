/** Reads the password for a team's server from its own file, from a command, or from `~/.pgpass`; never stores it. */
import { messageOf, UserError } from "../base/errors.ts";
import { joinPath } from "../base/paths.ts";
import type { Environment } from "../system/environment.ts";
import { statSync } from "../system/files.ts";
import { exists, readText } from "../system/on_disk.ts";
import { runShellLine } from "../system/process/run_program.ts";
import type { ServerAddress } from "./address.ts";
import type { WayToServer } from "./types.ts";

const MAX_SECRET_BYTES = 65_536;
/** The time limit of the password command, which may ask the person. */
const COMMAND_MS = 60_000;

/** Gets the password. @returns Null when there is none: the server may let this user in without. @throws {UserError} */
export async function passwordOf(
  { passwordFile, passwordCommand }: WayToServer,
  address: ServerAddress,
  environment: Environment,
): Promise<string | null> {
  if (passwordFile !== undefined) return firstLine(readPrivate(passwordFile, "password"));
  if (passwordCommand !== undefined) return await printedPassword(passwordCommand, environment);
  const home = environment.variable("HOME") ?? environment.variable("USERPROFILE");
  const path = home === undefined ? null : joinPath(home, ".pgpass");
  if (path === null || !exists(path)) return null;
  return passwordIn(readPrivate(path, "password"), address);
}

async function printedPassword(command: string, environment: Environment): Promise<string> {
  const folder = environment.cwd();
  const end = await runShellLine(command, {
    environment,
    folder,
    variables: {},
    timeoutMs: COMMAND_MS,
  });
  if (end.kind === "ended" && end.code === 0) return firstLine(end.stdout.trim());
  throw new UserError("Cannot get the password of the team's server", {
    why: "the command of --password-command failed; what it prints is not shown",
    next: "Run that command by hand, and join again with one that prints the password",
  });
}

/**
 * Finds the password in the text of a `.pgpass`: the first fitting line `host:port:database:user:password` counts, `*`
 * fits any value, and `\` escapes a character. Source: https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
export function passwordIn(
  text: string,
  { host, port, database, user }: Pick<ServerAddress, "host" | "port" | "database" | "user">,
): string | null {
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const parts = (line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? [])
      .map((part) => part.replace(/:$/, "").replace(/\\(.)/g, "$1"));
    const fits = wanted.every((value, i) => parts[i] === "*" || parts[i] === value);
    if (fits && parts.length > 4) return parts[4]!;
  }
  return null;
}

/** Reads the first line of a file. @throws {UserError} When others can read the file, or nobody can. */
export function readSecret(path: string, what: string): string {
  return firstLine(readPrivate(path, what));
}

function firstLine(text: string): string {
  return text.split(/\r?\n/)[0]!;
}

function readPrivate(path: string, what: string): string {
  const refuse = (why: string, next: string) =>
    new UserError(`Cannot read the ${what} for the team's server`, { why, next });
  let mode: number | null;
  try {
    mode = statSync(path).mode;
  } catch (thrown) {
    throw refuse(`${path}: ${messageOf(thrown)}`, "Write it into that file, with mode 0600");
  }
  if (mode !== null && (mode & 0o077) !== 0) {
    throw refuse(`others can read ${path}`, `chmod 600 ${path}`);
  }
  const text = readText(path, MAX_SECRET_BYTES);
  if (text === null) throw refuse(`${path} cannot be read`, `chmod 600 ${path}`);
  return text;
}
