/** What is refused while a strict policy cannot be read: nobody knows what it forbids. */
import type { Block, GuardPolicy } from "./policy.ts";

/** The key that asks for it. */
export const LOCK_RULE = "preToolUse.strict";

/** Tools that only look, ask, or keep notes of their own; what a subagent does is asked for by its own tool uses. */
const LOOKING_TOOLS: ReadonlySet<string> = new Set([
  ..."Read Grep Glob LS NotebookRead WebFetch WebSearch LSP ToolSearch".split(" "),
  ..."ListMcpResourcesTool ReadMcpResourceTool BashOutput TaskOutput".split(" "),
  ..."TodoRead TodoWrite TaskCreate TaskGet TaskList TaskUpdate".split(" "),
  ..."AskUserQuestion EnterPlanMode ExitPlanMode Agent Task Skill".split(" "),
]);

/** Refuses every tool that could change something, and none while the policy can be read. */
export function judgeLock({ lock }: GuardPolicy, tool: string): Block[] {
  if (lock === null || LOOKING_TOOLS.has(tool)) return [];
  const reason = `Blocked ${tool} operation: the rules cannot be read: ${lock}. They were strict ` +
    "(preToolUse.strict), so nothing may be changed until a person has corrected that; " +
    "`conclaude config validate` shows what is wrong.";
  return [{ rule: LOCK_RULE, reason }];
}
