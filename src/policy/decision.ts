/** The one decision about a tool use: what guards and requirements say of it, weighed together. It looks nothing up. */
import type { Block, GuardPolicy, Verdict } from "./guards/guard_policy.ts";
import { unreadText } from "./guards/judge_use.ts";
import type { UseSaying } from "./requirements/tool_requirements.ts";
import { BLIND_RULE } from "./guards/rule_names.ts";

/** What the guards say; `allowedBy` is the rule that allows what a person would be asked for. */
export type Judgement =
  & Verdict
  & Pick<GuardPolicy, "isStrict" | "whenBlind">
  & { readonly allowedBy: string | null };

export interface Facts {
  /** Null where no guards are configured. */
  readonly guards: Judgement | null;
  /** What the requirements say, once the rules are known that deny the use already; null where none is asked. */
  readonly required: ((denying: readonly string[]) => UseSaying) | null;
  /** Whether a person has lifted the guards for this session. */
  readonly isLifted: boolean;
}

export interface Decision {
  /** What was weighed. */
  readonly guards: Judgement | null;
  /** What forbids the use, or would if no person had lifted it. */
  readonly found: readonly Block[];
  /** What forbids the use, the deciding ones first. */
  readonly blocks: readonly Block[];
  readonly required: UseSaying | null;
  /** The rules that forbid the use, also those that a person has lifted. */
  readonly rules: readonly string[];
  readonly denied: boolean;
  /** Why a person is asked, and in which words; null when nobody is asked. */
  readonly asks: { readonly why: string; readonly text: string } | null;
  /** What could not be read although a gate is about the use, which passes all the same. */
  readonly unseen: string | null;
  /** The rules that would have denied the use if a person had not lifted them. */
  readonly paused: readonly string[];
  readonly allowedBy: string | null;
}

export function decide({ guards, required: requirements, isLifted }: Facts): Decision {
  const judged = guards?.blocks ?? [];
  const kept = isLifted ? judged.filter(({ isLasting }) => isLasting) : judged;
  const required = requirements?.(kept.map(({ rule }) => rule)) ?? null;
  const blind = (isLifted ? undefined : guards?.blind) ?? required?.blind ?? null;
  const whenBlind = blind === null ? "allow" : guards?.whenBlind ?? "allow";
  // What cannot be read may forbid the use.
  const refused: Block[] = blind !== null && whenBlind === "deny"
    ? [{ rule: BLIND_RULE, reason: `Blocked: ${blind}`, isBlind: true }]
    : [];
  const found = [...refused, ...judged];
  const blocks = [...refused, ...kept];
  const denied = blocks.length > 0 || (required?.reason ?? "") !== "";
  const unread = isLifted ? undefined : guards?.unread;
  const asks = blind !== null && whenBlind === "ask"
    ? { why: blind, text: blind }
    : unread === undefined
    ? null
    : { why: unread, text: unreadText(unread) };
  return {
    ...{ guards, found, blocks, required, denied },
    rules: found.map(({ rule }) => rule).concat(required?.rules ?? []),
    asks: denied ? null : asks,
    unseen: denied || asks !== null ? null : blind,
    paused: [...(isLifted ? ["guards"] : []), ...(required?.paused ? ["requirements"] : [])],
    allowedBy: required?.withholds || blind !== null ? null : guards?.allowedBy ?? null,
  };
}
