/** Judges a shell command: every command that it would start, and every file that it plainly changes. */
import { judgeCommands } from "./commands.ts";
import { DANGEROUS_RULE, judgeDanger } from "./dangerous.ts";
import { judgeOne, type Look } from "./decide.ts";
import type { Actor, Block, GuardPolicy, Verdict } from "./policy.ts";
import type { ShellCommand } from "./shell/command.ts";
import { readScript } from "./shell/script.ts";
import { findTargets } from "./shell/writes.ts";

/** A Bash call that is about to happen. */
export interface BashUse extends Actor {
  readonly command: string;
  /** The folder in which it starts, absolute; null when it was not told. */
  readonly folder: string | null;
  readonly home: string | null;
  /** The project's folder, absolute; null when there is none. */
  readonly root: string | null;
}

/** What lifts a rule, or makes one believe that it has been obeyed; an agent must not run it. */
const LIFTING = [
  /\bguard\s+(?:pause|resume)\b/,
  /\bcounter\s+(?:increment|reset)\b.*\bstop_(?:blocks|rounds)\b/,
  /\bhook\b.*\b(?:Stop|SessionStart)\b/,
];

/** Files of one call that are looked up at most: each costs a few looks at the disk. */
const MAX_TARGETS = 500;

/** Judges a Bash call. */
export function judgeBash(policy: GuardPolicy, use: BashUse, look: Look): Verdict {
  const { commands, unknown } = readScript(use.command, use);
  const byCommand = judgeCommands(policy, commands, { agent: use.agent, whole: use.command });
  const blocks: Block[] = [...byCommand.blocks];
  const doubts: string[] = [...unknown, ...byCommand.doubts];
  let looked = 0;
  for (const command of commands) {
    if (policy.deniesDangerous) {
      const danger = judgeDanger(command, use);
      blocks.push(...danger.blocks);
      doubts.push(...danger.doubts);
    }
    if (policy.protectsItself && lifts(command)) {
      blocks.push({
        rule: "preToolUse.protectPolicy",
        reason: `Blocked Bash operation: only a person lifts a rule. Command: ${use.command}`,
      });
    }
    for (const { path, by, ...how } of findTargets(command)) {
      if (path === null) {
        if (hasFileRules(policy)) doubts.push(`which file \`${by}\` changes is not known`);
        continue;
      }
      if (++looked > MAX_TARGETS) {
        doubts.push("it changes more files than can be looked up");
        break;
      }
      for (const file of look(path, how)) {
        blocks.push(...judgeOne(policy, file, { agent: use.agent, tool: "Bash", writes: true }));
      }
    }
  }
  return { blocks: once(blocks), doubts: [...new Set(doubts)] };
}

function lifts({ words }: ShellCommand): boolean {
  const text = words.map((word) => word.text).join(" ");
  return /conclaude/.test(text) && LIFTING.some((pattern) => pattern.test(text));
}

function hasFileRules({ uneditable, noAdditions, tools }: GuardPolicy): boolean {
  return uneditable.length > 0 || noAdditions.length > 0 ||
    tools.some(({ about }) => about === "file");
}

/** A rule is named once for each file; the same command inside of another is no second offence. */
function once(blocks: readonly Block[]): Block[] {
  const seen = new Set<string>();
  return blocks.filter(({ rule, reason }) => {
    const key = rule === DANGEROUS_RULE
      ? `${rule} ${reason.split(". Command:")[0]}`
      : rule + reason;
    return !seen.has(key) && seen.add(key);
  });
}
