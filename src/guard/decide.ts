/**
 * Judges one tool use: all rules are asked, and all that forbid it are named in one answer.
 *
 * A tool that works on a file is judged here. A shell command is taken apart first, which costs a parser: see
 * `bash.ts`, loaded only when {@linkcode mayConcernCommands} says that a rule could mean it.
 */
import { SEARCHING_TOOLS } from "../capture/payload.ts";
import { type FileFacts, judgeFile, matchesFile } from "./files.ts";
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

/** What is about to happen to the file that is looked up. */
export interface HowToLook {
  readonly effect: FileFacts["effect"];
  /** A pattern of the shell: it comes back as the files that it stands for. */
  readonly isGlob?: boolean;
  /** Nothing comes back where the path does not lie in a folder: `cp a b` makes `b/a` if `b` is one. */
  readonly ifInFolder?: boolean;
  /** Nothing comes back where the path is a folder by then: `cp -r a b` makes `b/a` if `b` is one, else `b` like `a`. */
  readonly ifNoFolder?: boolean;
  /** Whether not that itself is copied which is copied there, but what lies in it. */
  readonly isContents?: boolean;
  /** Whether a part of what is copied may stay behind. */
  readonly leavesSome?: boolean;
  /** True when it would be a folder: `b/`. */
  readonly isFolder: boolean;
  /**
   * What is copied there, absolute: the copy of a folder is a folder. Of a folder that is filled from it, the files come
   * back that arise in it.
   */
  readonly from?: string | null;
  /** The path is a folder; the files in it come back that are named like those that this pattern stands for. */
  readonly namedLike?: string | null;
  /** Folders that will be there by then, absolute. */
  readonly made?: readonly string[];
  /** The path is where a search begins: what it finds comes back. */
  readonly search?: Search;
}

/** `maybe`: only the running command knows. */
export type Answer = "yes" | "maybe" | "no";

/** What a search comes to. */
export interface Entry {
  /** From where the search begins; the empty text for that itself. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** In bytes; null where that cannot be told. Looked up when it is asked for. */
  readonly size: () => number | null;
}

/** Which of the entries of a folder, and of those below, a command means. */
export interface Search {
  /** Whether an entry is meant, and whether the search goes on below it. */
  readonly judge: (
    entry: Entry,
  ) => { readonly isMeant: Answer; readonly goesOn: boolean };
  /** Whether something happens to a folder that is meant as well: it goes, with all that lies in it. */
  readonly takesFolders: Answer;
  /** True: it begins at the top of the repository in which the path lies. */
  readonly fromTop?: boolean;
  /** True: the folder in which it begins is named itself, and looked through also where tools make that anew. */
  readonly entersNamed?: true;
  /** What git takes files back to, a commit or null for the index: what does not differ from it stays as it is. */
  readonly takenFrom?: string | null;
  /** Files that git does not know go away as well, or those that it ignores, too. */
  readonly takes?: "untracked" | "ignored";
  /** The only files that it may mean beside that where it begins, absolute, all links followed; without them, any. */
  readonly among?: readonly string[];
  /**
   * The path is named itself. `always`: where nothing is there, it is meant, and what may come about below it. `if-there`:
   * it may be something else than a file, such as a branch.
   */
  readonly named?: "always" | "if-there";
}

/** The files that are meant. */
export interface Looked {
  readonly files: readonly FileFacts[];
  /** Files of which only the running command knows whether it means them. */
  readonly perhaps?: readonly FileFacts[];
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
