/** Claude Code's own tools, also those of older versions. */
export const TOOLS: readonly string[] =
  ("Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree " +
    "ExitPlanMode ExitWorktree Glob Grep KillBash KillShell ListMcpResourcesTool LS LSP Monitor MultiEdit " +
    "NotebookEdit NotebookRead PowerShell Read ReadMcpResourceTool RemoteTrigger REPL SendMessage Skill Sleep " +
    "SlashCommand StructuredOutput Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate " +
    "TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch Write").split(" ");
