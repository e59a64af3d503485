/** Commits: they use up what allowed them, and one that came without what a requirement asks for is a violation. */
import { newId } from "../../base/ids.ts";
import { isBefore, isInBranch } from "../../system/git/brought_files.ts";
import type { NewCommit } from "../../system/git/new_commits.ts";
import type { AskedUse } from "../guards/judge_use.ts";
import type { Answer } from "../guards/types.ts";
import { isPaused } from "../pauses_table.ts";
import { aboutCommits, branchesOf, cameToBe, isMove, usedUpOn } from "../requirements/commits.ts";
import { lastBranchIn } from "../requirements/ground.ts";
import { prove } from "../requirements/proof.ts";
import type { Requirement } from "../requirements/requirement_policy.ts";
import { clearRequirement, readStandings } from "../requirements/requirements_table.ts";
import { isStrict } from "../requirements/stand.ts";
import { isSatisfied, type Standing } from "../requirements/standing.ts";
import { commandText, triggeredBy } from "../requirements/trigger_match.ts";
import { programName } from "../shell/operands.ts";
import { onlyLooks } from "../shell/unexplained.ts";
import {
  addViolation,
  areOthersAtWork,
  isShellRunning,
  letGo,
  lookedAt,
  recentCommands,
  settleViolations,
} from "./effects_table.ts";
import type { Ground, Moment } from "./ground_of_effects.ts";
import { ofCommit, REQUIREMENT, type Snapshot, type Violation } from "./types.ts";

interface Looks {
  readonly before: Snapshot;
  readonly now: Snapshot;
  readonly moment: Moment;
}

/** What came to be uses up the session's satisfactions. @returns What came without one. */
export async function judgeCommits(looks: Looks, ground: Ground): Promise<Violation[]> {
  const { before, now, moment } = looks;
  const { db, work: { repository, sessionId, atMs, environment }, requirements } = ground;
  if (repository === undefined || before.heads === undefined || now.heads === undefined) return [];
  if (JSON.stringify(before.heads) === JSON.stringify(now.heads)) return [];
  const isAfter = moment.is === "after";
  const commits = isAfter ? await mayCommit(moment.command, ground.work) : "no";
  const beside = isAfter ? moment.toolUseId : null;
  // Beside what only looks a person commits, or what the session has left running.
  const isAtWork = commits !== "no" || isShellRunning(db, { sessionId, atMs, beside }) ||
    await hasLeftRunning(ground);
  if (!isAtWork) return [];
  const { commonDir } = repository;
  const looked = lookedAt(db, sessionId, isAfter ? moment.toolUseId : null);
  const sinceMs = looked.atMs ?? before.atMs;
  const came = await cameToBe(db, {
    ...{ before: before.heads, now: now.heads, sinceMs, commonDir, environment },
    lastBranch: lastBranchIn(repository, { db, sessionId }),
  });
  const branches = new Set([...came.commits.flatMap(branchesOf), ...came.advanced]);
  const standings = new Map([...branches].map((branch) => [branch, standingsOn(branch, ground)]));
  const use = { came, sessionId, untilMs: isAfter ? atMs : sinceMs };
  for (const branch of branches) {
    const key = { repository: commonDir, branch };
    usedUpOn(key, requirements, use).forEach((used) => clearRequirement(db, key, used));
  }
  const isShared = areOthersAtWork(db, { sessionId, repository: commonDir, sinceMs });
  const isLifted = isPaused(db, { sessionId, subject: "requirements", atMs });
  const violations: Violation[] = [];
  for (const commit of came.commits) {
    const on = branchesOf(commit);
    const isOurs = !isShared || (isAfter && on.includes(repository.branch ?? ""));
    const isLacking = (requirement: Requirement) =>
      on.every((branch) =>
        !isSatisfied(requirement, standings.get(branch)!, { sessionId, atMs: sinceMs })
      );
    const lacking = isOurs && on.length > 0 ? aboutCommits(requirements).filter(isLacking) : [];
    for (const requirement of lacking) {
      // What was satisfied where the command began has allowed it all the same.
      if (requirement.scope === "single_use") {
        for (const branch of commit.from) {
          const used = { requirement: requirement.name, sessionId, untilMs: atMs };
          clearRequirement(db, { repository: commonDir, branch }, used);
        }
      }
      if (!isLifted) {
        violations.push(violationOf(commit, requirement, { ...looks, ground, commits }));
      }
    }
  }
  violations.forEach((one) => addViolation(db, one));
  return violations.filter(({ blocks }) => blocks);
}

/** `&` that joins no two signs, and the programs that run something later. */
const MAY_DETACH =
  /(?<![&>|])&(?![&>])|\b(?:at|batch|crontab|systemd-run|screen|tmux|setsid|daemonize)\b/;

/** Whether a command of the session may have left something running, of which Claude Code tells nothing. */
async function hasLeftRunning({ db, work }: Pick<Ground, "db" | "work">): Promise<boolean> {
  const detaching = recentCommands(db, work).filter((command) => MAY_DETACH.test(command));
  const uses = await Promise.all(detaching.map((command) => readCommand(command, work)));
  return uses.some(({ leavesRunning }) => leavesRunning);
}

async function readCommand(command: string, { projectDir, home }: Ground["work"]) {
  const { readShellUse } = await import("../files/shell_lookup.ts");
  return await readShellUse(command, { folder: projectDir, home });
}

/** Whether a command commits, as far as its words tell: what runs code of which nothing is known may. */
async function mayCommit(command: string, work: Ground["work"]): Promise<Answer> {
  if (command.trim() === "") return "maybe";
  const { steps, untold } = await readCommand(command, work);
  const commands = steps.flatMap((step) => step.commands);
  if (commands.some((words) => isMove(words.join(" ")))) return "yes";
  const isPlain = untold.commands.length === 0 &&
    commands.every(([program = ""]) => onlyLooks(programName(program)));
  return isPlain ? "no" : "maybe";
}

function violationOf(
  commit: NewCommit & { readonly from: readonly string[] },
  requirement: Requirement,
  { now, commits, ground: { work, project } }: Looks & {
    readonly ground: Ground;
    readonly commits: Answer;
  },
): Violation {
  const { id, isGone } = commit;
  const { sessionId, atMs, repository } = work;
  const branch = branchesOf(commit)[0]!;
  const isTip = Object.values(now.heads!.trees).some((tree) =>
    tree.branch === repository?.branch && tree.commit === id
  );
  return {
    id: newId(atMs),
    ...{ sessionId, project, subject: id, kind: "ref" },
    name: `commit ${id.slice(0, 8)} on ${branch}`,
    rule: REQUIREMENT + requirement.name,
    who: commits === "yes" ? "command" : "unknown",
    blocks: !isGone,
    before: branch,
    undo: isTip ? `git reset --soft ${id}~1` : null,
    ...{ logBytes: 0, createdAtMs: atMs, settledAtMs: null },
  };
}

function standingsOn(branch: string, { db, work }: Pick<Ground, "db" | "work">): Standing[] {
  const key = { repository: work.repository!.commonDir, branch };
  const stored = readStandings(db, key, work.sessionId);
  return prove(stored, key, { ...work, isStrict: isStrict(work.config) }).marked(stored);
}

/** Settles what was satisfied afterwards, and lets go of commits that no branch has any more. @returns What is still open. */
export async function settleCommits(
  open: readonly Violation[],
  now: Snapshot,
  { db, work, requirements }: Ground,
): Promise<Violation[]> {
  const { repository, sessionId, atMs, environment } = work;
  if (repository === undefined) return [...open];
  const requirementOf = ({ rule }: Violation) =>
    requirements.find(({ name }) => REQUIREMENT + name === rule);
  const answered = open.filter((one) => {
    const requirement = requirementOf(one);
    return requirement === undefined ||
      (one.sessionId === sessionId &&
        isSatisfied(requirement, standingsOn(one.before, { db, work }), work));
  });
  if (answered.length > 0) settleViolations(db, answered.map(({ id }) => id), atMs);
  for (const one of answered) {
    // One satisfaction answers for all commits before it.
    if (requirementOf(one)?.scope !== "single_use") continue;
    const key = { repository: one.project, branch: one.before };
    const requirement = one.rule.slice(REQUIREMENT.length);
    clearRequirement(db, key, { requirement, sessionId, untilMs: atMs });
  }
  const left: Violation[] = [];
  for (const one of open.filter((one) => !answered.includes(one))) {
    if (await isThere(one.subject)) left.push(one);
    else letGo(db, [one.id]);
  }
  return left;

  /** Whether a branch or a detached `HEAD` has the commit. */
  async function isThere(commit: string): Promise<boolean> {
    if (await isInBranch(repository!, commit, environment)) return true;
    for (const tree of Object.values(now.heads?.trees ?? {})) {
      const order = { earlier: commit, later: tree.commit };
      if (tree.branch === null && await isBefore(repository!, order, environment)) return true;
    }
    return false;
  }
}

const PUSHING = [{
  triggers: [{ tool: "Bash", toolPattern: null, command: "git\\s+push(?:\\s|$)" }],
}];

/** Of open violations, the commits that a push has to wait for; none where the command pushes nothing. */
export async function heldBack(open: readonly Violation[], use: AskedUse): Promise<Violation[]> {
  const commits = open.filter(ofCommit);
  const { command } = Object(use.input);
  if (commits.length === 0 || typeof command !== "string") return [];
  const { readShellUse } = await import("../files/shell_lookup.ts");
  const { steps } = await readShellUse(command, use);
  const commands = steps.flatMap((step) => step.commands.map((words) => commandText(words, false)));
  const pushing = triggeredBy(PUSHING, { tool: "Bash", commands, changesFiles: false });
  return pushing.length > 0 ? commits : [];
}
