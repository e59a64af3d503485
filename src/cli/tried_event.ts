/** A hook event that is tried: what it would be answered, and what every rule says of it. Nothing is done or written. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import type { KnownPlaces } from "../gate/own_files.ts";
import type { GuardPolicy } from "../guard/guard_policy.ts";
import type { TriedEvent } from "../hook/dry_run.ts";
import type { Answer } from "../hook/handler.ts";
import type { CliContext } from "./context.ts";
import { peek } from "./policy.ts";
import { explainRequirements } from "./requirement_table.ts";
import { explainPermission, explainRules, type Explanation } from "./rule_table.ts";

/** What came of it. */
export interface Trial extends Explanation {
  readonly tried: TriedEvent;
  readonly config: HookConfig;
  /** What the hook would write to stdout; undefined where that cannot be known without doing it. */
  readonly answer: Answer | undefined;
  /** Of a tool use; null where nothing is said about it. */
  readonly decision: "allow" | "deny" | null;
  /** Whether it is allowed only because a person has lifted what forbids it. */
  readonly isLifted: boolean;
}

/**
 * Tries an event on the configuration and the database that a hook in a folder would find.
 *
 * @param eventOf The event; the database is null where a hook could not read it, the policy where there is none.
 */
export async function tryEvent(
  context: CliContext,
  folder: string,
  eventOf: (
    db: DatabaseSync | null,
    policy: GuardPolicy | null,
  ) => TriedEvent | Promise<TriedEvent>,
): Promise<Trial> {
  const { answerTo } = await import("../hook/dry_run.ts");
  const { config, found } = await peek(context, folder, async (db, config, { policy, places }) => {
    const tried = await eventOf(db, policy);
    const answer = await answerTo(tried, { config, places, db, locations: context.locations });
    return { tried, answer, ...await explained(tried, { db, config, policy, places }) };
  });
  const decision = decisionOf(found.answer);
  const isLifted = decision !== "deny" && found.verdict.blocks.length > 0;
  return { ...found, config, decision, isLifted };
}

async function explained(
  { event, use, repository, sessionId, transcriptPath }: TriedEvent,
  from: {
    readonly db: DatabaseSync | null;
    readonly config: HookConfig;
    readonly policy: GuardPolicy | null;
    readonly places: KnownPlaces;
  },
): Promise<Explanation> {
  const nothing: Explanation = { verdict: { blocks: [], doubts: [] }, sayings: [] };
  if (use === null) return nothing;
  const { db, config, policy, places } = from;
  const { verdict, sayings } = policy === null ? nothing : await explainRules(policy, use, places);
  if (event.name === "PermissionRequest") {
    const permissions = policy === null ? [] : explainPermission(policy.permission, use.tool);
    return { verdict, sayings: [...sayings, ...permissions] };
  }
  const required = await explainRequirements({ config, policy }, use, {
    db,
    repository,
    sessionId,
    transcriptPath,
  });
  return {
    verdict: { ...verdict, blocks: [...verdict.blocks, ...required.blocks] },
    sayings: [...sayings, ...required.sayings],
  };
}

function decisionOf(answer: Answer | undefined): Trial["decision"] {
  const output = answer?.["hookSpecificOutput"] as
    | { readonly permissionDecision?: unknown; readonly decision?: { readonly behavior?: unknown } }
    | undefined;
  const decision = output?.permissionDecision ?? output?.decision?.behavior;
  return decision === "deny" || decision === "allow" ? decision : null;
}
