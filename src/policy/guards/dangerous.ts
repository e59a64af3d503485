/**
 * Recognises commands that destroy what nobody can restore: folders of the system or the home, the history of a shared
 * branch, whole tables, work that is in no commit. A text that only mentions such a command is not dangerous.
 */
import { parentOf, resolvePath } from "../../base/paths.ts";
import { findRepository, lookUpwards, readRef } from "../../system/git/repository.ts";
import { runGit } from "../../system/git/run_git.ts";
import ROWS from "./built_in.json" with { type: "json" };
import { commandLines, onlyTells } from "./command_forms.ts";
import {
  type Block,
  DANGEROUS_RULE,
  type Discard,
  UNCOMMITTED_RULE,
  type Verdict,
} from "./guard_policy.ts";
import { type ShellCommand, shownCommand } from "../shell/shell_command.ts";
import { meansAll, readFind } from "../shell/find_command.ts";
import { changesNothing, type GitCall, gitCall } from "../shell/git_call.ts";
import { goesToBranch, isPath, onlyUnstages } from "../shell/git_changes.ts";
import { programName, split } from "../shell/operands.ts";
import { matchesWithHead, withPatterns } from "../shell/rows.ts";
import { type Argument, placeOf } from "../shell/word.ts";
import { WRITERS } from "../shell/writes.ts";
import WORDS from "./words.json" with { type: "json" };
import { ownValue } from "../../base/mapping.ts";

/** Folders that must stay, besides the folders of the system. */
export interface Precious {
  readonly home: string | null;
  readonly root: string | null;
  /** Tells whether a folder is the top of a repository or of a working tree. */
  readonly isRepository: (path: string) => boolean;
}

/** The built-in protections: each row has its key, what the key protects, and an example that is refused. */
const BUILT_IN = withPatterns(ROWS) as readonly {
  /** Matches a usual form of the command, with single blanks between the words. */
  readonly pattern?: RegExp;
  /** Matches a file that the command writes. */
  readonly written?: RegExp;
  /** Matches statements for a client of a database. */
  readonly told?: RegExp;
  /** What the command does, as a part of a sentence. */
  readonly does?: string;
}[];

const SQL_CLIENTS = new Set(WORDS.sqlClients);
/** An option whose value is SQL. */
const SQL_OPTION = /^(?:-[ce]|--command|--execute|--query)$/;

/**
 * Tells what a command would destroy, and what is unknown about that.
 * @param precious Null in a container, which is easily made again. @param written Files the command writes, absolute.
 */
export function judgeDanger(
  command: ShellCommand,
  { precious, written }: {
    readonly precious: Precious | null;
    readonly written: readonly string[];
  },
): Verdict {
  const { words, args: rest, input, isFed } = command;
  const name = words[0]?.isOpen ? "" : command.program;
  const lines = commandLines(words);
  const isTold = name !== "" && words.some(({ text }) => SQL_CLIENTS.has(programName(text)));
  const sql = isTold ? [...rest.map(({ text }) => text), input ?? ""].map(withoutTexts) : [];
  const found = BUILT_IN.filter(({ pattern, written: place, told }) =>
    (pattern !== undefined && lines.some((line) => matchesWithHead(pattern, line))) ||
    written.some((path) => place?.test(path)) || sql.some((text) => told?.test(text))
  ).map(({ does }) => does);
  const doubts = doubtsOfGit(gitCall(words));
  if (precious !== null) {
    for (const { verb, word, isSure } of wholesOf(command, name)) {
      const path = word.isOpen ? null : placeOf(word, command.folder);
      const isContent = path !== null && /^[*.]*$/.test(path.slice(path.lastIndexOf("/") + 1));
      const folder = isContent ? parentOf(path) : path;
      if (folder !== null && isPrecious(folder, verb, precious)) {
        const what = `${verb} ${folder}`;
        if (isSure) found.push(what);
        else doubts.push(`whether it ${what} is only known when it runs`);
      }
      if (word.isOpen && isSure) {
        doubts.push(`what "${shownCommand(words)}" removes or changes is not known`);
      }
    }
  }
  if (isTold) {
    if (rest.some(({ isOpen }, i) => isOpen && SQL_OPTION.test(rest[i - 1]?.text ?? ""))) {
      doubts.push(`what ${name} is told is only known when it runs`);
    }
    if (SQL_CLIENTS.has(name) && isFed && input === undefined) {
      doubts.push(`what ${name} reads is not known`);
    }
  }
  const shown = shownCommand(words);
  return {
    blocks: [...new Set(found)].map((what) => ({
      rule: DANGEROUS_RULE,
      reason: `Blocked dangerous command: it ${what}. Command: ${shown}`,
    })),
    doubts,
  };
}

/** A folder that a command removes or changes with everything in it. */
interface Whole {
  readonly verb: string;
  readonly word: Argument;
  /** False where an unknown word may be the option that makes the command recursive. */
  readonly isSure: boolean;
}

/** Finds these folders: `rm -rf ~`, `rsync -a --delete empty/ ~/`, `find ~ -exec rm -rf {} +`, `find ~ | xargs rm`. */
function wholesOf({ words, args }: ShellCommand, name: string): Whole[] {
  const wholes = (verb: string | null, all: readonly Argument[], isSure = true) =>
    verb === null ? [] : all.map((word) => ({ verb, word, isSure }));
  if (name === "find") {
    const call = readFind(args);
    return call.actions.flatMap((did, action) =>
      !meansAll(call, action) ? [] : wholes(
        did.kind === "delete" ? "removes" : did.kind === "exec" ? verbOf(did.words) : null,
        call.roots,
      )
    );
  }
  const { onlyGives, never, ...writer } = WRITERS.find(name) ?? {};
  const { operands, dashed = [], options, has } = split(args, writer);
  if (name === "rsync") {
    const isSync = options.some((text) => /^--del/.test(text)) &&
      !options.some((text) => never!.test(text));
    return isSync ? wholes("removes what else lies in", args.slice(-1)) : [];
  }
  const isWhole = has("-r -R --recursive");
  const mayBeWhole = args.slice(0, args.length - dashed.length)
    .some(({ isOpen, found }) => isOpen && found === undefined);
  const named = operands.filter(({ text, isOpen, found, source = text }) =>
    found === undefined && (isWhole || !isOpen) && !onlyGives?.test(source)
  );
  return [
    ...words.flatMap(({ found }) => found?.isAll ? wholes(verbOf(words), found.roots) : []),
    ...wholes(isWhole || mayBeWhole ? ownValue(VERBS, name) ?? null : null, named, isWhole),
  ];
}

/** What programs do to all that lies in a folder. */
const VERBS: Readonly<Record<string, string>> = {
  rm: "removes",
  shred: "removes",
  chmod: "changes all of",
  chown: "changes all of",
};

/** Returns what a command does to every file that it is given; null for nothing destructive. */
function verbOf([program, ...rest]: readonly Argument[]): string | null {
  const verb = ownValue(VERBS, programName(program?.text ?? "")) ?? null;
  const isWhole = rest.some(({ text }) => /^(?:-[a-zA-Z]*R|--recursive$)/.test(text));
  return verb === "removes" || isWhole ? verb : null;
}

/**
 * Tells whether a path is the home, lies directly in it, is a folder of the system, the project, a folder above one of
 * these, or another repository. Permissions may change, except for the home, the system and folders above the project.
 */
function isPrecious(path: string, verb: string, { home, root, isRepository }: Precious): boolean {
  const isChanged = verb.startsWith("changes");
  const above = (inner: string | null) =>
    inner !== null && (inner === path || inner.startsWith(path === "/" ? "/" : `${path}/`));
  if (path === "/" || above(home)) return true;
  if (above(root)) return !isChanged || path !== root;
  if (SYSTEM.test(path)) return true;
  const isInProject = root !== null && path.startsWith(`${root}/`);
  if (isChanged || isInProject) return false;
  const folder = path.replace(/\/\.git$/, "");
  if (folder === path && path.split("/").some((part) => MADE_AGAIN.has(part))) return false;
  if (parentOf(path) === home) return true;
  // If the project itself is temporary, its neighbours may be precious.
  const isTemporary = TEMPORARY.test(path) && !TEMPORARY.test(root ?? "");
  return !isTemporary && isRepository(folder);
}

/** Folders of the system, and folders directly in them. */
const SYSTEM =
  /^\/(?!(?:tmp|home|Users|root|mnt|media|workspace|private)(?:\/|$))[a-zA-Z][\w-]*$|^\/(?:usr|var|etc|boot|opt|s?bin|lib\w*|System|Library|Applications)\/(?!tmp$|folders$|cache$)[^/]+$|^\/(?:usr\/lib|var\/lib|var\/log|usr\/local)\/[^/]+$/;
const TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp\//;
/** Folders whose whole content tools rebuild. */
const MADE_AGAIN = new Set([...WORDS.built, ...WORDS.caches]);

function doubtsOfGit(call: GitCall | null): string[] {
  const { verb = "", words: [first] = [], after = [] } = call ?? {};
  const isDestructive = /^(?:push|clean)$/.test(verb) ||
    (verb === "reset" && after.some(({ text, isOpen }) => isOpen || text === "--hard"));
  const shown = first?.isOpen ? "git" : `git ${verb}`;
  const isOpen = first?.isOpen ||
    (isDestructive && after.some((word) => word.isOpen && !word.isName));
  return isOpen ? [`what ${shown} is told is only known when it runs`] : [];
}

/** Removes comments and quoted texts from SQL. */
function withoutTexts(sql: string): string {
  return sql.replace(/--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'/g, " ");
}

/** Tells whether a command saves work in a commit or a stash, so that a later command of the script loses none. */
export function putsAway({ words }: ShellCommand): boolean {
  return /^(?:commit|stash)$/.test(gitCall(words)?.verb ?? "");
}

type Lost = Pick<Discard, "loses" | "named" | "isStagedLost">;

function changes(named: readonly Argument[] | null, isStagedLost: boolean): Lost {
  return { loses: "changes", named: named?.map(({ text }) => text) ?? null, isStagedLost };
}

/** By verb of git, what a call of that verb throws away. */
const LOST: Readonly<Record<string, (call: GitCall) => Lost | null>> = {
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
};

/** Returns what a command throws away; null for nothing, and where only the running shell knows the folder. */
export function discardOf({ words, folder }: ShellCommand): Discard | null {
  const call = gitCall(words);
  if (call === null || onlyTells(words) || changesNothing(call)) return null;
  const lost = ownValue(LOST, call.verb)?.(call) ?? null;
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
    if (lost.length === 0) continue;
    const shown = lost.slice(0, MAX_NAMED).join(", ");
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

/** Lists what would be lost. Where `git diff` fails, none: the command fails as well. A failed `clean -n` is a loss. */
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
    // A file that is missing comes back, and loses nothing.
    ...["--name-only", "-z", "--no-ext-diff", "--diff-filter=d", ...isStagedLost ? ["HEAD"] : []],
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
