/** Requirements on the way of one event: what a tool use falls under, and what their conditions are judged by. */
import type { DatabaseSync } from "node:sqlite";
import { EDITING_TOOLS, filesNamed, SHELL_TOOLS } from "../capture/payload.ts";
import { measureBranch } from "../git/branch_size.ts";
import { askIgnored } from "../git/ignored.ts";
import { findRepository, type Repository } from "../git/repository.ts";
import { shortSessionId } from "../ids.ts";
import { parentOf, resolvePath } from "../paths.ts";
import { lookAtProcesses } from "../process/identity.ts";
import { realPath } from "../project/files.ts";
import { lookUpwards } from "../project/look.ts";
import { type BranchLines, type Facts, wantsBranchSize } from "../requirement/judge.ts";
import { mayMean } from "../requirement/look.ts";
import { isPlanFile } from "../requirement/plan_files.ts";
import type { Requirement } from "../requirement/policy.ts";
import {
  commandText,
  type Doubt,
  mayTrigger,
  triggeredBy,
  usesOf,
} from "../requirement/triggers.ts";
import { goneSessions, type SessionProcess } from "../session/liveness.ts";
import { readBranchSize } from "../store/branch_sizes.ts";
import type { BranchKey, RequirementChange } from "../store/requirements.ts";
import { activeInFolder } from "../store/session_registry.ts";
import { type AskedUse, commandOf } from "./judge.ts";

/** Where requirements count: on a branch of a repository, or why they do not. */
export type Ground =
  | {
    readonly kind: "branch";
    readonly repository: Repository;
    readonly branch: string;
    /** What is kept of it is kept under this. */
    readonly key: BranchKey;
  }
  | Nowhere<Repository>
  | Nowhere<null>;

interface Nowhere<Where extends Repository | null> {
  readonly kind: "none";
  readonly repository: Where;
  readonly why: string;
  /** What a person can do about it. */
  readonly next: string;
}

/** Where nothing can be remembered. */
export const UNKEPT: Nowhere<null> = {
  kind: "none",
  repository: null,
  why:
    "the database is switched off (`database.enabled: false`, or `--no-db`), so that nothing can be kept of them",
  next: "conclaude config path",
};

/** Where nobody can say whose requirements they would be. */
export const NAMELESS: Nowhere<null> = {
  kind: "none",
  repository: null,
  why: "the event names no session",
  next: "conclaude doctor",
};

/** Why requirements do not count where no branch is checked out. */
export const DETACHED = "HEAD is detached, so there is no branch";

/** What every tool that runs a shell command counts as. */
const BASH = "Bash";

/** The branch that requirements are kept for. */
export function groundOf(repository: Repository | undefined): Ground {
  if (repository === undefined) {
    const why = "this folder is in no git repository";
    return { kind: "none", repository: null, why, next: "git init" };
  }
  const { branch } = repository;
  return branch === null
    ? { kind: "none", repository, why: DETACHED, next: "git switch NAME" }
    : { kind: "branch", repository, branch, key: { repository: repository.commonDir, branch } };
}

/** What a tool use means for requirements. */
export interface MeantUse {
  /** The requirements that it falls under. */
  readonly triggered: readonly Requirement[];
  /** The working tree in which it happens: another one than the session's, where it reaches over. */
  readonly repository: Repository;
  /** Others that it may fall under: only the running shell knows. */
  readonly doubts: readonly Doubt[];
}

/**
 * Finds out which requirements a tool use falls under. Plan files are free: a plan is what many of them ask for. So are
 * files that a shell command changes outside of the repository, or that git ignores.
 */
export async function requirementsFor(
  requirements: readonly Requirement[],
  use: AskedUse,
  repository: Repository,
): Promise<MeantUse> {
  const { tool, input, home } = use;
  const folder = use.folder ?? repository.root;
  const real = (path: string) => realPath(resolvePath(path, { folder, home: home ?? undefined }));
  const nothing: MeantUse = { triggered: [], repository, doubts: [] };
  if (!SHELL_TOOLS.has(tool)) {
    const [file] = EDITING_TOOLS.has(tool) ? filesNamed(tool, input).map(real) : [];
    if (file !== undefined && isPlanFile(file)) return nothing;
    const triggered = triggeredBy(requirements, { tool, commands: [], changesFiles: false });
    const place = triggered.length > 0 && file !== undefined ? [parentOf(file)] : [];
    return { ...nothing, triggered, repository: workingTree(repository, place) };
  }
  const command = commandOf(input);
  const uses = usesOf(requirements);
  if (command === null || !mayMean(uses, command)) return nothing;
  const { readUses } = await import("../guard/bash.ts");
  const { commands, changed, gitFolders, untold } = readUses(command, { folder, home });
  const files = changed.map(real).filter((path) => isOfProject(path, repository));
  const edited = files.length > 0 && uses.edits ? await unignored(files) : files;
  const triggered = triggeredBy(requirements, {
    tool: BASH,
    commands: commands.map(commandText),
    changesFiles: edited.length > 0,
  });
  const places = [...gitFolders, ...edited.map(parentOf)];
  return {
    triggered,
    doubts: mayTrigger(requirements, untold)
      .filter(({ requirement }) => !triggered.includes(requirement)),
    repository: workingTree(repository, places),
  };
}

/** The first of these folders that lies in another working tree of the repository says which one is meant. */
function workingTree(repository: Repository, folders: readonly string[]): Repository {
  const others = folders.filter((folder) => folder !== repository.root)
    .map((folder) => findRepository(lookUpwards(folder)))
    .filter((found) => found?.commonDir === repository.commonDir);
  return others.find((found) => found?.root !== repository.root) ?? repository;
}

/** Whether a file, with all links followed, is one of the repository's, in whatever working tree, and no plan. */
function isOfProject(path: string, { root, commonDir }: Repository): boolean {
  if (isPlanFile(path) || path.startsWith(`${commonDir}/`)) return false;
  return path.startsWith(`${realPath(root)}/`) ||
    findRepository(lookUpwards(parentOf(path)))?.commonDir === commonDir;
}

/** Those that git does not ignore; all of them where it cannot be asked. */
async function unignored(paths: readonly string[]): Promise<string[]> {
  const { ignored } = await askIgnored(paths);
  return paths.filter((path) => !ignored.has(path));
}

/** What the conditions of requirements are judged by, and what was measured for it. */
export interface GatheredFacts {
  readonly facts: Facts;
  readonly changes: readonly RequirementChange[];
}

/** Finds out what these requirements ask about; what none of them asks about is not looked at. */
export async function gatherFacts(
  requirements: readonly Requirement[],
  at: {
    readonly db: DatabaseSync | null;
    readonly repository: Repository;
    readonly branch: string;
    readonly sessionId: string;
    readonly atMs: number;
    /** The folder of the session, as sessions are recorded with it. */
    readonly projectDir: string | null;
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
  { db, repository: { root }, branch, atMs }: Parameters<typeof gatherFacts>[1],
): Promise<{ readonly lines: BranchLines; readonly changes: readonly RequirementChange[] }> {
  const cacheMs = Math.min(
    ...requirements.flatMap(({ condition }) =>
      condition.type === "branch_size" ? [condition.cacheMs] : []
    ),
  );
  const known = db === null
    ? undefined
    : quietly(() => readBranchSize(db, { worktree: root, branch }, atMs - cacheMs));
  const lines = known === undefined ? await measureBranch({ root, branch }) : known.lines;
  return {
    lines: lines === "unknown" ? { unknown: UNTOLD } : lines,
    changes: known === undefined ? [{ kind: "size", worktree: root, branch, lines }] : [],
  };
}

/** Why the size of a branch is not known. */
const UNTOLD =
  "git did not tell how much the branch has changed: it is missing, has failed or takes too long; " +
  "`git diff --stat` shows which";

/** Live sessions in the same folder, beside this one; what cannot be told is none. */
async function otherSessions(
  { db, projectDir, sessionId }: Parameters<typeof gatherFacts>[1],
): Promise<string[]> {
  if (db === null || projectDir === null) return [];
  const others = quietly(() => activeInFolder(db, projectDir, sessionId)) ?? [];
  const known = others.filter((other) => other.claudePid !== null) as SessionProcess[];
  const processes = await lookAtProcesses(known.map(({ claudePid }) => claudePid));
  const gone = new Set(goneSessions(known, processes, null));
  return others.map((other) => other.sessionId).filter((id) => !gone.has(id)).map(shortSessionId);
}

/** What a read before the event gives; undefined when the database did not answer. */
export function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    // The write of the event will tell what is wrong with the database.
    return undefined;
  }
}
