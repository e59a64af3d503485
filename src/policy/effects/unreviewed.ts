/** Uses up the satisfactions that allowed new commits, and reports commits that lack a requirement as violations. */
import { commandOf } from "../../claude/payload.ts";
import { isBefore, isInBranch } from "../../system/git/versions.ts";
import type { AskedUse } from "../guards/judge_use.ts";
import type { Answer } from "../guards/types.ts";
import { isPaused } from "../pauses_table.ts";
import {
  branchesOf,
  isMove,
  newInGit,
  satisfiedBeforeCommits,
  usedUpOn,
} from "../requirements/used_up.ts";
import { lastBranchIn } from "../requirements/ground.ts";
import { prove } from "../requirements/proof.ts";
import type { Requirement } from "../requirements/requirement_policy.ts";
import { clearRequirement, readStandings } from "../requirements/requirements_table.ts";
import { isStrict } from "../requirements/stand.ts";
import { isSatisfied, type Standing } from "../requirements/standing.ts";
import { commandsUnder, commandText } from "../requirements/trigger_match.ts";
import { readCommand } from "../files/shell_lookup.ts";
import {
  addViolation,
  areOthersAtWork,
  commandsOfOthers,
  isShellRunning,
  letGo,
  lookedAt,
  settleViolations,
} from "./effects_table.ts";
import {
  type Ground,
  type Moment,
  ofCommit,
  REQUIREMENT,
  type Snapshot,
  type Violation,
} from "./types.ts";

/** Uses up the session's satisfactions for new commits. @returns The violations: commits without a satisfaction. */
export async function judgeCommits(
  ground: Ground & Readonly<{ before: Snapshot; now: Snapshot; moment: Moment }>,
): Promise<Violation[]> {
  const { before, now, moment, db, repository, sessionId, atMs, environment, requirements } =
    ground;
  if (repository === undefined || before.heads === undefined || now.heads === undefined) return [];
  if (JSON.stringify(before.heads) === JSON.stringify(now.heads)) return [];
  const isAfter = moment.is === "after";
  const beside = isAfter ? moment.toolUseId : null;
  const commits = isAfter ? await mayCommit(moment.command, ground) : "no";
  // If the session's command only looks, the commit comes from a person, or from a command that the session left
  // running.
  const isAtWork = commits !== "no" || isShellRunning(db, { sessionId, atMs, beside });
  if (!isAtWork) return [];
  const { commonDir } = repository;
  const sinceMs = lookedAt(db, sessionId, beside).atMs ?? before.atMs;
  const news = await newInGit(db, {
    before: before.heads,
    now: now.heads,
    sinceMs,
    sessionId,
    commonDir,
    environment,
    lastBranch: lastBranchIn(repository, { db, sessionId }),
  });
  const branches = new Set([...news.commits.flatMap(branchesOf), ...news.advanced]);
  const standings = new Map([...branches].map((branch) => [branch, standingsOn(branch, ground)]));
  const use = { news, sessionId, untilMs: isAfter ? atMs : sinceMs };
  for (const branch of branches) {
    const key = { repository: commonDir, branch };
    usedUpOn(key, requirements, use).forEach((used) => clearRequirement(db, key, used));
  }
  const others = { sessionId, repository: commonDir, sinceMs };
  const isShared = areOthersAtWork(db, others);
  // The gate of another session asks about the commits of that session's commands.
  const isTheirs = isShared && commits !== "yes" && news.commits.length > 0 &&
    (await Promise.all(commandsOfOthers(db, others).map((one) => mayCommit(one, ground))))
      .includes("yes");
  const isLifted = isPaused(db, { sessionId, subject: "requirements", atMs });
  const tips = Object.values(now.heads.trees)
    .flatMap(({ branch, commit }) => branch === repository.branch ? [commit] : []);
  const violations: Violation[] = [];
  for (const commit of news.commits) {
    const on = branchesOf(commit);
    const isOurs = !isTheirs && (!isShared || (isAfter && on.includes(repository.branch ?? "")));
    const isLacking = (requirement: Requirement) =>
      on.every((branch) =>
        !isSatisfied(requirement, standings.get(branch)!, { sessionId, atMs: sinceMs })
      );
    if (!isOurs || on.length === 0) continue;
    for (const requirement of satisfiedBeforeCommits(requirements).filter(isLacking)) {
      // A satisfaction on the branch where the command began is used up as well.
      for (const branch of requirement.scope === "single_use" ? commit.left : []) {
        const used = { requirement: requirement.name, sessionId, untilMs: atMs };
        clearRequirement(db, { repository: commonDir, branch }, used);
      }
      if (isLifted) continue;
      violations.push(addViolation(ground, {
        subject: commit.id,
        kind: "ref",
        rule: REQUIREMENT + requirement.name,
        name: `commit ${commit.id.slice(0, 8)} on ${on[0]}`,
        who: commits === "yes" ? "command" : "unknown",
        blocks: !commit.isGone,
        before: on[0]!,
        undo: tips.includes(commit.id) ? `git reset --soft ${commit.id}~1` : null,
        logBytes: 0,
      }));
    }
  }
  return violations.filter(({ blocks }) => blocks);
}

/** Whether a command commits, as far as its words tell: unknown code may commit. */
async function mayCommit(command: string, { projectDir, home }: Ground): Promise<Answer> {
  const { commands, isPlain } = await readCommand(command, { folder: projectDir, home });
  if (commands.some((words) => isMove(words.join(" ")))) return "yes";
  return isPlain ? "no" : "maybe";
}

export function standingsOn(
  branch: string,
  ground: Pick<
    Ground,
    "db" | "config" | "repository" | "sessionId" | "transcriptPath" | "hide" | "atMs"
  >,
): Standing[] {
  const key = { repository: ground.repository!.commonDir, branch };
  const stored = readStandings(ground.db, key, ground.sessionId);
  return prove(stored, { ...ground, isStrict: isStrict(ground.config) }).marked(stored);
}

/**
 * Settles commits whose requirement was met later, and lets go of those that no branch has. @returns The open ones.
 */
export async function settleCommits(
  open: readonly Violation[],
  ground: Ground & { readonly now: Snapshot },
): Promise<Violation[]> {
  const { now, db, repository, sessionId, atMs } = ground;
  if (repository === undefined) return [...open];
  const answered = open.filter((one) =>
    requirementOf(one, ground) === undefined || isMet(one, ground)
  );
  if (answered.length > 0) settleViolations(db, answered.map(({ id }) => id), atMs);
  for (const one of answered) {
    // One satisfaction covers all commits before it.
    if (requirementOf(one, ground)?.scope !== "single_use") continue;
    const key = { repository: one.project, branch: one.before };
    const requirement = one.rule.slice(REQUIREMENT.length);
    clearRequirement(db, key, { requirement, sessionId, untilMs: atMs });
  }
  const left: Violation[] = [];
  for (const one of open.filter((one) => !answered.includes(one))) {
    if (await isThere(one.subject, { ...ground, heads: now.heads })) left.push(one);
    else letGo(db, one.id);
  }
  return left;
}

type Standings = Parameters<typeof standingsOn>[1];

function requirementOf(
  { rule }: Violation,
  { requirements }: Pick<Ground, "requirements">,
): Requirement | undefined {
  return requirements.find(({ name }) => REQUIREMENT + name === rule);
}

/** Tells whether the session has met the requirement since the commit; false for one that the policy does not have. */
export function isMet(
  one: Violation,
  ground: Standings & Pick<Ground, "requirements">,
): boolean {
  const requirement = requirementOf(one, ground);
  return requirement !== undefined && one.sessionId === ground.sessionId &&
    isSatisfied(requirement, standingsOn(one.before, ground), ground);
}

/** Tells whether a branch or a detached HEAD has the commit. */
export async function isThere(
  commit: string,
  { repository, environment, heads }: Pick<Ground, "repository" | "environment"> & {
    readonly heads: Snapshot["heads"];
  },
): Promise<boolean> {
  if (await isInBranch(repository!, commit, environment)) return true;
  for (const tree of Object.values(heads?.trees ?? {})) {
    const order = { earlier: commit, later: tree.commit };
    if (tree.branch === null && await isBefore(repository!, order, environment)) return true;
  }
  return false;
}

const PUSH = { tool: "Bash", toolPattern: null, command: "git\\s+push(?:\\s|$)" };

/** Returns the open commit violations that hold back a push; none where the command pushes nothing. */
export async function heldBack(open: readonly Violation[], use: AskedUse): Promise<Violation[]> {
  const commits = open.filter(ofCommit);
  const command = commandOf(use.input);
  if (commits.length === 0 || command === null) return [];
  const read = await readCommand(command, use);
  const commands = read.commands.map((words) => commandText(words, false));
  return commandsUnder({ triggers: [PUSH] }, commands).length > 0 ? commits : [];
}
