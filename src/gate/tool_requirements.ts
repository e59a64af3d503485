/** The requirements' part in the decision about a tool use. Loaded only where a requirement could be about the tool. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import type { Keeping } from "../guard/lift.ts";
import type { Repository } from "../git/repository.ts";
import { UNKNOWN_SESSION_ID } from "../ids.ts";
import { openForUse, unknownOf } from "../requirement/judge.ts";
import type { Requirement, RequirementPolicy } from "../requirement/policy.ts";
import { isTriggered } from "../requirement/standing.ts";
import type { Doubt } from "../requirement/triggers.ts";
import {
  type Audience,
  denialText,
  doubtText,
  shortDenialText,
  unknownText,
} from "../requirement/text.ts";
import type { ApplyChanges } from "../store/captures.ts";
import { wasDeniedSince } from "../store/denials.ts";
import { isPaused } from "../store/pauses.ts";
import {
  applyChanges,
  type BranchKey,
  readOwnStandings,
  type RequirementChange,
} from "../store/requirements.ts";
import type { AskedUse } from "./judge.ts";
import { keepingOf } from "./keeping.ts";
import {
  DETACHED,
  type GatheredFacts,
  gatherFacts,
  groundOf,
  NAMELESS,
  requirementsFor,
  UNKEPT,
} from "./requirements.ts";
import { audienceOf } from "./standings.ts";

/** A denial for the same reasons within this time is told in short: it came from parallel tool calls. */
const REPEATED_MS = 5_000;

/** What the requirements say of a tool use. */
export interface RequirementSaying {
  /** Why it is denied; empty when it is not. */
  readonly reason: string;
  /** The requirements that are open, as the audit trail names them, also when a person has lifted them. */
  readonly rules: readonly string[];
  readonly paused: boolean;
  /** What is to be written with the event. */
  readonly changes: readonly RequirementChange[];
  /** For the audit trail. */
  readonly notes: Readonly<Record<string, unknown>>;
}

/** Requirements that have a say, with all that they ask about. */
export interface RequiredUse {
  readonly apply: ApplyChanges;
  /**
   * Decides, in the transaction that writes the event; without a database when that cannot be. A requirement is triggered
   * only by a tool that may be used.
   *
   * @param denying The rules that deny it already.
   * @throws {Error} What SQLite says.
   */
  decide(db: DatabaseSync | null, denying: readonly string[]): RequirementSaying;
}

const SILENT: RequirementSaying = { reason: "", rules: [], paused: false, changes: [], notes: {} };

/**
 * Looks up everything before the transaction begins.
 *
 * @param policy As JSON, from the configuration.
 * @returns Null when the tool use falls under no requirement.
 */
export async function prepareUse(
  policy: string,
  use: AskedUse & { readonly toolUseId: string | null },
  at: {
    readonly config: Pick<HookConfig, "databaseEnabled">;
    readonly repository: Repository | undefined;
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
    readonly atMs: number;
    /** Whether what cannot be known is denied. */
    readonly isStrict: boolean;
  },
): Promise<RequiredUse | null> {
  const { requirements }: RequirementPolicy = JSON.parse(policy);
  const ground = at.sessionId === UNKNOWN_SESSION_ID ? NAMELESS : groundOf(at.repository);
  // Where HEAD is detached here, what is done may still be done in another working tree.
  if (ground.repository === null) return notCounting(ground.why);
  const { triggered, doubts, repository } = await requirementsFor(
    requirements,
    use,
    ground.repository,
  );
  if (triggered.length + doubts.length === 0) return null;
  const { branch } = repository;
  if (branch === null) return notCounting(DETACHED);
  const { isStrict } = at;
  const feared = isStrict ? new Set(doubts.map(({ requirement }) => requirement)) : [];
  const gathered = await gatherFacts([...triggered, ...feared], {
    ...at,
    repository,
    branch,
    projectDir: use.projectDir,
  });
  const prepared = {
    ...gathered,
    key: { repository: repository.commonDir, branch },
    toolUseId: use.toolUseId,
    triggered,
    doubts,
    isStrict,
    to: audienceOf(gathered.facts, repository, at.db),
    worktree: repository.root,
  };
  return {
    apply: applyChanges,
    decide(db, denying) {
      const keeping = keepingOf(db, at.config);
      return db === null || keeping !== "lasting"
        ? undecided(keeping, prepared)
        : decideUse(prepared, db, denying);
    },
  };
}

function notCounting(why: string): RequiredUse {
  return { apply: applyChanges, decide: () => ({ ...SILENT, notes: { requirements: why } }) };
}

/** A person is asked for a tool, and may refuse it: what it triggered does not count until it has run. */
export function askedFor(sessionId: string): RequiredUse {
  return {
    apply: applyChanges,
    decide: (_db, denying) =>
      denying.length > 0 ? SILENT : { ...SILENT, changes: [{ kind: "asked", sessionId }] },
  };
}

/** Where nobody can know what has been satisfied. */
function undecided(
  keeping: Keeping,
  { triggered, doubts, isStrict }: PreparedUse,
): RequirementSaying {
  const notes = {
    requirements: keeping === "off" ? UNKEPT.why : "what was satisfied could not be read",
  };
  const names = triggered.filter(({ stopOnly }) => !stopOnly).map(({ name }) => name);
  if (!isStrict || names.length + doubts.length === 0) return { ...SILENT, notes };
  const reason = unknownText(names, keeping);
  return { ...SILENT, reason, rules: ["preToolUse.strict"], notes };
}

/** A tool use with all that its requirements ask about. */
interface PreparedUse extends GatheredFacts {
  readonly key: BranchKey;
  readonly toolUseId: string | null;
  /** What it falls under. */
  readonly triggered: readonly Requirement[];
  readonly doubts: readonly Doubt[];
  readonly isStrict: boolean;
  readonly to: Audience;
  /** The working tree in which it happens. */
  readonly worktree: string;
}

function decideUse(
  prepared: PreparedUse,
  db: DatabaseSync,
  denying: readonly string[],
): RequirementSaying {
  const { facts, changes, key, triggered, doubts, isStrict, to, worktree } = prepared;
  const { sessionId, atMs, branchLines } = facts;
  const standings = readOwnStandings(db, key, sessionId);
  const unknownAmong = (ones: readonly Requirement[]) =>
    unknownOf(ones.filter(({ stopOnly }) => !stopOnly), standings, facts);
  const openAmong = (ones: readonly Requirement[]) => [
    ...openForUse(ones, standings, facts),
    ...(isStrict ? unknownAmong(ones) : []),
  ];
  const unknown = unknownAmong(triggered);
  const open = openAmong(triggered);
  // Guards that are strict have denied a doubt of theirs already.
  const isDecided = !isStrict || denying.length > 0 || open.length > 0;
  const feared = isDecided
    ? []
    : openAmong([...new Set(doubts.map(({ requirement }) => requirement))]);
  const rules = feared.length > 0
    ? ["preToolUse.strict"]
    : open.map(({ requirement }) => `requirements.${requirement.name}`);
  const paused = rules.length > 0 && isPaused(db, { sessionId, subject: "requirements", atMs });
  const isNew = (requirement: Requirement) => !isTriggered(requirement, standings, sessionId);
  const counted = denying.length + rules.length > 0 ? [] : triggered;
  const fresh = counted.filter(isNew).map((requirement) => triggerOf(requirement, prepared));
  const sized = triggered.filter(({ condition }) => condition.type === "branch_size");
  const lines = typeof branchLines === "number" ? branchLines : null;
  const warned = sized.filter(({ condition }) =>
    condition.type === "branch_size" && (lines ?? 0) >= condition.warn
  );
  return {
    reason: rules.length === 0 || paused
      ? ""
      : feared.length > 0
      ? doubtText(feared, doubts, to)
      : isRepeated(db, [...denying, ...rules], facts)
      ? shortDenialText(open, to)
      : denialText(open, to),
    rules,
    paused,
    changes: [...changes, ...fresh],
    notes: {
      // Null on a trunk, and without a base.
      ...(sized.length === 0 ? {} : { branchLines: lines }),
      ...(unknown.length === 0 ? {} : {
        unknown: Object.fromEntries(unknown.map((one) => [one.requirement.name, one.finding])),
      }),
      ...(warned.length === 0 ? {} : { warned: warned.map(({ name }) => name) }),
      ...(doubts.length === 0 ? {} : { unsure: new Set(doubts.map(({ why }) => why)).size }),
      // Whether it ran is found out when Claude stops.
      ...(counted.length === 0 ? {} : { triggered: counted.map(({ name }) => name) }),
      // Of several: a skill that is used for it satisfies there.
      ...(to.branch === null ? {} : { worktree }),
    },
  };
}

function triggerOf(
  { name, scope }: Requirement,
  { key, facts: { sessionId }, toolUseId }: PreparedUse,
): RequirementChange {
  return { kind: "trigger", ...key, requirement: name, scope, sessionId, toolUseId };
}

function isRepeated(
  db: DatabaseSync,
  rules: readonly string[],
  { sessionId, atMs }: PreparedUse["facts"],
): boolean {
  return wasDeniedSince(db, { sessionId, rules, sinceMs: atMs - REPEATED_MS });
}
