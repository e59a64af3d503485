/** What copying and moving change: the destination, what arises in it, and sources that go away. */
import { type Change, marked, placesIn, SOMEWHERE } from "./shell_command.ts";
import type { Operands } from "./operands.ts";
import { type Argument, withText } from "./word.ts";
import type { Writer } from "./writers.ts";

/** Tells what happens to the destination of a copy, and to sources that are moved. */
export function changesOfCopy(
  { operands: kind, copies }: Pick<Writer, "operands" | "copies">,
  { operands, outputs, options }: Operands,
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
  // Of what lies elsewhere only the name tells whether it is a folder.
  const [first] = sources;
  const isFolderThere = first !== undefined && isRemote(first) &&
    (isRecursive || !/\.\w+$/.test(first.text));
  // Where no folder is there, one becomes the copy.
  const made = isRecursive && copies?.makes === "copy" ? named.filter(isPlain) : [];
  const isHeld = ({ from }: Change) =>
    copies?.makes === "holder" && from !== undefined && isPlain(from);
  const leavesSome = has(copies?.leaves);
  const changes = to.flatMap((word): Change[] => {
    const filled = (from: Argument): Change => ({ word, effect: "fill", from });
    return [
      {
        word: isFolderThere ? withText(word, `${word.text}/`) : word,
        effect: "change",
        from: first!,
      },
      ...placesIn(word, sources),
      ...(isRecursive ? placesIn(word, named, "fill") : [])
        .map((place) => ({ ...place, ifInFolder: !isHeld(place) })),
      ...contents.map((from) => ({ ...filled(from), isContents: true })),
      ...made.map((from) => ({ ...filled(from), ifNoFolder: true })),
      ...(isVague ? marked([word], "fill") : []),
      ...(isVague ? [{ word: SOMEWHERE, effect: "change", within: word } as const] : []),
    ];
  });
  return [
    ...changes.map((change) => ({ ...change, leavesSome })),
    ...marked(
      isMoved || has(copies?.moves) ? sources.filter((word) => !isRemote(word)) : [],
      "remove",
    ),
  ];
}
