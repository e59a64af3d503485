/** Requirements on the way of one event: what a tool use falls under, and what their conditions are judged by. */
import type { DatabaseSync } from "node:sqlite";
import { EDITING_TOOLS, filesTouched } from "../capture/payload.ts";
import { measureBranch } from "../git/branch_size.ts";
import type { Repository } from "../git/repository.ts";
import { shortSessionId } from "../ids.ts";
import { resolvePath } from "../paths.ts";
import { lookAtProcesses } from "../process/identity.ts";
import { realPath } from "../project/files.ts";
import type { Facts } from "../requirement/judge.ts";
import { wantsBranchSize } from "../requirement/judge.ts";
import type { Requirement } from "../requirement/policy.ts";
import { isPlanFile } from "../requirement/plan_files.ts";
import { lookAtCommand } from "../requirement/look.ts";
import { commandText, triggeredBy, usesOf } from "../requirement/triggers.ts";
import { goneSessions, type SessionProcess } from "../session/liveness.ts";
import { readBranchSize } from "../store/branch_sizes.ts";
import type { RequirementChange } from "../store/requirements.ts";
import { activeInFolder } from "../store/session_registry.ts";
import { type AskedUse, commandOf } from "./judge.ts";

/** Where requirements count: on a branch of a repository, or why they do not. */
export type Ground =
  | { readonly kind: "branch"; readonly repository: Repository; readonly branch: string }
  | { readonly kind: "none"; readonly repository: Repository | null; readonly why: string };

/** The branch that requirements are kept for. */
export function groundOf(repository: Repository | undefined): Ground {
  if (repository === undefined) {
    return { kind: "none", repository: null, why: "this folder is in no git repository" };
  }
  const { branch } = repository;
  return branch === null
    ? { kind: "none", repository, why: "HEAD is detached, so there is no branch" }
    : { kind: "branch", repository, branch };
}

/**
 * The requirements that a tool use falls under. Plan files are free: a plan is what many of them ask for.
 *
 * @param root The top of the working tree: what a shell command changes outside of it is no edit.
 */
export async function requirementsFor(
  requirements: readonly Requirement[],
  use: AskedUse,
  root: string,
): Promise<Requirement[]> {
  const { tool, input, home } = use;
  const folder = use.folder ?? root;
  const real = (path: string) => realPath(resolvePath(path, { folder, home: home ?? undefined }));
  if (tool !== "Bash") {
    const [file] = EDITING_TOOLS.has(tool) ? filesTouched(tool, input) : [];
    if (file !== undefined && isPlanFile(real(file))) return [];
    return triggeredBy(requirements, { tool, commands: [], changesFiles: false });
  }
  const command = commandOf(input);
  const look = command === null ? "no" : lookAtCommand(usesOf(requirements), command);
  if (command === null || look === "no") return [];
  if (look === "plain") {
    const commands = [commandText(command.trim().split(/ +/))];
    return triggeredBy(requirements, { tool, commands, changesFiles: false });
  }
  const { readUses } = await import("../guard/bash.ts");
  const { commands, changed } = readUses(command, { folder, home });
  const inside = `${realPath(root)}/`;
  const changesFiles = changed.some((path) => {
    const target = real(path);
    return target.startsWith(inside) && !target.startsWith(`${inside}.git/`) && !isPlanFile(target);
  });
  return triggeredBy(requirements, { tool, commands: commands.map(commandText), changesFiles });
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
): Promise<{ readonly lines: number | null; readonly changes: readonly RequirementChange[] }> {
  const cacheMs = Math.min(
    ...requirements.flatMap(({ condition }) =>
      condition.type === "branch_size" ? [condition.cacheMs] : []
    ),
  );
  const known = db === null
    ? undefined
    : quietly(() => readBranchSize(db, { worktree: root, branch }, atMs - cacheMs));
  if (known !== undefined) return { lines: known.lines, changes: [] };
  const lines = await measureBranch({ root, branch });
  return { lines, changes: [{ kind: "size", worktree: root, branch, lines }] };
}

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

function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    // The write of the event will tell what is wrong with the database.
    return undefined;
  }
}
