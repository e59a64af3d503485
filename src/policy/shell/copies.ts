/** What a program changes that copies or moves files, folders, or all that a folder holds. */
import type { Operands } from "./operands.ts";
import { type Change, marked } from "./shell_command.ts";
import { type Argument, OPEN, withText } from "./word.ts";

export interface Copying {
  readonly recursive?: RegExp;
  /** Matches a source whose content is copied, and not the source itself. */
  readonly contents: RegExp;
  /** The option with which the copy replaces an existing folder, instead of lying in it. */
  readonly onto?: RegExp;
  /** If the destination does not exist: the copy gets its name, or lies in a new folder of that name. */
  readonly makes?: "copy" | "holder";
  readonly leaves?: RegExp;
  readonly clears?: RegExp;
  readonly moves?: RegExp;
  /** A source or destination on another machine. */
  readonly remote?: RegExp;
}

/** If the destination is a folder, the file in it has the source's name. */
function placesIn(
  folder: Argument,
  sources: readonly Argument[],
  effect: "change" | "fill" = "change",
): Change[] {
  return sources.filter(({ isOpen }) => !isOpen).flatMap((from): Change[] => {
    if (from.isGlob) return [{ word: folder, effect, ifInFolder: true, namedLike: from }];
    const name = from.text.replace(/\/+$/, "").replace(/^.*[/:]/s, "");
    const word = withText(folder, `${folder.text}/${name}`);
    return /^\.{0,2}$/.test(name) ? [] : [{ word, effect, ifInFolder: true, from }];
  });
}

export function changesOfCopy(
  { operands: kind, copies }: { readonly operands: string; readonly copies?: Copying },
  { operands, outputs, options }: Pick<Operands, "operands" | "options"> & {
    /** The destination, where an option names it. */
    readonly outputs: readonly Argument[];
  },
): Change[] {
  const has = (option: RegExp | undefined) => options.some((text) => option?.test(text));
  const isMoved = kind === "moved";
  const isRecursive = isMoved || has(copies?.recursive);
  const isOnto = isRecursive && has(copies?.onto);
  const isRemote = ({ text }: Argument) => copies?.remote?.test(text) ?? false;
  const isPlain = (word: Argument) => !word.isOpen && !word.isGlob && !isRemote(word);
  const isEmptied = ({ text }: Argument) => isOnto || (copies?.contents.test(text) ?? false);
  const isContents = (word: Argument) => isRecursive && isPlain(word) && isEmptied(word);
  const sources = outputs.length > 0 ? operands : operands.slice(0, -1);
  const to = (outputs.length > 0 ? outputs : operands.slice(1).slice(-1))
    .filter((word) => !isRemote(word) && word.text !== "-");
  const contents = sources.filter(isContents);
  const named = sources.filter((word) => !isContents(word));
  const isVague = has(copies?.clears) || named.some((word) => word.isOpen || isEmptied(word));
  // Of a source on another machine only the name tells whether it is a folder.
  const [first] = sources;
  const isFolderThere = first !== undefined && isRemote(first) &&
    (isRecursive || !/\.\w+$/.test(first.text));
  // If the destination does not exist, the copy of the folder gets its name.
  const made = isRecursive && copies?.makes === "copy" ? named.filter(isPlain) : [];
  const isHeld = ({ from }: Change) =>
    copies?.makes === "holder" && from !== undefined && isPlain(from);
  const leavesSome = has(copies?.leaves);
  const changes = to.flatMap((word): Change[] => {
    const filled = (from: Argument): Change => ({ word, effect: "fill", from });
    const place = isFolderThere ? withText(word, `${word.text}/`) : word;
    return [
      { word: place, effect: "change", from: first! },
      ...placesIn(word, sources),
      ...(isRecursive ? placesIn(word, named, "fill") : [])
        .map((place) => ({ ...place, ifInFolder: !isHeld(place) })),
      ...contents.map((from) => ({ ...filled(from), isContents: true })),
      ...made.map((from) => ({ ...filled(from), ifNoFolder: true })),
      ...(isVague ? marked([word], "fill") : []),
      ...(isVague ? [{ word: OPEN, effect: "change", within: word } as const] : []),
    ];
  });
  const gone = isMoved || has(copies?.moves) ? sources.filter((word) => !isRemote(word)) : [];
  return [...changes.map((change) => ({ ...change, leavesSome })), ...marked(gone, "remove")];
}
