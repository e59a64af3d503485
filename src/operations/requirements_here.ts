/** Reads the requirements of this folder's project, finds the ones that a person names, and tells how they stand. */
import { policiesIn } from "../policy/policies.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { ParsedConfig } from "../config/parse.ts";
import type { Config } from "./config_sections.ts";
import { isUserError, UserError } from "../base/errors.ts";
import { type Ground, groundOf, lastBranchIn, UNKEPT } from "../policy/requirements/ground.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { normalizeSessionId, uuidOf } from "../base/ids.ts";
import { isThere } from "../system/on_disk.ts";
import type { Requirement } from "../policy/requirements/requirement_policy.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import type { BranchKey } from "../policy/store.ts";
import { findSessions, tellingId, transcriptNear } from "../db/sessions.ts";
import { type CliContext, configHere } from "./context.ts";
import { nearestWords } from "../base/likeness.ts";
import { currentSession, sessionOf } from "./session_lookup.ts";
import { placeOf } from "./open_store.ts";
import type { DatabaseSync } from "node:sqlite";
import { standOf, type StandPlace } from "../policy/requirements/stand.ts";
import { type Judged, WHOLE_BRANCH } from "../policy/requirements/standing.ts";
import { type Audience, reasonOf } from "../policy/requirements/requirement_text.ts";

export interface RequirementsHere {
  /** The requirements that are switched on. */
  readonly requirements: readonly Requirement[];
  readonly config: HookConfig;
  /** The context, with the folder from which the configuration was searched. */
  readonly context: CliContext;
  readonly ground: Ground;
}

/** Reads the configuration and the repository as a hook in this folder does. */
export async function requirementsHere(context: CliContext): Promise<RequirementsHere> {
  const { config, database } = await placeOf(context);
  return {
    requirements: policiesIn(config).requirements?.requirements ?? [],
    config,
    context,
    ground: database === ":memory:" ? UNKEPT : groundOf(findRepository(lookUpwards(context.cwd))),
  };
}

/** Returns the named branch, or the one that is checked out. @throws {UserError} If there is none. */
export function branchKeyOf({ ground }: RequirementsHere, named: string | undefined): BranchKey {
  if (named !== undefined && ground.repository !== null) {
    return { repository: ground.repository.commonDir, branch: named };
  }
  if (ground.kind === "branch") return ground.key;
  throw new UserError("Cannot tell which branch is meant", {
    why: `${ground.why}; requirements are kept by branch, and do not count here`,
    next: ground.next,
  });
}

/** {@linkcode requirementsHere} as a session's hooks read it. @throws {UserError} If it works in another project. */
export async function hereOfSession(
  context: CliContext,
  db: DatabaseSync,
  sessionId: string | null,
): Promise<RequirementsHere> {
  const around = await requirementsHere(context);
  const { repository } = around.ground;
  if (repository === null || sessionId === null) return around;
  const ground = groundOf(repository, lastBranchIn(repository, { db, sessionId }));
  const here = { ...around, ground };
  const [session] = findSessions(db, sessionId);
  if (session === undefined) return here;
  const isHere = (folder: string | null) =>
    folder !== null && findRepository(lookUpwards(folder))?.commonDir === repository.commonDir;
  const { projectDir, cwd } = session;
  if (projectDir !== null && isHere(projectDir)) {
    const theirs = await requirementsHere({ ...context, cwd: projectDir });
    return theirs.requirements.length === 0 ? here : { ...theirs, ground };
  }
  // A folder that is gone or whose name is masked proves nothing.
  const isElsewhere = projectDir !== null && isThere(projectDir) &&
    session.repository !== repository.commonDir && !isHere(cwd);
  if (!isElsewhere) return here;
  const id = tellingId(db, session.sessionId);
  throw new UserError(`Session ${id} does not work in this project`, {
    why: `it works in ${projectDir}, and this is ${repository.root}; nothing was changed`,
    next: `cd ${quoteWord(projectDir)} && conclaude req status --session ${id}`,
  });
}

/** Returns the full id of the named or current session. @param options.command For the error. @throws {UserError} */
export async function sessionIdOf(
  db: DatabaseSync,
  context: CliContext,
  { named, command }: { readonly named: string | undefined; readonly command: string },
): Promise<string> {
  if (named === undefined) return (await currentSession(db, context, { command })).sessionId;
  const whole = uuidOf(normalizeSessionId(named));
  if (whole !== null && findSessions(db, whole).length === 0) return whole;
  return sessionOf(db, named).sessionId;
}

/** The session id for a call without a session. */
export const NO_SESSION = "no-session";

/** {@linkcode sessionIdOf}, or {@linkcode NO_SESSION} with a warning if none is named and none is current. */
export async function sessionOrNone(
  db: DatabaseSync | null,
  context: CliContext,
  options: { readonly named: string | undefined; readonly command: string },
): Promise<{ readonly sessionId: string; readonly warning: string | null }> {
  const { named } = options;
  if (db === null) return { sessionId: named ?? NO_SESSION, warning: null };
  try {
    return { sessionId: await sessionIdOf(db, context, options), warning: null };
  } catch (thrown) {
    if (named !== undefined || !isUserError(thrown)) throw thrown;
    return { sessionId: NO_SESSION, warning: (thrown as UserError).why };
  }
}

/** Returns the requirements with these names. @throws {UserError} If one does not exist. */
export async function namedRequirements(
  here: RequirementsHere,
  names: readonly string[],
): Promise<Requirement[]> {
  const byName = new Map(here.requirements.map((one) => [one.name, one]));
  const missing = names.find((name) => !byName.has(name));
  if (missing !== undefined) {
    throw unknownRequirement(missing, here, await configHere(here.context));
  }
  return names.map((name) => byName.get(name)!);
}

/** Returns the requirement with this name, even if it is switched off. @throws {UserError} If it does not exist. */
export async function configuredRequirement(here: RequirementsHere, name: string) {
  const known = here.requirements.find((one) => one.name === name);
  if (known !== undefined) return { requirement: known, isOn: true };
  // The cached configuration does not name the requirements that it leaves out.
  const parsed = await configHere(here.context);
  const entry = parsed.config.requirements[name];
  const { compileRequirements } = await import("../policy/requirements/requirement_section.ts");
  const requirements = entry === undefined ? {} : { [name]: { ...entry, enabled: true } };
  const [requirement] = compileRequirements({ ...parsed.config, requirements })?.requirements ?? [];
  if (requirement !== undefined) return { requirement, isOn: false };
  throw unknownRequirement(name, here, parsed);
}

/** Makes the error for a name that none of the requirements in force here has. */
function unknownRequirement(
  name: string,
  { config: { unreadable }, requirements }: RequirementsHere,
  { config, policy, problems }: ParsedConfig<Config>,
): UserError {
  const unknown = (why: string, next = "conclaude config validate") =>
    new UserError(`Unknown requirement "${name}"`, { why, next });
  const written = config.requirements[name];
  if (written?.enabled === true && policy.root === null) {
    const why = "it is switched on in your own configuration, but requirements count only in a " +
      "project with a configuration file of its own, and this one has none";
    return unknown(why, "conclaude config init");
  }
  if (written !== undefined) return unknown("it is switched off", `conclaude req enable ${name}`);
  const mistake = problems.find(({ key }) => `${key}.`.startsWith(`requirements.${name}.`));
  if (mistake !== undefined) {
    const { key, path, line, message } = mistake;
    const place = `\`${key}\` (${path}:${line})`;
    return unknown(`it is left out because of a mistake in ${place}: ${message}`);
  }
  if (unreadable !== "") return unknown(`nothing counts of ${unreadable}`);
  const known = requirements.map((one) => one.name);
  if (known.length === 0) {
    return unknown("no requirement is switched on in this project", "conclaude req init");
  }
  const near = nearestWords(name, known);
  const next = near.length === 1 ? `conclaude req show ${near[0]}` : "conclaude req status";
  return near.length > 0
    ? unknown(`did you mean ${near.map((one) => `"${one}"`).join(" or ")}?`, next)
    : unknown(`this project has ${known.join(", ")}`, next);
}

/** Returns a requirement's type in the configuration's own words. */
export function configuredType({ condition: { type } }: Pick<Requirement, "condition">) {
  if (type === "blocking") return { type } as const;
  return type === "branch_size"
    ? { type: "dynamic", calculator: type } as const
    : { type: "guard", guardType: type } as const;
}

export type Row = ReturnType<typeof rowOf>;

/** Judges the requirements on a branch for a session. `to` is the reader for whom the reasons are worded. */
export async function rowsOf(
  { requirements, ground, config, context }: RequirementsHere,
  { db, key, sessionId }: Pick<StandPlace, "key" | "sessionId"> & { readonly db: DatabaseSync },
): Promise<{ readonly rows: readonly Row[]; readonly to: Audience }> {
  const isHere = ground.kind === "branch" && ground.branch === key.branch;
  const stand = await standOf(requirements, {
    db,
    sessionId,
    config,
    key,
    repository: ground.repository,
    environment: context.environment,
    transcriptPath: transcriptNear(db, { ...key, sessionId }),
    atMs: Date.now(),
    ...isHere ? { projectDir: ground.repository.root } : { projectDir: null, isElsewhere: true },
  });
  return { rows: stand.judged.map((one) => rowOf(one, stand.to)), to: stand.to };
}

function rowOf(judged: Judged, to: Audience) {
  const { requirement, status, by, unproven, expired } = judged;
  const { name, scope, stopOnly, resolvedBy } = requirement;
  return {
    name,
    ...configuredType(requirement),
    scope,
    /** `met`: the condition holds by itself. `unknown`: nobody can tell whether it holds. */
    status,
    satisfiedBy: by?.satisfiedBy ?? null,
    satisfiedAtMs: by?.satisfiedAtMs ?? null,
    expiresAtMs: by?.expiresAtMs ?? null,
    /** Who had satisfied it, and when that expired; null if nothing expired. */
    expired: expired === undefined ? null : { by: expired.satisfiedBy, atMs: expired.expiresAtMs! },
    /** Why the proof of its satisfaction is missing; null if it has its proof or needs none. */
    unproven: unproven?.unproven?.why ?? null,
    wholeBranch: by?.sessionId === WHOLE_BRANCH,
    triggered: judged.isTriggered,
    stopOnly,
    why: status === "open" || status === "unknown" ? reasonOf(judged, to) : null,
    run: resolvedBy === null ? null : `/${resolvedBy}`,
    metadata: by?.metadata ?? {},
  };
}
