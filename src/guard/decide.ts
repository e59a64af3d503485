/**
 * Judges one tool use: all rules are asked, and all that forbid it are named in one answer.
 *
 * A tool that works on a file is judged here. A shell command is taken apart first, which costs a parser: see
 * `bash.ts`, loaded only when {@linkcode mayConcernCommands} says that a rule could mean it.
 */
import { type FileFacts, judgeFile, matchesFile } from "./files.ts";
import {
  type Actor,
  type Block,
  concerns,
  fixedHead,
  forbidsFor,
  type GuardPolicy,
  isAbout,
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

/** What is about to happen to the file that is looked up. */
export interface HowToLook {
  readonly effect: FileFacts["effect"];
  /** A pattern of the shell: it comes back as the files that it stands for. */
  readonly isGlob?: boolean;
  /** Nothing comes back where the path does not lie in a folder: `cp a b` makes `b/a` if `b` is one. */
  readonly ifInFolder?: boolean;
  /** True when it would be a folder: `b/`. */
  readonly isFolder: boolean;
  /** What is copied there, absolute: the copy of a folder is a folder. */
  readonly from?: string | null;
  /** The path is a folder; the files in it come back that are named like those that this pattern stands for. */
  readonly namedLike?: string | null;
  /** Folders that will be there by then, absolute. */
  readonly made?: readonly string[];
}

/** The files that are meant. */
export interface Looked {
  readonly files: readonly FileFacts[];
  /** Which others may be meant, one reason each. */
  readonly unknown: readonly string[];
}

/** Looks up what the rules ask about a file. */
export type Look = (
  path: string,
  how: HowToLook,
) => Looked;

/** Judges a tool that names a file, or none at all. */
export function judgeTool(policy: GuardPolicy, use: ToolUse, look: Look): Verdict {
  if (use.files.length === 0) return { blocks: judgeNameless(policy, use), doubts: [] };
  const files = use.files.flatMap((path) =>
    look(path, { effect: "change", isFolder: false }).files
  );
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
  const why = policy.protectsItself ? whyProtected(file, use.written) : null;
  if (why !== null) {
    const reason = `Blocked ${use.tool} operation: ${why}, and only a person changes it`;
    blocks.push({ rule: PROTECT_RULE, reason });
  }
  return isOwnOnly ? blocks : [...blocks, ...judgeFile(policy, file, use)];
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
  for (const [i, rule] of policy.tools.entries()) {
    const isMeant = rule.action === "block" ? forbidsFor : isAbout;
    if (rule.about !== "file" || !isMeant(rule, use.tool)) continue;
    if (!concerns(rule, use)) continue;
    const matches = matchesFile(rule, file);
    const name = `preToolUse.toolUsageValidation[${i}]`;
    const reason = rule.message === null
      ? `Tool usage blocked by preToolUse.toolUsageValidation rule: ${rule.glob}. File: ${file.name}`
      : filled(rule.message, { file_path: file.name, tool: use.tool });
    if (rule.action === "block" && matches) blocks.push({ rule: name, reason });
    if (rule.action === "allow") {
      isAllowed ||= matches;
      firstAllowing ??= { rule: name, reason };
    }
  }
  return firstAllowing !== undefined && !isAllowed ? [...blocks, firstAllowing] : blocks;
}

/** A tool without a file can only be forbidden altogether. */
function judgeNameless(policy: GuardPolicy, use: ToolUse): Block[] {
  return policy.tools.flatMap((rule, i): Block[] =>
    rule.about === "file" && rule.action === "block" && /^[*]+$/.test(rule.glob) &&
      isAbout(rule, use.tool) && concerns(rule, use)
      ? [{
        rule: `preToolUse.toolUsageValidation[${i}]`,
        reason: rule.message !== null
          ? filled(rule.message, { tool: use.tool })
          : `Tool usage blocked by preToolUse.toolUsageValidation rule: ${rule.glob}. Tool: ${use.tool}`,
      }]
      : []
  );
}

/** Programs that destroy or write, or that start what cannot be seen in the text. */
const TELLING: readonly string[] = [
  ">",
  "$",
  "`",
  "{",
  "*",
  "?",
  "[",
  " -c",
  " -e",
  " -E",
  "<<",
  "rm",
  "mv",
  "cp",
  "tee",
  "sed",
  "ln ",
  "dd",
  "install",
  "sync",
  "touch",
  "truncate",
  "shred",
  "link",
  "push",
  "clean",
  "reset",
  "mkfs",
  "eval",
  "xargs",
  "find",
  "sh",
  "DROP",
  "drop",
  "Drop",
  "TRUNCATE",
  "conclaude",
  "perl",
  "curl",
  "wget",
  "sort",
  "patch",
  "checkout",
  "restore",
  "chmod",
  "chown",
  "chgrp",
  "setfacl",
  "chattr",
  "sqlite",
  "litecli",
  "sqlcipher",
  "openssl",
  "uniq",
  "archive",
  "--output",
  "mkfifo",
  "mktemp",
  // What reads code, and what git runs by itself.
  "python",
  "node",
  "tsx",
  "ruby",
  "php",
  "lua",
  "bun",
  "deno",
  "Rscript",
  "source",
  ". ",
  "alias",
  "foreach",
  "bisect",
  "rebase",
  " guard ",
  " req ",
  // What unpacks, and what changes a file in its place.
  "tar ",
  "unzip",
  "cpio",
  "apply",
  " am ",
  "zip",
  "xz",
  "awk",
  "sponge",
  "prettier",
  "--fix",
  "biome",
  "ruff",
  "black",
  "isort",
  "autopep8",
  "yapf",
  "fmt",
  "goimports",
  "clang-format",
  "rubocop",
  "yq",
  "sd ",
  "2unix",
  "unix2",
  "sops",
  "vim",
  "vi -",
  "vi +",
  "ex -",
  "ed -",
  "rimraf",
  " del",
  "trash",
  "gpg",
  "s3 ",
  "gsutil",
  "7z",
  // Options that name a file.
  " -o",
  "--out",
  "--file",
  "dump",
];

/**
 * A cheap look at the text of a command: false when no rule can mean it, so that nothing has to be taken apart. Quotes
 * and backslashes are disregarded, since the shell takes them away.
 */
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
