/** Commands of git that throw away work which is in no commit. Git itself tells whether there is any. */
import { resolvePath } from "../../base/paths.ts";
import { findRepository, lookUpwards, readRef } from "../../system/git/repository.ts";
import { runGit } from "../../system/git/run_git.ts";
import type { Block, Discard } from "./guard_policy.ts";
import { programName, split, withoutGitOptions } from "../shell/operands.ts";
import { type ShellCommand, shownCommand } from "../shell/shell_command.ts";
import { type Argument, placeOf } from "../shell/word.ts";

export const UNCOMMITTED_RULE = "preToolUse.protectUncommitted";

interface Row {
  readonly verb: string;
  readonly loses: Discard["loses"];
  /** Whether these words after the verb throw something away. */
  readonly when: (words: readonly string[]) => boolean;
  /** Whether only the named paths are meant. */
  readonly names?: true;
}

const has = (option: RegExp) => (words: readonly string[]) =>
  words.some((word) => option.test(word));
const FORCED = has(/^(?:-[a-zA-Z]*f[a-zA-Z]*|--force|--discard-changes)$/);
const DRY = has(/^(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run|-h|--help)$/);
const STAGED_ONLY = (words: readonly string[]) =>
  has(/^(?:-[a-zA-Z]*S|--staged)$/)(words) && !has(/^(?:-[a-zA-Z]*W|--worktree)$/)(words);

const ROWS: readonly Row[] = [
  { verb: "reset", loses: "changes", when: has(/^--hard$/) },
  { verb: "switch", loses: "changes", when: FORCED },
  { verb: "checkout", loses: "changes", when: FORCED },
  {
    verb: "checkout",
    loses: "changes",
    when: has(/^(?:--|\.{1,2}\/?|:.*)$/),
    names: true,
  },
  { verb: "restore", loses: "changes", when: (words) => !STAGED_ONLY(words), names: true },
  { verb: "clean", loses: "new files", when: (words) => FORCED(words) && !DRY(words) },
  { verb: "stash", loses: "stash", when: ([first]) => first === "drop" || first === "clear" },
];

/** Whether a command puts work away in a commit or a stash, so that a later one of the script does not lose it. */
export function putsAway({ words: [program, ...rest] }: ShellCommand): boolean {
  const verb = withoutGitOptions(rest).words[0]?.text ?? "";
  return programName(program?.text ?? "") === "git" && /^(?:commit|stash)$/.test(verb);
}

/** What a command throws away; null for nothing, and where only the running shell knows the folder. */
export function discardOf({ words: [program, ...rest], folder }: ShellCommand): Discard | null {
  if (programName(program?.text ?? "") !== "git") return null;
  const { words: [verb, ...after], folder: given } = withoutGitOptions(rest);
  const words = after.map(({ text }) => text);
  const row = ROWS.find((row) => row.verb === verb?.text && row.when(words));
  const at = given === null ? folder : placeOf(given, folder);
  if (row === undefined || at === null || after.some(({ isOpen }) => isOpen)) return null;
  const shown = shownCommand([program!, ...rest]);
  const { loses, names: isNamed = false } = row;
  return { loses, folder: at, words, isNamed, named: isNamed ? pathsIn(after) : [], shown };
}

function pathsIn(after: readonly Argument[]): string[] {
  const dashes = after.findIndex(({ text }) => text === "--");
  const named = dashes >= 0 ? after.slice(dashes + 1) : split(after, {
    valued: "s",
    valuedLong: "source conflict pathspec-from-file",
  }).operands;
  return named.map(({ text }) => text);
}

const MAX_NAMED = 3;

/** Denies each command whose work git finds. A file that is named by itself may be taken back. */
export async function judgeDiscards(discards: readonly Discard[]): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const discard of discards) {
    const lost = await lostBy(discard);
    const [first, ...others] = lost;
    if (first === undefined) continue;
    const shown = [first, ...others.slice(0, MAX_NAMED - 1)].join(", ");
    const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : "";
    const way = discard.loses === "stash"
      ? "Apply it first, or leave it"
      : "Commit it or `git stash -u` it first";
    const what = discard.loses === "stash" ? "a stash" : `uncommitted work (${shown}${more})`;
    blocks.push({
      rule: UNCOMMITTED_RULE,
      reason:
        `Blocked: it throws away ${what}, which nothing brings back. ${way}. Command: ${discard.shown}`,
    });
  }
  return blocks;
}

/** The files whose changes would be lost; none where git cannot tell, since then the command fails as well. */
async function lostBy(
  { loses, folder, words, isNamed, named }: Discard,
): Promise<readonly string[]> {
  if (loses === "stash") {
    const repository = findRepository(lookUpwards(folder));
    return repository !== undefined && readRef(repository, "stash") ? ["stash"] : [];
  }
  if (loses === "new files") {
    const { code, stdout } = await runGit(["clean", "-n", ...words], { folder, timeoutMs: GIT_MS });
    if (code !== 0) return ["what git does not know"];
    return [...stdout.matchAll(/^Would remove (.+)$/gm)].map(([, name]) => name!);
  }
  if (isNamed && named.length === 0) return [];
  // Paths are taken back to the index, a whole tree to the commit.
  const asked = ["--name-only", "-z", "--no-ext-diff", ...isNamed ? ["--", ...named] : ["HEAD"]];
  const { code, stdout } = await runGit(["diff", ...asked], { folder, timeoutMs: GIT_MS });
  if (code !== 0) return [];
  const root = findRepository(lookUpwards(folder))?.root ?? folder;
  const places = named.map((path) => resolvePath(path, { folder }));
  return stdout.split("\0").filter((name) => name !== "" && !places.includes(`${root}/${name}`));
}

/** In milliseconds. */
const GIT_MS = 2_000;
