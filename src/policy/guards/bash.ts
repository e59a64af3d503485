/** Judges a shell command: every command that it would start, and every file that it would change. */
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { type ProjectScript, projectScript } from "../shell/project_scripts.ts";
import { onlyTells } from "./command_forms.ts";
import { judgeCommands, spellings, textOf } from "./command_rules.ts";
import { discardOf, judgeDanger, putsAway } from "./dangerous.ts";
import { judgeFile, judgeOwn } from "./file_rules.ts";
import {
  type Actor,
  type Block,
  type Discard,
  type GuardPolicy,
  isWrittenBy,
  namesTools,
  PROTECT_RULE,
  ROOT_RULE,
  type Verdict,
} from "./guard_policy.ts";
import { doubtsOfAgent, judgeLifting } from "./lifting.ts";
import { type Argument, literal, placeOf, TooMuchWork } from "../shell/word.ts";
import { type ShellCommand, shownCommand } from "../shell/shell_command.ts";
import { gitCall, settingsOf } from "../shell/git_call.ts";
import { isContaining } from "../shell/wrappers.ts";
import { namesInText, unexplained } from "../shell/unexplained.ts";
import { readScript, type Script, type Surroundings } from "../shell/script.ts";
import {
  branchesMoved,
  branchMade,
  branchSwitch,
  pushes,
  treeMade,
} from "../shell/git_branches.ts";
import { findTargets, foldersMade, type Target } from "../shell/writes.ts";
import { isBelow } from "../files/file_lookup.ts";
import type { FileFacts, Look } from "./types.ts";

export interface BashUse extends Actor, Omit<Surroundings, "language"> {
  readonly tool: string;
  readonly command: string;
  readonly root: string | null;
}

/** How many files are looked up for one call at most; each costs 40 µs or more. */
const MAX_LOOKED = 8_000;
const MAX_PATH_CHARS = 16_384;

/** Judges a call of a shell tool. If its script is too large, judges only the part that was read. */
export function judgeBash(policy: GuardPolicy, use: BashUse, look: Look): Verdict {
  const { tooLarge, ...script } = readScript(use.command, inLanguage(use));
  const { isAll, scripts, ...found } = judgeScript(policy, script, { use, look });
  const unread = tooLarge ?? (isAll ? undefined : "it changes more files than can be looked up");
  const doubts = [...found.doubts, ...doubtsOfScripts(policy, scripts, { use, look })];
  return { ...found, doubts, ...(unread === undefined ? {} : { unread }) };
}

function inLanguage<Use extends Pick<BashUse, "tool">>(
  use: Use,
): Use & Pick<Surroundings, "language"> {
  return use.tool === "PowerShell" ? { ...use, language: "powershell" } : use;
}

function judgeScript(
  policy: GuardPolicy,
  { commands, unknown }: Pick<Script, "commands" | "unknown">,
  { use, look }: { readonly use: BashUse; readonly look: Look },
) {
  const blocks: Block[] = [];
  const doubts: string[] = [...unknown];
  const take = (verdict: Verdict) => {
    blocks.push(...verdict.blocks);
    doubts.push(...verdict.doubts);
  };
  const discards: Discard[] = [];
  const scripts: Started[] = [];
  const asUsed = { agents: use.agents, tool: use.tool, written: "unknown" } as const;
  const judged = (file: FileFacts) => judgeFile(policy, file, asUsed);
  const plain = policy.rules.filter((rule) => !namesTools(rule)).map(({ glob }) => glob);
  const isRepository = use.disk?.isTop ?? (() => false);
  let [isAll, isPutAway, looks] = [true, false, 0];
  /** Links and folders that earlier commands of the script have made. */
  const links: string[] = [];
  const folders: string[] = [];
  /** Targets that were already looked up. A new folder clears them, since it may change the answers. */
  const known = new Set<string>();
  const judgeTarget = ({ path, by, within, ...how }: Target) => {
    if (path === null) {
      const isAsked = how.effect === "tamper" ? policy.protectsItself : hasFileRules(policy);
      if (!isAsked || (within !== null && isOutside(within, use.root))) return;
      return void doubts.push(`which file \`${by}\` changes is not known`);
    }
    if (links.some((link) => path === link || path.startsWith(`${link}/`))) {
      doubts.push(`where ${path} leads is not known: the command makes that link itself`);
    }
    const key = JSON.stringify([path, by, how]);
    if ((how.search === undefined && known.has(key)) || looks > MAX_LOOKED) return;
    known.add(key);
    // No system opens a path of this length.
    if (path.length > MAX_PATH_CHARS) throw new TooMuchWork();
    const { files, perhaps = [], unknown } = look(path, { ...how, made: folders });
    looks += 1 + files.length + perhaps.length;
    doubts.push(...unknown);
    for (const file of files) {
      blocks.push(...judged(file));
      // A link to a folder makes everything in the folder reachable.
      if (by === "ln") blocks.push(...judgeOwn(policy, { ...file, effect: "fill" }, asUsed));
    }
    const [first, ...others] = perhaps.filter((file) => judged(file).length > 0);
    if (first !== undefined) {
      const more = others.length > 0 ? ` and ${others.length} more` : "";
      doubts.push(`whether \`${by}\` means ${first.name}${more} is not known`);
    }
  };
  /** Judges the file that a word names, where no table explains the program, which may do anything with the file. */
  const judgeNamed = (word: Argument, command: ShellCommand, isInText: boolean) => {
    const { program, folder, words } = command;
    const by = program === "" ? "an unknown program" : `\`${program}\``;
    const path = placeOf(word, folder);
    if (path === null || path.length > MAX_PATH_CHARS || looks > MAX_LOOKED) return;
    const { files } = look(path, { ...ANYTHING, isGlob: word.isGlob });
    looks += 1 + files.length;
    for (const file of files) {
      const found = judged(file).filter(({ rule }) =>
        rule !== ROOT_RULE && !mayWrite(policy, rule, shownCommand(words))
      );
      const own = isInText ? [] : found.filter(({ rule }) => rule === PROTECT_RULE);
      blocks.push(...own);
      if (own.length === 0 && found.length > 0) {
        doubts.push(`what ${by} does with ${file.name} is not known`);
      }
    }
  };
  const judge = (command: ShellCommand) => {
    const { words, folder } = command;
    const all = findTargets(command);
    const isHere = !isElsewhere(command);
    const precious = isContained(command) ? null : { ...use, isRepository };
    const written = all.flatMap(({ path }) => path ?? []);
    if (policy.deniesDangerous) take(judgeDanger(command, { precious, written }));
    if (policy.protectsItself) take(judgeLifting(command, use));
    const targets = isHere ? all : [];
    targets.forEach(judgeTarget);
    const named = isOnOtherMachine(command) ? {} : unexplained(command);
    const { texts = [], scripts: started = [] } = named;
    for (const word of named.words ?? []) judgeNamed(word, command, false);
    for (const name of texts.flatMap((text) => namesInText(text, plain))) {
      judgeNamed(literal(name), command, true);
    }
    doubts.push(...doubtsOfAgent(command));
    const by = shownCommand(words);
    const script = isHere ? projectScript(command, use.disk?.readText) : null;
    scripts.push(...started.map((text) => ({ shown: `"${by}"`, text, folder, by })));
    if (script !== null) scripts.push({ ...script, by });
    const discard = isHere && policy.protectsUncommitted && !isPutAway ? discardOf(command) : null;
    if (discard !== null) discards.push(discard);
    isPutAway ||= putsAway(command);
    links.push(...targets.flatMap(({ by, path }) => by === "ln" && path !== null ? [path] : []));
    const made = foldersMade(command);
    if (made.length > 0) known.clear();
    folders.push(...made);
  };
  take(judgeCommands(policy, commands, { ...use, whole: use.command }));
  for (const command of commands) if (withinLimits(() => judge(command)) === null) isAll = false;
  return {
    blocks,
    doubts: [...new Set(doubts)],
    discards,
    scripts,
    isAll: isAll && looks <= MAX_LOOKED,
  };
}

const ANYTHING = { effect: "change", isFolder: false, isUnknown: true } as const;

/** A script, with the command that runs it. */
type Started = ProjectScript & { readonly by: string };

/** Judges the project's scripts, each once. They are the team's own, so one that breaks a rule only makes a doubt. */
function doubtsOfScripts(
  policy: GuardPolicy,
  started: readonly Started[],
  { use, look }: { readonly use: BashUse; readonly look: Look },
): string[] {
  if (started.length === 0) return [];
  const known = new Set<string>();
  const doubts: string[] = [];
  const all = [...started];
  // The list grows during the loop.
  for (const { shown, text, folder, by } of all) {
    if (known.has(`${folder} ${shown}`) || known.size >= MAX_SCRIPTS) continue;
    known.add(`${folder} ${shown}`);
    const read = readScript(text, { ...use, folder });
    const { blocks, scripts } = judgeScript(policy, read, { use: { ...use, command: text }, look });
    all.push(...scripts);
    // An allowing rule, or a rule that lets this command write its files, makes no doubt.
    const block = blocks.find(({ rule }) =>
      rule !== ROOT_RULE && !mayWrite(policy, rule, by) &&
      policy.rules.every(({ name, action }) => name !== rule || action !== "allow")
    );
    if (block !== undefined) doubts.push(`${shown} does what ${block.rule} forbids`);
  }
  return doubts;
}

const MAX_SCRIPTS = 20;

/** Tells whether the rule of this name lets a command write its files. */
function mayWrite({ rules }: GuardPolicy, rule: string, command: string): boolean {
  return rules.some(({ name, writtenBy }) => name === rule && isWrittenBy(writtenBy, command));
}

/** Does work that a hostile command can make endless; returns null when it costs too much or nests too deeply. */
function withinLimits<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof TooMuchWork || thrown instanceof RangeError) return null;
    throw thrown;
  }
}

/** The steps of a call, and the commands and files in it that nobody knows before it runs. */
export type BashUses = ReturnType<typeof readUses>;

/** One command of a call, in the order of the script. */
export type BashStep = BashUses["steps"][number];

export function readUses(
  command: string,
  around: Pick<BashUse, "tool" | "folder" | "home" | "disk" | "gitAliases">,
) {
  const { commands, unknown, leavesRunning } = readScript(command, inLanguage(around));
  const files = new Set<string>();
  const beginnings: string[] = [];
  const steps = commands.map((command) => {
    const { words } = command;
    const isHere = !isElsewhere(command);
    const found = isHere ? withinLimits(() => findTargets(command)) ?? [] : [];
    const targets = found.filter(({ effect }) => effect !== "tamper");
    const isSearched = ({ search }: Target) => search !== undefined && search.named === undefined;
    for (const target of targets) {
      if (target.path === null || isSearched(target)) {
        files.add(`which file \`${target.by}\` changes is not known`);
      }
    }
    const written = onlyTells(words) ? [] : spellings(words);
    beginnings.push(
      ...written.map(textOf).filter(({ isOpen }) => isOpen).map(({ text }) => text),
    );
    return {
      /** The words of each spelling, without unknown parts; none for a command that only prints. */
      commands: written.map((words) => words.map(({ text }) => text)),
      /** The files that it changes for sure, absolute; links are not followed. */
      changed: targets.flatMap((target) => isSearched(target) ? [] : named(target)),
      folder: folderOf(command),
      /** Whether the command only changes the folder, as `cd` does: then it belongs to the next step. */
      onlyGoes: /^(?:cd|pushd|popd)$/.test(words[0]?.text ?? ""),
      /** The branch that it checks out; null for none, or where only git knows the branch. */
      checksOut: isHere ? branchSwitch(words) : null,
      /** The branch that it makes without checking it out; null for none. */
      makesBranch: isHere ? branchMade(words) : null,
      /** The folder in which it makes a working tree; null for none. */
      makesTree: isHere ? treeMade(command) : null,
      /** The branches that it moves or deletes without checking them out; `HEAD` is the checked-out branch. */
      moves: isHere && written.length > 0 ? branchesMoved(command) : [],
      /** Whether it moves them on a remote, where settings of git may name further branches. */
      pushes: pushes(words),
      /** Whether its words say what it pushes: none of them depends on the running shell. */
      pushesPlainly: pushes(words) && !words.some(({ isOpen }) => isOpen),
      /** The settings of git that it sets or runs with. */
      settings: isHere ? settingsOf(words) : [],
    };
  });
  return {
    steps,
    /** `beginnings`: the known beginnings of commands whose end is unknown. */
    untold: { commands: unknown, files: [...files], beginnings },
    /** Whether a process that the call starts may still run when the call has ended. */
    leavesRunning,
  };
}

/** Returns the files that a target names. A word that may also name a branch counts only with a file extension. */
function named({ path, search, copied }: Target): string[] {
  if (path === null || (search?.named === "if-there" && !/\.\w+$/.test(path))) return [];
  return copied === undefined || copied.name === "" ? [path] : [path, joinPath(path, copied.name)];
}

function isElsewhere(command: ShellCommand): boolean {
  return isContained(command) || isOnOtherMachine(command);
}

function isContained(command: ShellCommand): boolean {
  return isStartedBy(command, isContaining);
}

function isOnOtherMachine(command: ShellCommand): boolean {
  return isStartedBy(command, (name) => name === "ssh");
}

function isStartedBy({ startedBy }: ShellCommand, is: (name: string) => boolean): boolean {
  return startedBy !== null && (is(startedBy.program) || isStartedBy(startedBy, is));
}

/** Returns the folder in which a command runs, for git the repository's; `.git` stands for the tree it lies in. */
function folderOf({ words, folder, gitDir }: ShellCommand): string | null {
  const call = gitCall(words);
  if (call === null) return folder;
  const at = call.folder === null ? folder : placeOf(call.folder, folder);
  const given = call.gitDir;
  const repository = given === null ? gitDir : given.isOpen ? undefined : given.text;
  if (repository === undefined) return at;
  const path = placeOf(literal(repository), at);
  return path !== null && baseName(path) === ".git" ? parentOf(path) : path;
}

/** Tells whether a folder neither lies in the project nor contains it. */
function isOutside(folder: string, root: string | null): boolean {
  return root !== null && !isBelow(folder, root) && !isBelow(root, folder);
}

function hasFileRules({ rules, protectsIgnored, protectsItself }: GuardPolicy): boolean {
  return protectsIgnored || protectsItself || rules.some(({ about }) => about !== "command");
}
