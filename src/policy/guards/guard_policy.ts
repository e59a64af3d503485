/**
 * Types and helpers of the compiled guard policy: plain JSON, so that hooks read it from the cache. Regular expressions
 * are sources for the flag `s`, anchored at both ends.
 */
import { parseOnce } from "../../base/parse_once.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import type { StrictPolicy } from "../../config/sections.ts";
import { EDITING_TOOLS, namesInRules, SHELL_TOOLS } from "../../claude/payload.ts";

/** A rule about commands, files or tools that the configuration lists. */
export interface Rule {
  /** The place in the configuration file: `preToolUse.uneditableFiles[2]`. */
  readonly name: string;
  /** Commands of a shell tool, files that a tool uses, every change of files, or only new files. */
  readonly about: "command" | "file" | "change" | "addition";
  readonly action: "block" | "allow";
  /** The name of the tool, or `*` for every tool. */
  readonly tool: string;
  /** A pattern for the tool's name where the configuration has a glob; null for a plain name or `*`. */
  readonly toolPattern: string | null;
  /** A pattern for the agent's names; null means every agent. */
  readonly agent: string | null;
  readonly glob: string;
  readonly pattern: string;
  /** A text that every match contains; searching it is cheaper than matching the pattern. */
  readonly needle: string;
  /** For commands: whether the first words may match alone. */
  readonly isPrefix: boolean;
  /** For commands: every command that the rule can match contains one of these names; any contains the empty name. */
  readonly programs: readonly string[];
  /** Replaces the usual reason; null keeps the usual reason. */
  readonly message: string | null;
  /** Whether a change that is found after a command holds Claude; otherwise Claude only reads of it. */
  readonly blocksAfter: boolean;
  /** A pattern for commands that may write the files all the same; null for none. */
  readonly writtenBy: string | null;
}

/** Tells whether a rule is about the uses of tools. The others are about files, whatever changes them. */
export function namesTools({ about }: Pick<Rule, "about">): boolean {
  return about === "command" || about === "file";
}

/** Options of runners that have a value and may stand before the verb. */
const RUNNER_OPTIONS = "-C --cwd --dir --prefix -w --workspace -F --filter".split(" ");

/** Tells whether a rule lets a command write its files. Without its options the command may match, too. */
export function isWrittenBy(writtenBy: Rule["writtenBy"], command: string): boolean {
  if (writtenBy === null) return false;
  const words = command.split(" ");
  const plain = words.filter((word, i) =>
    !word.startsWith("-") && !RUNNER_OPTIONS.includes(words[i - 1] ?? "")
  );
  return [words, plain].some((tried) => new RegExp(writtenBy, "s").test(tried.join(" ")));
}

/** The names of the rules that a policy switches on or off: their keys in the configuration. */
export const DANGEROUS_RULE = "preToolUse.denyDangerousCommands";
export const UNCOMMITTED_RULE = "preToolUse.protectUncommitted";
export const TREES_RULE = "preToolUse.protectOtherTrees";
export const PROTECT_RULE = "preToolUse.protectPolicy";
export const IGNORED_RULE = "preToolUse.preventUpdateGitIgnored";
export const ROOT_RULE = "preToolUse.preventRootAdditions";
export const GENERATED_RULE = "preToolUse.preventGeneratedFileEdits";
/** The rule by which a strict policy denies a tool use that cannot be judged. */
export const STRICT_RULE = "preToolUse.strict";
/** The rule that answers where the policy, the database or the branch cannot be read. */
export const BLIND_RULE = "gates.whenBlind";

export type WhenBlind = StrictPolicy["whenBlind"];

export interface GuardPolicy {
  /** The folder of the project's configuration file; null when only the user's own file has rules. */
  readonly root: string | null;
  /** Whether the policy denies what cannot be known before it runs. */
  readonly isStrict: boolean;
  /** The answer where the policy, the database or the branch cannot be read. */
  readonly whenBlind: WhenBlind;
  /** Why a policy file cannot be read, where the policy does not allow what it cannot see; null otherwise. */
  readonly lock: string | null;
  readonly preventsRootAdditions: boolean;
  readonly rootAdditionsMessage: string | null;
  /** The rules of `uneditableFiles`, then of `toolUsageValidation`, then of `preventAdditions`. */
  readonly rules: readonly Rule[];
  readonly protectsIgnored: boolean;
  readonly protectsGenerated: boolean;
  readonly generatedMessage: string | null;
  readonly deniesDangerous: boolean;
  /** Whether the agent may not change files in other working trees of the repository. */
  readonly protectsOtherTrees: boolean;
  /** Whether commands may not throw away work that is in no commit. */
  readonly protectsUncommitted: boolean;
  /** Whether each command's changes are checked after it has run. */
  readonly looksAfter: boolean;
  /** Whether the agent may neither change the policy's files nor lift a rule. */
  readonly protectsItself: boolean;
  /** The default is last; without one the person is asked. */
  readonly permission: readonly PermissionRule[];
}

/** Answers for the person whom Claude Code would ask. The first rule that is for the tool decides. */
export interface PermissionRule {
  readonly rule: string;
  /** A glob for the tool's name; empty for the default. */
  readonly glob: string;
  readonly pattern: string;
  readonly answer: "deny" | "allow";
}

export interface Block {
  readonly rule: string;
  readonly reason: string;
  /** True where a pause does not lift the block. */
  readonly isLasting?: boolean;
  /** True where the only reason is that something cannot be read. */
  readonly isBlind?: boolean;
}

/** Work that a command would throw away, if there is any. */
export interface Discard {
  readonly loses: "changes" | "new files" | "stash";
  readonly folder: string;
  /** The words after the verb. */
  readonly words: readonly string[];
  /** The paths that the command names; null for the whole working tree. */
  readonly named: readonly string[] | null;
  /** Whether changes in the index are lost as well. */
  readonly isStagedLost: boolean;
  readonly shown: string;
}

export interface Verdict {
  readonly blocks: readonly Block[];
  /** Sentences about what is unknown. Only a strict policy denies because of them. */
  readonly doubts: readonly string[];
  /** Uncommitted work that the use would throw away, if git finds any. */
  readonly discards?: readonly Discard[];
  /** Why the use was not judged to its end; a person then decides. */
  readonly unread?: string;
  /** Names what the judgement cannot read, in words that follow a colon; `gates.whenBlind` then decides. */
  readonly blind?: string;
}

export const MAIN_AGENT = "main";

export interface Actor {
  /** {@linkcode MAIN_AGENT}, the type of the agent, or both. */
  readonly agents: readonly string[];
}

export function fixedHead(glob: string): string {
  return /^[^*?[{\\]*/.exec(glob)![0];
}

/** Tells whether a rule applies to a tool. A rule for Bash applies to every shell. */
export function isAbout(
  { tool, toolPattern }: Pick<Rule, "tool" | "toolPattern">,
  used: string,
): boolean {
  return namesInRules(used).some((name) =>
    toolPattern === null ? tool === "*" || tool === name : new RegExp(toolPattern, "s").test(name)
  );
}

/** Tells whether a permission is for a tool. Denying Bash covers every shell; allowing Bash covers Bash alone. */
export function isForTool({ answer, pattern }: PermissionRule, tool: string): boolean {
  const names = answer === "deny" ? namesInRules(tool) : [tool];
  return names.some((name) => new RegExp(pattern, "s").test(name));
}

/** Parses the compiled section of a configuration, once. */
export const guardPolicyIn = parseOnce<GuardPolicy>();

/** Returns the gates' answer to an unreadable policy file; `allow` also where every file can be read. */
export function answerToUnreadable({ guards }: Pick<HookConfig, "guards">): WhenBlind {
  if (guards === "") return "allow";
  const { lock, whenBlind } = guardPolicyIn(guards);
  return lock === null ? "allow" : whenBlind;
}

/** Tells whether a rule means every file, so that it concerns the tool itself. */
export function isAboutAll({ glob }: Pick<Rule, "glob">): boolean {
  return /^[*]+$/.test(glob);
}

/** Tells whether a rule that denies files applies to a tool. A rule for editing tools also covers shell commands. */
export function forbidsFor(
  rule: Pick<Rule, "tool" | "toolPattern" | "glob">,
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

/** Says which rule about tools denies, without what it denies. */
export function ruleText({ action, glob }: Pick<Rule, "action" | "glob">): string {
  return action === "block"
    ? `blocked by preToolUse.toolUsageValidation rule: ${glob}`
    : `blocked: does not match preToolUse.toolUsageValidation allow rule pattern: ${glob}`;
}

/** Fills all placeholders in one pass, since a value may look like a placeholder. Unknown names in braces stay. */
export function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(
    /\{(\w+)\}/g,
    (whole, name: string) => Object.hasOwn(values, name) ? values[name]! : whole,
  );
}

/** Builds a denial in the words of the configuration, else in the `usual` words. */
export function blockOf(
  { name, message }: Pick<Rule, "name" | "message">,
  usual: string,
  values: Readonly<Record<string, string>>,
): Block {
  return { rule: name, reason: message === null ? usual : filled(message, values) };
}
