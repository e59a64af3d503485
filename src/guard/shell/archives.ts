/** Packing and unpacking: which file becomes the archive, and which folder is filled from one. */
import { type Change, marked, SOMEWHERE } from "./changes.ts";
import { split } from "./operands.ts";
import type { Argument } from "./word.ts";

const TAR_LETTERS = { valued: "fCTXbIHgKNV" };
const TAR_LONG =
  /^--(?:file|directory|files-from|exclude-from|exclude|use-compress-program|transform|owner|group|mode|mtime)$/;

/** What `tar`, `zip`, `unzip`, `7z` and `cpio` change; undefined for any other program. */
export function changesOfArchive(name: string, rest: readonly Argument[]): Change[] | undefined {
  switch (name) {
    case "tar":
    case "gtar":
    case "bsdtar":
      return changesOfTar(rest);
    case "zip":
      return changesOfZip(rest);
    case "unzip": {
      if (rest.some(({ text }) => /^-[a-zA-Z]*[lptvZ]/.test(text))) return [];
      return filled(split(rest, { valued: "xP", output: { letter: "d" } }).outputs);
    }
    case "cpio": {
      if (!rest.some(({ text }) => /^-[a-zA-Z]*[ip]|^--(?:extract|pass-through)$/.test(text))) {
        return [];
      }
      return filled(split(rest, { output: { letter: "D", long: "--directory" } }).outputs);
    }
    case "7z":
    case "7za":
      return changesOf7z(rest);
    default:
      return undefined;
  }
}

function changesOfTar([first, ...others]: readonly Argument[]): Change[] {
  if (first === undefined) return [];
  // `tar czf a.tgz b`: the letters need no dash, and take their values in a row.
  const isBare = /^[a-zA-Z]+$/.test(first.text);
  const rest = isBare ? inRow(first, others) : [first, ...others];
  const options = (letter: string, long: string) =>
    split(rest, { ...TAR_LETTERS, valuedLong: TAR_LONG, output: { letter, long } });
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

/** The letters of an old-style bundle as options of their own, each with the value that it takes. */
function inRow(letters: Argument, others: readonly Argument[]): Argument[] {
  const left = [...others];
  const options = [...letters.text].flatMap((letter) => {
    const option = { ...letters, text: `-${letter}` };
    return TAR_LETTERS.valued.includes(letter) ? [option, ...left.splice(0, 1)] : [option];
  });
  return [...options, ...left];
}

function changesOfZip(rest: readonly Argument[]): Change[] {
  if (rest.some(({ text }) => /^(?:-l|-sf|-h2?|-v|-T|--(?:show-files|help|version))$/.test(text))) {
    return [];
  }
  const { operands: [archive], options } = split(rest, {
    valued: "bnPstx",
    valuedLong: /^--(?:exclude|include|password|temp-path|suffixes)$/,
  });
  if (archive === undefined || archive.text === "-") return [];
  const moved = options.some((text) => /^-[a-zA-Z]*m/.test(text));
  const text = /\.\w+$/.test(archive.text) || archive.isOpen ? archive.text : `${archive.text}.zip`;
  return [
    { word: { ...archive, text }, effect: "change" },
    ...(moved ? marked([SOMEWHERE], "remove") : []),
  ];
}

/** `7z a ARCHIVE FILES`, `7z x ARCHIVE -oFOLDER`. */
function changesOf7z([verb, ...rest]: readonly Argument[]): Change[] {
  const { operands: [archive], outputs } = split(rest, { output: { letter: "o" } });
  if (/^[xe]$/.test(verb?.text ?? "")) return filled(outputs);
  return /^[adu]$/.test(verb?.text ?? "") && archive ? marked([archive], "change") : [];
}

/** What is unpacked into a folder has any name; without one it is the folder where it runs. */
function filled(folders: readonly Argument[]): Change[] {
  const [folder] = folders.slice(-1);
  if (folder === undefined) return marked([SOMEWHERE], "change");
  return [{ word: folder, effect: "fill" }, { word: SOMEWHERE, effect: "change", within: folder }];
}
