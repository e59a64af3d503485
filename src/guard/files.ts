/** The rules about files: which may not be changed, which may not be added. */
import { generatedMarker } from "./generated.ts";
import { joinPath } from "../paths.ts";
import { judgeIgnored } from "./ignored.ts";
import { filled } from "./placeholders.ts";
import type { FileFacts } from "./types.ts";
import {
  type Actor,
  type Block,
  concerns,
  type FileRule,
  fixedHead,
  type GuardPolicy,
} from "./policy.ts";

const IN_GIT = /(?:^|\/)\.git\//;

/** The key of the rule about new files in the project's folder. */
export const ROOT_RULE = "preToolUse.preventRootAdditions";

/** Whether a file would be a new one in the project's folder that the policy refuses; what git ignores it lets be. */
export function isRootAddition(policy: GuardPolicy, file: FileFacts): boolean {
  return policy.preventsRootAdditions && policy.root !== null && isAdded(file) && file.isInRoot &&
    file.ignored === null && !file.becomesFolder();
}

function isAdded({ exists, effect, comesFromGit }: FileFacts): boolean {
  return !exists && effect === "change" && !comesFromGit;
}

/** What the rules about files say of one file. */
export function judgeFile(
  policy: GuardPolicy,
  file: FileFacts,
  by: Actor & { readonly tool: string },
): Block[] {
  // What git keeps for itself is no file of the project.
  if (file.spellings.every((spelling) => IN_GIT.test(spelling))) return [];
  const blocks: Block[] = judgeIgnored(policy, file, by.tool);
  if (isRootAddition(policy, file)) {
    blocks.push({
      rule: ROOT_RULE,
      reason: policy.rootAdditionsMessage === null
        ? `Blocked ${by.tool} operation: ${ROOT_RULE} setting prevents creating files at ` +
          `repository root. File: ${file.name}`
        : filled(policy.rootAdditionsMessage, { file_path: file.name, tool: by.tool }),
    });
  }
  blocks.push(...judgeList("uneditableFiles", policy.uneditable, file, by));
  const marker = policy.protectsGenerated ? generatedMarker(file.head) : null;
  if (marker !== null) {
    blocks.push({
      rule: "preToolUse.preventGeneratedFileEdits",
      reason: policy.generatedMessage === null
        ? `Blocked ${by.tool} operation: the file says that it is generated ("${marker}"); change what it is made ` +
          `from. File: ${file.name}`
        : filled(policy.generatedMessage, { file_path: file.name, tool: by.tool, marker }),
    });
  }
  if (isAdded(file) || (file.effect === "fill" && !file.comesFromGit)) {
    blocks.push(...judgeList("preventAdditions", policy.noAdditions, file, by));
  }
  return blocks;
}

function judgeList(
  key: string,
  rules: readonly FileRule[],
  file: FileFacts,
  by: Actor & { readonly tool: string },
): Block[] {
  return rules.flatMap((rule): Block[] => {
    const found = matchesFile(rule, file) ? file : fileBelow(rule, file);
    if (found === null || !concerns(rule, by)) return [];
    return [{
      rule: rule.name,
      reason: rule.message === null
        ? `Blocked ${by.tool} operation: file matches preToolUse.${key} pattern '${rule.glob}'. ` +
          `File: ${found.name}`
        : filled(rule.message, { file_path: found.name, tool: by.tool }),
    }];
  });
}

/** The first file that a pattern means in a folder that goes away; null for none. */
function fileBelow(
  { pattern, needle }: FileRule,
  { name, spellings, below }: FileFacts,
): Pick<FileFacts, "name"> | null {
  if (below.length === 0) return null;
  const regex = new RegExp(pattern, "s");
  const isMeant = (path: string) => path.includes(needle) && regex.test(path);
  const found = below.find((rest) =>
    spellings.some((spelling) => isMeant(joinPath(spelling, rest)))
  );
  return found === undefined ? null : { name: joinPath(name, found) };
}

/** Whether a pattern means this file; of a folder that goes away, also whether it means something in it. */
export function matchesFile(
  { pattern, needle, glob }: Pick<FileRule, "pattern" | "needle" | "glob">,
  file: FileFacts,
): boolean {
  // What arises in a folder has any name.
  const named = file.effect === "fill"
    ? file.spellings.flatMap((spelling) => [spelling, `${spelling}/`])
    : file.spellings;
  const near = named.filter((spelling) => spelling.includes(needle));
  if (near.length > 0) {
    const regex = new RegExp(pattern, "s");
    if (near.some((spelling) => regex.test(spelling))) return true;
  }
  if (file.effect !== "remove") return false;
  const plain = fixedHead(glob.replace(/^\.\//, ""));
  // The project's folder itself is the empty spelling: everything goes away with it.
  return file.spellings.some((spelling) =>
    spelling === "" || (plain !== "" && plain.startsWith(`${spelling}/`))
  );
}
