/**
 * Makes routes of verbs: the query or the body names what the command line takes as flags and arguments, and the answer is
 * what the verb prints with `--json`. So the page says what the command line says.
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
import { type Call, type Daemon, type Route, routesOf } from "./route.ts";

/** One route of a verb. */
export interface VerbRoute {
  readonly name: `${Route["method"]} /${string}`;
  readonly tag: string;
  /**
   * The verb as a person calls it: `memory forget <id> [--dry-run] --yes`. A request names the arguments, of which `<id>` is the
   * one of the path, and may name the flags in brackets; the other flags are given with every request.
   */
  readonly runs: string;
  /** The refusals that have a code of their own. */
  readonly errors?: Route["errors"];
}

/** How many rows a list has where the request does not say; `until` the time of the last one gives the next. */
const PAGE_ROWS = 200;

const given = z.optional(z.union([z.string(), z.number(), z.boolean()]));

/**
 * The route of a verb. `folder` names the folder in which it runs, by default the daemon's own. Only a person may ask for one
 * that changes something.
 */
export function verbRoute({ name, tag, runs, errors = [] }: VerbRoute): Route {
  const { args, flags } = partsOf(runs);
  const ofPath = name.includes(":id") ? "id" : "";
  const names = [...args.filter((one) => one !== ofPath), ...flags, "folder"];
  const input = z.strictObject(Object.fromEntries(names.map((one) => [one, given])));
  const changes = !name.startsWith("GET ");
  return routesOf(tag)({
    name,
    forPerson: changes,
    transaction: "own",
    response: z.unknown(),
    errors: ["REFUSED", ...errors],
    ...changes ? { body: input } : { query: input },
    handle: (daemon, { id, query, body }: Call) => {
      const values = { ...Object(changes ? body : query), ...ofPath !== "" && { id } };
      return runVerb(daemon, runs, { values: values as Readonly<Record<string, Given>> });
    },
  });
}

/** The parts of {@linkcode VerbRoute.runs}. */
function partsOf(runs: string) {
  const named = (pattern: RegExp) => [...runs.matchAll(pattern)].map(([, name]) => camel(name!));
  return {
    words: runs.split(/ [<[-]/, 1)[0]!.split(" "),
    args: named(/<(\w+)>/g),
    flags: named(/\[--([\w-]+)\]/g),
    always: Object.fromEntries(named(/ --([\w-]+)/g).map((flag) => [flag, true])),
  };
}

async function verbNamed(words: readonly string[]): Promise<Verb> {
  // The other verbs of a team talk to its server, which the daemon never does.
  const looks: Verbs = words[0] === "team"
    ? await import("../operations/verbs/team_look_verbs.ts")
    : {};
  return looks[words[1]!] as Verb ?? (await findVerb(words))!.verb;
}

/** Runs a verb. @returns The JSON that it prints with `--json`. @param runs As {@linkcode VerbRoute.runs}. @throws {UserError} As routes answer it. */
export async function runVerb(
  daemon: Daemon,
  runs: string,
  { values = {}, onProgress }: Pick<CliContext, "onProgress"> & {
    readonly values?: Readonly<Record<string, Given>>;
  },
): Promise<unknown> {
  const { words, args: argNames, always } = partsOf(runs);
  const verb = await verbNamed(words);
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
