/** The requirements of the project around this folder, and which of them a person names. */
import { policiesIn } from "../policy/policies.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { ParsedConfig } from "../config/parse.ts";
import type { Config } from "./config_sections.ts";
import { isUserError, UserError } from "../base/errors.ts";
import { type Ground, groundOf, lastBranchIn, UNKEPT } from "../policy/requirements/ground.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { normalizeSessionId } from "../base/ids.ts";
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
import type { Environment } from "../system/environment.ts";
import { standOf } from "../policy/requirements/stand.ts";
import {
  expiredOf,
  isTriggered,
  type Judged,
  WHOLE_BRANCH,
} from "../policy/requirements/standing.ts";
import { type Audience, reasonOf } from "../policy/requirements/requirement_text.ts";

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
  return {
    requirements: policiesIn(config).requirements?.requirements ?? [],
    config,
    folder: context.cwd,
    ground: database === ":memory:" ? UNKEPT : groundOf(findRepository(lookUpwards(context.cwd))),
  };
}

/** The named branch, else the one that is checked out. @throws {UserError} Where there is none. */
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

/** {@linkcode requirementsHere} by the configuration that a session's hooks read. @throws {UserError} When it works elsewhere. */
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
    return theirs.requirements.length === 0 ? here : { ...theirs, ground };
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

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The full id of the named session, else of the current one. @param options `command` is for the error. @throws {UserError} */
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

/** {@linkcode sessionIdOf}; {@linkcode NO_SESSION} where none is named and none can be told, and `warning` says why. */
export async function sessionOrNone(
  db: DatabaseSync | null,
  context: CliContext,
  asked: { readonly named: string | undefined; readonly command: string },
): Promise<{ readonly sessionId: string; readonly warning: string | null }> {
  const { named } = asked;
  if (db === null) return { sessionId: named ?? NO_SESSION, warning: null };
  try {
    return { sessionId: await sessionIdOf(db, context, asked), warning: null };
  } catch (thrown) {
    if (named !== undefined || !isUserError(thrown)) throw thrown;
    return { sessionId: NO_SESSION, warning: `no session: ${(thrown as UserError).why}` };
  }
}

/** The requirements of these names. @throws {UserError} When there is none of a name. */
export async function namedRequirements(
  context: CliContext,
  here: RequirementsHere,
  names: readonly string[],
): Promise<Requirement[]> {
  const found = names.map((name) => here.requirements.find((one) => one.name === name));
  const missing = names[found.indexOf(undefined)];
  if (missing === undefined) return found.flatMap((one) => one ?? []);
  const why = whyUnknown(missing, here, await parseHere(context, here));
  throw new UserError(`Unknown requirement "${missing}"`, why);
}

/** The requirement of this name, also when it is switched off. @throws {UserError} When there is none. */
export async function configuredRequirement(
  context: CliContext,
  here: RequirementsHere,
  name: string,
): Promise<{ readonly requirement: Requirement; readonly isOn: boolean }> {
  const known = here.requirements.find((one) => one.name === name);
  if (known !== undefined) return { requirement: known, isOn: true };
  const parsed = await parseHere(context, here);
  const entry = parsed.config.requirements[name];
  const { compileRequirements } = await import("../policy/requirements/requirement_section.ts");
  const requirements = entry === undefined ? {} : { [name]: { ...entry, enabled: true } };
  const [requirement] = compileRequirements({ ...parsed.config, requirements })?.requirements ?? [];
  if (requirement !== undefined) return { requirement, isOn: false };
  throw new UserError(`Unknown requirement "${name}"`, whyUnknown(name, here, parsed));
}

/** Parses the configuration again, since the cached one does not name what was left out. */
function parseHere(context: CliContext, { folder }: RequirementsHere) {
  return configHere({ ...context, cwd: folder });
}

/** Why no requirement of this name counts here, and what to do. */
function whyUnknown(
  name: string,
  { config, requirements }: RequirementsHere,
  parsed: ParsedConfig<Config>,
): { readonly why: string; readonly next: string } {
  const written = parsed.config.requirements[name];
  if (written?.enabled === true && parsed.policy.root === null) {
    return {
      why: "it is switched on in your own configuration, but requirements count only in a " +
        "project with a configuration file of its own, and this one has none",
      next: "conclaude config init",
    };
  }
  if (written !== undefined) {
    return { why: "it is switched off", next: `conclaude req enable ${name}` };
  }
  const validate = "conclaude config validate";
  const mistake = parsed.problems.find(({ key }) => `${key}.`.startsWith(`requirements.${name}.`));
  if (mistake !== undefined) {
    const { key, path, line, message } = mistake;
    const why = `it is left out because of a mistake in \`${key}\` (${path}:${line}): ${message}`;
    return { why, next: validate };
  }
  if (config.unreadable !== "") {
    return { why: `nothing counts of ${config.unreadable}`, next: validate };
  }
  const known = requirements.map((one) => one.name);
  if (known.length === 0) {
    return { why: "no requirement is switched on in this project", next: "conclaude req init" };
  }
  const near = nearestWords(name, known);
  return {
    why: near.length > 0
      ? `did you mean ${near.map((one) => `"${one}"`).join(" or ")}?`
      : `this project has ${known.join(", ")}`,
    next: near.length === 1 ? `conclaude req show ${near[0]}` : "conclaude req status",
  };
}

/** The type of a requirement, in the words of the configuration. */
export function configuredType({ condition: { type } }: Pick<Requirement, "condition">): {
  readonly type: "blocking" | "dynamic" | "guard";
  readonly calculator?: string;
  readonly guardType?: string;
} {
  if (type === "blocking") return { type };
  return type === "branch_size"
    ? { type: "dynamic", calculator: type }
    : { type: "guard", guardType: type };
}

/** One requirement as it stands. */
export type Row = ReturnType<typeof rowOf>;

/** How the requirements stand on a branch for a session, and whom that is told to. */
export async function rowsOf(
  { requirements, ground, config }: Pick<RequirementsHere, "requirements" | "ground" | "config">,
  { db, key, sessionId, environment }: {
    readonly db: DatabaseSync;
    readonly key: BranchKey;
    readonly sessionId: string;
    readonly environment: Environment;
  },
): Promise<{ readonly rows: readonly Row[]; readonly to: Audience }> {
  const isHere = ground.kind === "branch" && ground.branch === key.branch;
  const stand = await standOf(requirements, {
    ...{ db, sessionId, environment, config, key, repository: ground.repository },
    transcriptPath: transcriptNear(db, { ...key, sessionId }),
    atMs: Date.now(),
    ...isHere ? { projectDir: ground.repository.root } : { projectDir: null, isElsewhere: true },
  });
  return { rows: stand.judged.map((one) => rowOf(one, stand)), to: stand.to };
}

function rowOf(judged: Judged, { standings, facts, to }: Awaited<ReturnType<typeof standOf>>) {
  const { requirement, status, by, unproven } = judged;
  const former = by === undefined ? expiredOf(requirement, standings, facts) : undefined;
  const { name, scope, stopOnly, resolvedBy } = requirement;
  return {
    name,
    ...configuredType(requirement),
    scope,
    /** `met` is a condition that holds by itself; of `unknown` nobody can tell. */
    status,
    satisfiedBy: by?.satisfiedBy ?? null,
    satisfiedAtMs: by?.satisfiedAtMs ?? null,
    expiresAtMs: by?.expiresAtMs ?? null,
    /** Who had satisfied it until it expired, and when that was; null where nothing expired. */
    expired: former === undefined ? null : { by: former.satisfiedBy, atMs: former.expiresAtMs! },
    /** Why the proof of its satisfaction is missing; null where it is proven, or needs no proof. */
    unproven: unproven?.unproven?.why ?? null,
    wholeBranch: by?.sessionId === WHOLE_BRANCH,
    triggered: isTriggered(requirement, standings, facts.sessionId),
    stopOnly,
    why: status === "open" || status === "unknown" ? reasonOf(judged, to) : null,
    run: resolvedBy === null ? null : `/${resolvedBy}`,
    metadata: by?.metadata ?? {},
  };
}
