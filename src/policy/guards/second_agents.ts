/** Recognises commands that start another agent, whose tool uses no gate here judges. */
import { rowsByName } from "../shell/rows.ts";
import type { ShellCommand } from "../shell/shell_command.ts";
import AGENTS from "./second_agents.json" with { type: "json" };

interface Agent {
  /** Matches arguments, joined by blanks, that make the agent act by itself or without its hooks. */
  readonly signs: RegExp;
  readonly what: string;
}

const BY_NAME = rowsByName<Agent>(AGENTS);

/** Says why a command is in doubt because it starts an agent that no gate here sees; empty for other commands. */
export function doubtsOfAgent({ program: name, args, hasOtherHome }: ShellCommand): string[] {
  const text = args.map(({ text }) => text).join(" ");
  const agent = BY_NAME.find(name);
  if (agent === undefined || /(?:^| )(?:--help|-h|--version)(?: |$)/.test(text)) return [];
  if (name === "claude" && hasOtherHome) {
    return ["`claude` with another home starts Claude Code without these gates"];
  }
  return agent.signs.test(text) ? [`\`${name}\` ${agent.what}`] : [];
}
