/** Combines the judgements of guards and requirements into one decision about a tool use. Looks nothing up. */
import type { Block, GuardPolicy, Verdict } from "./guards/guard_policy.ts";
import { unreadText } from "./guards/judge_use.ts";
import type { UseSaying } from "./requirements/tool_requirements.ts";
import { BLIND_RULE } from "./guards/guard_policy.ts";

/** The guards' judgement; `allowedBy` is the rule that answers in place of a person. */
export type Judgement =
  & Verdict
  & Pick<GuardPolicy, "isStrict" | "whenBlind">
  & { readonly allowedBy: string | null };

export interface Facts {
  /** Null where no guards are configured. */
  readonly guards: Judgement | null;
  /** Judges by the requirements, given the rules that already deny the use; null where no requirement counts. */
  readonly required: ((denying: readonly string[]) => UseSaying) | null;
  /** Whether a person has lifted the guards for this session. */
  readonly isLifted: boolean;
}

export type Decision = ReturnType<typeof decide>;

export function decide({ guards, required: requirements, isLifted }: Facts) {
  const judged = guards?.blocks ?? [];
  const counting = isLifted ? judged.filter(({ isLasting }) => isLasting) : judged;
  const required = requirements?.(counting.map(({ rule }) => rule)) ?? null;
  const blind = (isLifted ? undefined : guards?.blind) ?? required?.blind ?? null;
  const whenBlind = blind === null ? "allow" : guards?.whenBlind ?? "allow";
  // A rule that cannot be read may forbid the use.
  const refused: Block[] = blind !== null && whenBlind === "deny"
    ? [{ rule: BLIND_RULE, reason: `Blocked: ${blind}`, isBlind: true }]
    : [];
  const found = [...refused, ...judged];
  const blocks = [...refused, ...counting];
  const denied = blocks.length > 0 || (required?.reason ?? "") !== "";
  const unread = isLifted ? undefined : guards?.unread;
  const asks = blind !== null && whenBlind === "ask"
    ? { why: blind, text: blind }
    : unread === undefined
    ? null
    : { why: unread, text: unreadText(unread) };
  return {
    /** The guards' judgement, before lifted rules are left out. */
    guards,
    /** The guards' blocks, also those that a person has lifted. */
    found,
    /** The guards' blocks that count; the deciding block comes first. */
    blocks,
    required,
    denied,
    /** The rules that forbid the use, also those that a person has lifted. */
    rules: found.map(({ rule }) => rule).concat(required?.rules ?? []),
    /** Why a person is asked, and the text of the question; null when nobody is asked. */
    asks: denied ? null : asks,
    /** Names what a gate could not read although it needed it, if the use passes all the same; else null. */
    unseen: denied || asks !== null ? null : blind,
    /** Which of `guards` and `requirements` would have stopped the use if a person had not lifted them. */
    paused: [...(isLifted ? ["guards"] : []), ...(required?.paused ? ["requirements"] : [])],
    allowedBy: required?.withholds || blind !== null ? null : guards?.allowedBy ?? null,
  };
}
