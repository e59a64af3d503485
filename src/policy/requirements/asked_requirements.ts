/** Finds the requirements that a tool use falls under, and gathers the facts that their conditions need. */
import type { DatabaseSync } from "node:sqlite";
import { EDITING_TOOLS, filesNamed, SHELL_TOOLS } from "../../claude/payload.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import type { Environment } from "../../system/environment.ts";
import { measureBranch } from "../../system/git/branch_size.ts";
import { askIgnored } from "../../system/git/file_status.ts";
import { findRepository, lookUpwards, type Repository } from "../../system/git/repository.ts";
import type { GuardPolicy } from "../guards/guard_policy.ts";
import { shortSessionId } from "../../base/ids.ts";
import { parentOf, resolvePath } from "../../base/paths.ts";
import { lookAtProcesses } from "../../system/process/process_identity.ts";
import { realPath } from "../../system/real_paths.ts";
import { mayBeRequired } from "./requirement_look.ts";
import { type BranchLines, type Facts, mayBeOpen, wantsBranchSize } from "./open_requirements.ts";
import type { Requirement } from "./requirement_policy.ts";
import { type Doubt, mayTrigger, triggeredBy, usesOf } from "./trigger_match.ts";
import { goneSessions, listActive, type SessionProcess } from "../../db/sessions.ts";
import { readBranchSize, type RequirementChange } from "./requirements_table.ts";
import { quietly } from "../../base/errors.ts";
import { groundOf, UNKEPT } from "./ground.ts";
import { type AskedUse, commandOf } from "../guards/judge_use.ts";
import { type Place, placeAt, placesOf, treesAround } from "./places.ts";

/** A branch in a working tree on which a tool use falls, or may fall, under requirements. */
export interface MeantPlace extends Omit<Place, "changesFiles"> {
  readonly triggered: readonly Requirement[];
  readonly doubts: readonly Doubt[];
}

/**
 * Finds the requirements that a tool use falls under, and where. Plan files are exempt, since many requirements ask for
 * a plan. So are files outside of the repository and files that git ignores, when a shell command changes them.
 */
export async function requirementsFor(
  requirements: readonly Requirement[],
  use: AskedUse,
  repository: Repository,
): Promise<MeantPlace[]> {
  const { tool, input, home, gitAliases } = use;
  const folder = use.folder ?? repository.root;
  const real = (path: string) => realPath(resolvePath(path, { folder, home: home ?? undefined }));
  if (!SHELL_TOOLS.has(tool)) {
    const [file] = EDITING_TOOLS.has(tool) ? filesNamed(tool, input).map(real) : [];
    if (file !== undefined && isPlanFile(file)) return [];
    const triggered = triggeredBy(requirements, { tool, commands: [], changesFiles: false });
    if (triggered.length === 0) return [];
    const tree = file === undefined ? undefined : treesAround(repository)(parentOf(file));
    return [{ ...placeAt(tree ?? repository), triggered, doubts: [] }];
  }
  const command = commandOf(input);
  const uses = usesOf(requirements);
  if (command === null || !mayBeRequired(uses, use)) return [];
  const { readShellUse } = await import("../files/shell_lookup.ts");
  const { steps, untold } = await readShellUse(command, { tool, folder, home, gitAliases });
  const inProject = steps.map(({ changed }) =>
    changed.map(real).filter((path) => isOfProject(path, repository))
  );
  const files = inProject.flat();
  const counting = new Set(
    files.length > 0 && uses.edits ? await unignored(files, use.environment) : files,
  );
  const places = placesOf(
    steps.map((step, i) => ({
      ...step,
      edited: inProject[i]!.filter((path) => counting.has(path)),
    })),
    repository,
  );
  const meant = places.map((place): MeantPlace => ({
    ...place,
    triggered: triggeredBy(requirements, { tool, ...place }).filter(({ condition }) =>
      !place.isMoved || condition.type === "protected_branch"
    ),
    doubts: [],
  }));
  const doubts = mayTrigger(requirements, { tool, ...untold }).filter(({ requirement }) =>
    !meant.some(({ triggered }) => triggered.includes(requirement))
  );
  // What a command may do beside the known steps is counted where its last step runs.
  return [...meant.slice(0, -1), { ...meant.at(-1)!, doubts }]
    .filter((place) => place.triggered.length + place.doubts.length > 0);
}

/** Whether a file belongs to the repository, in any of its working trees, and is no plan. The path has no links. */
function isOfProject(path: string, { root, commonDir }: Repository): boolean {
  if (isPlanFile(path) || path.startsWith(`${commonDir}/`)) return false;
  return path.startsWith(`${realPath(root)}/`) ||
    findRepository(lookUpwards(parentOf(path)))?.commonDir === commonDir;
}

/** The paths that git does not ignore; all of them where git cannot be asked. */
async function unignored(paths: readonly string[], environment: Environment): Promise<string[]> {
  const { ignored } = await askIgnored(paths, environment);
  return paths.filter((path) => !ignored.has(path));
}

export interface GatheredFacts {
  readonly facts: Facts;
  readonly changes: readonly RequirementChange[];
}

export async function gatherFacts(
  requirements: readonly Requirement[],
  at: {
    readonly db: DatabaseSync | null;
    readonly repository: Repository;
    readonly branch: string;
    /** Whether the working tree shows another branch, so that the size of this one cannot be measured. */
    readonly isElsewhere?: boolean;
    readonly sessionId: string;
    readonly atMs: number;
    readonly projectDir: string | null;
    readonly environment: Environment;
  },
): Promise<GatheredFacts> {
  const { branch, sessionId, atMs } = at;
  const size = wantsBranchSize(requirements)
    ? await branchSize(requirements, at)
    : { lines: null, changes: [] };
  const others = requirements.some(({ condition }) => condition.type === "single_session")
    ? await otherSessions(at)
    : [];
  return {
    facts: { sessionId, atMs, branch, branchLines: size.lines, otherSessions: others },
    changes: size.changes,
  };
}

async function branchSize(
  requirements: readonly Requirement[],
  { db, repository, branch, isElsewhere, atMs, environment }: Parameters<typeof gatherFacts>[1],
): Promise<{ readonly lines: BranchLines; readonly changes: readonly RequirementChange[] }> {
  if (isElsewhere) return { lines: { unknown: ELSEWHERE }, changes: [] };
  const { root } = repository;
  const cacheMs = Math.min(
    ...requirements.flatMap(({ condition }) =>
      condition.type === "branch_size" ? [condition.cacheMs] : []
    ),
  );
  const known = db === null
    ? undefined
    : quietly(() => readBranchSize(db, { worktree: root, branch }, atMs - cacheMs));
  const lines = known === undefined
    ? await measureBranch(repository, branch, environment)
    : known.lines;
  return {
    lines: lines === "unknown" ? { unknown: UNTOLD } : lines,
    changes: known === undefined ? [{ kind: "size", worktree: root, branch, lines }] : [],
  };
}

const UNTOLD =
  "git did not tell how much the branch has changed: it is missing, has failed or takes too long; " +
  "`git diff --stat` shows which";

export const ELSEWHERE = "it is calculated only where the branch is checked out";

/** Other live sessions in the same working tree. A session whose process is unknown counts as live. */
async function otherSessions(
  { db, repository: { commonDir }, projectDir, sessionId }: Parameters<typeof gatherFacts>[1],
): Promise<string[]> {
  if (db === null || projectDir === null) return [];
  const tree = treeOf(projectDir);
  const others = (quietly(() => listActive(db, [commonDir, projectDir])) ?? [])
    .filter(({ session }) => session.sessionId !== sessionId && session.projectDir !== null)
    .filter(({ session }) => treeOf(session.projectDir!) === tree)
    .map(({ session: { sessionId, claudePid }, claudeProcess }) => ({
      sessionId,
      claudePid,
      claudeProcess,
    }));
  const known = others.filter((other) => other.claudePid !== null) as SessionProcess[];
  const processes = await lookAtProcesses(known.map(({ claudePid }) => claudePid));
  const gone = new Set(goneSessions(known, processes, null));
  return others.map((other) => other.sessionId).filter((id) => !gone.has(id)).map(shortSessionId);
}

/** The top of the working tree that a folder lies in; the folder itself outside of any. */
function treeOf(folder: string): string {
  return realPath(findRepository(lookUpwards(folder))?.root ?? folder);
}

const PLAN_FOLDER = /\/(?:\.claude\/plans|docs\/plans)\//;

/** Whether Claude keeps a plan in this file: no requirement stops it from planning. The path has no links. */
function isPlanFile(path: string): boolean {
  return PLAN_FOLDER.test(path);
}

/** Whether the policy is strict. */
export function isStrict({ guards }: Pick<HookConfig, "guards">): boolean {
  return guards !== "" && (JSON.parse(guards) as GuardPolicy).isStrict;
}

/** Whether gates deny what they cannot see. */
export function deniesBlind({ guards }: Pick<HookConfig, "guards">): boolean {
  return guards !== "" && (JSON.parse(guards) as GuardPolicy).whenBlind === "deny";
}

/** The names of the requirements that are denied now because nothing can be kept; none where there is no branch. */
export async function deniedUnkept(
  requirements: readonly Requirement[],
  repository: Repository | undefined,
  at: { readonly sessionId: string; readonly atMs: number; readonly environment: Environment },
): Promise<string[]> {
  const ground = groundOf(repository);
  if (ground.kind === "none") return [];
  const nowhere = { db: null, projectDir: null };
  const { facts } = await gatherFacts(requirements, { ...at, ...ground, ...nowhere });
  return mayBeOpen(requirements, facts).map(({ name }) => name);
}

/** Says which of them are denied, as a sentence without its end. */
export function unkeptText(denied: readonly string[]): string {
  const named = denied.length === 1 ? `"${denied[0]}" is` : `${denied.join(", ")} are`;
  return denied.length === 0
    ? `none of them denies anything on this branch, though none can be satisfied, for ${UNKEPT.why}`
    : `what ${named} about is denied here, for ${UNKEPT.why}`;
}
