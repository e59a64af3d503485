/** Finds the store, the way to the server, and the joined project for the team's verbs. */
import "./config_sections.ts";
import { UserError } from "../base/errors.ts";
import { parseConfig } from "../config/parse.ts";
import { lateRedaction } from "../memory/drain/late_redaction.ts";
import { folderOfProject } from "../memory/project_paths.ts";
import { findObservation, NO_FILTER } from "../memory/store.ts";
import { listJoined, noteRequirements, readJoined } from "../team/store.ts";
import { SHARED_ROWS } from "../team/team_section.ts";
import type { JoinedProject, TeamStore, WayToServer } from "../team/types.ts";
import { runForget } from "../upkeep/forget/forget.ts";
import { keepAway, taskName } from "../upkeep/store.ts";
import { readSharedTask } from "../work/store.ts";
import type { Config } from "./config_sections.ts";
import { type CliContext, filesHere, typedPath } from "./context.ts";
import { text, textFlag } from "./flags.ts";
import { forgetPlace } from "./verbs/memory_forget_verbs.ts";
import { openStore } from "./open_store.ts";
import { projectHere } from "./session_lookup.ts";
import { type GoneRows, teamRows } from "./team_rows.ts";
import { readAddress, withLogin } from "../team/address.ts";

export const TEAM_PROJECT = textFlag(
  "The project in this folder; without it the one here",
  "folder",
);

export interface TeamHere extends TeamStore {
  /** The absolute path of the database. */
  readonly database: string;
}

export async function openTeam(context: CliContext): Promise<TeamHere> {
  const { db, place } = await openStore(context, "write", "work with a team");
  const { database, config: { redactPatterns } } = place;
  const { share } = configAt(context, context.cwd).config.team;
  const usual = SHARED_ROWS.filter((kind) => kind !== "prompt");
  const forget = (gone: GoneRows) => forgetGone(context, gone);
  return {
    db,
    database,
    rows: teamRows(db, { redactPatterns, sharesPrompts: share.includes("prompt"), forget }),
    share: share.length === 0 ? usual : share,
  };
}

/**
 * Returns the server that the configuration names; null if it names none.
 *
 * @param again The command that joins once the address is corrected. @throws {UserError} If the address is wrong.
 */
export function teamAddress(context: CliContext, again: string): string | null {
  const { config: { team: { address } }, problems } = configAt(context, context.cwd);
  const problem = problems.findLast(({ key }) => key === "team.address");
  if (address !== null || problem === undefined) return address;
  throw new UserError("Cannot use `team.address`", {
    why: `${problem.path}:${problem.line}: ${problem.message}`,
    next: `Write it like postgres://db.example.org/team, then: ${again}`,
  });
}

/** Stores the requirements in a project's configuration for the next sync. */
export function noteDefinitions(
  context: CliContext,
  { db }: TeamHere,
  joined: JoinedProject,
): void {
  const { config } = configAt(context, folderOfProject(joined.project));
  noteRequirements(db, joined, config.requirements);
}

function configAt({ locations }: CliContext, cwd: string) {
  return parseConfig<Config>(filesHere({ cwd, locations }));
}

/** Returns the project of `--project DIR`, or of this folder. */
export function projectOfTeam(context: CliContext, folder: string | undefined): string {
  return projectHere(folder === undefined ? context.cwd : typedPath(context, folder));
}

/** Returns the chosen joined project, or all of them. @throws {UserError} If the chosen one is not joined. */
export function joinedHere(
  context: CliContext,
  { db }: Pick<TeamStore, "db">,
  folder: string | undefined,
): JoinedProject[] {
  const here = readJoined(db, projectOfTeam(context, folder));
  if (here !== null) return [here];
  const all = folder === undefined ? listJoined(db) : [];
  if (all.length > 0) return all;
  throw new UserError("Cannot find a team here", {
    why: folder === undefined ? "no project of this machine is joined" : `${folder} is not joined`,
    next: "conclaude team join --help",
  });
}

/** Forgets what others of the team have forgotten, and keeps it away, as `memory forget` does. */
async function forgetGone(context: CliContext, { uids, tasks }: GoneRows): Promise<void> {
  const place = await forgetPlace(context, { mayMigrate: true });
  const { db } = await openStore(context, "write", "forget");
  const observations = uids.flatMap((uid) => findObservation(db, uid) ?? []);
  const names = [...uids, ...tasks.map(taskName)];
  const chosen = { team: names.length, ids: observations };
  const nowMs = Date.now();
  if (observations.length === 0 && !tasks.some((id) => readSharedTask(db, id) !== null)) {
    return keepAway(db, names, { chosen, atMs: nowMs });
  }
  await runForget(place, {
    filter: { ...NO_FILTER, ids: { observations, captures: [], tasks } },
    chosen: () => chosen,
    text: null,
    names,
    again: "conclaude team sync",
    isUnused: false,
    redact: await lateRedaction(place.redactPatterns),
    nowMs,
    tell: () => {},
  });
}

export const ADDRESS = text(
  "The server: postgres://ana@db.example.org:5432/team, without a password",
  "address",
);

export const WAY_FLAGS = {
  login: textFlag("Your login there, where the address names none", "name"),
  ca: textFlag("Certificates to trust instead of those of the system", "file"),
  passwordFile: textFlag("A file of mode 0600 with the password; without it ~/.pgpass", "file"),
  passwordCommand: textFlag("A command that prints the password", "command"),
};

/** Builds the way to the server from an address and flags. @throws {UserError} If the address cannot be used. */
export function wayOf(
  context: CliContext,
  address: string,
  flags: { readonly [Name in keyof typeof WAY_FLAGS | "keyFile"]?: string },
): WayToServer {
  const whole = withLogin(address, flags.login);
  readAddress(whole);
  const file = (path: string | undefined) =>
    path === undefined ? undefined : typedPath(context, path);
  const way = {
    address: whole,
    caFile: file(flags.ca),
    passwordFile: file(flags.passwordFile),
    passwordCommand: flags.passwordCommand,
    keyFile: file(flags.keyFile),
  };
  return Object.fromEntries(
    Object.entries(way).filter(([, value]) => value !== undefined),
  ) as unknown as WayToServer;
}
