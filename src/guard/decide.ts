/**
 * Judges one tool use: all rules are asked, and all that forbid it are named in one answer.
 *
 * A tool that works on a file is judged here. A shell command is taken apart first, which costs a parser: see
 * `bash.ts`, loaded only when {@linkcode mayConcernCommands} says that a rule could mean it.
 */
import { SEARCHING_TOOLS } from "../capture/payload.ts";
import { judgeFile, matchesFile } from "./files.ts";
import type { FileFacts, Look } from "./types.ts";
import {
  type Actor,
  type Block,
  concerns,
  forbidsFor,
  type GuardPolicy,
  isAbout,
  isAboutAll,
  type Verdict,
} from "./policy.ts";
import { filled } from "./placeholders.ts";
import { PROTECT_RULE, whyProtected, type Written } from "./protected.ts";

/** A tool use that is about to happen. */
export interface ToolUse extends Actor {
  readonly tool: string;
  /** The files that the tool works on, as they were sent; none for a tool that names none. */
  readonly files: readonly string[];
  /** What it writes; null when it only reads, or nobody knows. */
  readonly written: Written | null;
}

/** Judges a tool that names a file, or none at all. */
export function judgeTool(policy: GuardPolicy, use: ToolUse, look: Look): Verdict {
  if (use.files.length === 0) return { blocks: judgeNameless(policy, use), doubts: [] };
  // What is looked through may be a folder: then what lies in it is meant.
  const effect = SEARCHING_TOOLS.has(use.tool) ? "fill" : "change";
  const files = use.files.flatMap((path) => look(path, { effect, isFolder: false }).files);
  return { blocks: files.flatMap((file) => judgeOne(policy, file, use)), doubts: [] };
}

/** Judges one file that a tool, or a shell command, works on. */
export function judgeOne(
  policy: GuardPolicy,
  file: FileFacts,
  use: Actor & Pick<ToolUse, "tool" | "written">,
): Block[] {
  const isOwnOnly = file.effect === "tamper";
  const blocks = isOwnOnly ? [] : judgeFileRules(policy, file, use);
  if (use.written === null) return blocks;
  blocks.push(...judgeOwn(policy, file, { ...use, written: use.written }));
  return isOwnOnly ? blocks : [...blocks, ...judgeFile(policy, file, use)];
}

/** The rule that keeps the guards' own files. */
export function judgeOwn(
  policy: GuardPolicy,
  file: FileFacts,
  { tool, written }: { readonly tool: string; readonly written: Written },
): Block[] {
  const why = policy.protectsItself ? whyProtected(file, written) : null;
  if (why === null) return [];
  const reason = `Blocked ${tool} operation: ${why}, and only a person changes it`;
  return [{ rule: PROTECT_RULE, reason }];
}

/** The rules about which files a tool may be used for; one that blocks always counts, of those that allow one has to. */
function judgeFileRules(
  policy: GuardPolicy,
  file: FileFacts,
  use: Actor & { readonly tool: string },
): Block[] {
  const blocks: Block[] = [];
  let firstAllowing: Block | undefined;
  let isAllowed = false;
  for (const rule of policy.tools) {
    const isMeant = rule.action === "block" ? forbidsFor : isAbout;
    if (rule.about !== "file" || !isMeant(rule, use.tool)) continue;
    if (!concerns(rule, use)) continue;
    const matches = matchesFile(rule, file);
    const usual = rule.action === "block"
      ? `blocked by preToolUse.toolUsageValidation rule: ${rule.glob}`
      : `blocked: does not match preToolUse.toolUsageValidation allow rule pattern: ${rule.glob}`;
    const reason = rule.message === null
      ? `Tool usage ${usual}. File: ${file.name}`
      : filled(rule.message, { file_path: file.name, tool: use.tool });
    if (rule.action === "block" && matches) blocks.push({ rule: rule.name, reason });
    if (rule.action === "allow") {
      isAllowed ||= matches;
      firstAllowing ??= { rule: rule.name, reason };
    }
  }
  return firstAllowing !== undefined && !isAllowed ? [...blocks, firstAllowing] : blocks;
}

/** A tool without a file can only be forbidden altogether. */
function judgeNameless(policy: GuardPolicy, use: ToolUse): Block[] {
  return policy.tools.flatMap((rule): Block[] =>
    rule.about === "file" && rule.action === "block" && isAboutAll(rule) &&
      isAbout(rule, use.tool) && concerns(rule, use)
      ? [{
        rule: rule.name,
        reason: rule.message !== null
          ? filled(rule.message, { tool: use.tool })
          : `Tool usage blocked by preToolUse.toolUsageValidation rule: ${rule.glob}. Tool: ${use.tool}`,
      }]
      : []
  );
}
