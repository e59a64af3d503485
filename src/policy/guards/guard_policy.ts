/**
 * The guards' policy, compiled from the configuration: plain JSON, so that hooks read it from the cache. Regular
 * expressions are sources, anchored at both ends, for the flag `s`.
 */
import { EDITING_TOOLS, namesInRules, SHELL_TOOLS } from "../../claude/payload.ts";

export interface FileRule {
  /** As in the configuration file: `preToolUse.uneditableFiles[2]`. */
  readonly name: string;
  readonly glob: string;
  readonly pattern: string;
  /** A text that everything which matches must contain. */
  readonly needle: string;
  /** Replaces the usual reason; null for that. */
  readonly message: string | null;
  /** Tried on each of the agent's names; null for every agent. */
  readonly agent: string | null;
}

export interface ToolRule {
  /** As in the configuration file: `preToolUse.toolUsageValidation[2]`. */
  readonly name: string;
  /** The name of the tool, or `*` for every tool. */
  readonly tool: string;
  /** Tried on the tool's name where that is another glob; else null. */
  readonly toolPattern: string | null;
  readonly action: "block" | "allow";
  /** Whether the pattern is tried on each command that a shell tool starts, or on the tool's file. */
  readonly about: "command" | "file";
  readonly glob: string;
  readonly pattern: string;
  readonly needle: string;
  /** For commands: the first words may match alone. */
  readonly isPrefix: boolean;
  readonly message: string | null;
  readonly agent: string | null;
}

export interface GuardPolicy {
  /** The folder of the project's configuration file, absolute; null when only the user's own file has rules. */
  readonly root: string | null;
  /** True: what cannot be known before it runs is denied. */
  readonly isStrict: boolean;
  /** Why every change is denied: a strict policy became unreadable. Null when it can be read. */
  readonly lock: string | null;
  readonly preventsRootAdditions: boolean;
  readonly rootAdditionsMessage: string | null;
  readonly uneditable: readonly FileRule[];
  readonly noAdditions: readonly FileRule[];
  readonly protectsIgnored: boolean;
  readonly protectsGenerated: boolean;
  readonly generatedMessage: string | null;
  readonly tools: readonly ToolRule[];
  readonly deniesDangerous: boolean;
  /** True: the agent may not change the policy's own files, nor lift a rule. */
  readonly protectsItself: boolean;
  readonly permission: PermissionPolicy;
}

/** The answers when Claude Code would ask a person; the globs are tried on the tool's name. */
export interface PermissionPolicy {
  readonly deny: readonly { readonly glob: string; readonly pattern: string }[];
  readonly allow: readonly { readonly glob: string; readonly pattern: string }[];
  /** For every other tool; null asks the person. */
  readonly fallback: "allow" | "deny" | null;
}

export interface Block {
  /** Its name, as in the configuration: `preToolUse.uneditableFiles[2]`. */
  readonly rule: string;
  readonly reason: string;
  /** True where no pause lifts it. */
  readonly isLasting?: boolean;
}

export interface Verdict {
  readonly blocks: readonly Block[];
  /** What is not known, a sentence each; only a strict policy denies for it. */
  readonly doubts: readonly string[];
  /** Why it was not judged to its end; then a person decides. */
  readonly unread?: string;
}

export const MAIN_AGENT = "main";

export interface Actor {
  /** {@linkcode MAIN_AGENT}, the type of the agent, or both. */
  readonly agents: readonly string[];
}

/** The plain text with which a glob begins. */
export function fixedHead(glob: string): string {
  return /^[^*?[{\\]*/.exec(glob)![0];
}

/** Whether a rule is for a tool. A rule for Bash is for every shell. */
export function isAbout(
  { tool, toolPattern }: Pick<ToolRule, "tool" | "toolPattern">,
  used: string,
): boolean {
  return namesInRules(used).some((name) =>
    toolPattern === null ? tool === "*" || tool === name : new RegExp(toolPattern, "s").test(name)
  );
}

/** A rule about every file is a rule about the tool itself. */
export function isAboutAll({ glob }: Pick<ToolRule, "glob">): boolean {
  return /^[*]+$/.test(glob);
}

/** Whether a rule that denies files is for a tool. One about an editing tool also means what a shell command changes. */
export function forbidsFor(
  rule: Pick<ToolRule, "tool" | "toolPattern" | "glob">,
  used: string,
): boolean {
  if (isAbout(rule, used)) return true;
  if (used === "MultiEdit") return isAbout(rule, "Edit");
  return !isAboutAll(rule) && SHELL_TOOLS.has(used) &&
    [...EDITING_TOOLS].some((tool) => isAbout(rule, tool));
}

export function concerns({ agent }: { readonly agent: string | null }, { agents }: Actor): boolean {
  return agent === null || agents.some((name) => new RegExp(agent, "s").test(name));
}

/** Fills all placeholders at once, since a value may look like a placeholder. Unknown names in braces stay. */
export function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(
    /\{(\w+)\}/g,
    (whole, name: string) => Object.hasOwn(values, name) ? values[name]! : whole,
  );
}
