/** Judges one tool use by all rules, and names all that deny it. Shell commands are parsed first: see `bash.ts`. */
import { namesInRules, SEARCHING_TOOLS } from "../../claude/payload.ts";
import { judgeFile, matchesFile } from "./file_rules.ts";
import {
  type Actor,
  type Block,
  concerns,
  filled,
  fixedHead,
  forbidsFor,
  type GuardPolicy,
  isAbout,
  isAboutAll,
  type PermissionPolicy,
  type Verdict,
} from "./guard_policy.ts";
import { PROTECT_RULE, whyProtected, type Written } from "./protected.ts";
import type { FileFacts, Look } from "./types.ts";

export interface ToolUse extends Actor {
  readonly tool: string;
  /** The files that the tool works on, as they were sent. */
  readonly files: readonly string[];
  /** What it writes; null when it only reads, or nobody knows. */
  readonly written: Written | null;
}

export function judgeTool(policy: GuardPolicy, use: ToolUse, look: Look): Verdict {
  if (use.files.length === 0) return { blocks: judgeNameless(policy, use), doubts: [] };
  // A searched path may be a folder, so what lies in it counts.
  const effect = SEARCHING_TOOLS.has(use.tool) ? "fill" : "change";
  const files = use.files.flatMap((path) => look(path, { effect, isFolder: false }).files);
  return { blocks: files.flatMap((file) => judgeOne(policy, file, use)), doubts: [] };
}

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

/** The rules about a tool's files: a blocking rule always counts; of the allowing rules one has to match. */
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

/** For a tool that names no file, only a rule that denies the whole tool counts. */
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

/** `ask` leaves the question to the person. */
type PermissionAnswer =
  | { readonly kind: "allow"; readonly rule: string }
  | { readonly kind: "deny"; readonly block: Block }
  | { readonly kind: "ask" };

/** Whether a rule is for a tool. Denying Bash covers every shell; allowing Bash covers Bash alone. */
export function isForTool(
  { pattern }: PermissionPolicy["deny"][number],
  key: "deny" | "allow",
  tool: string,
): boolean {
  const names = key === "deny" ? namesInRules(tool) : [tool];
  return names.some((name) => new RegExp(pattern, "s").test(name));
}

/** Answers for a tool: denied tools first, then allowed ones, then the default. */
export function answerPermission(
  { deny, allow, fallback }: PermissionPolicy,
  tool: string,
): PermissionAnswer {
  const refusing = deny.findIndex((rule) => isForTool(rule, "deny", tool));
  if (refusing >= 0) return refusal(`permissionRequest.deny[${refusing}]`, tool);
  const allowing = allow.findIndex((rule) => isForTool(rule, "allow", tool));
  if (allowing >= 0) return { kind: "allow", rule: `permissionRequest.allow[${allowing}]` };
  if (fallback === "deny") return refusal("permissionRequest.default", tool);
  return fallback === null ? { kind: "ask" } : { kind: "allow", rule: "permissionRequest.default" };
}

function refusal(rule: string, tool: string): PermissionAnswer {
  return { kind: "deny", block: { rule, reason: `Blocked ${tool}: ${rule} refuses it` } };
}

export const LOCK_RULE = "preToolUse.strict";

/** Tools that only look, ask, or keep notes. A subagent's tool uses are judged one by one. */
const LOOKING_TOOLS: ReadonlySet<string> = new Set([
  ..."Read Grep Glob LS NotebookRead WebFetch WebSearch LSP ToolSearch".split(" "),
  ..."ListMcpResourcesTool ReadMcpResourceTool BashOutput TaskOutput".split(" "),
  ..."TodoRead TodoWrite TaskCreate TaskGet TaskList TaskUpdate".split(" "),
  ..."AskUserQuestion EnterPlanMode ExitPlanMode Agent Task Skill".split(" "),
]);

/** While a strict policy cannot be read, denies every tool that could change something. */
export function judgeLock({ lock }: GuardPolicy, tool: string): Block[] {
  if (lock === null || LOOKING_TOOLS.has(tool)) return [];
  const reason = `Blocked ${tool} operation: the rules cannot be read: ${lock}. They were strict ` +
    "(preToolUse.strict), so nothing may be changed until a person has corrected that; " +
    "`conclaude config validate` shows what is wrong.";
  return [{ rule: LOCK_RULE, reason }];
}

/** Signs that a command destroys, writes, unpacks, or starts something that is not in the text. */
const TELLING: readonly string[] = (
  ">|$|`|{|*|?|[| -c| -e| -E|<<|rm|mv|cp|tee|sed|ln |dd|install|sync|touch|truncate|shred|" +
  "link|push|clean|reset|switch|mkfs|eval|xargs|find|sh|cmd|DROP|drop|Drop|TRUNCATE|conclaude|" +
  " plugin|perl|curl|wget|sort|split|rename|xxd|clone| init|git-init|merge-file|patch|" +
  "checkout|restore|stash|chmod|chown|chgrp|setfacl|chattr|sqlite|litecli|sqlcipher|openssl|" +
  "uniq|archive|--output|mkfifo|mktemp|python|node|tsx|ruby|php|lua|bun|deno|Rscript|source|" +
  ". |alias|foreach|bisect|rebase| guard | req |tar |unzip|cpio|apply| am |zip|xz|awk|sponge|" +
  "prettier|--fix|biome|ruff|black|isort|autopep8|yapf|fmt|goimports|clang-format|rubocop|yq|" +
  "sd |2unix|unix2|sops|vim|vi -|vi +|ex -|ed -|rimraf| del|trash|gpg|s3 |gsutil|7z| -o|--out|" +
  "--file|dump"
).split("|");

/** Whether a rule could mean a command, so that it has to be parsed. Quotes are ignored, since the shell removes them. */
export function mayConcernCommands(policy: GuardPolicy, command: string): boolean {
  const plain = command.replace(/['"\\\n]/g, "");
  if (TELLING.some((text) => plain.includes(text))) return true;
  return policy.tools.some((rule) => {
    if (rule.about !== "command") return false;
    if (rule.action === "allow") return true;
    const [word = ""] = fixedHead(rule.glob).split(/\s/, 1);
    return word === "" || plain.includes(word);
  });
}
