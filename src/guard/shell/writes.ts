/** Which files a shell command plainly changes: redirections, and the programs whose purpose it is. */
import { resolvePath } from "../../paths.ts";
import type { ShellCommand } from "./command.ts";
import type { HowToLook } from "../decide.ts";
import {
  type Change,
  changesOfDatabase,
  DATABASE_PROGRAMS,
  marked,
  placesIn,
  SOMEWHERE,
} from "./changes.ts";
import { changesOfFind } from "./find.ts";
import { changesOfGit } from "./git_changes.ts";
import { type Operands, split } from "./operands.ts";
import { type Argument, withText } from "./word.ts";
import { NAMED_OUTPUTS, UNPACKING, type Writer, WRITERS } from "./writers.ts";
import { programName } from "./wrappers.ts";

/** A file that a command would change, and what is about to happen to it. */
export interface Target extends HowToLook {
  /** Absolute, links not followed; null when only the running shell knows it. */
  readonly path: string | null;
  /** What does it: `rm`, `>`. */
  readonly by: string;
}

/** What is done to a folder is done to all that lies in it. */
const RECURSIVE = /^(?:-[a-zA-Z]*[rR]|--recursive$)/;

const WRITING_REDIRECTS = new Set([">", ">>", ">|", "&>", "&>>", "<>", ">&"]);

/** The files that one command changes; a command that it starts is asked by itself. */
export function findTargets({ words, redirects, folder }: ShellCommand): Target[] {
  const [program, ...rest] = words;
  const name = programName(program?.text ?? "");
  const target = ({ word, from, namedLike, ...how }: Change, by: string): Target => ({
    path: placeOf(word, folder),
    by,
    ...how,
    isGlob: word.isGlob,
    isFolder: /(?:^|\/)\.{0,2}$/.test(word.text),
    from: from === undefined ? null : placeOf(from, folder),
    namedLike: namedLike === undefined ? null : placeOf(namedLike, folder),
  });
  const targets = (change: Change, by: string): Target[] => {
    const { found } = change.word;
    if (found === undefined) return [target(change, by)];
    const takesFolders = name === "mv" || rest.some(({ text }) => RECURSIVE.test(text))
      ? "yes"
      : change.effect === "tamper"
      ? "maybe"
      : "no";
    return found.roots.map((word) =>
      target({ ...change, word, search: found.searchFrom(word, { takesFolders }) }, by)
    );
  };
  const redirected = redirects
    .filter(({ operator, target: to }) =>
      WRITING_REDIRECTS.has(operator) && !isDescriptor(operator, to) && !isDevice(to)
    )
    .map(({ operator, target: word }) => target({ word, effect: "change" }, operator));
  if (program === undefined) return redirected;
  return [
    ...redirected,
    ...changesOf(name, rest).filter(({ word }) => !isDevice(word))
      .flatMap((change) => targets(change, name)),
  ];
}

/** The folders that a command makes, absolute. */
export function foldersMade({ words: [program, ...rest], folder }: ShellCommand): string[] {
  if (program === undefined || programName(program.text) !== "mkdir") return [];
  return split(rest, { valued: "m" }).operands.flatMap((word) => placeOf(word, folder) ?? []);
}

/** Where a word leads; null when only the running shell knows. */
export function placeOf({ text, isOpen }: Argument, folder: string | null): string | null {
  const isKnown = !isOpen && (folder !== null || text.startsWith("/"));
  return isKnown ? resolvePath(text, { folder: folder ?? "/" }) : null;
}

function changesOf(name: string, rest: readonly Argument[]): Change[] {
  if (name === "dd") {
    return rest.filter(({ text }) => text.startsWith("of="))
      .map((word): Change => ({ word: withText(word, word.text.slice(3)), effect: "change" }));
  }
  if (name === "git") return changesOfGit(rest);
  if (UNPACKING.get(name)?.(rest)) return marked([SOMEWHERE], "change");
  const named = NAMED_OUTPUTS.get(name);
  const outputs = named === undefined
    ? []
    : rest.filter((_word, i) => named.has(rest[i - 1]?.text ?? ""));
  if (name === "find") return [...changesOfFind(rest), ...marked(outputs, "change")];
  if (DATABASE_PROGRAMS.has(name)) return changesOfDatabase(rest);
  const writer = WRITERS.get(name.replace(/^g(?=awk$|sed$|cp$|mv$|rm$)/, ""));
  return writer === undefined ? marked(outputs, "change") : changesOfWriter(writer, rest);
}

function changesOfWriter(writer: Writer, rest: readonly Argument[]): Change[] {
  const { onlyWith, never, first } = writer;
  if (onlyWith !== undefined && !rest.some(({ text }) => onlyWith.test(text))) return [];
  const { operands, outputs, options } = split(rest, writer);
  if (never !== undefined && options.some((option) => never.test(option))) return [];
  const skipped = first && !rest.some(({ text }) => first.unless.test(text)) ? first.count : 0;
  const named = operands.slice(skipped);
  switch (writer.operands) {
    case "none":
      return marked(
        writer.loads === undefined ? outputs : loaded(writer.loads, { rest, operands, outputs }),
        "change",
      );
    case "all":
      return marked([...named, ...outputs], "change");
    case "removed":
      return marked(named, "remove");
    case "tampered":
      return marked(named, "tamper");
    default:
      return copied(writer, { operands: named, outputs, options });
  }
}

/** What becomes of a destination, and of sources that are moved to it. */
function copied(
  { operands: kind, copies }: Writer,
  { operands, outputs, options }: Operands,
): Change[] {
  const isRemote = ({ text }: Argument) => copies?.remote?.test(text) ?? false;
  const sources = outputs.length > 0 ? operands : operands.slice(0, -1);
  const to = (outputs.length > 0 ? outputs : operands.slice(1).slice(-1))
    .filter((word) => !isRemote(word));
  const has = (option: RegExp | undefined) => options.some((text) => option?.test(text));
  const isUnknown = ({ text, isOpen }: Argument) =>
    isOpen || (copies?.contents.test(text) ?? false) || /:$/.test(text);
  const isRecursive = has(copies?.recursive);
  const isVague = (isRecursive && has(copies?.onto)) || sources.some(isUnknown);
  const fills = isVague || sources.some(({ isGlob }) => isGlob);
  return [
    ...to.map((word): Change => ({ word, effect: "change", from: sources[0]! })),
    ...to.flatMap((word) => placesIn(word, sources)),
    ...(isRecursive ? to.flatMap((word) => placesIn(word, sources, "fill")) : []),
    ...(fills ? marked(to, "fill") : []),
    ...(isVague && to.length > 0 ? marked([SOMEWHERE], "change") : []),
    ...marked(kind === "moved" ? sources : [], "remove"),
  ];
}

/** The files that are made of what is loaded: those that are named, else the last part of each address. */
function loaded(
  { named, into }: NonNullable<Writer["loads"]>,
  { rest, operands, outputs }: {
    readonly rest: readonly Argument[];
    readonly operands: readonly Argument[];
    readonly outputs: readonly Argument[];
  },
): Argument[] {
  if (outputs.length > 0) return outputs.filter(({ text }) => text !== "-");
  if (named !== null && !rest.some(({ text }) => named.test(text))) return [];
  const folder = split(rest, { output: into }).outputs.at(-1);
  return operands.filter(({ text, isOpen }) => !isOpen && /\/[^/?#]+(?:[?#].*)?$/.test(text))
    .map((word) => ({ ...word, text: /\/([^/?#]+)(?:[?#].*)?$/.exec(word.text)![1]! }))
    .map((word) => folder === undefined ? word : inFolder(folder, word));
}

function inFolder(folder: Argument, { text, ...name }: Argument): Argument {
  return { ...name, text: `${folder.text}/${text}`, isOpen: folder.isOpen };
}

function isDescriptor(operator: string, { text }: Argument): boolean {
  return operator === ">&" && /^(?:\d+|-)$/.test(text);
}

function isDevice({ text, isOpen }: Argument): boolean {
  return !isOpen && /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|zero)$/.test(text);
}
