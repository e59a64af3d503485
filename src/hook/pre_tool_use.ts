import { judgeUse } from "../gate/judge.ts";
import { answerPermission } from "../guard/permission.ts";
import type { Block, GuardPolicy, Verdict } from "../guard/policy.ts";
import { shortSessionId } from "../ids.ts";
import type { Answer, HookWork } from "./handler.ts";
import { isLifted } from "./lifted.ts";
import { draftOf } from "./other_event.ts";
import { folderOf, nameOf } from "./protocol.ts";
import { tellable } from "./tellable.ts";

/** The name of the agent that is no subagent. */
const MAIN_AGENT = "main";

/** A tool is about to be used, or a person about to be asked for it: the guards say whether it may happen. */
export async function handle(work: HookWork): Promise<Answer> {
  const draft = await draftOf(work);
  const verdict = await judge(work);
  if (verdict === null) {
    await work.save(draft);
    return null;
  }
  const { blocks, doubts, allowedBy } = verdict;
  const paused = blocks.length > 0 && isLifted(work);
  const denied = blocks.length > 0 && !paused;
  const [reason, ...told] = await tellable(work, draft, [blocks[0]?.reason ?? "", ...doubts]);
  await work.save({
    ...draft,
    ...(denied ? { status: "blocked", errorMessage: reason || blocks[0]!.rule } : {}),
    metadata: {
      ...draft.metadata,
      ...(blocks.length > 0 ? { rules: blocks.map(({ rule }) => rule) } : {}),
      ...(paused ? { paused } : {}),
      ...(allowedBy === null ? {} : { allowedBy }),
      ...(told.length > 0 ? { doubts: told } : {}),
    },
  });
  if (denied) return denial(work, blocks);
  return allowedBy === null ? null : permission({ behavior: "allow" });
}

/** What the rules say; `allowedBy` is the rule that allows what a person would be asked for. */
type Judgement = Verdict & { readonly allowedBy: string | null };

async function judge(work: HookWork): Promise<Judgement | null> {
  const { config, event, sent, home, projectDir } = work;
  const tool = nameOf(sent["tool_name"]);
  if (config.guards === "" || tool === null) return null;
  const policy: GuardPolicy = JSON.parse(config.guards);
  const verdict = await judgeUse(policy, {
    tool,
    input: sent["tool_input"],
    agent: nameOf(event.own["agent_type"]) ?? MAIN_AGENT,
    folder: folderOf(sent) ?? projectDir,
    projectDir,
    home,
  });
  if (event.name !== "PermissionRequest") return { ...verdict, allowedBy: null };
  const answer = answerPermission(policy.permission, tool);
  if (answer.kind === "deny") {
    return { ...verdict, blocks: [...verdict.blocks, answer.block], allowedBy: null };
  }
  // What is not known before it runs is for the person to decide.
  const isPlain = verdict.blocks.length === 0 && verdict.doubts.length === 0;
  return { ...verdict, allowedBy: answer.kind === "allow" && isPlain ? answer.rule : null };
}

function denial({ event, sessionId }: HookWork, blocks: readonly Block[]): Answer {
  const reason = [
    ...blocks.map(({ reason }) => reason),
    "Nothing was done. Go on in another way. Only a person can lift this, for 15 minutes, with " +
    `\`conclaude guard pause --session ${shortSessionId(sessionId)}\`; do not run it yourself.`,
  ].join("\n");
  return event.name === "PermissionRequest" ? permission({ behavior: "deny", message: reason }) : {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  };
}

function permission(decision: Readonly<Record<string, unknown>>): Answer {
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}
