/** Tells how requirements stand on a branch for a session: gathers facts, then judges by the stored satisfactions. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { shortSessionId } from "../../base/ids.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { goneSessions, listActive, type SessionProcess, tellingId } from "../../db/sessions.ts";
import { measureBranch } from "../../system/git/branch_size.ts";
import {
  findRepository,
  lookUpwards,
  type Repository,
  worktreeDirs,
} from "../../system/git/repository.ts";
import { lookAtProcesses } from "../../system/process/process_identity.ts";
import { realPath } from "../../system/real_paths.ts";
import { guardPolicyIn } from "../guards/guard_policy.ts";
import { usedUpSince, withoutUsedUp } from "./used_up.ts";
import { groundOf, type RequirementWork, UNKEPT } from "./ground.ts";
import { prove } from "./proof.ts";
import type { Requirement } from "./requirement_policy.ts";
import type { Audience } from "./requirement_text.ts";
import { readBranchSize, readStandings, type RequirementChange } from "./requirements_table.ts";
import { type BranchKey, type Facts, judgeAll, type Judged, mayBeOpen } from "./standing.ts";

/** The session whose requirements are judged, and the branch and working tree. */
export interface StandPlace extends Omit<RequirementWork, "config" | "repository"> {
  readonly config: Pick<HookConfig, "guards">;
  /** The working tree of the branch; null where it has none: then conditions about a working tree are met. */
  readonly repository: Repository | null;
  readonly key: BranchKey;
  /** Whether the working tree shows another branch, so that this branch's size cannot be measured. */
  readonly isElsewhere?: boolean;
  /** Whether the branch was checked out before the event. */
  readonly isCheckedOut: boolean;
}

/** What is known about the requirements before the transaction that writes the event. */
export interface PreparedStand {
  readonly key: BranchKey;
  readonly facts: Facts;
  readonly to: Audience;
  /** The changes to write with the event. */
  readonly changes: readonly RequirementChange[];
  /** Judges by the stored satisfactions; with null, as if none were stored. @throws {Error} An error of SQLite. */
  judge(db: DatabaseSync | null): readonly Judged[];
}

/** Looks up everything that needs git, processes or transcripts, and writes nothing. */
export async function prepareStand(
  requirements: readonly Requirement[],
  at: StandPlace,
): Promise<PreparedStand> {
  const { db, key, sessionId } = at;
  const { facts, changes } = await gatherFacts(requirements, at);
  const names = new Set(requirements.map(({ name }) => name));
  const known = db === null ? [] : quietly(() => readStandings(db, key, sessionId)) ?? [];
  const spent = await usedUpSince(requirements, at);
  const proofs = prove(known.filter(({ requirement }) => names.has(requirement)), {
    ...at,
    isStrict: isStrict(at.config),
  });
  return {
    key,
    facts,
    to: audienceOf(facts, at),
    changes: [...changes, ...spent, ...proofs.changes],
    judge(db) {
      const stored = db === null ? [] : readStandings(db, key, sessionId);
      return judgeAll(requirements, proofs.marked(withoutUsedUp(stored, spent)), facts);
    },
  };
}

/** Judges how requirements stand on a branch now. */
export async function standOf(
  requirements: readonly Requirement[],
  at: Omit<StandPlace, "isCheckedOut"> & { readonly db: DatabaseSync },
): Promise<PreparedStand & Readonly<Record<"judged" | "open" | "unknown", readonly Judged[]>>> {
  const isCheckedOut = at.repository?.branch === at.key.branch;
  const prepared = await prepareStand(requirements, { ...at, isCheckedOut });
  const judged = prepared.judge(at.db);
  const having = (wanted: Judged["status"]) => judged.filter(({ status }) => status === wanted);
  return { ...prepared, judged, open: having("open"), unknown: having("unknown") };
}

/** Returns whom to tell. Commands name the branch if it is not checked out, or if there are several working trees. */
function audienceOf(
  facts: Facts,
  { db, key, isCheckedOut }: Pick<StandPlace, "db" | "key" | "isCheckedOut">,
): Audience {
  const hasTrees = worktreeDirs({ commonDir: key.repository }).length > 0;
  return {
    // A getter, so that the database is read only when a text needs the id.
    get session() {
      return tellingId(db, facts.sessionId);
    },
    branch: !isCheckedOut || hasTrees ? facts.branch : null,
    facts,
  };
}

type FactPlace = Omit<StandPlace, "config" | "transcriptPath" | "hide" | "isCheckedOut">;

async function gatherFacts(
  requirements: readonly Requirement[],
  at: FactPlace,
): Promise<Pick<PreparedStand, "facts" | "changes">> {
  const { db, key: { branch }, repository, sessionId, atMs, environment } = at;
  const conditions = repository === null ? [] : requirements.map(({ condition }) => condition);
  const cacheMs = conditions.flatMap((one) => one.type === "branch_size" ? [one.cacheMs] : []);
  const others = conditions.some(({ type }) => type === "single_session")
    ? await otherSessions(at)
    : [];
  const common = { sessionId, atMs, branch, otherSessions: others };
  if (cacheMs.length === 0) return { facts: { ...common, branchLines: null }, changes: [] };
  if (at.isElsewhere) return { facts: { ...common, branchLines: "elsewhere" }, changes: [] };
  const size = { worktree: repository!.root, branch };
  const known = db && quietly(() => readBranchSize(db, size, atMs - Math.min(...cacheMs)));
  if (known) return { facts: { ...common, branchLines: known.lines }, changes: [] };
  const lines = await measureBranch(repository!, branch, environment);
  return { facts: { ...common, branchLines: lines }, changes: [{ kind: "size", ...size, lines }] };
}

/** Lists other live sessions in the same working tree. A session whose process is unknown counts as live. */
async function otherSessions(
  { db, key: { repository }, projectDir, sessionId }: FactPlace,
): Promise<string[]> {
  if (db === null || projectDir === null) return [];
  const tree = treeOf(projectDir);
  const others = (quietly(() => listActive(db, [repository, projectDir])) ?? [])
    .filter(({ session: { projectDir, ...other } }) =>
      other.sessionId !== sessionId && projectDir !== null && treeOf(projectDir) === tree
    ).map(({ session, claudeProcess }) => ({ ...session, claudeProcess }));
  const known = others.filter((other) => other.claudePid !== null) as SessionProcess[];
  const processes = await lookAtProcesses(known.map(({ claudePid }) => claudePid));
  const gone = new Set(goneSessions(known, processes, null));
  return others.map((other) => other.sessionId).filter((id) => !gone.has(id)).map(shortSessionId);
}

/** Returns the top folder of the working tree that a folder lies in; outside of any working tree, the folder itself. */
function treeOf(folder: string): string {
  return realPath(findRepository(lookUpwards(folder))?.root ?? folder);
}

/** Tells whether the policy is strict: a strict policy denies a tool use whose requirements cannot be judged. */
export function isStrict({ guards }: Pick<HookConfig, "guards">): boolean {
  return guards !== "" && guardPolicyIn(guards).isStrict;
}

/** Tells whether gates deny what they cannot see. */
export function deniesBlind({ guards }: Pick<HookConfig, "guards">): boolean {
  return guards !== "" && guardPolicyIn(guards).whenBlind === "deny";
}

/** Returns the names of the requirements that deny now because nothing can be stored; none where there is no branch. */
export async function deniedUnkept(
  requirements: readonly Requirement[],
  repository: Repository | undefined,
  at: Pick<FactPlace, "sessionId" | "atMs" | "environment">,
): Promise<string[]> {
  const ground = groundOf(repository);
  if (ground.kind === "none") return [];
  const { facts } = await gatherFacts(requirements, {
    ...at,
    ...ground,
    db: null,
    projectDir: null,
  });
  return mayBeOpen(requirements, facts).map(({ name }) => name);
}

/** Says which requirements deny, as a sentence without its end. */
export function unkeptText(denied: readonly string[]): string {
  const named = denied.length === 1 ? `"${denied[0]}" is` : `${denied.join(", ")} are`;
  return denied.length === 0
    ? `none of them denies anything on this branch, though none can be satisfied, for ${UNKEPT.why}`
    : `what ${named} about is denied here, for ${UNKEPT.why}`;
}
