/** Judges a file, or a use without a file, by all rules about files. `bash.ts` parses shell commands first. */
import { namesInRules } from "../../claude/payload.ts";
import { judgeFile, matchesFile } from "./file_rules.ts";
import {
  type Actor,
  type Block,
  blockOf,
  concerns,
  forbidsFor,
  type GuardPolicy,
  isAbout,
  isAboutAll,
  type PermissionPolicy,
  ruleText,
} from "./guard_policy.ts";
import { mayNameOwn, whyProtected, type Written } from "./protected.ts";
import { mayChange } from "../shell/quick_look.ts";
import type { FileFacts } from "./types.ts";
import WORDS from "./words.json" with { type: "json" };
import { TREES_RULE } from "./rule_names.ts";

export function judgeOne(
  policy: GuardPolicy,
  file: FileFacts,
  use: Actor & {
    readonly tool: string;
    /** What the tool writes; null when it only reads, or when it is unknown whether it writes. */
    readonly written: Written | null;
  },
): Block[] {
  const isOwnOnly = file.effect === "tamper";
  const blocks = isOwnOnly ? [] : judgeFileRules(policy, file, use);
  if (use.written === null) return blocks;
  blocks.push(...judgeOwn(policy, file, { ...use, written: use.written }));
  return isOwnOnly ? blocks : [...blocks, ...judgeFile(policy, file, use)];
}

export function judgeOwn(
  policy: GuardPolicy,
  file: FileFacts,
  { tool, written }: { readonly tool: string; readonly written: Written },
): Block[] {
  const found = whyProtected(file, written)
    .find(({ rule }) => policy.protectsItself || rule === TREES_RULE);
  if (found === undefined) return [];
  const { rule, why } = found;
  return [{ rule, reason: `Blocked ${tool} operation: ${why}, and only a person changes it` }];
}

/** Judges a file by the rules about tools: a matching blocking rule denies; of the allowing rules one must match. */
function judgeFileRules(
  policy: GuardPolicy,
  file: FileFacts,
  use: Actor & { readonly tool: string },
): Block[] {
  const rules = policy.tools.filter((rule) =>
    rule.about === "file" && concerns(rule, use) &&
    (rule.action === "block" ? forbidsFor : isAbout)(rule, use.tool)
  );
  const allowing = rules.filter(({ action }) => action === "allow");
  const blocking = rules.filter((rule) => rule.action === "block" && matchesFile(rule, file));
  const isAllowed = allowing.some((rule) => matchesFile(rule, file));
  return [...blocking, ...isAllowed ? [] : allowing.slice(0, 1)].map((rule) =>
    blockOf(rule, `Tool usage ${ruleText(rule)}. File: ${file.name}`, {
      ...{ file_path: file.name, tool: use.tool },
    })
  );
}

/** Judges a tool use without a file: only a rule that denies the whole tool counts. */
export function judgeNameless(
  { tools }: GuardPolicy,
  use: Actor & { readonly tool: string },
): Block[] {
  const { tool } = use;
  return tools.filter((rule) =>
    rule.about === "file" && rule.action === "block" && isAboutAll(rule) &&
    isAbout(rule, tool) && concerns(rule, use)
  ).map((rule) => blockOf(rule, `Tool usage ${ruleText(rule)}. Tool: ${tool}`, { tool }));
}

/** A rule about permissions. The first rule that is for the tool decides. */
export interface PermissionRow {
  readonly rule: string;
  readonly glob: string;
  readonly answer: "deny" | "allow";
  readonly isForTool: boolean;
}

/** Lists the rules about permissions in their order, the default last; no default where the person is asked. */
export function permissionRows(
  { deny, allow, fallback }: PermissionPolicy,
  tool: string,
): PermissionRow[] {
  // Denying Bash covers every shell; allowing Bash covers Bash alone.
  const names = { deny: namesInRules(tool), allow: [tool] };
  const rows = (answer: "deny" | "allow", rules: PermissionPolicy["deny"]) =>
    rules.map(({ glob, pattern }, i): PermissionRow => ({
      ...{ rule: `permissionRequest.${answer}[${i}]`, glob, answer },
      isForTool: names[answer].some((name) => new RegExp(pattern, "s").test(name)),
    }));
  const rest = { rule: "permissionRequest.default", glob: "", isForTool: true };
  return [
    ...rows("deny", deny),
    ...rows("allow", allow),
    ...fallback === null ? [] : [{ ...rest, answer: fallback }],
  ];
}

/** Tools that only look, ask, take notes, or start a subagent, whose own tool uses are judged one by one. */
export const LOOKING_TOOLS: ReadonlySet<string> = new Set(WORDS.lookingTools);

/** Tells whether a command may name a file of a rule, that is, contains the last plain part of the rule's pattern. */
function mayNameFiles(
  { uneditable, noAdditions, tools, protectsItself }: GuardPolicy,
  command: string,
): boolean {
  if (protectsItself && mayNameOwn(command)) return true;
  const files = tools.filter(({ about, action }) => about === "file" && action === "block");
  return [...uneditable, ...noAdditions, ...files].some(({ needle }) =>
    command.includes(needle.split("/").findLast((part) => part !== "") ?? "")
  );
}

/** Tells whether a rule could concern a command, which must then be parsed. Ignores quotes, which the shell removes. */
export function mayConcernCommands(policy: GuardPolicy, command: string): boolean {
  const plain = command.replace(/['"\\\n]/g, "");
  if (mayChange(plain) || mayNameFiles(policy, plain)) return true;
  return policy.tools.some(({ about, action, programs }) =>
    about === "command" && (action === "allow" || programs.some((name) => plain.includes(name)))
  );
}
