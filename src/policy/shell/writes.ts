/** Finds which files a shell command changes for sure: by redirections, and by programs whose purpose it is. */
import {
  type Change,
  changesOfCopy,
  changesOfDatabase,
  DATABASE_PROGRAMS,
  marked,
  type ShellCommand,
} from "./shell_command.ts";
import type { HowToLook } from "../guards/types.ts";
import { changesOfFind } from "./find_command.ts";
import { changesOfGit } from "./git_changes.ts";
import { programName, split } from "./operands.ts";
import { type Argument, OPEN, placeOf, withText } from "./word.ts";
import { writtenByAwk, writtenBySed } from "./interpreters.ts";
import { type Writer, WRITERS } from "./writers.ts";
import { baseName, parentOf } from "../../base/paths.ts";
import { readWildcard } from "./wildcard.ts";

export interface Target extends HowToLook {
  /** Absolute, links not followed; null when only the running shell knows it. */
  readonly path: string | null;
  readonly by: string;
  /** The folder of an unknown file, absolute; null when that is unknown as well. */
  readonly within: string | null;
}

/** Options that make a program work on everything in a folder. */
const RECURSIVE = /^(?:-[a-zA-Z]*[rR]|--recursive$)/;

const WRITING_REDIRECTS = new Set([">", ">>", ">|", "&>", "&>>", "<>", ">&"]);

/** The files that one command changes. The commands that it starts are asked for themselves. */
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
    const isRecursive = name !== "find" && rest.some(({ text }) => RECURSIVE.test(text));
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

export function foldersMade({ words: [program, ...rest], folder }: ShellCommand): string[] {
  if (program === undefined || programName(program.text) !== "mkdir") return [];
  return split(rest, { valued: "m" }).operands.flatMap((word) => placeOf(word, folder) ?? []);
}

/** Whether the tables say which files a program changes. */
export function isWriter(name: string): boolean {
  return WRITERS.has(ownName(name)) || DATABASE_PROGRAMS.has(name) ||
    /^(?:g|bsd)?tar$/.test(name) ||
    name === "dd";
}

/** `sed` of `gsed`, `awk` of `mawk`. */
function ownName(name: string): string {
  return name.replace(/^[gmn](?=awk$)|^g(?=sed$|cp$|mv$|rm$)/, "");
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
  if (/^(?:g|bsd)?tar$/.test(name)) return changesOfTar(rest);
  if (DATABASE_PROGRAMS.has(name)) return changesOfDatabase(rest);
  const own = ownName(name);
  const writer = WRITERS.find(own);
  const inScript = own === "sed" ? writtenBySed(rest) : own === "awk" ? writtenByAwk(rest) : [];
  return [
    ...marked(inScript, "change"),
    ...(name === "find" ? changesOfFind(rest) : []),
    ...(writer === undefined ? [] : changesOfWriter(writer, rest)),
    ...patched,
  ];
}

/** The values of these options, as words of their own or after `=`. */
function valuesOf(options: string, rest: readonly Argument[]): Argument[] {
  const names = options.split(" ");
  return options === "" ? [] : rest.flatMap((word, i) => {
    if (i > 0 && names.includes(rest[i - 1]!.text)) return [word];
    const at = word.text.indexOf("=");
    return at > 0 && names.includes(word.text.slice(0, at))
      ? [{ ...word, text: word.text.slice(at + 1) }]
      : [];
  });
}

function changesOfWriter(writer: Writer, rest: readonly Argument[]): Change[] {
  const { onlyWith, never, first, begins, skips, unpacks, onlyGives, fills } = writer;
  const { operands, outputs, options } = split(rest, writer);
  if (never !== undefined && options.some((option) => never.test(option))) return [];
  if (onlyGives?.test(operands[0]?.source ?? operands[0]?.text ?? "")) return [];
  const verbs = begins?.exec(operands.map(({ text }) => `${text} `).join(""));
  if (verbs === null) return [];
  const whole = (words: readonly Argument[]) =>
    words.map((word) => writer.ending ? withText(word, word.text + writer.ending) : word);
  const isOn = onlyWith === undefined || rest.some(({ text }) => onlyWith.test(text));
  if (fills) return isOn ? filled(outputs) : [];
  const written = marked(
    [...whole(outputs), ...valuesOf(writer.named ?? "", rest)].filter(({ text }) => text !== "-"),
    "change",
  );
  if (!isOn) return written;
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
        : [...written, ...loaded(writer.loads, { rest, operands, outputs })];
    case "all":
      return [...marked([...whole(named), ...kept], "change"), ...written];
    case "first":
      return marked(named.slice(0, 1).map(withZip), "change");
    case "unknown":
      return marked([OPEN], "change");
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

/** The files that a download makes: those that options name, else the last part of each address. */
function loaded(
  { named, into }: NonNullable<Writer["loads"]>,
  { rest, operands, outputs }: {
    readonly rest: readonly Argument[];
    readonly operands: readonly Argument[];
    readonly outputs: readonly Argument[];
  },
): Change[] {
  if (outputs.length > 0) return [];
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

function withZip(archive: Argument): Argument {
  const isWhole = archive.isOpen || archive.text === "-" || /\.\w+$/.test(archive.text);
  return isWhole ? archive : { ...archive, text: `${archive.text}.zip` };
}

const TAR = {
  valued: "fCTXbIHgKNV",
  valuedLong:
    "file directory files-from exclude-from exclude use-compress-program transform owner group mode mtime",
};

function changesOfTar([first, ...others]: readonly Argument[]): Change[] {
  if (first === undefined) return [];
  // `tar czf a.tgz b`: the letters need no dash, and their values follow in the same order.
  const isBare = /^[a-zA-Z]+$/.test(first.text);
  const rest = isBare ? inRow(first, others) : [first, ...others];
  const options = (letter: string, long: string) =>
    split(rest, { ...TAR, output: { letter, long } });
  const { options: given, operands, outputs: archives } = options("f", "--file");
  const has = (letters: string, long: RegExp) =>
    given.some((text) => new RegExp(`^-[a-zA-Z]*[${letters}]`).test(text) || long.test(text));
  if (has("x", /^--(?:extract|get)$/)) {
    const toOutput = has("O", /^--to-stdout$/);
    return toOutput ? [] : filled(options("C", "--directory").outputs);
  }
  if (!has("cruA", /^--(?:create|append|update|delete|concatenate)$/)) return [];
  const removed = given.includes("--remove-files") ? marked(operands, "remove") : [];
  return [...marked(archives.filter(({ text }) => text !== "-"), "change"), ...removed];
}

/** `czf a.tgz` as `-c -z -f a.tgz`. */
function inRow(letters: Argument, others: readonly Argument[]): Argument[] {
  const left = [...others];
  const options = [...letters.text].flatMap((letter) => {
    const option = { ...letters, text: `-${letter}` };
    return TAR.valued.includes(letter) ? [option, ...left.splice(0, 1)] : [option];
  });
  return [...options, ...left];
}

/** Unpacked files may have any name. Without a folder they lie where the program runs. */
function filled(folders: readonly Argument[]): Change[] {
  const [folder] = folders.slice(-1);
  if (folder === undefined) return marked([OPEN], "change");
  return [{ word: folder, effect: "fill" }, { word: OPEN, effect: "change", within: folder }];
}

/** The files that a formatter changes. If it leaves some out, only the running program knows which. */
function changesOfFormatter(
  named: readonly Argument[],
  rest: readonly Argument[],
  { excluding, takes }: Pick<Writer, "excluding" | "takes">,
): Change[] {
  const isNegated = ({ text }: Argument) => /^!./.test(text);
  const leavesSome = named.some(isNegated) ||
    rest.some(({ text }) => excluding?.test(text.replace(/=.*$/s, "")));
  return named.filter((word) => !isNegated(word) && word.text !== "-")
    .flatMap((word) => formatted(word, { takes, leavesSome }));
}

interface Told {
  readonly takes: RegExp | undefined;
  readonly leavesSome: boolean;
}

function formatted(word: Argument, told: Told): Change[] {
  const { text, isOpen, isGlob } = word;
  if (isOpen || (isGlob && !told.leavesSome)) return marked([word], "change");
  const asShell = text.replaceAll("**", "*");
  if (isGlob) return [searched(word, told, { like: asShell, sure: asShell })];
  if (/[*?[{]/.test(text)) {
    // The files directly in the folder are sure to be meant, those below it are not.
    const near = text.replaceAll("**/", "");
    const isPlain = !/[{(]/.test(text) && !/[*?[]/.test(parentOf(near));
    return [searched(word, told, { like: text, sure: isPlain ? near : null })];
  }
  const folder = text.replace(/\/+$/, "") || "/";
  const name = baseName(folder);
  if (/^\.+$/.test(name) || folder === "/") {
    return [searched(word, told, { like: `${folder}/**`, sure: null })];
  }
  // A name without an ending is a folder.
  if (!name.slice(1).includes(".") || folder !== text) {
    const inside = searched(word, told, { like: `${folder}/**`, sure: `${folder}/*` });
    return [...marked([word], "change"), inside];
  }
  return marked([word], "change");
}

/** The files that the pattern `like` means. Those that `sure` matches are sure to be meant. */
function searched(
  word: Argument,
  { takes, leavesSome }: Told,
  { like, sure }: { readonly like: string; readonly sure: string | null },
): Change {
  const [head] = /^(?:[^*?[{(]*\/)?/.exec(like)!;
  const isMeant = matcherOf(like.slice(head.length));
  const isSure = sure === null || leavesSome ? () => false : matcherOf(sure.slice(head.length));
  return {
    // With the slash at its end, a link means the folder that it leads to.
    word: { ...withText(word, head || "./"), isGlob: false },
    effect: "change",
    search: {
      takesFolders: "no",
      entersNamed: true,
      judge: ({ path }) => {
        const isAsked = path !== "" && isMeant(path) && (takes?.test(path) ?? true);
        return { isMeant: !isAsked ? "no" : isSure(path) ? "yes" : "maybe", goesOn: true };
      },
    },
  };
}

/** Whether a pattern means a path. A pattern with groups may mean more files here than it does. */
function matcherOf(pattern: string): (path: string) => boolean {
  const all = alternatives(pattern).map((one) => {
    const plain = one.replace(/.?[({].*$/s, "**");
    const matches = readWildcard(plain.replaceAll("**/", "*"));
    const depth = plain.includes("**") ? null : plain.split("/").length;
    return (path: string) =>
      (depth === null || path.split("/").length === depth) && (matches?.(path) ?? true);
  });
  return (path) => all.some((matches) => matches(path));
}

/** `*.ts` and `*.tsx` of `*.{ts,tsx}`. */
function alternatives(pattern: string): string[] {
  const [all, before, choices, after] = /^([^{}]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern) ?? [];
  return all === undefined
    ? [pattern]
    : choices!.split(",").flatMap((choice) => alternatives(before + choice + after));
}
