/** Decides by the requirements whether Claude may stop. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { transaction } from "../../db/transaction.ts";
import { hasBranch, workingTreeOf } from "../../system/git/working_trees.ts";
import { isPaused } from "../pauses_table.ts";
import { groundFor, type RequirementWork } from "./ground.ts";
import { tellUnproven } from "./proof.ts";
import type { RequirementPolicy } from "./requirement_policy.ts";
import { type OpenOnBranch, stopText } from "./requirement_text.ts";
import { type RequirementSaying, SILENT } from "./requirements_table.ts";
import { isStrict, type PreparedStand, prepareStand } from "./stand.ts";
import { isTriggered, neededUnproven } from "./standing.ts";
import { settleTriggers, triggeredBranches } from "./triggers_table.ts";

/** A branch on which the session has triggered requirements. */
type AskedBranch = PreparedStand & Pick<OpenOnBranch, "place">;

/**
 * What requirements say of a stop. One counts on the branch where the session triggered it, also when another branch is
 * checked out now. Where their state cannot be read, Claude may stop.
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
  const branches: AskedBranch[] = [];
  for (const [branch, there] of byBranch) {
    const names = new Set(there.map(({ requirement }) => requirement));
    const asked = verified.filter(({ name }) => names.has(name));
    if (asked.length === 0) continue;
    const isHere = repository.branch === branch;
    const tree = isHere ? repository : workingTreeOf(repository, branch) ?? null;
    const prepared = await prepareStand(asked, {
      ...{ ...at, repository: tree, isCheckedOut: isHere, isStrict: isStrict(at.config) },
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
  branches: readonly AskedBranch[],
  db: DatabaseSync,
  { sessionId, atMs }: RequirementWork,
): RequirementSaying {
  settleTriggers(db, sessionId);
  const looked = branches.map(({ judge, facts, to, place }) => {
    const { judged, standings } = judge(db);
    const asked = judged.filter(({ requirement }) =>
      isTriggered(requirement, standings, sessionId)
    );
    const open = asked.filter(({ status }) => status === "open");
    return { open, unproven: neededUnproven(asked, facts), to, place };
  });
  const held = looked.filter(({ open }) => open.length > 0);
  const unproven = looked.flatMap((one) => one.unproven);
  const told = tellUnproven(unproven, held.length === 0 ? looked[0]!.to : null);
  if (held.length === 0 || isPaused(db, { sessionId, subject: "requirements", atMs })) {
    return { ...SILENT, ...told };
  }
  const rules = held.flatMap(({ open }) =>
    open.map(({ requirement: { name } }) => `requirements.${name}`)
  );
  return { rules: [...new Set(rules)], reason: stopText(held), ...told };
}
