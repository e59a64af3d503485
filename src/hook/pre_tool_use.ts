import type { DatabaseSync } from "node:sqlite";
import { type AskedUse, judgeUse } from "../gate/judge.ts";
import { groundOf } from "../gate/requirements.ts";
import { decideUse, type PreparedUse, prepareUse } from "../gate/tool_requirements.ts";
import { answerPermission } from "../guard/permission.ts";
import type { Block, GuardPolicy, Verdict } from "../guard/policy.ts";
import { shortSessionId } from "../ids.ts";
import type { Open } from "../requirement/judge.ts";
import type { RequirementPolicy } from "../requirement/policy.ts";
import { denialText, shortDenialText } from "../requirement/text.ts";
import { wasDeniedSince } from "../store/denials.ts";
import { isPaused } from "../store/pauses.ts";
import { applyChanges, type RequirementChange } from "../store/requirements.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { draftOf } from "./other_event.ts";
import { folderOf, nameOf } from "./protocol.ts";

/** The name of the agent that is no subagent. */
const MAIN_AGENT = "main";
/** A denial for the same reasons within this time is told in short: it came from parallel tool calls. */
const REPEATED_MS = 5_000;

/**
 * A tool is about to be used, or a person about to be asked for it: guards and requirements say together whether it may
 * happen. What is stored is read in the transaction that writes the decision.
 */
export async function handle(work: HookWork): Promise<Answer> {
  const draft = await draftOf(work);
  const use = askedUse(work);
  const guards = use === null ? null : await judgeGuards(work, use);
  const required = use === null ? null : await prepareRequirements(work, use);
  if (guards === null && required === null) {
    await work.save(draft);
    return null;
  }
  const told = await tellable(work, draft, guards);
  let decision: Decision | undefined;
  await work.save((db) => {
    decision ??= decide(work, db, { guards, required });
    return draftWith(draft, decision, told);
  }, applyChanges);
  return answerOf(work, decision!);
}

/** What guards and requirements come to. */
interface Decision {
  readonly blocks: readonly Block[];
  readonly open: readonly Open[];
  readonly denied: boolean;
  /** True where that is because the state of the requirements cannot be read. */
  readonly isBlind: boolean;
  /** What a person has lifted, of what would have denied it. */
  readonly paused: readonly string[];
  readonly isRepeated: boolean;
  readonly allowedBy: string | null;
  readonly changes: readonly RequirementChange[];
  readonly notes: Readonly<Record<string, unknown>> & { readonly rules?: readonly string[] };
  readonly facts: PreparedUse["facts"] | null;
}

type Judgement = Verdict & { readonly allowedBy: string | null; readonly isStrict: boolean };

/** Said where a strict policy cannot know what has been satisfied. */
const UNREADABLE =
  "Blocked: what has been satisfied here cannot be read, and the policy is strict. A person can find out why with " +
  "`conclaude doctor`.";

/** What was found out of requirements, or why they do not count here. */
type Required =
  | { readonly kind: "prepared"; readonly use: PreparedUse }
  | { readonly kind: "passed"; readonly why: string }
  /** A person is asked for the tool, who may refuse it. */
  | { readonly kind: "asked" };

/** The tool use that is asked about; null when the event names no tool. */
export function askedUse(
  { event, sent, home, projectDir }: Pick<HookWork, "event" | "sent" | "home" | "projectDir">,
): AskedUse | null {
  const tool = nameOf(sent["tool_name"]);
  return tool === null ? null : {
    tool,
    input: sent["tool_input"],
    agent: nameOf(event.own["agent_type"]) ?? MAIN_AGENT,
    folder: folderOf(sent) ?? projectDir,
    projectDir,
    home,
  };
}

async function judgeGuards(work: HookWork, use: AskedUse): Promise<Judgement | null> {
  const { config, event } = work;
  if (config.guards === "") return null;
  const policy: GuardPolicy = JSON.parse(config.guards);
  const verdict = { ...await judgeUse(policy, use), isStrict: policy.isStrict };
  if (event.name !== "PermissionRequest") return { ...verdict, allowedBy: null };
  const answer = answerPermission(policy.permission, use.tool);
  if (answer.kind === "deny") {
    return { ...verdict, blocks: [...verdict.blocks, answer.block], allowedBy: null };
  }
  // What is not known before it runs is for the person to decide.
  const isPlain = verdict.blocks.length === 0 && verdict.doubts.length === 0;
  return { ...verdict, allowedBy: answer.kind === "allow" && isPlain ? answer.rule : null };
}

async function prepareRequirements(work: HookWork, use: AskedUse): Promise<Required | null> {
  const { config, event, db, sessionId, atMs } = work;
  if (config.requirements === "") return null;
  // It was judged before it was asked for.
  if (event.name === "PermissionRequest") return { kind: "asked" };
  const policy: RequirementPolicy = JSON.parse(config.requirements);
  const ground = groundOf(work.repository);
  if (ground.kind === "none") return { kind: "passed", why: ground.why };
  const asked = { ...use, toolUseId: event.toolUseId };
  const prepared = await prepareUse(policy, asked, { ground, db, sessionId, atMs });
  return prepared === null ? null : { kind: "prepared", use: prepared };
}

function decide(
  work: HookWork,
  db: DatabaseSync | null,
  { guards, required }: { readonly guards: Judgement | null; readonly required: Required | null },
): Decision {
  const { sessionId, atMs } = work;
  const blocks = guards?.blocks ?? [];
  const lifted = blocks.length > 0 && db !== null &&
    isPaused(db, { sessionId, subject: "guards", atMs });
  const deniedByGuards = blocks.length > 0 && !lifted;
  const use = required?.kind === "prepared" && db !== null
    ? decideUse(required.use, db, deniedByGuards)
    : null;
  const open = use?.open ?? [];
  const isBlind = required?.kind === "prepared" && db === null && (guards?.isStrict ?? false);
  const denied = deniedByGuards || isBlind || (open.length > 0 && !use!.paused);
  const rules = [...rulesOf({ blocks, open }), ...(isBlind ? ["preToolUse.strict"] : [])];
  const allowedBy = guards?.allowedBy ?? null;
  return {
    blocks: deniedByGuards ? blocks : [],
    open: use?.paused ? [] : open,
    denied,
    isBlind,
    paused: [...(lifted ? ["guards"] : []), ...(use?.paused ? ["requirements"] : [])],
    isRepeated: denied && db !== null &&
      wasDeniedSince(db, { sessionId, rules, sinceMs: atMs - REPEATED_MS }),
    allowedBy,
    changes: use?.changes ??
      (required?.kind === "asked" && !denied && allowedBy === null
        ? [{ kind: "asked", sessionId }]
        : []),
    notes: {
      ...(rules.length > 0 ? { rules } : {}),
      ...(required?.kind === "passed" ? { requirements: required.why } : {}),
      ...(required?.kind === "prepared" && db === null
        ? { requirements: "what was satisfied could not be read" }
        : {}),
      ...(use === null || use.warned.length === 0 ? {} : {
        warned: use.warned,
        branchLines: required?.kind === "prepared" ? required.use.facts.branchLines : null,
      }),
    },
    facts: required?.kind === "prepared" ? required.use.facts : null,
  };
}

function rulesOf({ blocks, open }: Pick<Decision, "blocks" | "open">): string[] {
  return [
    ...blocks.map(({ rule }) => rule),
    ...open.map(({ requirement }) => `requirements.${requirement.name}`),
  ];
}

/**
 * The first reason and the doubts as they may be stored: masked anew, for a command that was taken apart may show what
 * its quotes have hidden. Nothing of what the configuration keeps out.
 */
async function tellable(
  { config, keepsContent }: HookWork,
  draft: Draft,
  guards: Judgement | null,
): Promise<{ readonly reason: string; readonly doubts: readonly string[] }> {
  const texts = [guards?.blocks[0]?.reason ?? "", ...guards?.doubts ?? []];
  const isKept = draft.status !== "skipped" && keepsContent;
  if (!isKept || texts.every((text) => text === "")) return { reason: "", doubts: [] };
  const { redactText } = await import("../capture/redact.ts");
  const patterns = config.redactPatterns.map((source) => new RegExp(source, "g"));
  const [reason = "", ...doubts] = texts.map((text) => redactText(text, { patterns }));
  return { reason, doubts };
}

function draftWith(
  draft: Draft,
  { blocks, denied, paused, allowedBy, changes, notes }: Decision,
  told: { readonly reason: string; readonly doubts: readonly string[] },
): Draft {
  const reason = blocks.length > 0 && told.reason !== ""
    ? told.reason
    : (notes.rules ?? []).join(", ");
  return {
    ...draft,
    ...(denied ? { status: "blocked", errorMessage: reason } : {}),
    metadata: {
      ...draft.metadata,
      ...notes,
      ...(paused.length > 0 ? { paused } : {}),
      ...(allowedBy === null ? {} : { allowedBy }),
      ...(told.doubts.length > 0 ? { doubts: told.doubts } : {}),
    },
    ...(changes.length > 0 ? { changes } : {}),
  };
}

function answerOf({ event, sessionId }: HookWork, decision: Decision): Answer {
  const isRequest = event.name === "PermissionRequest";
  if (!decision.denied) {
    return decision.allowedBy === null ? null : permission({ behavior: "allow" });
  }
  const reason = reasonOf(decision, shortSessionId(sessionId));
  return isRequest ? permission({ behavior: "deny", message: reason }) : {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  };
}

function reasonOf(decision: Decision, session: string): string {
  const { blocks, open, facts, isRepeated, isBlind } = decision;
  return [
    ...(isBlind ? [UNREADABLE] : []),
    ...(blocks.length === 0 ? [] : [
      ...blocks.map(({ reason }) => reason),
      "Nothing was done. Go on in another way. Only a person can lift this, for 15 minutes, with " +
      `\`conclaude guard pause --session ${session}\`; do not run it yourself.`,
    ]),
    ...(open.length === 0 || facts === null
      ? []
      : [(isRepeated ? shortDenialText : denialText)(open, { session, facts })]),
  ].join("\n");
}

function permission(decision: Readonly<Record<string, unknown>>): Answer {
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}
