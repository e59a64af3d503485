/**
 * Makes routes from verbs: the query or the body holds the flags and arguments of the command line, and the answer is
 * what the verb prints with `--json`, so that the page shows the same as the command line.
 */
import * as z from "zod/mini";
import type { DatabaseSync } from "node:sqlite";
import { isUserError, UserError } from "../base/errors.ts";
import { type CliContext, silentContext } from "../operations/context.ts";
import { type Given, readCall, WrongValue } from "../operations/read_call.ts";
import { camel, USAGE } from "../operations/usage.ts";
import { findVerb } from "../operations/all_verbs.ts";
import type { Verb, Verbs } from "../operations/verb.ts";
import { THIS_PROCESS } from "../system/environment.ts";
import { invalidInput } from "./input.ts";
import { type Daemon, type Route, routesOf } from "./route.ts";

export interface VerbRoute {
  readonly name: `${Route["method"]} /${string}`;
  readonly tag: string;
  /**
   * The verb as a person calls it: `memory forget <id> [--dry-run] --yes`. A request must send the arguments (`<id>`
   * may be in the path) and may send the flags in brackets; the other flags are set for every request.
   */
  readonly runs: string;
  readonly errors?: Route["errors"];
}

/** The limit of a list if the request sets none; `until` with the time of the last row gives the next page. */
const PAGE_ROWS = 200;

const parameter = z.optional(z.union([z.string(), z.number(), z.boolean()]));

/**
 * Makes the route of a verb. The field `folder` sets the folder in which the verb runs, by default the daemon's. Only a
 * person may call a route that changes something.
 */
export function verbRoute({ name, tag, runs, errors = [] }: VerbRoute): Route {
  const { args, flags } = partsOf(runs);
  const ofPath = name.includes(":id") ? "id" : "";
  const names = [...args.filter((one) => one !== ofPath), ...flags, "folder"];
  const input = Object.fromEntries(names.map((one) => [one, parameter]));
  const changes = !name.startsWith("GET ");
  const route = routesOf(tag)(name, {
    forPerson: changes,
    transaction: "own",
    errors: ["REFUSED", ...errors],
    ...changes ? { body: input } : { query: input },
  }, (daemon, { id, query, body }) => {
    const values = { ...query, ...body, ...ofPath !== "" && { id } };
    return runVerb(daemon, runs, { values });
  });
  return { ...route, response: z.unknown() };
}

/** Splits {@linkcode VerbRoute.runs} into its parts. */
function partsOf(runs: string) {
  const named = (pattern: RegExp) => [...runs.matchAll(pattern)].map(([, name]) => camel(name!));
  return {
    words: runs.split(/ [<[-]/, 1)[0]!.split(" "),
    args: named(/<(\w+)>/g),
    flags: named(/\[--([\w-]+)\]/g),
    always: Object.fromEntries(named(/ --([\w-]+)/g).map((flag) => [flag, true])),
  };
}

/** Runs a verb. @param runs See {@linkcode VerbRoute.runs}. @returns Its JSON. @throws {UserError} With a code. */
export async function runVerb(
  daemon: Daemon,
  runs: string,
  { values = {}, onProgress }: Pick<CliContext, "onProgress"> & {
    readonly values?: Readonly<Record<string, Given>>;
  },
): Promise<unknown> {
  const { words, args: argNames, always } = partsOf(runs);
  // All other verbs of a team talk to its server, which the daemon never does.
  const localVerbs: Verbs = words[0] === "team"
    ? await import("../operations/verbs/team_look_verbs.ts")
    : {};
  const verb = localVerbs[words[1]!] as Verb ?? (await findVerb(words))!.verb;
  const { limit } = verb.flags;
  // With `--json` a verb returns all rows if no limit is set, so a limit is set here.
  const most = limit?.optional && values["limit"] === undefined ? { limit: PAGE_ROWS } : {};
  const given = { flags: { ...values, ...most }, args: argNames.map((name) => values[name]) };
  const { flags, args } = await readCall(verb, given).catch((thrown) => {
    if (!(thrown instanceof WrongValue)) throw thrown;
    const { parameter, message } = thrown;
    throw invalidInput(typeof parameter === "string" ? parameter : argNames[parameter]!, message);
  });
  const held: DatabaseSync[] = [];
  try {
    const { database, locations } = daemon;
    // The context of `conclaude --json --db DATABASE` in the folder.
    const context = silentContext({
      ...THIS_PROCESS,
      cwd: () => String(values["folder"] ?? daemon.folder),
      isTerminal: () => false,
      stdin: { readSync: () => null },
      hold: (db) => void held.push(db),
    }, {
      db: database,
      json: true,
      placed: () => ({ ...locations, database, databaseFrom: "flag" }),
    });
    return (await verb.run({ ...context, onProgress }, { ...flags, ...always }, ...args)).json ??
      {};
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
