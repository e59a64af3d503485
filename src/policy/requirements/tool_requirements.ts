/** Decides by the requirements whether a tool use may happen. Loaded only where one could be about the tool. */
import type { DatabaseSync } from "node:sqlite";
import { STRICT_RULE } from "../guards/decide.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import type { Repository } from "../../system/git/repository.ts";
import { type Keeping, keepingOf } from "../guards/lift.ts";
import { UNKNOWN_SESSION_ID } from "../../base/ids.ts";
import { mayBeOpen } from "./open_requirements.ts";
import type { Requirement, RequirementPolicy } from "./requirement_policy.ts";
import { unknownText } from "./requirement_text.ts";
import { type ApplyChanges, applyChanges } from "./requirements_table.ts";
import { isPaused } from "../pauses_table.ts";
import { gatherFacts, type MeantPlace, requirementsFor } from "./asked_requirements.ts";
import { DETACHED, groundOf, lastBranchIn, NAMELESS, UNKEPT, UNTOLD_BRANCH } from "./ground.ts";
import type { AskedUse } from "../guards/judge_use.ts";
import { proofsOn, type Proving } from "./proven.ts";
import { audienceOf } from "./standings.ts";
import { decideUse, type PreparedUse, type RequirementSaying, SILENT } from "./use_decision.ts";
import { usedUpSince } from "./commits.ts";
import { usesOf } from "./used_up.ts";

export interface RequiredUse {
  readonly apply: ApplyChanges;
  /**
   * Decides in the transaction that writes the event; `db` is null when there is none. `denying` are the rules that
   * deny the use already: a denied use triggers no requirement.
   */
  decide(db: DatabaseSync | null, denying: readonly string[]): RequirementSaying;
}

interface Around {
  readonly config: Pick<HookConfig, "databaseEnabled">;
  readonly repository: Repository | undefined;
  readonly db: DatabaseSync | null;
  readonly sessionId: string;
  readonly atMs: number;
  readonly transcriptPath: string | null;
  readonly hide?: Proving["hide"];
  readonly isStrict: boolean;
}

/** Looks up everything before the transaction begins. Null when the tool use falls under no requirement. */
export async function prepareUse(
  policy: string,
  use: AskedUse & { readonly toolUseId: string | null },
  at: Around,
): Promise<RequiredUse | null> {
  const { requirements }: RequirementPolicy = JSON.parse(policy);
  const ground = at.sessionId === UNKNOWN_SESSION_ID ? NAMELESS : groundOf(at.repository);
  // HEAD may be detached here while the tool use happens in another working tree.
  if (ground.repository === null) return notCounting(ground.why);
  const places = await requirementsFor(requirements, use, ground.repository);
  if (places.length === 0) return null;
  const { config, isStrict } = at;
  const untold = isStrict ? untoldAt(places) : [];
  if (untold.length > 0) return ofUntoldBranch(untold, at);
  const parts = await prepareParts(places, use, at);
  if (parts.length === 0) {
    return notCounting(ground.kind === "none" ? ground.why : DETACHED);
  }
  return {
    apply: applyChanges,
    decide(db, denying) {
      const keeping = keepingOf(db, config);
      return db === null || keeping !== "lasting"
        ? undecided(keeping, parts, isStrict)
        : decideUse(parts, db, { denying, isStrict });
    },
  };
}

/** The requirements of places whose branch git cannot tell. */
export function untoldAt(places: readonly MeantPlace[]): Requirement[] {
  return places.flatMap(({ repository, triggered, doubts }) =>
    repository.isUntold ? [...triggered, ...doubts.map(({ requirement }) => requirement)] : []
  ).filter(({ stopOnly }) => !stopOnly);
}

/** A strict policy denies a tool use on an unknown branch. */
function ofUntoldBranch(
  untold: readonly Requirement[],
  { sessionId, atMs }: Pick<Around, "sessionId" | "atMs">,
): RequiredUse {
  const names = [...new Set(untold.map(({ name }) => `"${name}"`))].join(", ");
  const reason =
    `Blocked: whether ${names} counts here cannot be known, for ${UNTOLD_BRANCH}, and ` +
    "the policy is strict. A person has to make `git symbolic-ref HEAD` work here, as the hook runs it.";
  return {
    apply: applyChanges,
    decide(db, denying) {
      const paused = db !== null && isPaused(db, { sessionId, subject: "requirements", atMs });
      const rules = denying.includes(STRICT_RULE) ? [] : [STRICT_RULE];
      const notes = { requirements: UNTOLD_BRANCH };
      return { ...SILENT, reason: paused ? "" : reason, rules, paused, notes };
    },
  };
}

/** Gathers the facts at each place. Without a branch only the session's working tree counts, by its last branch. */
export async function prepareParts(
  places: readonly MeantPlace[],
  use: Parameters<typeof prepareUse>[1],
  at: Omit<Around, "config">,
): Promise<PreparedUse[]> {
  const parts: PreparedUse[] = [];
  for (const place of places) {
    const { repository } = place;
    const isHome = repository.root === at.repository?.root;
    const branch = repository.branch ?? (isHome ? lastBranchIn(repository, at) : null);
    if (branch === null) continue;
    const isCheckedOut = place.isCheckedOut && repository.branch !== null;
    const there = { ...place, branch, isCheckedOut, repository: { ...repository, branch } };
    parts.push(await prepareAt(there, use, at));
  }
  return parts;
}

async function prepareAt(
  place: MeantPlace & { readonly branch: string },
  use: Parameters<typeof prepareUse>[1],
  at: Omit<Around, "config" | "repository">,
): Promise<PreparedUse> {
  const { repository, branch, isCheckedOut, triggered, doubts } = place;
  const feared = at.isStrict ? doubts.map(({ requirement }) => requirement) : [];
  const asked = [...new Set([...triggered, ...feared])];
  const gathered = await gatherFacts(asked, {
    ...at,
    repository,
    branch,
    isElsewhere: !place.showsBranch,
    projectDir: use.projectDir,
    environment: use.environment,
  });
  const key = { repository: repository.commonDir, branch };
  const { environment } = use;
  const spent = await usedUpSince(triggered, { ...at, key, environment });
  const proofs = proofsOn(key, asked.filter(({ stopOnly }) => !stopOnly), at);
  return {
    ...gathered,
    changes: [...gathered.changes, ...spent, ...proofs.changes],
    proofs,
    key,
    toolUseId: use.toolUseId,
    triggered,
    doubts,
    to: audienceOf(gathered.facts, { repository, isCheckedOut, db: at.db }),
    worktree: repository.root,
    isCheckedOut,
    uses: usesOf(place),
    spent,
  };
}

function notCounting(why: string): RequiredUse {
  return { apply: applyChanges, decide: () => ({ ...SILENT, notes: { requirements: why } }) };
}

/** For a tool use that a person is asked about: its requirements are triggered only once it has run. */
export function askedFor(sessionId: string, prepared: RequiredUse | null): RequiredUse {
  return {
    apply: applyChanges,
    decide(db, denying) {
      if (denying.length > 0) return SILENT;
      const isOpen = (prepared?.decide(db, denying).reason ?? "") !== "";
      const changes = [{ kind: "asked", sessionId }] as const;
      return { ...SILENT, changes, ...(isOpen ? { withholds: true } : {}) };
    },
  };
}

/** The answer where the satisfactions cannot be read. */
function undecided(
  keeping: Keeping,
  parts: readonly PreparedUse[],
  isStrict: boolean,
): RequirementSaying {
  const notes = {
    requirements: keeping === "off" ? UNKEPT.why : "what was satisfied could not be read",
  };
  const open = parts.flatMap(({ triggered, facts }) => mayBeOpen(triggered, facts));
  const feared = parts.flatMap(({ doubts, facts }) =>
    mayBeOpen(doubts.map(({ requirement }) => requirement), facts)
  );
  if (!isStrict || open.length + feared.length === 0) return { ...SILENT, notes };
  const names = open.map(({ name }: Requirement) => name);
  const reason = unknownText([...new Set(names)], keeping);
  return { ...SILENT, reason, rules: [STRICT_RULE], notes };
}
