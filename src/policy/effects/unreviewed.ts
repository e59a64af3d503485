/** Commits: they use up what allowed them, and one that came without what a requirement asks for is a violation. */
import { newId } from "../../base/ids.ts";
import { isInBranch } from "../../system/git/brought_files.ts";
import type { AskedUse } from "../guards/judge_use.ts";
import { isPaused } from "../pauses_table.ts";
import { aboutCommits, branchesOf, cameToBe, usedUpOn } from "../requirements/commits.ts";
import { lastBranchIn } from "../requirements/ground.ts";
import { prove } from "../requirements/proof.ts";
import { clearRequirement, readStandings } from "../requirements/requirements_table.ts";
import { isStrict } from "../requirements/stand.ts";
import { isSatisfied, type Standing } from "../requirements/standing.ts";
import { commandText, triggeredBy } from "../requirements/trigger_match.ts";
import {
  addViolation,
  areOthersAtWork,
  isShellRunning,
  letGo,
  lookedAt,
  settleViolations,
} from "./effects_table.ts";
import type { Ground, Moment } from "./ground_of_effects.ts";
import { ofCommit, REQUIREMENT, type Snapshot, type Violation } from "./types.ts";

/** What came to be uses up the session's satisfactions. @returns What came without one. */
export async function judgeCommits(
  { before, now, moment }: {
    readonly before: Snapshot;
    readonly now: Snapshot;
    readonly moment: Moment;
  },
  ground: Ground,
): Promise<Violation[]> {
  const { db, work: { repository, sessionId, atMs, environment }, requirements } = ground;
  if (repository === undefined || before.heads === undefined || now.heads === undefined) return [];
  const isAfter = moment.is === "after";
  // Between tool uses a person commits, or what the session has left running.
  if (!isAfter && !isShellRunning(db, { sessionId, atMs })) return [];
  const { commonDir } = repository;
  const looked = lookedAt(db, sessionId, isAfter ? moment.toolUseId : null);
  const sinceMs = looked.atMs ?? before.atMs;
  const heads = { before: before.heads, now: now.heads, sinceMs };
  const lastBranch = lastBranchIn(repository, { db, sessionId });
  const came = await cameToBe(db, { ...heads, commonDir, lastBranch, environment });
  const asked = aboutCommits(requirements);
  const isShared = areOthersAtWork(db, { sessionId, repository: commonDir, sinceMs });
  const branches = new Set([...came.commits.flatMap(branchesOf), ...came.advanced]);
  const standings = new Map([...branches].map((branch) => [branch, standingsOn(branch, ground)]));
  for (const branch of branches) {
    const key = { repository: commonDir, branch };
    const untilMs = isAfter ? atMs : sinceMs;
    for (const used of usedUpOn(key, requirements, { came, sessionId, untilMs })) {
      clearRequirement(db, key, used);
    }
  }
  const isLifted = isPaused(db, { sessionId, subject: "requirements", atMs });
  return came.commits.flatMap((commit): Violation[] => {
    const on = branchesOf(commit);
    const isOurs = !isShared || (isAfter && on.includes(repository.branch ?? ""));
    if (!isOurs || on.length === 0) return [];
    const lacking = asked.filter((requirement) =>
      on.every((branch) =>
        !isSatisfied(requirement, standings.get(branch)!, { sessionId, atMs: sinceMs })
      )
    );
    // What was satisfied where the command began has allowed it all the same.
    for (const { name, scope } of lacking) {
      for (const branch of scope === "single_use" ? commit.from : []) {
        const key = { repository: commonDir, branch };
        clearRequirement(db, key, { requirement: name, sessionId, untilMs: atMs });
      }
    }
    if (isLifted) return [];
    const isTip = Object.values(now.heads!.trees).some((tree) =>
      tree.branch === repository.branch && tree.commit === commit.id
    );
    return lacking.map((requirement) => {
      const violation: Violation = {
        id: newId(atMs),
        ...{ sessionId, project: ground.project, subject: commit.id, kind: "ref" },
        name: `${commit.id.slice(0, 8)} on ${on[0]}`,
        rule: REQUIREMENT + requirement.name,
        who: isAfter ? "command" : "unknown",
        blocks: !commit.isGone,
        before: on[0]!,
        undo: isTip ? `git reset --soft ${commit.id}~1` : null,
        ...{ logBytes: 0, createdAtMs: atMs, settledAtMs: null },
      };
      addViolation(db, violation);
      return violation;
    });
  }).filter(({ blocks }) => blocks);
}

function standingsOn(branch: string, { db, work }: Pick<Ground, "db" | "work">): Standing[] {
  const key = { repository: work.repository!.commonDir, branch };
  const stored = readStandings(db, key, work.sessionId);
  return prove(stored, key, { ...work, isStrict: isStrict(work.config) }).marked(stored);
}

/** Settles what was satisfied afterwards, and lets go of commits that no branch has any more. @returns What is still open. */
export async function settleCommits(
  open: readonly Violation[],
  { db, work, requirements }: Ground,
): Promise<Violation[]> {
  const { repository, sessionId, atMs, environment } = work;
  const left: Violation[] = [];
  for (const one of open) {
    const key = { repository: one.project, branch: one.before };
    const requirement = requirements.find(({ name }) => REQUIREMENT + name === one.rule);
    const isAnswered = requirement === undefined ||
      (one.sessionId === sessionId &&
        isSatisfied(requirement, standingsOn(one.before, { db, work }), work));
    if (isAnswered) {
      settleViolations(db, [one.id], atMs);
      if (requirement?.scope === "single_use") {
        clearRequirement(db, key, { requirement: requirement.name, sessionId, untilMs: atMs });
      }
    } else if (
      repository !== undefined && !await isInBranch(repository, one.subject, environment)
    ) {
      letGo(db, [one.id]);
    } else {
      left.push(one);
    }
  }
  return left;
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
