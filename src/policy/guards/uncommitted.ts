/** Denies git commands that throw away uncommitted work, if git finds any such work. */
import { resolvePath } from "../../base/paths.ts";
import { findRepository, lookUpwards, readRef } from "../../system/git/repository.ts";
import { runGit } from "../../system/git/run_git.ts";
import { onlyTells } from "./command_forms.ts";
import { type Block, type Discard, UNCOMMITTED_RULE } from "./guard_policy.ts";
import { changesNothing, type GitCall, gitCall } from "../shell/git_call.ts";
import { goesToBranch, isPath, onlyUnstages } from "../shell/git_changes.ts";
import { type ShellCommand, shownCommand } from "../shell/shell_command.ts";
import { type Argument, placeOf } from "../shell/word.ts";

/** Tells whether a command saves work in a commit or a stash, so that a later command of the script loses none. */
export function putsAway({ words }: ShellCommand): boolean {
  return /^(?:commit|stash)$/.test(gitCall(words)?.verb ?? "");
}

/** What a verb loses; `named` is absent where the verb affects the whole working tree. */
type Lost = Pick<Discard, "loses"> & Partial<Pick<Discard, "isStagedLost">> & {
  readonly named?: readonly Argument[];
};

const ALL_CHANGES: Lost = { loses: "changes", isStagedLost: true };

/** By verb of git, what a call of that verb throws away. */
const LOST: ReadonlyMap<string, (call: GitCall) => Lost | null> = new Map(Object.entries({
  checkout: (call): Lost | null => {
    const { operands, dashed, has } = call;
    const [first] = operands;
    if (has("-f --force")) return ALL_CHANGES;
    if (first === undefined || goesToBranch(call)) return null;
    const files = dashed ?? (isPath(first) ? operands : operands.slice(1));
    return {
      ...{ loses: "changes", named: dashed ?? operands },
      isStagedLost: files.length > 0 && files.length < operands.length,
    };
  },
  clean: (): Lost => ({ loses: "new files" }),
  reset: ({ has }): Lost | null => has("--hard") ? ALL_CHANGES : null,
  restore: (call): Lost | null =>
    onlyUnstages(call) ? null : {
      ...{ loses: "changes", named: call.operands },
      isStagedLost: call.has("-s --source -S --staged"),
    },
  stash: ({ after: [verb] }): Lost | null =>
    /^(?:drop|clear)$/.test(verb?.text ?? "") ? { loses: "stash" } : null,
  switch: () => ALL_CHANGES,
}));

/** Returns what a command throws away; null for nothing, and where only the running shell knows the folder. */
export function discardOf({ words, folder }: ShellCommand): Discard | null {
  const call = gitCall(words);
  if (call === null || onlyTells(words) || changesNothing(call)) return null;
  const lost = LOST.get(call.verb)?.(call) ?? null;
  const at = call.folder === null ? folder : placeOf(call.folder, folder);
  if (lost === null || at === null || call.after.some(({ isOpen }) => isOpen)) return null;
  return {
    loses: lost.loses,
    folder: at,
    words: call.after.map(({ text }) => text),
    named: lost.named?.map(({ text }) => text) ?? null,
    isStagedLost: lost.isStagedLost ?? false,
    shown: shownCommand(words),
  };
}

const MAX_NAMED = 3;

/** Denies each command that would lose work which git finds. A file that is named by itself may be taken back. */
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

/** Lists the files whose changes would be lost; none where git fails, since then the command fails as well. */
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
  const options = [
    ...["--name-only", "-z", "--no-ext-diff", ...isStagedLost ? ["HEAD"] : []],
    ...["--", ...named ?? []],
  ];
  const { code, stdout } = await runGit(["diff", ...options], { folder, timeoutMs: GIT_MS });
  if (code !== 0) return [];
  const root = findRepository(lookUpwards(folder))?.root ?? folder;
  const places = named?.map((path) => resolvePath(path, { folder }));
  return stdout.split("\0").filter((name) => name !== "" && !places?.includes(`${root}/${name}`));
}

/** How long a look by git may take, in milliseconds. */
const GIT_MS = 2_000;
