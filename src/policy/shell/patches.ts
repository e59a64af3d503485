/** The files that `patch`, `git apply` and `git am` change, by the patches that they read. */
import { type Change, marked, type ShellCommand } from "./shell_command.ts";
import { programName, split, withoutGitOptions } from "./operands.ts";
import { type Argument, literal, OPEN, placeOf } from "./word.ts";
import { WRITERS } from "./writers.ts";

const NOTHING = "/dev/null";

export interface PatchGround {
  /** The text of a file; null when it is unknown. */
  readonly textOf: (file: Argument, folder: string | null) => string | null;
  readonly topOf: (folder: string) => string;
}

interface PatchCall {
  /** The patches; null for the standard input. */
  readonly files: readonly (Argument | null)[];
  /** The folder that `-C` or `-d` names. */
  readonly goesTo: Argument | undefined;
  /** The folder that stands before each name. */
  readonly prefix: Argument | undefined;
  /** How many folders are taken off each name; null keeps only its last part. */
  readonly strip: number | null;
  readonly isReversed: boolean;
  /** Git's own kind of patch names files from the top of the repository; `git am` takes no other kind. */
  readonly ofGit: "apply" | "am" | null;
}

export function changesOfPatches(
  { words: [program, ...rest], redirects, input, folder }: Pick<
    ShellCommand,
    "words" | "redirects" | "input" | "folder"
  >,
  ground: PatchGround,
): Change[] {
  const call = callOf(programName(program?.text ?? ""), rest);
  if (call === null) return [];
  const { goesTo, prefix = literal("."), ofGit } = call;
  const at = goesTo === undefined ? folder : placeOf(goesTo, folder);
  const read = redirects.findLast(({ operator }) => operator === "<")?.target;
  return call.files.flatMap((file) => {
    const text = file !== null
      ? ground.textOf(file, at)
      : input ?? (read === undefined ? null : ground.textOf(read, folder));
    const names = text === null || at === null || prefix.isOpen ? null : namesIn(text, call);
    if (names === null || names.length === 0) return marked([OPEN], "change");
    const isFromTop = ofGit === "am" || (ofGit === "apply" && /^diff --git /m.test(text!));
    const base = placeOf(prefix, isFromTop ? ground.topOf(at!) : at);
    return names.map(({ name, effect }): Change => ({
      word: literal(`${base}/${name}`),
      effect,
    }));
  });
}

function callOf(name: string, rest: readonly Argument[]): PatchCall | null {
  return name === "git" ? callOfGit(rest) : name === "patch" ? callOfPatch(rest) : null;
}

function callOfGit(rest: readonly Argument[]): PatchCall | null {
  const { words: [verb, ...after], folder } = withoutGitOptions(rest);
  if (verb?.text !== "apply" && verb?.text !== "am") return null;
  const has = (pattern: RegExp) => after.some(({ text }) => pattern.test(text));
  const onlyLooks = has(/^--(?:check|stat|numstat|summary)$/) && !has(/^--apply$/);
  if (onlyLooks || has(/^--(?:abort|quit)$/)) return null;
  const valuedLong = "include exclude whitespace patch-format build-fake-ancestor";
  const { operands, outputs: folders } = split(after, {
    valued: "pC",
    valuedLong,
    output: { long: "--directory" },
  });
  return {
    files: operands.length === 0 ? [null] : operands.map(fileOrInput),
    goesTo: folder ?? undefined,
    prefix: folders.at(-1),
    strip: stripOf(split(after, { output: { letter: "p" } }).outputs) ?? 1,
    isReversed: has(/^(?:-[a-zA-Z]*R|--reverse$)/),
    ofGit: verb.text,
  };
}

/** A call of `patch`; null for `patch FILE`, which names the file that it changes (see `writers.ts`). */
function callOfPatch(rest: readonly Argument[]): PatchCall | null {
  const { never, ...writer } = WRITERS.find("patch")!;
  const outputs = (letter: string, long: string) =>
    split(rest, { ...writer, output: { letter, long } }).outputs;
  const { operands, options } = split(rest, writer);
  if (operands.length > 0 || options.some((text) => never!.test(text))) return null;
  const files = outputs("i", "--input").slice(-1).map(fileOrInput);
  return {
    files: files.length === 0 ? [null] : files,
    goesTo: outputs("d", "--directory").at(-1),
    prefix: undefined,
    strip: stripOf(outputs("p", "--strip")),
    isReversed: options.some((text) => /^(?:-[a-zA-Z]*R|--reverse$)/.test(text)),
    ofGit: null,
  };
}

function fileOrInput(word: Argument): Argument | null {
  return word.text === "-" && !word.isOpen ? null : word;
}

function stripOf(given: readonly Argument[]): number | null {
  const text = given.at(-1)?.text ?? "";
  return /^\d+$/.test(text) ? Number(text) : null;
}

interface PatchedFile {
  readonly name: string;
  readonly effect: "change" | "remove";
}

const PAIR = /^--- ([^\t\r\n]+).*\r?\n\+\+\+ ([^\t\r\n]+)/gm;
const RENAMED = /^(?:rename (?:from|to)|copy to) (.+)/gm;

/** The files that a patch names; null where a name cannot be read. */
function namesIn(
  patch: string,
  { strip, isReversed }: Pick<PatchCall, "strip" | "isReversed">,
): PatchedFile[] | null {
  const found = new Map<string, PatchedFile["effect"]>();
  const add = (given: string, off: number | null, effect: PatchedFile["effect"]) => {
    const name = given.trim();
    const kept = name.split("/").slice(off ?? -1).join("/");
    if (name !== NOTHING && kept !== "") found.set(kept, effect);
  };
  for (const part of patch.split(/^(?=diff --git )/m)) {
    const pairs = [...part.matchAll(PAIR)];
    const renamed = [...part.matchAll(RENAMED)];
    // A part without names changes a mode, is binary, or has a name in quotes.
    const isPlain = pairs.length + renamed.length > 0 || !part.startsWith("diff --git ");
    if (!isPlain || [...pairs, ...renamed].some((names) => /"/.test(names.join("")))) return null;
    // These names lack the folder that `-p1` takes off.
    for (const [, name] of renamed) {
      add(name!, strip === null ? null : Math.max(strip - 1, 0), "change");
    }
    for (const [, before, after] of pairs) {
      const [old, now] = isReversed ? [after!, before!] : [before!, after!];
      add(old, strip, now.trim() === NOTHING ? "remove" : "change");
      add(now, strip, "change");
    }
  }
  return Array.from(found, ([name, effect]) => ({ name, effect }));
}
