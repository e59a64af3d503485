/** Judges a shell command: every command that it would start, and every file that it plainly changes. */
import { baseName, parentOf } from "../../base/paths.ts";
import { doubtOfAgent } from "./second_agents.ts";
import { discardOf, putsAway } from "./uncommitted.ts";
import { type ProjectScript, projectScript } from "../shell/project_scripts.ts";
import { onlyTells } from "./command_forms.ts";
import { judgeCommands, spellings, textOf } from "./command_rules.ts";
import { DANGEROUS_RULE, judgeDanger } from "./dangerous.ts";
import { judgeOne, judgeOwn } from "./decide.ts";
import type { Actor, Block, Discard, GuardPolicy, Verdict } from "./guard_policy.ts";
import { liftedBy, mayLift } from "./lifting.ts";
import { ROOT_RULE } from "./file_rules.ts";
import { PROTECT_RULE } from "./protected.ts";
import { type Argument, literal, placeOf, TooMuchWork } from "../shell/word.ts";
import type { ShellCommand } from "../shell/shell_command.ts";
import { programName, withoutGitOptions } from "../shell/operands.ts";
import { isContaining } from "../shell/runners.ts";
import { namesInText, unexplained } from "../shell/unexplained.ts";
import { readScript, type Script, type Surroundings } from "../shell/script.ts";
import {
  branchMade,
  type BranchSwitch,
  branchSwitch,
  type NewTree,
  treeMade,
} from "../shell/switching.ts";
import { branchesMoved } from "../shell/moved_branches.ts";
import { findTargets, foldersMade, type Target } from "../shell/writes.ts";
import type { FileFacts, Look } from "./types.ts";

export interface BashUse extends Actor, Omit<Surroundings, "language"> {
  readonly tool: string;
  readonly command: string;
  readonly root: string | null;
}

/** Files that are looked up for one call; each costs 40 µs and more. */
const MAX_LOOKED = 8_000;
const MAX_PATH_CHARS = 16_384;

/** Judges a call of a shell tool. Of a script that is too large it judges the part that was read. */
export function judgeBash(policy: GuardPolicy, use: BashUse, look: Look): Verdict {
  const { tooLarge, ...script } = readScript(use.command, { ...use, ...languageOf(use) });
  const { isAll, ...found } = judgeScript(policy, script, { use, look });
  const unread = tooLarge ?? (isAll ? undefined : "it changes more files than can be looked up");
  return { ...found, ...(unread === undefined ? {} : { unread }) };
}

function languageOf({ tool }: Pick<BashUse, "tool">): Pick<Surroundings, "language"> {
  return tool === "PowerShell" ? { language: "powershell" } : {};
}

function judgeScript(
  policy: GuardPolicy,
  { commands, unknown }: Pick<Script, "commands" | "unknown">,
  { use, look }: { readonly use: BashUse; readonly look: Look },
): {
  readonly blocks: Block[];
  readonly doubts: string[];
  readonly discards: Discard[];
  readonly isAll: boolean;
} {
  const byCommand = judgeCommands(policy, commands, { ...use, whole: use.command });
  const blocks: Block[] = [...byCommand.blocks];
  const doubts: string[] = [...unknown, ...byCommand.doubts];
  let isAll = true;
  let looked = 0;
  const discards: Discard[] = [];
  let isPutAway = false;
  const readText = use.disk?.readText ?? (() => null);
  const isRepository = use.disk?.isTop ?? (() => false);
  /** A script of the project is the team's own: what it does against a rule about commands is in doubt. */
  const doubtsOfScript = ({ name, file, text }: ProjectScript, { folder }: ShellCommand) => {
    const script = readScript(text, { ...use, folder });
    const { blocks } = judgeCommands(policy, script.commands, { ...use, whole: text });
    return blocks.slice(0, 1).map(({ rule }) => `"${name}" of ${file} does what ${rule} forbids`);
  };
  const links: string[] = [];
  const folders: string[] = [];
  /** Targets that were looked up already. A new folder may change the answers, so it clears them. */
  let known = new Set<string>();
  /** A program that no table explains: its words that name a protected file are in doubt. */
  const judgeUnexplained = (command: ShellCommand) => {
    const { words, texts, scripts } = isOnOtherMachine(command)
      ? NOTHING_NAMED
      : unexplained(command);
    const by = programName(command.words[0]?.text ?? "the shell");
    const mayChange = (word: Argument, isInText: boolean) => {
      const path = placeOf(word, command.folder);
      if (path === null || path.length > MAX_PATH_CHARS || looked > MAX_LOOKED) return;
      const how = {
        effect: "change",
        isFolder: false,
        isGlob: word.isGlob,
        isUnknown: true,
      } as const;
      const { files } = look(path, how);
      looked += 1 + files.length;
      const asUsed = { agents: use.agents, tool: use.tool, written: "unknown" } as const;
      for (const file of files) {
        const found = judgeOne(policy, file, asUsed).filter(({ rule }) => rule !== ROOT_RULE);
        if (found.length === 0) continue;
        if (isInText || found.every(({ rule }) => rule !== PROTECT_RULE)) {
          doubts.push(`what \`${by}\` does with ${file.name} is not known`);
        } else blocks.push(...found.filter(({ rule }) => rule === PROTECT_RULE));
      }
    };
    for (const word of words) mayChange(word, false);
    for (const name of texts.flatMap(namesInText)) mayChange(literal(name), true);
    for (const [rule] of scripts.map((script) => rulesBegunBy(policy, script))) {
      if (rule !== undefined) doubts.push(`\`${by}\` is given what ${rule} forbids`);
    }
  };
  const judge = (command: ShellCommand) => {
    if (policy.deniesDangerous) {
      const danger = judgeDanger(
        command,
        isContained(command) ? null : { ...use, isRepository },
      );
      blocks.push(...danger.blocks);
      doubts.push(...danger.doubts);
    }
    if (policy.protectsItself) {
      const lifting = liftedBy(command);
      const doubt = mayLift(command);
      if (doubt !== null) doubts.push(doubt);
      if (lifting !== null) {
        const reason = `Blocked ${use.tool} operation: ${lifting}. Command: ${use.command}`;
        blocks.push({ rule: PROTECT_RULE, reason, isLasting: true });
      }
    }
    const made: string[] = [];
    for (const { path, by, within, ...how } of targetsOf(command)) {
      if (path === null) {
        if (within !== null && isOutside(within, use.root)) continue;
        if (how.effect === "tamper" ? policy.protectsItself : hasFileRules(policy)) {
          doubts.push(`which file \`${by}\` changes is not known`);
        }
        continue;
      }
      if (links.some((link) => path === link || path.startsWith(`${link}/`))) {
        doubts.push(`where ${path} leads is not known: the command makes that link itself`);
      }
      if (by === "ln") made.push(path);
      const key = JSON.stringify([path, by, how]);
      if (how.search === undefined && known.has(key)) continue;
      known.add(key);
      // No system opens a path of this length.
      if (path.length > MAX_PATH_CHARS) throw new TooMuchWork();
      if (looked > MAX_LOOKED) break;
      const { files, perhaps = [], unknown } = look(path, { ...how, made: folders });
      looked += 1 + files.length + perhaps.length;
      doubts.push(...unknown);
      const asUsed = { agents: use.agents, tool: use.tool, written: "unknown" } as const;
      const judged = (file: FileFacts) => judgeOne(policy, file, asUsed);
      for (const file of files) {
        blocks.push(...judged(file));
        // A link to a folder brings all that lies there.
        if (by === "ln") blocks.push(...judgeOwn(policy, { ...file, effect: "fill" }, asUsed));
      }
      const [first, ...others] = perhaps.filter((file) => judged(file).length > 0);
      if (first !== undefined) {
        const more = others.length > 0 ? ` and ${others.length} more` : "";
        doubts.push(`whether \`${by}\` means ${first.name}${more} is not known`);
      }
    }
    judgeUnexplained(command);
    const agent = doubtOfAgent(command);
    if (agent !== null) doubts.push(agent);
    const script = projectScript(command.words, command.folder, readText);
    if (script !== null) doubts.push(...doubtsOfScript(script, command));
    const discard = policy.protectsUncommitted && !isPutAway ? discardOf(command) : null;
    isPutAway ||= putsAway(command);
    if (discard !== null && !isElsewhere(command)) discards.push(discard);
    links.push(...made);
    const madeNow = foldersMade(command);
    if (madeNow.length > 0) known = new Set();
    folders.push(...madeNow);
  };
  for (const command of commands) if (withinLimits(() => judge(command)) === null) isAll = false;
  return {
    blocks: once(blocks),
    doubts: [...new Set(doubts)],
    discards,
    isAll: isAll && looked <= MAX_LOOKED,
  };
}

function targetsOf(command: ShellCommand): readonly Target[] {
  return isElsewhere(command) ? [] : findTargets(command);
}

/** Runs work that a hostile command can make endless; returns null when it costs too much or nests too deeply. */
function withinLimits<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof TooMuchWork || thrown instanceof RangeError) return null;
    throw thrown;
  }
}

/** What is not known about a command before it runs. */
export interface Untold {
  readonly commands: readonly string[];
  readonly files: readonly string[];
  /** Commands of which only the beginning is known. */
  readonly beginnings: readonly string[];
}

/** One command of a call, in the order of the script. */
export interface BashStep {
  /** The words of the command in each of its spellings, without unknown words. None for a command that only prints. */
  readonly commands: readonly (readonly string[])[];
  /** The files that it changes for sure, absolute; links are not followed. */
  readonly changed: readonly string[];
  /** The folder in which it runs, for git the folder of the repository; null when unknown. */
  readonly folder: string | null;
  /** Whether it only changes the folder, as `cd` does: then it is a part of the next step. */
  readonly onlyGoes: boolean;
  /** The branch that it checks out; null for none, and where only git knows which. */
  readonly checksOut: BranchSwitch | null;
  readonly makesBranch: BranchSwitch | null;
  readonly makesTree: NewTree | null;
  /** The branches that it moves or deletes without checking them out; `HEAD` is the one that is checked out. */
  readonly moves: readonly string[];
}

export interface BashUses {
  readonly steps: readonly BashStep[];
  readonly untold: Untold;
}

export function readUses(
  command: string,
  around: Pick<BashUse, "tool" | "folder" | "home" | "disk" | "gitAliases">,
): BashUses {
  const { commands, unknown } = readScript(command, { ...around, ...languageOf(around) });
  const read = commands.map((command) => {
    const isHere = !isElsewhere(command);
    const targets = withinLimits(() => targetsOf(command)) ?? [];
    return {
      command,
      isHere,
      targets: targets.filter(({ effect }) => effect !== "tamper"),
      written: onlyTells(command.words) ? [] : spellings(command.words),
    };
  });
  const isFound = ({ search }: Target) => search !== undefined && search.named === undefined;
  const open = read.flatMap(({ targets }) => targets)
    .filter((target) => target.path === null || isFound(target))
    .map(({ by }) => `which file \`${by}\` changes is not known`);
  return {
    steps: read.map(({ command, isHere, targets, written }): BashStep => ({
      commands: written.map((words) => words.map(({ text }) => text)),
      changed: targets.flatMap((target) => isFound(target) ? [] : named(target)),
      folder: folderOf(command),
      onlyGoes: /^(?:cd|pushd|popd)$/.test(command.words[0]?.text ?? ""),
      checksOut: isHere ? branchSwitch(command.words) : null,
      makesBranch: isHere ? branchMade(command.words) : null,
      makesTree: isHere ? treeMade(command) : null,
      moves: isHere && written.length > 0 ? branchesMoved(command.words) : [],
    })),
    untold: {
      commands: unknown,
      files: [...new Set(open)],
      beginnings: read.flatMap(({ written }) => written).map(textOf)
        .flatMap(({ text, isOpen }) => isOpen ? [text] : []),
    },
  };
}

/** A word that may also name a branch counts as a file if it has an ending. */
function named({ path, search }: Target): string[] {
  return path === null || (search?.named === "if-there" && !/\.\w+$/.test(path)) ? [] : [path];
}

function isElsewhere(command: ShellCommand): boolean {
  return isContained(command) || isOnOtherMachine(command);
}

const NOTHING_NAMED = { words: [], texts: [], scripts: [] } as const;

function isOnOtherMachine(command: ShellCommand): boolean {
  return isStartedBy(command, (name) => name === "ssh");
}

/** The rules about commands that a text begins with. */
function rulesBegunBy(policy: GuardPolicy, text: string): string[] {
  return policy.tools.filter(({ about, action, pattern }) =>
    about === "command" && action === "block" && new RegExp(pattern, "s").test(text.trim())
  ).map(({ name }) => name);
}

function isContained(command: ShellCommand): boolean {
  return isStartedBy(command, isContaining);
}

function isStartedBy({ startedBy }: ShellCommand, is: (name: string) => boolean): boolean {
  if (startedBy === null) return false;
  return is(programName(startedBy.words[0]?.text ?? "")) || isStartedBy(startedBy, is);
}

/** A `.git` folder stands for the working tree that it lies in. */
function folderOf({ words: [program, ...rest], folder, gitDir }: ShellCommand): string | null {
  if (program === undefined || programName(program.text) !== "git") return folder;
  const { folder: named, gitDir: given } = withoutGitOptions(rest);
  const at = named === null ? folder : placeOf(named, folder);
  const repository = given === null ? gitDir : given.isOpen ? undefined : given.text;
  if (repository === undefined) return at;
  const path = placeOf(literal(repository), at);
  return path !== null && baseName(path) === ".git" ? parentOf(path) : path;
}

/** Whether a folder neither lies in the project nor holds it. */
function isOutside(folder: string, root: string | null): boolean {
  const isIn = (path: string, above: string) => `${path}/`.startsWith(above.replace(/\/?$/, "/"));
  return root !== null && !isIn(folder, root) && !isIn(root, folder);
}

function hasFileRules(
  { uneditable, noAdditions, tools, protectsIgnored, protectsItself }: GuardPolicy,
): boolean {
  return protectsIgnored || protectsItself || uneditable.length > 0 || noAdditions.length > 0 ||
    tools.some(({ about }) => about === "file");
}

/** Keeps each rule once for each file: a command inside of another one is the same offence. */
function once(blocks: readonly Block[]): Block[] {
  const seen = new Set<string>();
  return blocks.filter(({ rule, reason }) => {
    const key = rule === DANGEROUS_RULE
      ? `${rule} ${reason.split(". Command:")[0]}`
      : rule + reason;
    return !seen.has(key) && seen.add(key);
  });
}
