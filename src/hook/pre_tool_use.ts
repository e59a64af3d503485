import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { mayChangeUnseen } from "../claude/payload.ts";
import { hasWrittenRules } from "../config/discover.ts";
import { decide, type Decision, type Judgement } from "../policy/decision.ts";
import { type AskedUse, judgeUse } from "../policy/guards/judge_use.ts";
import type { RequiredUse } from "../policy/requirements/tool_requirements.ts";
import { type Block, guardPolicyIn, isForTool, MAIN_AGENT } from "../policy/guards/guard_policy.ts";
import { mayBeRequired } from "../policy/requirements/requirement_look.ts";
import { gitAliasesFor } from "../policy/shell/git_verbs.ts";
import { isPaused } from "../policy/store.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { draftOf, tellable } from "./other_event.ts";
import { wayForPerson, wayOut, wayToMend } from "./lifted.ts";
import { folderOf, nameOf, withContext } from "./protocol.ts";

/** Lets guards and requirements decide together before a tool is used, or before a person is asked about it. */
export async function handle(work: HookWork): Promise<Answer> {
  const use = await askedUse(work);
  const mayHaveEffects = work.event.name === "PreToolUse" && use !== null &&
    mayChangeUnseen(use.tool) && hasWrittenRules(work.config);
  if (!mayHaveEffects) return await judge(work, use, await draftOf(work));
  const { effectsOf, pushBlocks } = await import("./violations.ts");
  const { isUndo, notes, text, open, blind } = await effectsOf(work, "before");
  const { metadata, ...draft } = await draftOf(work);
  const noted = { ...draft, metadata: { ...metadata, ...notes } };
  const held = await pushBlocks(work, open, use);
  return withContext(await judge(work, use, noted, { isUndo, held, blind }), "PreToolUse", text);
}

/** Reads the tool use that a gate judges; null when the event names no tool. */
export async function askedUse(
  { environment, sent, isInputCut, home, projectDir, repository }: Pick<
    HookWork,
    "environment" | "sent" | "isInputCut" | "home" | "projectDir" | "repository"
  >,
): Promise<AskedUse | null> {
  const tool = nameOf(sent["tool_name"]);
  if (tool === null) return null;
  const input = sent["tool_input"];
  return {
    environment,
    tool,
    input,
    ...(isInputCut ? { isCut: true } : {}),
    agents: agentsOf(sent),
    folder: folderOf(sent) ?? projectDir,
    projectDir,
    home,
    gitAliases: await gitAliasesFor({ tool, input, home, environment }, repository),
  };
}

/** Returns the agent's types. `--agent` gives the main thread a type too, but only subagents have an id. */
function agentsOf(sent: HookWork["sent"]): string[] {
  const type = nameOf(sent["agent_type"]) ?? "";
  if (nameOf(sent["agent_id"]) !== null) return [type];
  return type === "" ? [MAIN_AGENT] : [MAIN_AGENT, type];
}

/**
 * Judges a use. `isUndo`: the use takes back what a rule forbids, so no rule forbids it. `held`: blocks because of
 * earlier findings. `blind`: why nobody will know what the use changes.
 */
async function judge(
  work: HookWork,
  use: AskedUse | null,
  draft: Draft,
  { isUndo, held, blind }: {
    readonly isUndo: boolean;
    readonly held: readonly Block[];
    readonly blind?: string | undefined;
  } = NOTHING_KNOWN,
): Promise<Answer> {
  const verdict = use === null || isUndo ? null : await judgeGuards(work, use);
  const blocks = [...held, ...verdict?.blocks ?? []];
  const guards = held.length === 0 && blind === undefined
    ? verdict
    : { ...NO_VERDICT, ...(blind && { blind }), ...verdict, blocks, allowedBy: null };
  const required = use === null || isUndo ? null : await askRequirements(work, use, {
    isStrict: guards?.isStrict ?? false,
    whenBlind: guards?.whenBlind ?? "allow",
    isAllowed: (guards?.allowedBy ?? null) !== null,
  });
  if (guards === null && required === null) {
    await work.save(draft);
    return await recalled(work);
  }
  const quoting = [guards?.blocks[0]?.reason ?? "", ...guards?.doubts ?? []];
  const [reason = "", ...doubts] = await tellable(work, draft, quoting);
  const mayBeLifted = guards !== null &&
    (guards.blocks.length > 0 || (guards.unread ?? guards.blind) !== undefined);
  let decision: Decision | undefined;
  const decided = (db: DatabaseSync | null) => {
    // A decision that was made with the database stays, even if the write fails.
    decision ??= decide({
      guards,
      required: required === null ? null : (denying) => required(db, denying),
      isLifted: mayBeLifted && db !== null &&
        isPaused(db, { sessionId: work.sessionId, subject: "guards", atMs: work.atMs }),
    });
    return draftWith(draft, decision, { reason, doubts });
  };
  await work.save(required === null && !mayBeLifted ? decided(null) : decided);
  work.decided?.(decision!);
  const answer = await answerOf(work, decision!);
  const passes = !decision!.denied && decision!.asks === null && work.event.name === "PreToolUse";
  return passes && doubts.length > 0
    ? withContext(answer, "PreToolUse", doubtText(doubts))
    : answer;
}

const NOTHING_KNOWN = { isUndo: false, held: [] };
const NO_VERDICT = { doubts: [], isStrict: false, whenBlind: "allow" } as const;

const MAX_DOUBT_CHARS = 300;

/** Tells Claude in one line of a use that passes although nobody can tell what it does. */
function doubtText([first = "", ...others]: readonly string[]): string {
  const more = others.length > 0 ? `, and ${others.length} more` : "";
  return `conclaude: in doubt: ${
    first.slice(0, MAX_DOUBT_CHARS).toWellFormed()
  }${more}. What it changes of protected files is looked at afterwards.`;
}

const MAX_REASONS = 5;

async function judgeGuards(work: HookWork, use: AskedUse): Promise<Judgement | null> {
  const { config, event } = work;
  if (config.guards === "") return null;
  const policy = guardPolicyIn(config.guards);
  const verdict = {
    ...await judgeUse(policy, use, work),
    isStrict: policy.isStrict,
    whenBlind: policy.whenBlind,
  };
  if (event.name !== "PermissionRequest") return { ...verdict, allowedBy: null };
  const decisive = policy.permission.find((one) => isForTool(one, use.tool));
  if (decisive?.answer === "deny") {
    const { rule } = decisive;
    const refusal = { rule, reason: `Blocked ${use.tool}: ${rule} refuses it` };
    return { ...verdict, blocks: [...verdict.blocks, refusal], allowedBy: null };
  }
  // No rule answers for a person when only running the command shows what it does.
  const isPlain = verdict.blocks.length === 0 && verdict.doubts.length === 0 &&
    (verdict.unread ?? verdict.blind) === undefined;
  return { ...verdict, allowedBy: isPlain ? decisive?.rule ?? null : null };
}

async function askRequirements(
  work: HookWork,
  use: AskedUse,
  { isAllowed, ...how }: Pick<Judgement, "isStrict" | "whenBlind"> & {
    /** Whether a rule would answer for the person. */
    readonly isAllowed: boolean;
  },
): Promise<RequiredUse | null> {
  const { config, event } = work;
  if (config.requirements === "") return null;
  const isAsked = event.name === "PermissionRequest";
  if (isAsked && !isAllowed || !mayBeRequired(config.requiredUses, use)) return null;
  const { askedFor, prepareUse } = await import("../policy/requirements/tool_requirements.ts");
  const asked = { ...use, toolUseId: event.toolUseId };
  const prepared = await prepareUse(config.requirements, asked, { ...work, ...how });
  // A PermissionRequest is never denied here, since PreToolUse has done that.
  return isAsked && prepared !== null ? askedFor(prepared) : prepared;
}

function draftWith(
  draft: Draft,
  { blocks, required, rules, denied, asks, paused, allowedBy }: Decision,
  told: { readonly reason: string; readonly doubts: readonly string[] },
): Draft {
  const reason = (blocks.length > 0 && told.reason) || rules.join(", ");
  return {
    ...draft,
    ...(denied ? { status: "blocked", errorMessage: reason } : {}),
    metadata: {
      ...draft.metadata,
      ...required?.notes,
      ...(rules.length > 0 ? { rules } : {}),
      ...(paused.length > 0 ? { paused } : {}),
      ...(allowedBy === null ? {} : { allowedBy }),
      ...(asks === null ? {} : { asked: asks.why }),
      ...(told.doubts.length > 0 ? { doubts: told.doubts } : {}),
    },
    changes: required?.changes ?? [],
  };
}

async function answerOf(work: HookWork, decision: Decision): Promise<Answer> {
  const { event } = work;
  if (!decision.denied && decision.asks !== null) {
    // A PermissionRequest asks the person anyway.
    return event.name === "PermissionRequest"
      ? null
      : gateAnswer("ask", `conclaude: ${decision.asks.text}`);
  }
  if (!decision.denied) {
    decision.required?.notices.forEach(work.tell);
    if (decision.unseen !== null) {
      work.tell(`conclaude let ${work.event.toolName} pass unjudged: ${decision.unseen}`);
    }
    return decision.allowedBy === null ? await recalled(work) : permission({ behavior: "allow" });
  }
  const reason = await reasonOf(decision, work);
  return event.name === "PermissionRequest"
    ? permission({ behavior: "deny", message: reason })
    : gateAnswer("deny", reason);
}

/** Answers with what memory holds of a file, before the file is edited. */
async function recalled(work: HookWork): Promise<Answer> {
  if (!work.config.recallsEdits) return null;
  const { recallOfEdit } = await import("./recall_beside.ts");
  return withContext(null, "PreToolUse", recallOfEdit(work));
}

async function reasonOf({ blocks, required }: Decision, work: HookWork): Promise<string> {
  const isForGood = blocks.every(({ isLasting }) => isLasting);
  const guards = blocks.length === 0 ? [] : [
    ...firstReasons(blocks),
    isForGood
      ? wayForPerson(work)
      : `Nothing was done. Go on in another way. ${
        (blocks.every(({ isBlind }) => isBlind) ? await wayToMend(work) : null) ??
          await wayOut(work)
      }`,
  ];
  const open = required?.reason ?? "";
  // When guards that a person can lift deny as well, their text already tells how to mend the database.
  const mending = open !== "" && isForGood ? await wayToMend(work) : null;
  return [...guards, open, mending ?? ""].filter((line) => line !== "").join("\n");
}

/** Returns the first reasons. Claude Code shows no answer of 10,000 characters whole. */
function firstReasons(blocks: readonly Block[]): string[] {
  const left = blocks.length - MAX_REASONS;
  const reasons = blocks.slice(0, MAX_REASONS).map(({ reason }) => reason);
  if (left <= 0) return reasons;
  const more = count(left, "more thing of it is", "more things of it are");
  return [...reasons, `${more} forbidden as well.`];
}

function gateAnswer(permissionDecision: "ask" | "deny", permissionDecisionReason: string): Answer {
  const hookEventName = "PreToolUse";
  return { hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason } };
}

function permission(decision: Readonly<Record<string, unknown>>): Answer {
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}
