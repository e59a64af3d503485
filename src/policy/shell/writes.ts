/** Finds the files that a shell command surely changes: by redirections, and by programs with that purpose. */
import type { HowToLook } from "../guards/types.ts";
import { changesOfCopy, type Copying } from "./copies.ts";
import { changesOfFind } from "./find_command.ts";
import { changesOfFormatter, type Formatter } from "./formatters.ts";
import { changesOfGit } from "./git_changes.ts";
import { writtenByCode } from "./interpreters.ts";
import { type Operands, split, type ValuedOptions } from "./operands.ts";
import { rowsByName } from "./rows.ts";
import { type Change, marked, type ShellCommand } from "./shell_command.ts";
import { type Argument, OPEN, placeOf, withText } from "./word.ts";
import ROWS from "./writers.json" with { type: "json" };

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
  const targets = (change: Change): Target[] => {
    const { effect, word: { found } } = change;
    if (found === undefined) return [target(change, name)];
    const isRecursive = name !== "find" && args.some(({ text }) => RECURSIVE.test(text));
    const otherwise = effect === "tamper" ? "maybe" : "no";
    const takesFolders = name === "mv" || isRecursive ? "yes" : otherwise;
    return found.roots.map((word) =>
      target({ ...change, word, search: found.searchFrom(word, { takesFolders }) }, name)
    );
  };
  const redirected = redirects.filter(({ operator, target: word }) =>
    WRITING_REDIRECTS.has(operator) && !isDevice(word) &&
    // `>&1` writes to another stream.
    !(operator === ">&" && /^(?:\d+|-)$/.test(word.text))
  );
  const changes = words.length === 0 ? [] : [...changesOf(command), ...patched];
  return [
    ...redirected.map(({ operator, target: word }) => target({ word, effect: "change" }, operator)),
    ...changes.filter(({ word }) => !isDevice(word)).flatMap(targets),
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

function isDevice({ text, isOpen }: Argument): boolean {
  return !isOpen && /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|zero)$/.test(text);
}

export function foldersMade({ program, args, folder }: ShellCommand): string[] {
  const made = program === "mkdir" ? split(args, { valued: "m" }).operands : [];
  return made.flatMap((word) => placeOf(word, folder) ?? []);
}

function changesOf(command: ShellCommand): readonly Change[] {
  const { program: name, args } = command;
  if (name === "git") return changesOfGit(command);
  const writer = WRITERS.find(name);
  return [
    ...marked(writtenByCode(command), "change"),
    ...(name === "find" ? changesOfFind(args) : []),
    ...(writer === undefined ? [] : changesOfWriter(writer, args)),
  ];
}

/** A program whose purpose is to change files. */
interface Writer extends ValuedOptions, Formatter {
  /**
   * Which operands it changes. `none`, `all`, `first`: these. `removed`, `tampered`: all of them are. `last`: the
   * destination. `moved`: the destination, and the sources go away. `formatted`: all, and what the program expands. `database`: the first operand, maybe an address. `unknown`: only the running program knows.
   */
  readonly operands: keyof typeof KINDS;
  /** Replace values of the row: the first mode whose option `with` is given, or that has none. No mode: no change. */
  readonly modes?: readonly (Partial<Writer> & { readonly with?: string })[];
  /** Whether its first word may be letters of options without a dash: `tar czf a.tgz b`. */
  readonly hasBareLetters?: boolean;
  /** The options that name a written file or a filled folder. The options in `named` also name written files. */
  readonly output?: string;
  /** Matches the verbs with which it changes something, each followed by a blank: `s3 cp `. */
  readonly begins?: RegExp;
  readonly skips?: RegExp;
  /** The option with which it unpacks each operand to a file without the ending; true if it always does. */
  readonly unpacks?: RegExp | true;
  /** How many operands stand before the files, such as the script of `sed`, unless an option replaces them. */
  readonly first?: { readonly count: number; readonly unless: RegExp };
  /** Matches the option that keeps a backup: `-i.bak`. The first group is the ending of the backup's name. */
  readonly keepsWith?: RegExp;
  /** The option with which it removes its operands. */
  readonly removesWith?: string;
  /** Matches a first operand with which it only adds permissions. */
  readonly onlyGives?: RegExp;
  /** The ending of the first written file, where the operand is only the beginning of file names. */
  readonly ending?: string;
  readonly onlyWith?: RegExp;
  readonly never?: RegExp;
  /** How it names a download: without an output option the address gives the name. */
  readonly loads?: { readonly named: RegExp | null; readonly into: string };
  /** How a program with a destination copies folders and their content. */
  readonly copies?: Copying;
  /** Whether it fills the folder that its output option names, or the folder in which it runs. */
  readonly fills?: boolean;
}

export const WRITERS = rowsByName<Writer>(ROWS);

/** Tells whether a command opens a database that it may change. @param args Its arguments. */
export function opensDatabase(program: string, args: readonly Argument[]): boolean {
  const writer = WRITERS.find(program);
  return writer?.operands === "database" && !onlyReads(split(args, writer));
}

function onlyReads({ operands: [database], options }: Operands): boolean {
  return options.some((text) => /^--?readonly$/.test(text)) ||
    /^file:[^?]*\?(?:mode=ro|immutable=1)$/.test(database?.text ?? "");
}

interface Call extends Operands {
  readonly rest: readonly Argument[];
  readonly outputs: readonly Argument[];
}

type Kind = (files: readonly Argument[], call: Call, writer: Writer) => Change[];

const copied: Kind = (operands, call, writer) => changesOfCopy(writer, { ...call, operands });

/** By kind of operands, the changes of the files among them. */
const KINDS = {
  none: (_, call, { loads }) => loads === undefined ? [] : loaded(loads, call),
  all: (files, _, writer) => marked(withEnding(files, writer), "change"),
  first: (files) => marked(files.slice(0, 1).map(withZip), "change"),
  removed: (files) => marked(files, "remove"),
  tampered: (files) => marked(files, "tamper"),
  formatted: (files, { options }, writer) => changesOfFormatter(writer, files, options),
  database: ([file], call) => file === undefined || onlyReads(call) ? [] : [opened(file)],
  unknown: () => marked([OPEN], "change"),
  last: copied,
  moved: copied,
} satisfies Readonly<Record<string, Kind>>;

function changesOfWriter(row: Writer, words: readonly Argument[]): Change[] {
  const rest = row.hasBareLetters ? withDashes(words, row) : words;
  const call = split(rest, row);
  const { operands, options, has, values } = call;
  const mode = row.modes?.find((mode) => mode.with === undefined || has(mode.with));
  if (row.modes !== undefined && mode === undefined) return [];
  const writer: Writer = mode === undefined ? row : { ...row, ...mode };
  const { onlyWith, never, first, skips, onlyGives, unpacks, keepsWith } = writer;
  const isGiven = (option: RegExp | undefined) => options.some((text) => option?.test(text));
  const hasWord = (word: RegExp) => rest.some(({ text }) => word.test(text));
  const verbs = verbsOf(writer, operands);
  if (verbs === null || isGiven(never)) return [];
  if (onlyGives?.test(operands[0]?.source ?? operands[0]?.text ?? "")) return [];
  const outputs = values(writer.output ?? "");
  const isOn = onlyWith === undefined || hasWord(onlyWith);
  if (writer.fills) return isOn ? filled(outputs) : [];
  const skipped = first && !hasWord(first.unless) ? first.count : 0;
  const files = operands.slice((verbs?.[0].split(" ").length ?? 1) - 1 + skipped)
    .filter(({ text }) => !skips?.test(text));
  const kind = KINDS[writer.operands];
  const isUnpacking = isOn && (unpacks === true || isGiven(unpacks));
  const [ending] = isOn ? options.flatMap((text) => keepsWith?.exec(text)?.[1] ?? []) : [];
  const backedUp = ending === undefined ? [] : files.filter(({ isOpen }) => !isOpen);
  return [
    ...(isOn ? kind(files, { ...call, rest, outputs }, writer) : []),
    ...marked(
      [
        ...(isUnpacking ? files.map(withoutEnding) : []),
        ...backedUp.map((word) => withText(word, word.text + ending)),
        ...(kind === copied ? [] : withEnding(outputs, writer)),
        ...(kind === KINDS.database ? [] : values(writer.named ?? "")),
      ].filter(({ text }) => text !== "-"),
      "change",
    ),
    ...marked(has(writer.removesWith ?? "") ? files : [], "remove"),
  ];
}

/** Matches the verbs that a row requires; null for other verbs, undefined where the row requires none. */
function verbsOf({ begins }: Writer, operands: readonly Argument[]) {
  return begins?.exec(operands.map(({ text }) => `${text} `).join(""));
}

/** Tells whether the table says which files a command changes. */
export function isExplained({ program, args }: Pick<ShellCommand, "program" | "args">): boolean {
  const row = WRITERS.find(program);
  return row !== undefined && verbsOf(row, split(args, row).operands) !== null;
}

function withEnding(words: readonly Argument[], { ending }: Writer): readonly Argument[] {
  return ending === undefined ? words : words.map((word) => withText(word, word.text + ending));
}

/** Returns the change of a database, whose file may be given as an address. */
function opened(file: Argument): Change {
  const path = file.text.replace(/^file:(?:\/\/(?:localhost)?(?=\/))?([^?]*).*$/s, "$1");
  return { word: withText(file, path), effect: "tamper" };
}

/** Returns the unpacked name: `a.tar` for `a.tgz`, `yarn.lock` for `yarn.lock.gz`. */
function withoutEnding(word: Argument): Argument {
  const text = word.text.replace(
    /\.(?:t(gz|bz2?|xz|zst)|gz|bz2|xz|zst|lzma|Z)$/,
    (_, tarred) => tarred === undefined ? "" : ".tar",
  );
  return { ...word, text };
}

function withZip(archive: Argument): Argument {
  const isWhole = archive.isOpen || archive.text === "-" || /\.\w+$/.test(archive.text);
  return isWhole ? archive : withText(archive, `${archive.text}.zip`);
}

/** Returns the files that a download makes without an output option: the last part of each address. */
function loaded(
  { named, into }: NonNullable<Writer["loads"]>,
  { rest, operands, outputs, values }: Call,
): Change[] {
  if (outputs.length > 0) return [];
  if (named !== null && !rest.some(({ text }) => named.test(text))) return [];
  const folder = values(into).at(-1);
  return operands.flatMap((word): Change[] => {
    const path = word.text.replace(/^\w+:\/\//, "").replace(/[?#].*$/s, "");
    const name = /\/([^/]+)$/.exec(path)?.[1];
    if (word.isOpen || name === undefined) {
      return folder && /:\/\//.test(word.text) ? marked([folder], "fill") : [];
    }
    const file = folder === undefined
      ? withText(word, name)
      : { ...word, text: `${folder.text}/${name}`, isOpen: folder.isOpen };
    return marked([file], "change");
  });
}

/** Returns the changes of unpacking: files of any name in the folder, or where the program runs. */
function filled(folders: readonly Argument[]): Change[] {
  const [folder] = folders.slice(-1);
  if (folder === undefined) return marked([OPEN], "change");
  return [{ word: folder, effect: "fill" }, { word: OPEN, effect: "change", within: folder }];
}

/** Rewrites `czf a.tgz` to `-c -z -f a.tgz`. */
function withDashes(words: readonly Argument[], { valued = "" }: Writer): readonly Argument[] {
  const [first, ...left] = words;
  if (first === undefined || !/^[a-zA-Z]+$/.test(first.text)) return words;
  const options = [...first.text].flatMap((letter) => [
    withText(first, `-${letter}`),
    ...(valued.includes(letter) ? left.splice(0, 1) : []),
  ]);
  return [...options, ...left];
}
