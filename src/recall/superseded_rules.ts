/** Closes rules that a later prompt has taken back, or put another in the place of: they are told no more as standing. */
import type { DatabaseSync } from "node:sqlite";
import type { Revoked } from "../memory/observe/revoked_rules.ts";
import { saysOnlyRules } from "../memory/observe/standing_rules.ts";
import { isRevoked, replacesRule, ruleWords, tellingRuleWords } from "../memory/rule_words.ts";
import { resolveObservation } from "../store/open_failures.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";
import {
  promptBefore,
  type StandingDecision,
  standingDecisions,
} from "../store/standing_decisions.ts";
import type { DoneBy } from "./done_by.ts";

/**
 * A rule was laid down: earlier ones that it takes the place of are over, in whichever session and branch. What was
 * captured late may itself be over.
 */
export function supersedeRules(
  db: DatabaseSync,
  rule: { readonly id: number; readonly title: string },
  { project, createdAtMs }: ClaimedCapture,
): void {
  const words = ruleWords(rule.title);
  for (const { id, title, updatedAtMs } of standingDecisions(db, project)) {
    if (id === rule.id) continue;
    if (updatedAtMs < createdAtMs && replacesRule(words, ruleWords(title))) {
      resolveObservation(db, id, rule.id);
    } else if (updatedAtMs > createdAtMs && replacesRule(ruleWords(title), words)) {
      resolveObservation(db, rule.id, id);
    }
  }
}

/** A prompt has taken rules back: those that it speaks of, all of them where that may be several. */
export function revokeRules(
  db: DatabaseSync,
  { capture, by, revoked }: Pick<DoneBy, "capture" | "by"> & { readonly revoked: Revoked },
): void {
  const before = standingDecisions(db, capture.project)
    .filter(({ updatedAtMs }) => updatedAtMs < capture.createdAtMs);
  const spokenOf = before.filter(({ title }) => {
    const words = ruleWords(title, tellingRuleWords);
    return revoked.rules.some((one) => isRevoked(one, words));
  });
  const last = revoked.last === null || spokenOf.length > 0
    ? []
    : lastRules(db, before, { capture, isNamed: revoked.last === "named" });
  for (const { id } of [...spokenOf, ...last]) resolveObservation(db, id, by);
}

/** The rules that the session laid down last; where they are not named as rules, only those of which alone it spoke last. */
function lastRules(
  db: DatabaseSync,
  before: readonly StandingDecision[],
  { capture: { sessionId, createdAtMs }, isNamed }: {
    readonly capture: ClaimedCapture;
    readonly isNamed: boolean;
  },
): StandingDecision[] {
  const own = before.filter((one) => one.sessionId === sessionId);
  const lastAtMs = Math.max(...own.map(({ updatedAtMs }) => updatedAtMs));
  if (!isNamed) {
    const said = promptBefore(db, sessionId, createdAtMs);
    if (said?.updatedAtMs !== lastAtMs || !saysOnlyRules(said.text)) return [];
  }
  return own.filter(({ updatedAtMs }) => updatedAtMs === lastAtMs);
}
