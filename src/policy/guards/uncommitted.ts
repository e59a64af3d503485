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

type Lost = Pick<Discard, "loses" | "named" | "isStagedLost">;

function changes(named: readonly Argument[] | null, isStagedLost: boolean): Lost {
  return { loses: "changes", named: named?.map(({ text }) => text) ?? null, isStagedLost };
}

/** By verb of git, what a call of that verb throws away. */
const LOST: ReadonlyMap<string, (call: GitCall) => Lost | null> = new Map(Object.entries(
  {
    checkout(call) {
      const { operands, dashed, has } = call;
      const [first] = operands;
      if (has("-f --force")) return changes(null, true);
      if (first === undefined || goesToBranch(call)) return null;
      const files = dashed ?? (isPath(first) ? operands : operands.slice(1));
      return changes(dashed ?? operands, files.length > 0 && files.length < operands.length);
    },
    clean: () => ({ loses: "new files", named: null, isStagedLost: false }),
    reset: ({ has }) => has("--hard") ? changes(null, true) : null,
    restore: (call) =>
      onlyUnstages(call) ? null : changes(call.operands, call.has("-s --source -S --staged")),
    stash: ({ after: [verb] }) =>
      /^(?:drop|clear)$/.test(verb?.text ?? "")
        ? { loses: "stash", named: null, isStagedLost: false }
        : null,
    switch: () => changes(null, true),
  } satisfies Record<string, (call: GitCall) => Lost | null>,
));

/** Returns what a command throws away; null for nothing, and where only the running shell knows the folder. */
export function discardOf({ words, folder }: ShellCommand): Discard | null {
  const call = gitCall(words);
  if (call === null || onlyTells(words) || changesNothing(call)) return null;
  const lost = LOST.get(call.verb)?.(call) ?? null;
  const at = call.folder === null ? folder : placeOf(call.folder, folder);
  if (lost === null || at === null || call.after.some(({ isOpen }) => isOpen)) return null;
  const after = call.after.map(({ text }) => text);
  return { ...lost, folder: at, words: after, shown: shownCommand(words) };
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
    const [what, way] = discard.loses === "stash"
      ? ["a stash", "Apply it first, or leave it"]
      : [`uncommitted work (${shown}${more})`, "Commit it or `git stash -u` it first"];
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
