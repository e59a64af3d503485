/** What becomes of files, and which ones `git`, `find` and programs of databases change. */
import type { Effect } from "../files.ts";
import { withoutGitOptions } from "./git_options.ts";
import { type OptionName, split } from "./operands.ts";
import { changesOfPatch } from "./patches.ts";
import type { Argument } from "./word.ts";

/** A file, and what becomes of it. */
export interface Change {
  readonly word: Argument;
  readonly effect: Effect;
  /** True when it is so only where the file would lie in a folder: `cp a b` makes `b/a` if `b` is one. */
  readonly ifInFolder?: boolean;
  /** What is copied there: the copy of a folder is a folder. */
  readonly from?: Argument;
  /** The word is a folder; meant are files in it, named like those that this pattern stands for. */
  readonly namedLike?: Argument;
  /** Of a file that nobody knows: the folder in which it lies. */
  readonly within?: Argument;
}

/** A file of which only the running program knows the name. */
export const SOMEWHERE: Argument = { text: "", isOpen: true, isGlob: false };

/** The same effect on each of them. */
export function marked(words: readonly Argument[], effect: Effect): Change[] {
  return words.map((word) => ({ word, effect }));
}

/** A destination may be a folder: then the file in it has the source's name. */
export function placesIn(
  folder: Argument,
  sources: readonly Argument[],
  effect: "change" | "fill" = "change",
): Change[] {
  return sources.filter(({ isOpen }) => !isOpen).flatMap((from): Change[] => {
    if (from.isGlob) return [{ word: folder, effect, ifInFolder: true, namedLike: from }];
    const name = from.text.replace(/\/+$/, "").replace(/^.*[/:]/s, "");
    const word = { ...folder, text: `${folder.text}/${name}` };
    return /^\.{0,2}$/.test(name) ? [] : [{ word, effect, ifInFolder: true, from }];
  });
}

/** So many folders deep, files that `find` would delete are looked for by their names. */
const FIND_DEPTH = 4;

/** `find DIR -delete` takes all of a folder away, with `-name` what is called so. */
export function changesOfFind(rest: readonly Argument[]): Change[] {
  const end = rest.findIndex(({ text }) => text.startsWith("-"));
  if (!rest.some(({ text }) => text === "-delete")) return [];
  const roots = rest.slice(0, end);
  const name = rest[rest.findIndex(({ text }) => text === "-name") + 1];
  if (name === undefined || name === rest[0] || name.isOpen) return marked(roots, "remove");
  return roots.flatMap((root) =>
    Array.from({ length: FIND_DEPTH }, (_, depth): Change => {
      const text = `${root.text}/${"*/".repeat(depth)}${name.text}`;
      return { word: { ...root, text, isGlob: true }, effect: "remove" };
    })
  );
}

/** Programs that change a database. */
export const DATABASE_PROGRAMS: ReadonlySet<string> = new Set([
  "sqlite3",
  "sqlite",
  "litecli",
  "sqlcipher",
]);
const READ_ONLY = /^--?readonly$|[?&](?:mode=ro|immutable=1)\b/;
const VALUED_OF_SQLITE =
  /^--?(?:cmd|init|separator|newline|nullvalue|vfs|mmap|maxsize|pagecache|lookaside|heap|key|A)$/;

/** Whether such a program is told to change nothing. */
export function onlyReads(rest: readonly Argument[]): boolean {
  return rest.some(({ text }) => READ_ONLY.test(text));
}

/** `sqlite3 FILE`: its first operand, which may be an address. */
export function changesOfDatabase(rest: readonly Argument[]): Change[] {
  if (onlyReads(rest)) return [];
  const file = rest.find(({ text, isOpen }, i) =>
    (isOpen || !text.startsWith("-")) && !VALUED_OF_SQLITE.test(rest[i - 1]?.text ?? "")
  );
  if (file === undefined) return [];
  const text = file.text.replace(/^file:(?:\/\/(?:localhost)?(?=\/))?([^?]*).*$/s, "$1");
  return [{ word: { ...file, text }, effect: "tamper" }];
}

/** The verbs of git that write a file, and the option that names it. */
const GIT_OUTPUTS: Readonly<Record<string, OptionName>> = {
  archive: { letter: "o", long: "--output" },
  diff: { long: "--output" },
  log: { long: "--output" },
  show: { long: "--output" },
};

/**
 * `git rm`, `git mv`, `git checkout -- FILE`, `git restore FILE`, `git apply`.
 *
 * @param input What it reads from its standard input, if that is known.
 */
export function changesOfGit(rest: readonly Argument[], input: string | undefined): Change[] {
  const { words, folder } = withoutGitOptions(rest);
  const [verb, ...after] = words;
  const inFolder = (word: Argument): Argument =>
    folder === null || word.text.startsWith("/")
      ? word
      : { ...word, text: `${folder.text}/${word.text}`, isOpen: word.isOpen || folder.isOpen };
  const operands = after.filter(({ text }) => !text.startsWith("-")).map(inFolder);
  switch (verb?.text) {
    case "rm":
      return after.some(({ text }) => text === "--cached") ? [] : marked(operands, "remove");
    case "mv":
      return [
        ...operands.slice(-1).map((word): Change => ({
          word,
          effect: "change",
          from: operands[0]!,
        })),
        ...operands.slice(-1).flatMap((to) => placesIn(to, operands.slice(0, -1))),
        ...marked(operands.slice(0, -1), "remove"),
      ];
    case "restore": {
      // With `--staged` alone only the index changes.
      const has = (pattern: RegExp) => after.some(({ text }) => pattern.test(text));
      const isIndexOnly = has(/^(?:-[a-zA-Z]*S|--staged)/) && !has(/^(?:-[a-zA-Z]*W|--worktree)/);
      const files = split(after, {
        valued: "s",
        valuedLong: /^--(?:source|conflict|pathspec-from-file)$/,
      }).operands;
      return isIndexOnly ? [] : marked(files.map(inFolder), "change");
    }
    case "checkout": {
      const dashes = after.findIndex(({ text }) => text === "--");
      if (dashes >= 0) return marked(after.slice(dashes + 1).map(inFolder), "change");
      // A name with an ending is a file rather than a branch.
      return marked(operands.filter(({ text }) => /\.\w+$/.test(text)), "change");
    }
    case "apply":
    case "am":
      return after.some(({ text }) => /^--(?:check|stat|numstat|summary|abort|quit)$/.test(text))
        ? []
        : applied(after, input).map((change) => ({ ...change, word: inFolder(change.word) }));
    default: {
      const name = verb?.text ?? "";
      if (!Object.hasOwn(GIT_OUTPUTS, name)) return [];
      const { outputs } = split(after, { output: GIT_OUTPUTS[name]! });
      return marked(outputs.map(inFolder), "change");
    }
  }
}

/** The files of a patch that git reads from its standard input; of any other nobody knows them. */
function applied(after: readonly Argument[], input: string | undefined): Change[] {
  const { operands, options } = split(after, { valued: "pC", output: { long: "--directory" } });
  const strip = options.find((text) => /^-p\d/.test(text))?.slice(2) ?? "1";
  const isElsewhere = operands.some(({ text }) => text !== "-") ||
    options.some((text) => text.startsWith("--directory") || text === "-p");
  const changes = isElsewhere ? [] : changesOfPatch(input ?? "", Number(strip));
  return changes.length > 0 ? changes : marked([SOMEWHERE], "change");
}
