/**
 * Makes routes of verbs: the query or the body names what the command line takes as flags and arguments, and the answer is
 * what the verb prints with `--json`. So the page says what the command line says.
 */
import * as z from "zod/mini";
import type { DatabaseSync } from "node:sqlite";
import { isUserError, UserError } from "../base/errors.ts";
import { type CliContext, silentContext } from "../operations/context.ts";
import { type Given, readCall, WrongValue } from "../operations/read_call.ts";
import { USAGE } from "../operations/usage.ts";
import type { Verb } from "../operations/verb.ts";
import { THIS_PROCESS } from "../system/environment.ts";
import { invalidInput } from "./input.ts";
import { type Call, type Daemon, type Route, routesOf } from "./route.ts";

/** One route of a verb. */
export interface VerbRoute {
  readonly name: `${Route["method"]} /${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly load: () => Promise<Verb>;
  /** What the arguments are called, in their order; `id` is the one of the path. */
  readonly args?: readonly string[];
  /** Which flags a request may name. */
  readonly flags?: readonly string[];
  /** What every request gives. */
  readonly always?: Readonly<Record<string, unknown>>;
  /** Whether only a person may ask. */
  readonly forPerson?: true;
  /** The refusals that have a code of their own. */
  readonly errors?: Route["errors"];
}

/** How many rows a list has where the request does not say; `until` the time of the last one gives the next. */
const PAGE_ROWS = 200;

const given = z.optional(z.union([z.string(), z.number(), z.boolean()]));

/** The route of a verb. `folder` names the folder in which it runs, by default the daemon's own. */
export function verbRoute(row: VerbRoute): Route {
  const { name, tag, summary, args = [], flags = [], forPerson = false, errors = [] } = row;
  const ofPath = name.includes(":id") ? "id" : "";
  const names = [...args.filter((one) => one !== ofPath), ...flags, "folder"];
  const input = z.strictObject(Object.fromEntries(names.map((one) => [one, given])));
  const changes = !name.startsWith("GET ");
  return routesOf(tag)({
    name,
    summary,
    forPerson,
    transaction: "own",
    response: z.unknown(),
    errors: ["REFUSED", ...errors],
    ...changes ? { body: input } : { query: input },
    handle: (daemon, { id, query, body }: Call) => {
      const values = { ...Object(changes ? body : query), ...ofPath !== "" && { id } };
      return runVerb(daemon, row, { values: values as Readonly<Record<string, Given>> });
    },
  });
}

/** What a verb prints with `--json`. @throws {UserError} As routes answer it. */
export async function runVerb(
  daemon: Daemon,
  { load, args: argNames = [], always = {} }: Pick<VerbRoute, "load" | "args" | "always">,
  { values = {}, onProgress }: Pick<CliContext, "onProgress"> & {
    readonly values?: Readonly<Record<string, Given>>;
  },
): Promise<unknown> {
  const verb = await load();
  const { limit } = verb.flags;
  // A person's table is cut by the verb itself; JSON has all rows where nobody says how many.
  const most = limit?.optional && values["limit"] === undefined ? { limit: PAGE_ROWS } : {};
  const given = { flags: { ...values, ...most }, args: argNames.map((name) => values[name]) };
  const { flags, args } = await readCall(verb, given).catch((thrown) => {
    if (!(thrown instanceof WrongValue)) throw thrown;
    const { parameter, message } = thrown;
    throw invalidInput(typeof parameter === "string" ? parameter : argNames[parameter]!, message);
  });
  const held: DatabaseSync[] = [];
  try {
    const folder = String(values["folder"] ?? daemon.folder);
    const context = { ...contextIn(daemon, folder, held), onProgress };
    return (await verb.work(context, { ...flags, ...always }, ...args)).json ?? {};
  } catch (thrown) {
    if (!isUserError(thrown) || thrown.reason !== null) throw thrown;
    const { what, why, next, exitCode } = thrown;
    const reason = exitCode === USAGE ? "INVALID_INPUT" : "REFUSED";
    throw new UserError(what, { why, next, exitCode, reason });
  } finally {
    for (const db of held) if (db.isOpen) db.close();
    daemon.hub.changed();
  }
}

/** A context as of `conclaude --json --db DATABASE` that a person gives in a folder. */
function contextIn(
  { database, locations }: Daemon,
  folder: string,
  held: DatabaseSync[],
): CliContext {
  return silentContext({
    ...THIS_PROCESS,
    cwd: () => folder,
    isTerminal: () => false,
    stdin: { readSync: () => null },
    hold: (db) => void held.push(db),
  }, {
    db: database,
    json: true,
    placed: () => ({ ...locations, database, databaseFrom: "flag" }),
  });
}
