/** Finds the files that a shell command surely changes: by redirections, and by programs with that purpose. */
import { type Change, marked, type ShellCommand } from "./shell_command.ts";
import type { HowToLook } from "../guards/types.ts";
import { changesOfFind } from "./find_command.ts";
import { changesOfGit } from "./git_changes.ts";
import { split } from "./operands.ts";
import { type Argument, placeOf } from "./word.ts";
import { writtenByAwk, writtenBySed } from "./interpreters.ts";
import { changesOfWriter, WRITERS } from "./writers.ts";

export interface Target extends HowToLook {
  /** The absolute path, links not followed; null when only the running shell knows it. */
  readonly path: string | null;
  readonly by: string;
  /** The folder of an unknown file, absolute; null when the folder is unknown as well. */
  readonly within: string | null;
}

/** Options that make a program work on everything in a folder. */
const RECURSIVE = /^(?:-[a-zA-Z]*[rR]|--recursive$)/;

const WRITING_REDIRECTS = new Set([">", ">>", ">|", "&>", "&>>", "<>", ">&"]);

/** Returns the files that one command changes, without those of the commands that it starts. */
export function findTargets(command: ShellCommand): Target[] {
  const { program: name, words, args, redirects, patched = [], folder } = command;
  const target = ({ word, copied, within, ...how }: Change, by: string): Target => ({
    path: placeOf(word, folder),
    by,
    ...how,
    isGlob: word.isGlob,
    isFolder: /(?:^|\/)\.{0,2}$/.test(word.text),
    ...copied && { copied: copiedFrom(copied, folder) },
    within: within === undefined ? null : placeOf(within, folder),
  });
  const targets = (change: Change, by: string): Target[] => {
    const { found } = change.word;
    if (found === undefined) return [target(change, by)];
    const isRecursive = name !== "find" && args.some(({ text }) => RECURSIVE.test(text));
    const takesFolders = name === "mv" || isRecursive
      ? "yes"
      : change.effect === "tamper"
      ? "maybe"
      : "no";
    return found.roots.map((word) =>
      target({ ...change, word, search: found.searchFrom(word, { takesFolders }) }, by)
    );
  };
  const redirected = redirects
    .filter(({ operator, target: word }) =>
      WRITING_REDIRECTS.has(operator) && !isDescriptor(operator, word) && !isDevice(word)
    )
    .map(({ operator, target: word }) => target({ word, effect: "change" }, operator));
  const changes = words.length === 0 ? [] : [...changesOf(command), ...patched];
  return [
    ...redirected,
    ...changes.filter(({ word }) => !isDevice(word)).flatMap((change) => targets(change, name)),
  ];
}

function copiedFrom(
  { from, isRemote, ...how }: NonNullable<Change["copied"]>,
  folder: string | null,
): NonNullable<HowToLook["copied"]> {
  const path = isRemote ? null : placeOf(from, folder);
  const name = from.text.replace(/\/+$/, "").replace(/^.*[/:]/s, "");
  const isNamed = !from.isOpen && !from.isGlob && !/^\.{0,2}$/.test(name);
  return { ...how, from: path, isGlob: from.isGlob && path !== null, name: isNamed ? name : "" };
}

export function foldersMade({ program, args, folder }: ShellCommand): string[] {
  const made = program === "mkdir" ? split(args, { valued: "m" }).operands : [];
  return made.flatMap((word) => placeOf(word, folder) ?? []);
}

function changesOf(command: ShellCommand): readonly Change[] {
  const { program: name, args } = command;
  if (name === "git") return changesOfGit(command);
  const writer = WRITERS.find(name);
  const inScript = /^g?sed$/.test(name)
    ? writtenBySed(args)
    : /^[gmn]?awk$/.test(name)
    ? writtenByAwk(args)
    : [];
  return [
    ...marked(inScript, "change"),
    ...(name === "find" ? changesOfFind(args) : []),
    ...(writer === undefined ? [] : changesOfWriter(writer, args)),
  ];
}

function isDescriptor(operator: string, { text }: Argument): boolean {
  return operator === ">&" && /^(?:\d+|-)$/.test(text);
}

function isDevice({ text, isOpen }: Argument): boolean {
  return !isOpen && /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|zero)$/.test(text);
}
