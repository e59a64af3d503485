/** Names of tools, so that a slip of the keyboard is not explained as a tool that no rule is about. */
import type { HookConfig } from "../config/hook_config.ts";
import { UserError } from "../errors.ts";
import type { GuardPolicy } from "../guard/guard_policy.ts";
import type { RequirementPolicy } from "../requirement/requirement_policy.ts";
import { nearestWords } from "./nearest.ts";
import { USAGE } from "./usage.ts";

/** Claude Code's own, those of former versions included. */
const TOOLS: readonly string[] =
  ("Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree " +
    "ExitPlanMode ExitWorktree Glob Grep KillBash KillShell ListMcpResourcesTool LS LSP Monitor MultiEdit " +
    "NotebookEdit NotebookRead PowerShell Read ReadMcpResourceTool RemoteTrigger REPL SendMessage Skill Sleep " +
    "SlashCommand StructuredOutput Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate " +
    "TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch Write").split(" ");

/** Tools of MCP servers have any name behind this. */
const OF_SERVER = /^mcp__/;

/** Named where nothing is near. */
const USUAL = "Bash, Edit, Write, Read, or a tool of a server, `mcp__SERVER__TOOL`";

/**
 * Refuses a name that is neither Claude Code's, nor an MCP server's, nor in a rule of the configuration.
 *
 * @throws {UserError} With the nearest names.
 */
export function refuseUnknownTool(tool: string, config: HookConfig): void {
  const named = namedTools(config);
  if (TOOLS.includes(tool) || OF_SERVER.test(tool) || named.some((is) => is.test(tool))) return;
  const byLetters = new Map(TOOLS.map((name) => [name.toLowerCase(), name]));
  const near = nearestWords(tool, [...byLetters.keys()]).map((name) => byLetters.get(name)!);
  throw new UserError(`Unknown tool "${tool}"`, {
    why: near.length > 0
      ? `did you mean ${near.map((name) => `"${name}"`).join(" or ")}?`
      : `Claude Code has no tool of this name, and no rule names it; there are ${USUAL}`,
    next: near.length === 1 ? `conclaude explain ${near[0]} INPUT` : "conclaude explain --help",
    exitCode: USAGE,
  });
}

/** The names, and patterns of names, in rules and requirements; what means every tool names none. */
function namedTools({ guards, requirements }: HookConfig): RegExp[] {
  const policy: GuardPolicy | null = guards === "" ? null : JSON.parse(guards);
  const required: RequirementPolicy | null = requirements === "" ? null : JSON.parse(requirements);
  const aimed = [
    ...policy?.tools ?? [],
    ...required?.requirements.flatMap(({ triggers }) => triggers) ?? [],
  ].filter(({ tool }) => !/^\*+$/.test(tool))
    .map(({ tool, toolPattern }) => toolPattern ?? `^${RegExp.escape(tool)}$`);
  const permitted = [...policy?.permission.deny ?? [], ...policy?.permission.allow ?? []]
    .filter(({ glob }) => !/^\*+$/.test(glob))
    .map(({ pattern }) => pattern);
  return [...aimed, ...permitted].map((source) => new RegExp(source, "s"));
}
