/**
 * The guards' policy, compiled from the configuration to plain JSON, so that hooks read it from the cache. Regular
 * expressions are sources for the flag `s`, anchored at both ends.
 */
import { parseOnce } from "../../base/parse_once.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import type { StrictPolicy } from "../../config/sections.ts";
import { EDITING_TOOLS, namesInRules, SHELL_TOOLS } from "../../claude/payload.ts";

export interface FileRule {
  /** As in the configuration file: `preToolUse.uneditableFiles[2]`. */
  readonly name: string;
  readonly glob: string;
  readonly pattern: string;
  /** A text that stands in everything that matches; finding it is cheaper than the pattern. */
  readonly needle: string;
  /** Replaces the usual reason; null keeps that. */
  readonly message: string | null;
  /** Tried on each name of the agent; null means every agent. */
  readonly agent: string | null;
  /** Whether a change that is found afterwards holds Claude; else it is told. */
  readonly blocksAfter: boolean;
  /** Tried on the commands that may write the files all the same; null for none. */
  readonly writtenBy: string | null;
}

export interface ToolRule extends FileRule {
  /** The name of the tool, or `*` for every tool. */
  readonly tool: string;
  /** Tried on the tool's name where the configuration has a glob; null for a plain name. */
  readonly toolPattern: string | null;
  readonly action: "block" | "allow";
  /** Whether the pattern is tried on each command that a shell tool starts, or on the tool's file. */
  readonly about: "command" | "file";
  /** For commands: whether the first words may match alone. */
  readonly isPrefix: boolean;
  /** For commands: one of these names stands in each that it can mean; an empty name stands in all. */
  readonly programs: readonly string[];
}

export type WhenBlind = StrictPolicy["whenBlind"];

export interface GuardPolicy {
  /** The folder of the project's configuration file; null when only the user's own file has rules. */
  readonly root: string | null;
  /** Whether the policy denies what cannot be known before it runs. */
  readonly isStrict: boolean;
  /** The answer where the policy, the database or the branch cannot be read. */
  readonly whenBlind: WhenBlind;
  /** Why the policy cannot be read that would not simply allow then. Null when it can. */
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
  /** Whether the agent may not change files in other working trees of the repository. */
  readonly protectsOtherTrees: boolean;
  /** Whether work that is in no commit may not be thrown away. */
  readonly protectsUncommitted: boolean;
  /** Whether is looked for what commands have changed. */
  readonly looksAfter: boolean;
  /** Whether the agent may neither change the policy's files nor lift a rule. */
  readonly protectsItself: boolean;
  readonly permission: PermissionPolicy;
}

/** The answers when Claude Code would ask a person; the globs are tried on the tool's name. */
export interface PermissionPolicy {
  readonly deny: readonly { readonly glob: string; readonly pattern: string }[];
  readonly allow: readonly { readonly glob: string; readonly pattern: string }[];
  /** The answer for every other tool; null asks the person. */
  readonly fallback: "allow" | "deny" | null;
}

export interface Block {
  readonly rule: string;
  readonly reason: string;
  /** True where a pause does not lift it. */
  readonly isLasting?: boolean;
  /** True where it is only refused because something cannot be read. */
  readonly isBlind?: boolean;
}

/** What a command would throw away, if it is there. */
export interface Discard {
  readonly loses: "changes" | "new files" | "stash";
  readonly folder: string;
  /** The words after the verb. */
  readonly words: readonly string[];
  /** The paths that it means; null for the whole working tree. */
  readonly named: readonly string[] | null;
  /** Whether changes in the index are lost as well. */
  readonly isStagedLost: boolean;
  readonly shown: string;
}

export interface Verdict {
  readonly blocks: readonly Block[];
  /** Sentences about what is unknown. Only a strict policy denies because of them. */
  readonly doubts: readonly string[];
  /** Work in no commit that it would throw away, if git finds any. */
  readonly discards?: readonly Discard[];
  /** Why the use was not judged to its end; then a person decides. */
  readonly unread?: string;
  /** What cannot be read that would have to be known, as a sentence without its end; then `gates.whenBlind` decides. */
  readonly blind?: string;
}

export const MAIN_AGENT = "main";

export interface Actor {
  /** {@linkcode MAIN_AGENT}, the type of the agent, or both. */
  readonly agents: readonly string[];
}

/** The first word of a rule about commands; empty where it is not plain. */
export function firstWord(glob: string): string {
  return fixedHead(glob).split(/\s/, 1)[0] ?? "";
}

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

/** The policy in the section of a configuration. */
export const guardPolicyIn = parseOnce<GuardPolicy>();

/** What gates answer because a policy file cannot be read; `allow` also where all can be read. */
export function answerOfUnread({ guards }: Pick<HookConfig, "guards">): WhenBlind {
  if (guards === "") return "allow";
  const { lock, whenBlind } = guardPolicyIn(guards);
  return lock === null ? "allow" : whenBlind;
}

/** A rule about every file is a rule about the tool itself. */
export function isAboutAll({ glob }: Pick<ToolRule, "glob">): boolean {
  return /^[*]+$/.test(glob);
}

/** Whether a rule that denies files is for a tool. One for editing tools covers what shell commands change. */
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

/** What the configuration says of a denial by a rule about tools, without what was denied. */
export function ruleText({ action, glob }: Pick<ToolRule, "action" | "glob">): string {
  return action === "block"
    ? `blocked by preToolUse.toolUsageValidation rule: ${glob}`
    : `blocked: does not match preToolUse.toolUsageValidation allow rule pattern: ${glob}`;
}

/** Fills all placeholders at once, since a value may look like a placeholder. Unknown names in braces stay. */
export function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(
    /\{(\w+)\}/g,
    (whole, name: string) => Object.hasOwn(values, name) ? values[name]! : whole,
  );
}

/** A denial, in the words of the configuration or else in the `usual` ones. */
export function blockOf(
  { name, message }: Pick<FileRule, "name" | "message">,
  usual: string,
  values: Readonly<Record<string, string>>,
): Block {
  return { rule: name, reason: message === null ? usual : filled(message, values) };
}
