/** Decides by the requirements whether Claude may stop. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { transaction } from "../../db/transaction.ts";
import { hasBranch } from "../../system/git/repository.ts";
import { workingTreeOf } from "../../system/git/working_trees.ts";
import { isPaused } from "../pauses_table.ts";
import { groundFor, type RequirementWork } from "./ground.ts";
import { tellUnproven } from "./proof.ts";
import type { RequirementPolicy } from "./requirement_policy.ts";
import { type OpenOnBranch, stopText } from "./requirement_text.ts";
import {
  type RequirementSaying,
  settleTriggers,
  SILENT,
  triggeredBranches,
} from "./requirements_table.ts";
import { type PreparedStand, prepareStand } from "./stand.ts";

/** A branch on which the session has triggered requirements. */
type TriggeredBranch = PreparedStand & Pick<OpenOnBranch, "place">;

/**
 * Judges a stop. A requirement counts on the branch where the session triggered it, even if another branch is checked
 * out now. Where the state of requirements cannot be read, Claude may stop.
 */
export async function requirementsAtStop(
  { requirements, verifyScopes }: RequirementPolicy,
  at: RequirementWork,
): Promise<RequirementSaying> {
  const { db, sessionId } = at;
  const { repository } = groundFor(at);
  if (repository === null || db === null) return SILENT;
  const { commonDir } = repository;
  const triggered = quietly(() => triggeredBranches(db, { repository: commonDir, sessionId })) ??
    [];
  const verified = requirements.filter(({ scope }) => verifyScopes.includes(scope));
  const byBranch = [...Map.groupBy(triggered, ({ branch }) => branch)].toSorted(([a], [b]) =>
    Number(b === repository.branch) - Number(a === repository.branch)
  );
  const branches: TriggeredBranch[] = [];
  for (const [branch, there] of byBranch) {
    const names = new Set(there.map(({ requirement }) => requirement));
    const due = verified.filter(({ name }) => names.has(name));
    if (due.length === 0) continue;
    const isHere = repository.branch === branch;
    const tree = isHere ? repository : workingTreeOf(repository, branch) ?? null;
    const prepared = await prepareStand(due, {
      ...at,
      repository: tree,
      isCheckedOut: isHere,
      key: { repository: commonDir, branch },
    });
    const isThere = tree !== null || hasBranch(repository, branch);
    branches.push({ ...prepared, place: isHere ? "here" : isThere ? "elsewhere" : "gone" });
  }
  if (branches.length === 0) return SILENT;
  const decided = quietly(() => transaction(db, () => decideStop(branches, db, at))) ?? SILENT;
  const changes = branches.flatMap(({ changes }) => changes);
  return { ...decided, changes: [...changes, ...decided.changes] };
}

function decideStop(
  branches: readonly TriggeredBranch[],
  db: DatabaseSync,
  { sessionId, atMs }: RequirementWork,
): RequirementSaying {
  settleTriggers(db, sessionId);
  const results = branches.map(({ judge, to, place }) => {
    const triggered = judge(db).filter(({ isTriggered }) => isTriggered);
    return { triggered, open: triggered.filter(({ status }) => status === "open"), to, place };
  });
  const holding = results.filter(({ open }) => open.length > 0);
  const triggered = results.flatMap((one) => one.triggered);
  const report = tellUnproven(triggered, holding.length === 0 ? results[0]!.to : null);
  if (holding.length === 0 || isPaused(db, { sessionId, subject: "requirements", atMs })) {
    return { ...SILENT, ...report };
  }
  const rules = holding.flatMap(({ open }) =>
    open.map(({ requirement: { name } }) => `requirements.${name}`)
  );
  return { rules: [...new Set(rules)], reason: stopText(holding), ...report };
}
