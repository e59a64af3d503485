/** The requirements of the project around this folder, and which of them a person names. */
import { readConfigFiles } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { ParsedConfig } from "../config/parse.ts";
import { loadSections } from "../config/sections.ts";
import type { Config } from "./config_sections.ts";
import { isUserError, UserError } from "../base/errors.ts";
import { type Ground, groundOf, lastBranchIn, UNKEPT } from "../policy/requirements/ground.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { normalizeSessionId } from "../base/ids.ts";
import { isThere } from "../upkeep/care/whole_file.ts";
import type { Requirement, RequirementPolicy } from "../policy/requirements/requirement_policy.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import type { BranchKey } from "../policy/store.ts";
import { findSessions, transcriptNear } from "../db/sessions.ts";
import { tellingId } from "../db/telling_id.ts";
import type { CliContext } from "./context.ts";
import { nearestWords } from "../base/likeness.ts";
import { currentSession, sessionOf } from "./session_lookup.ts";
import { placeOf } from "./open_store.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../system/environment.ts";
import { ELSEWHERE } from "../policy/requirements/asked_requirements.ts";
import { provenStandings, type Stand, standOf } from "../policy/requirements/standings.ts";
import { openOf, unknownOf } from "../policy/requirements/open_requirements.ts";
import {
  expiredOf,
  isTriggered,
  satisfyingOf,
  type Standing,
  unprovenOf,
  WHOLE_BRANCH,
} from "../policy/requirements/standing.ts";
import {
  type Audience,
  reasonOf,
  type Status,
  statusOf,
} from "../policy/requirements/requirement_text.ts";

export interface RequirementsHere {
  /** Those that are switched on; empty when the project has none. */
  readonly requirements: readonly Requirement[];
  readonly config: HookConfig;
  /** Where the configuration was looked for. */
  readonly folder: string;
  readonly ground: Ground;
}

/** Reads the configuration and the repository the way a hook in this folder does. */
export async function requirementsHere(context: CliContext): Promise<RequirementsHere> {
  const { config, database } = await placeOf(context);
  const policy: RequirementPolicy | null = config.requirements === ""
    ? null
    : JSON.parse(config.requirements);
  return {
    requirements: policy?.requirements ?? [],
    config,
    folder: context.cwd,
    ground: database === ":memory:" ? UNKEPT : groundOf(findRepository(lookUpwards(context.cwd))),
  };
}

/**
 * The branch whose state is meant: the named one, else the one that is checked out.
 * @throws {UserError} Outside of a repository; without a branch when none is named.
 */
export function branchKeyOf({ ground }: RequirementsHere, named: string | undefined): BranchKey {
  if (ground.kind === "branch") {
    return { repository: ground.repository.commonDir, branch: named ?? ground.branch };
  }
  if (named !== undefined && ground.repository !== null) {
    return { repository: ground.repository.commonDir, branch: named };
  }
  throw new UserError("Cannot tell which branch is meant", {
    why: `${ground.why}; requirements are kept by branch, and do not count here`,
    next: ground.next,
  });
}

/**
 * {@linkcode requirementsHere} for a session: by the configuration that its hooks read, which may be that of another
 * working tree. The branch is that of this folder; where none is checked out, the last one of the session.
 * @throws {UserError} When the session works in another repository.
 */
export async function hereOfSession(
  context: CliContext,
  db: DatabaseSync,
  sessionId: string,
): Promise<RequirementsHere> {
  const around = await requirementsHere(context);
  const { repository } = around.ground;
  const ground = repository === null
    ? around.ground
    : groundOf(repository, lastBranchIn(repository, { db, sessionId }));
  const here = { ...around, ground };
  const [session] = findSessions(db, sessionId);
  if (repository === null || session === undefined) return here;
  const isHere = (folder: string | null) =>
    folder !== null && findRepository(lookUpwards(folder))?.commonDir === repository.commonDir;
  const { projectDir, cwd } = session;
  if (projectDir !== null && isHere(projectDir)) {
    const theirs = await requirementsHere({ ...context, cwd: projectDir });
    return theirs.requirements.length === 0 ? here : { ...theirs, ground: here.ground };
  }
  // A folder that is gone, or whose name is masked, tells nothing.
  const isElsewhere = projectDir !== null && isThere(projectDir) &&
    session.repository !== repository.commonDir && !isHere(cwd);
  if (!isElsewhere) return here;
  const id = tellingId(db, session.sessionId);
  throw new UserError(`Session ${id} does not work in this project`, {
    why: `it works in ${projectDir}, and this is ${repository.root}; nothing was changed`,
    next: `cd ${quoteWord(projectDir)} && conclaude req status --session ${id}`,
  });
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/**
 * The full id of the named session, or of the one that this command runs in. A whole id that no hook has sent yet is
 * taken as it is. @param command What the next step repeats with a `--session`: `req pause`.
 * @throws {UserError} When none can be told.
 */
export async function sessionIdOf(
  db: DatabaseSync,
  context: CliContext,
  { named, command }: { readonly named: string | undefined; readonly command: string },
): Promise<string> {
  if (named === undefined) return (await currentSession(db, context, { command })).sessionId;
  const whole = normalizeSessionId(named) ?? "";
  if (UUID.test(whole) && findSessions(db, whole).length === 0) return whole;
  return sessionOf(db, named).sessionId;
}

/** Stands for the session where none can be told. */
export const NO_SESSION = "no-session";

/** {@linkcode sessionIdOf}, or {@linkcode NO_SESSION} where none is named and none can be told. */
export async function sessionIdOrNone(
  db: DatabaseSync | null,
  context: CliContext,
  named: string | undefined,
): Promise<string> {
  if (db === null) return named ?? NO_SESSION;
  try {
    return await sessionIdOf(db, context, { named, command: "explain" });
  } catch (thrown) {
    if (named !== undefined || !isUserError(thrown)) throw thrown;
    return NO_SESSION;
  }
}

/** How long something lasts: `5m 0s`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

/** What the error says was left undone. */
type Undone = "nothing was recorded" | null;

/**
 * The requirements of these names. @param undone What the error says was not done; null for a verb that only looks.
 * @throws {UserError} At the first name that does not count, with why.
 */
export async function namedRequirements(
  context: CliContext,
  here: RequirementsHere,
  { names, undone }: { readonly names: readonly string[]; readonly undone: Undone },
): Promise<Requirement[]> {
  const find = (name: string) => here.requirements.find((one) => one.name === name);
  const missing = names.find((name) => find(name) === undefined);
  if (missing === undefined) return names.flatMap((name) => find(name) ?? []);
  const parsed = await parseHere(context, here);
  const written = parsed.config.requirements[missing];
  if (written?.enabled === true && parsed.policy.root === null) {
    throw failure(missing, undone, {
      why:
        "it is switched on in your own configuration, but requirements count only in a project with a " +
        "configuration file of its own, and this one has none",
      next: "conclaude config init",
    });
  }
  throw written !== undefined
    ? failure(missing, undone, {
      why: "it is switched off",
      next: `conclaude req enable ${missing}`,
    })
    : unknownName(missing, { here, parsed, undone });
}

interface Configured {
  readonly requirement: Requirement;
  readonly isOn: boolean;
}

/** The requirement of this name, also when it is switched off. @throws {UserError} When there is none. */
export async function configuredRequirement(
  context: CliContext,
  here: RequirementsHere,
  name: string,
): Promise<Configured> {
  const known = here.requirements.find((one) => one.name === name);
  if (known !== undefined) return { requirement: known, isOn: true };
  const parsed = await parseHere(context, here);
  const entry = parsed.config.requirements[name];
  const { compileRequirements } = await import("../policy/requirements/requirement_section.ts");
  const requirements = entry === undefined ? {} : { [name]: { ...entry, enabled: true } };
  const [requirement] = compileRequirements({ ...parsed.config, requirements })?.requirements ?? [];
  if (requirement === undefined) throw unknownName(name, { here, parsed, undone: null });
  return { requirement, isOn: false };
}

/** Parses the configuration again, since the cached one does not name what was left out. */
async function parseHere(
  { locations }: CliContext,
  { folder }: RequirementsHere,
): Promise<ParsedConfig<Config>> {
  await loadSections();
  const { parseConfig } = await import("../config/parse.ts");
  return parseConfig<Config>(readConfigFiles(lookUpwards(folder), locations));
}

function unknownName(
  name: string,
  { here: { config, requirements }, parsed, undone }: {
    readonly here: RequirementsHere;
    readonly parsed: ParsedConfig<Config>;
    readonly undone: Undone;
  },
): UserError {
  const validate = "conclaude config validate";
  const mistake = parsed.problems.find(({ key }) =>
    key === `requirements.${name}` || key.startsWith(`requirements.${name}.`)
  );
  if (mistake !== undefined) {
    const { key, path, line, message } = mistake;
    const why = `it is left out because of a mistake in \`${key}\` (${path}:${line}): ${message}`;
    return failure(name, undone, { why, next: validate });
  }
  if (config.unreadable !== "") {
    return failure(name, undone, { why: `nothing counts of ${config.unreadable}`, next: validate });
  }
  const known = requirements.map((requirement) => requirement.name);
  const near = nearestWords(name, known);
  return failure(name, undone, {
    why: known.length === 0
      ? "no requirement is switched on in this project"
      : near.length > 0
      ? `did you mean ${near.map((one) => `"${one}"`).join(" or ")}?`
      : `this project has ${known.join(", ")}`,
    next: known.length === 0
      ? "conclaude req init"
      : near.length === 1
      ? `conclaude req show ${near[0]}`
      : "conclaude req status",
  });
}

function failure(
  name: string,
  undone: Undone,
  { why, next }: { readonly why: string; readonly next: string },
): UserError {
  const ending = undone === null
    ? ""
    : why.endsWith("?")
    ? ` ${undone[0]!.toUpperCase()}${undone.slice(1)}`
    : `; ${undone}`;
  return new UserError(`Unknown requirement "${name}"`, { why: why + ending, next });
}

/** One requirement as it stands. */
export interface Row {
  readonly name: string;
  readonly type: "blocking" | "dynamic" | "guard";
  readonly calculator?: string;
  readonly guardType?: string;
  readonly scope: Requirement["scope"];
  /** `met` is a condition that holds by itself; of `unknown` nobody can tell. */
  readonly status: Status;
  readonly satisfiedBy: string | null;
  readonly satisfiedAtMs: number | null;
  readonly expiresAtMs: number | null;
  /** Who had satisfied it until it expired, and when that was; null where nothing expired. */
  readonly expired: { readonly by: string | null; readonly atMs: number } | null;
  /** Why the proof of its satisfaction is missing; null where it is proven, or needs no proof. */
  readonly unproven: string | null;
  readonly wholeBranch: boolean;
  readonly triggered: boolean;
  readonly stopOnly: boolean;
  readonly why: string | null;
  readonly run: string | null;
  readonly metadata: Standing["metadata"];
}

/** The type of a requirement, in the words of the configuration. */
export function configuredType(
  { condition: { type } }: Pick<Requirement, "condition">,
): Pick<Row, "type" | "calculator" | "guardType"> {
  switch (type) {
    case "blocking":
      return { type };
    case "branch_size":
      return { type: "dynamic", calculator: type };
    default:
      return { type: "guard", guardType: type };
  }
}

/** How the requirements stand on a branch for a session, and whom that is told to. */
export async function rowsOf(
  { requirements, ground, config }: Pick<RequirementsHere, "requirements" | "ground" | "config">,
  at: {
    readonly db: DatabaseSync;
    readonly key: BranchKey;
    readonly sessionId: string;
    readonly environment: Environment;
  },
): Promise<{ readonly rows: readonly Row[]; readonly to: Audience }> {
  const { open, unknown, standings, facts, to } = await standHere(requirements, ground, {
    ...at,
    config,
    transcriptPath: transcriptNear(at.db, { ...at.key, ...at }),
  });
  const { sessionId } = facts;
  const rows = requirements.map((requirement): Row => {
    const satisfying = satisfyingOf(requirement, standings, facts);
    const former = satisfying === undefined ? expiredOf(requirement, standings, facts) : undefined;
    const why = [...open, ...unknown].find((one) => one.requirement === requirement);
    const { name, scope, stopOnly, resolvedBy } = requirement;
    return {
      name,
      ...configuredType(requirement),
      scope,
      status: statusOf(requirement, standings, { open, unknown, ...facts }),
      satisfiedBy: satisfying?.satisfiedBy ?? null,
      satisfiedAtMs: satisfying?.satisfiedAtMs ?? null,
      expiresAtMs: satisfying?.expiresAtMs ?? null,
      expired: former === undefined ? null : { by: former.satisfiedBy, atMs: former.expiresAtMs! },
      unproven: unprovenOf(requirement, standings, facts)?.unproven?.why ?? null,
      wholeBranch: satisfying?.sessionId === WHOLE_BRANCH,
      triggered: isTriggered(requirement, standings, sessionId),
      stopOnly,
      why: why === undefined ? null : reasonOf(why, to),
      run: resolvedBy === null ? null : `/${resolvedBy}`,
      metadata: satisfying?.metadata ?? {},
    };
  });
  return { rows, to };
}

/** How requirements stand on the branch that is checked out here, or on another one. */
async function standHere(
  requirements: readonly Requirement[],
  ground: Ground,
  at: Parameters<typeof rowsOf>[1] & {
    readonly config: RequirementsHere["config"];
    readonly transcriptPath: string | null;
  },
): Promise<Stand> {
  const { db, key, sessionId } = at;
  const atMs = Date.now();
  if (ground.kind === "branch" && ground.branch === key.branch) {
    const projectDir = ground.repository.root;
    return await standOf(requirements, { ...at, ground, atMs, projectDir });
  }
  const branchLines = { unknown: ELSEWHERE };
  const facts = { sessionId, atMs, branch: key.branch, branchLines, otherSessions: [] };
  const standings = await provenStandings(requirements, { ...at, atMs });
  const to = { session: tellingId(db, sessionId), branch: key.branch, facts };
  const open = openOf(requirements, standings, facts);
  return { open, unknown: unknownOf(requirements, standings, facts), standings, facts, to };
}
