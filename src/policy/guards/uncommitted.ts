/** Commands of git that throw away work which is in no commit. Git itself tells whether there is any. */
import { resolvePath } from "../../base/paths.ts";
import { findRepository, lookUpwards, readRef } from "../../system/git/repository.ts";
import { runGit } from "../../system/git/run_git.ts";
import { rowsMeant } from "./built_in.ts";
import type { Block, Discard } from "./guard_policy.ts";
import { programName, split, withoutGitOptions } from "../shell/operands.ts";
import { type ShellCommand, shownCommand } from "../shell/shell_command.ts";
import { type Argument, placeOf } from "../shell/word.ts";
import { UNCOMMITTED_RULE } from "./rule_names.ts";

/** Whether a command puts work away in a commit or a stash, so that a later one of the script does not lose it. */
export function putsAway({ words: [program, ...rest] }: ShellCommand): boolean {
  const verb = withoutGitOptions(rest).words[0]?.text ?? "";
  return programName(program?.text ?? "") === "git" && /^(?:commit|stash)$/.test(verb);
}

/** What a command throws away; null for nothing, and where only the running shell knows the folder. */
export function discardOf({ words, folder }: ShellCommand): Discard | null {
  const [row] = rowsMeant("protectUncommitted", words);
  if (row?.loses === undefined) return null;
  const { words: [, ...after], folder: given } = withoutGitOptions(words.slice(1));
  const at = given === null ? folder : placeOf(given, folder);
  if (at === null || after.some(({ isOpen }) => isOpen)) return null;
  return {
    loses: row.loses,
    folder: at,
    words: after.map(({ text }) => text),
    named: row.named ? pathsIn(after) : null,
    isStagedLost: !row.named || row.fromCommit?.test(row.line) === true,
    shown: shownCommand(words),
  };
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
  { loses, folder, words, named, isStagedLost }: Discard,
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
  if (named?.length === 0) return [];
  const asked = [
    ...["--name-only", "-z", "--no-ext-diff", ...isStagedLost ? ["HEAD"] : []],
    ...["--", ...named ?? []],
  ];
  const { code, stdout } = await runGit(["diff", ...asked], { folder, timeoutMs: GIT_MS });
  if (code !== 0) return [];
  const root = findRepository(lookUpwards(folder))?.root ?? folder;
  const places = named?.map((path) => resolvePath(path, { folder }));
  return stdout.split("\0").filter((name) => name !== "" && !places?.includes(`${root}/${name}`));
}

/** In milliseconds. */
const GIT_MS = 2_000;
