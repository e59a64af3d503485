/** The folder that an option leads a command to, so that `make -C web` is known as `cd web && make`. */
import { MANAGERS, nameOf, withoutLaunchers } from "./launchers.ts";

interface FolderOption {
  /** The programs. */
  readonly of: RegExp;
  readonly option: RegExp;
}

const OPTIONS: readonly FolderOption[] = [
  { of: /^(?:g?make|ninja)$/, option: /^(?:-C|--directory)$/ },
  { of: /^npm$/, option: /^(?:-C|--prefix)$/ },
  { of: /^pnpm$/, option: /^(?:-C|--dir)$/ },
  { of: /^(?:yarn|bun)$/, option: /^--cwd$/ },
  { of: /^go$/, option: /^-C$/ },
  { of: /^(?:vue-)?tsc$/, option: /^(?:-p|--project)$/ },
];
/** What a compiler takes where it is given a folder alone. */
const CONFIG = /(?:^|\/)tsconfig\.json$/;

/** A command with the folder that it was told to go to; the empty text where it was told of none. */
export interface PlacedWords {
  readonly folder: string;
  /** Without that option. */
  readonly words: readonly string[];
}

/** Reads the folder that a command is told to go to, where it is one. */
export function inToldFolder(words: readonly string[]): PlacedWords {
  const own = placed(words);
  return own.folder === "" ? placed(withoutLaunchers(words)) : own;
}

function placed(words: readonly string[]): PlacedWords {
  const none = { folder: "", words };
  const name = nameOf(words[0] ?? "");
  const row = OPTIONS.find(({ of }) => of.test(name));
  if (row === undefined) return none;
  const end = endOfOwn(name, words);
  for (let at = 1; at < end; at++) {
    const word = words[at]!;
    const equals = word.indexOf("=");
    const option = equals < 0 ? word : word.slice(0, equals);
    if (!row.option.test(option)) continue;
    const value = equals < 0 ? words[at + 1] ?? "" : word.slice(equals + 1);
    const folder = value.replace(CONFIG, "");
    if (/\.json$/.test(folder)) return none;
    return { folder, words: words.toSpliced(at, equals < 0 ? 2 : 1) };
  }
  return none;
}

/** Behind the script's name options are the script's own, but for npm. */
function endOfOwn(name: string, words: readonly string[]): number {
  const dashes = words.indexOf("--");
  const end = dashes < 0 ? words.length : dashes;
  if (name === "npm" || !MANAGERS.has(name)) return end;
  const script = words.findIndex((word, at) =>
    at > 0 && !word.startsWith("-") && !/^(?:run|run-script)$/.test(word) &&
    !/^(?:-C|--dir|--cwd)$/.test(words[at - 1]!)
  );
  return script < 0 ? end : Math.min(end, script);
}
