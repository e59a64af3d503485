/** What becomes of files, and which ones `git` and `find` change. */
import { withoutGitOptions } from "./git_options.ts";
import type { Argument } from "./word.ts";

/** A file, and what becomes of it. */
export type Change = readonly [word: Argument, effect: "change" | "remove", ifInFolder?: boolean];

/** A file of which only the running program knows the name. */
export const SOMEWHERE: Argument = { text: "", isOpen: true, isGlob: false };

/** The same effect on each of them. */
export function marked(words: readonly Argument[], effect: "change" | "remove"): Change[] {
  return words.map((word) => [word, effect]);
}

/** A destination may be a folder: then the file in it has the source's name. */
export function placesIn(folder: Argument, sources: readonly Argument[]): Change[] {
  return sources.filter(({ isOpen, isGlob }) => !isOpen && !isGlob)
    .map(({ text }) => text.replace(/\/+$/, ""))
    .map((text): Change => {
      const name = text.slice(text.lastIndexOf("/") + 1);
      return [{ ...folder, text: `${folder.text}/${name}` }, "change", true];
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
      return [{ ...root, text, isGlob: true }, "remove"];
    })
  );
}

/** `git rm`, `git mv`, `git checkout -- FILE`, `git restore FILE`. */
export function changesOfGit(rest: readonly Argument[]): Change[] {
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
        ...marked(operands.slice(-1), "change"),
        ...operands.slice(-1).flatMap((to) => placesIn(to, operands.slice(0, -1))),
        ...marked(operands.slice(0, -1), "remove"),
      ];
    case "restore": {
      // With `--staged` alone only the index changes.
      const has = (pattern: RegExp) => after.some(({ text }) => pattern.test(text));
      const isIndexOnly = has(/^(?:-[a-zA-Z]*S|--staged)/) && !has(/^(?:-[a-zA-Z]*W|--worktree)/);
      return isIndexOnly ? [] : marked(operands, "change");
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
        : [[SOMEWHERE, "change"]];
    default:
      return [];
  }
}
