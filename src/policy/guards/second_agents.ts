/** Agents that a command starts beside this one: nothing here judges what they do. */
import { programName } from "../shell/operands.ts";
import { rowsByName } from "../shell/rows.ts";
import type { ShellCommand } from "../shell/shell_command.ts";
import AGENTS from "./second_agents.json" with { type: "json" };

interface Agent {
  /** What of its arguments, joined by blanks, makes it act by itself or without its hooks. */
  readonly signs: RegExp;
  readonly what: string;
}

const BY_NAME = rowsByName<Agent>(AGENTS);

export function mayStartAgent(text: string): boolean {
  return BY_NAME.names.some((name) => text.includes(name));
}

/** Why a command starts an agent that no gate here sees; null where it does not. */
export function doubtOfAgent(
  { words: [program, ...rest], hasOtherHome }: ShellCommand,
): string | null {
  const name = programName(program?.text ?? "");
  const agent = BY_NAME.find(name);
  if (agent === undefined) return null;
  const text = rest.map(({ text }) => text).join(" ");
  if (/(?:^| )(?:--help|-h|--version)(?: |$)/.test(text)) return null;
  if (name === "claude" && hasOtherHome) {
    return "`claude` with another home starts Claude Code without these gates";
  }
  return agent.signs.test(text) ? `\`${name}\` ${agent.what}` : null;
}
