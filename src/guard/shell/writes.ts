/** Which files a shell command plainly changes: redirections, and the programs whose purpose it is. */
import { resolvePath } from "../../paths.ts";
import { changesOfArchive } from "./archives.ts";
import type { ShellCommand } from "./command.ts";
import type { HowToLook } from "../types.ts";
import { type Change, changesOfDatabase, DATABASE_PROGRAMS, marked, SOMEWHERE } from "./changes.ts";
import { changesOfCopy } from "./copies.ts";
import { changesOfFind } from "./find.ts";
import { changesOfFormatter } from "./formatted.ts";
import { changesOfGit } from "./git_changes.ts";
import { programName, split } from "./operands.ts";
import { type Argument, withText } from "./word.ts";
import { writtenByAwk, writtenBySed } from "./interpreters.ts";
import { NAMED_OUTPUTS, type Writer, WRITERS } from "./writers.ts";

/** A file that a command would change, and what is about to happen to it. */
export interface Target extends HowToLook {
  /** Absolute, links not followed; null when only the running shell knows it. */
  readonly path: string | null;
  /** What does it: `rm`, `>`. */
  readonly by: string;
  /** Of a file that nobody knows: the folder in which it lies, absolute; null when that is not known either. */
  readonly within: string | null;
}

/** What is done to a folder is done to all that lies in it. */
const RECURSIVE = /^(?:-[a-zA-Z]*[rR]|--recursive$)/;

const WRITING_REDIRECTS = new Set([">", ">>", ">|", "&>", "&>>", "<>", ">&"]);

/** The files that one command changes; a command that it starts is asked by itself. */
export function findTargets({ words, redirects, patched, folder }: ShellCommand): Target[] {
  const [program, ...rest] = words;
  const name = programName(program?.text ?? "");
  const target = ({ word, from, namedLike, within, ...how }: Change, by: string): Target => ({
    path: placeOf(word, folder),
    by,
    ...how,
    isGlob: word.isGlob,
    isFolder: /(?:^|\/)\.{0,2}$/.test(word.text),
    from: from === undefined ? null : placeOf(from, folder),
    namedLike: namedLike === undefined ? null : placeOf(namedLike, folder),
    within: within === undefined ? null : placeOf(within, folder),
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
    ...changesOf(name, rest, patched).filter(({ word }) => !isDevice(word))
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

function changesOf(
  name: string,
  rest: readonly Argument[],
  patched: readonly Change[] = [],
): readonly Change[] {
  if (name === "dd") {
    return rest.filter(({ text }) => text.startsWith("of="))
      .map((word): Change => ({ word: withText(word, word.text.slice(3)), effect: "change" }));
  }
  if (name === "git") return [...changesOfGit(rest), ...patched];
  const packed = changesOfArchive(name, rest);
  if (packed !== undefined) return packed;
  const outputs = namedOutputs(name, rest);
  if (name === "find") return [...changesOfFind(rest), ...outputs];
  if (DATABASE_PROGRAMS.has(name)) return changesOfDatabase(rest);
  const own = name.replace(/^[gmn](?=awk$)|^g(?=sed$|cp$|mv$|rm$)/, "");
  const writer = WRITERS.get(own);
  if (writer === undefined) return outputs;
  const inScript = own === "sed" ? writtenBySed(rest) : own === "awk" ? writtenByAwk(rest) : [];
  return [...marked(inScript, "change"), ...changesOfWriter(writer, rest), ...outputs, ...patched];
}

/** The files that options name, of programs that know words instead of letters. */
function namedOutputs(name: string, rest: readonly Argument[]): Change[] {
  const named = NAMED_OUTPUTS.get(name);
  if (named === undefined || !(named.verb?.test(rest[0]?.text ?? "") ?? true)) return [];
  const { options } = named;
  const outputs = rest.flatMap((word, i) => {
    if (options.has(rest[i - 1]?.text ?? "")) return [word];
    const [option = "", ...value] = word.text.split("=");
    const text = value.join("=");
    return value.length > 0 && options.has(option) ? [{ ...word, text }] : [];
  });
  return marked(outputs.filter(({ text }) => text !== "-"), "change");
}

function changesOfWriter(writer: Writer, rest: readonly Argument[]): Change[] {
  const { onlyWith, never, first, begins, skips, unpacks, onlyGives } = writer;
  const { operands, outputs, options } = split(rest, writer);
  if (never !== undefined && options.some((option) => never.test(option))) return [];
  if (onlyGives?.test(operands[0]?.source ?? operands[0]?.text ?? "")) return [];
  const verbs = begins?.exec(operands.map(({ text }) => `${text} `).join(""));
  if (verbs === null) return [];
  const whole = (words: readonly Argument[]) =>
    words.map((word) => writer.ending ? withText(word, word.text + writer.ending) : word);
  const written = marked(whole(outputs.filter(({ text }) => text !== "-")), "change");
  if (onlyWith !== undefined && !rest.some(({ text }) => onlyWith.test(text))) return written;
  const skipped = first && !rest.some(({ text }) => first.unless.test(text)) ? first.count : 0;
  const named = operands.slice((verbs?.[0].split(" ").length ?? 1) - 1 + skipped)
    .filter(({ text }) => !skips?.test(text));
  const isUnpacking = unpacks === true || options.some((text) => unpacks?.test(text));
  const unpacked = isUnpacking ? marked(named.map(withoutEnding), "change") : [];
  const [ending] = options.flatMap((text) => writer.keepsWith?.exec(text)?.[1] ?? []);
  const kept = ending === undefined ? [] : named.filter(({ isOpen }) => !isOpen)
    .map((word) => withText(word, word.text + ending));
  switch (writer.operands) {
    case "none":
      return writer.loads === undefined
        ? [...written, ...unpacked]
        : loaded(writer.loads, { rest, operands, outputs });
    case "all":
      return [...marked([...whole(named), ...kept], "change"), ...written];
    case "unknown":
      return marked([SOMEWHERE], "change");
    case "removed":
      return [...marked(named, "remove"), ...unpacked];
    case "tampered":
      return marked(named, "tamper");
    case "formatted":
      return [...changesOfFormatter(named, rest, writer), ...written];
    default:
      return changesOfCopy(writer, { operands: named, outputs, options });
  }
}

/** `a.tar` of `a.tgz`, `yarn.lock` of `yarn.lock.gz`. */
function withoutEnding(word: Argument): Argument {
  const text = word.text.replace(
    /\.(?:t(gz|bz2?|xz|zst)|gz|bz2|xz|zst|lzma|Z)$/,
    (_, tarred) => tarred === undefined ? "" : ".tar",
  );
  return { ...word, text };
}

/** The files that are made of what is loaded: those that are named, else the last part of each address. */
function loaded(
  { named, into }: NonNullable<Writer["loads"]>,
  { rest, operands, outputs }: {
    readonly rest: readonly Argument[];
    readonly operands: readonly Argument[];
    readonly outputs: readonly Argument[];
  },
): Change[] {
  if (outputs.length > 0) return marked(outputs.filter(({ text }) => text !== "-"), "change");
  if (named !== null && !rest.some(({ text }) => named.test(text))) return [];
  const folder = split(rest, { output: into }).outputs.at(-1);
  return operands.flatMap((word): Change[] => {
    const path = word.text.replace(/^\w+:\/\//, "").replace(/[?#].*$/s, "");
    const name = path.includes("/") ? path.slice(path.lastIndexOf("/") + 1) : "";
    if (word.isOpen || name === "") {
      return folder && /:\/\//.test(word.text) ? marked([folder], "fill") : [];
    }
    const file = { ...word, text: name };
    return marked([folder === undefined ? file : inFolder(folder, file)], "change");
  });
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
