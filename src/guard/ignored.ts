/** Files that git ignores: they may not be changed where the policy says so. */
import type { FileFacts } from "./types.ts";
import type { Block, GuardPolicy } from "./policy.ts";

/** The key of the rule. */
export const IGNORED_RULE = "preToolUse.preventUpdateGitIgnored";

/** Forbids a change of a file that git ignores, with the three ways to lift that. */
export function judgeIgnored(
  { protectsIgnored }: GuardPolicy,
  file: FileFacts,
  tool: string,
): Block[] {
  if (!protectsIgnored || file.ignored === null || file.isMadeAnew) return [];
  const { pattern, where } = file.ignored;
  const source = where.replace(/:\d+$/, "");
  const reason = [
    `Blocked ${tool} operation: git ignores the file, and ${IGNORED_RULE} refuses to change it. File: ${file.name}`,
    `Pattern: ${pattern} (${where})`,
    `A person can remove the pattern from ${source}, add \`${
      takenBack(pattern, file.name)
    }\` below it, or set ` +
    `${IGNORED_RULE} to false.`,
  ].join("\n");
  return [{ rule: IGNORED_RULE, reason }];
}

/**
 * What takes the file back in: its name, unless the pattern means a folder above it. What lies in an ignored folder
 * cannot be taken back by itself.
 */
function takenBack(pattern: string, path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const segment = pattern.slice(pattern.lastIndexOf("/") + 1);
  const isSimple = segment !== "" && !/[[\]\\]/.test(segment);
  const regex = segment.replace(/[.+^${}()|]/g, "\\$&").replace(/\*+/g, ".*").replaceAll("?", ".");
  return isSimple && new RegExp(`^${regex}$`, "s").test(name) ? `!${name}` : `!${pattern}`;
}
