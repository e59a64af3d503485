/** Finds the changes of a program that copies or moves files, folders or the contents of folders. */
import type { Operands } from "./operands.ts";
import { type Change, marked } from "./shell_command.ts";
import { type Argument, OPEN, withText } from "./word.ts";

export interface Copying {
  readonly recursive?: RegExp;
  /** Matches a source folder whose content is copied instead of the folder itself. */
  readonly contents: RegExp;
  /** The option with which the copy takes the place of an existing folder, instead of lying in it. */
  readonly onto?: RegExp;
  /** Whether a missing destination becomes a new folder in which the copy lies, instead of the copy itself. */
  readonly isHeld?: boolean;
  readonly leaves?: RegExp;
  readonly clears?: RegExp;
  readonly moves?: RegExp;
  /** A source or destination on another machine. */
  readonly remote?: RegExp;
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
  const isWhole = isMoved || has(copies?.recursive);
  const isOnto = isWhole && has(copies?.onto);
  const isRemote = ({ text }: Argument) => copies?.remote?.test(text) ?? false;
  const isPlain = (word: Argument) => !word.isOpen && !word.isGlob && !isRemote(word);
  const isEmptied = ({ text }: Argument) => isOnto || (copies?.contents.test(text) ?? false);
  const isContents = (word: Argument) => isWhole && isPlain(word) && isEmptied(word);
  const sources = outputs.length > 0 ? operands : operands.slice(0, -1);
  const destinations = (outputs.length > 0 ? outputs : operands.slice(1).slice(-1))
    .filter((word) => !isRemote(word) && word.text !== "-");
  const isVague = has(copies?.clears) ||
    sources.some((word) =>
      !isContents(word) && (word.isOpen || isEmptied(word) || (word.isGlob && isRemote(word)))
    );
  // Only the name of a source on another machine tells whether it is a folder.
  const [first] = sources;
  const isFolderThere = first !== undefined && isRemote(first) &&
    (isWhole || !/\.\w+$/.test(first.text));
  const leavesSome = has(copies?.leaves);
  const changes = destinations.flatMap((word): Change[] => [
    ...sources.map((from): Change => ({
      word: isFolderThere ? withText(word, `${word.text}/`) : word,
      effect: "change",
      copied: {
        from,
        isWhole,
        leavesSome,
        isRemote: isRemote(from),
        lands: isContents(from) ? "as" : copies?.isHeld && isPlain(from) ? "in" : "either",
      },
    })),
    ...isVague
      ? [...marked([word], "fill"), { word: OPEN, effect: "change", within: word } as const]
      : [],
  ]);
  const removed = isMoved || has(copies?.moves) ? sources.filter((word) => !isRemote(word)) : [];
  return [...changes, ...marked(removed, "remove")];
}
