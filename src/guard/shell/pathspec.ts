/** The files that git is told to work on: its own patterns, and all that lies in a folder that is named. */
import type { Effect, Search } from "../types.ts";
import type { Change } from "./changes.ts";
import { readWildcard } from "./wildcard.ts";
import { type Argument, literal, withText } from "./word.ts";

/** One of git's pathspecs: `src`, `*.lock`, `:/src`, `:(top,icase)x`, `:!x`. */
interface Pathspec {
  readonly path: string;
  readonly fromTop: boolean;
  readonly isExcluded: boolean;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
}

const MAGIC = /^:(?:\(([^)]*)\)|([/!^]*):?)/;

/** Files that are one person's, as their name says: git does not know them. */
const PERSONAL = /\.local\.(?:ya?ml|json)$/;

/** What git does with the files that it is told. */
export interface PathspecUse {
  readonly effect: Effect;
  /** Where it is told to go before. */
  readonly folder: Argument | null;
  /** What it takes them back to: a commit, null for the index. Undefined where nobody knows. */
  readonly source?: string | null;
  readonly takes?: Search["takes"];
}

/** The files that git changes, or removes, by these pathspecs. */
export function changesOfPaths(
  words: readonly Argument[],
  { effect, folder, source, takes }: PathspecUse,
): Change[] {
  const takenFrom = {
    ...(source === undefined ? {} : { takenFrom: source }),
    ...(takes === undefined ? {} : { takes }),
  };
  const inFolder = (word: Argument): Argument =>
    folder === null || word.text.startsWith("/")
      ? word
      : { ...withText(word, `${folder.text}/${word.text}`), isOpen: word.isOpen || folder.isOpen };
  const specs = words.map((word) => ({ word, spec: readPathspec(word.text) }));
  const excluded = specs.filter(({ spec }) => spec.isExcluded).map(({ spec }) => matcherOf(spec));
  const included = specs.filter(({ spec }) => !spec.isExcluded);
  const meant = included.length > 0 || specs.length === 0
    ? included
    : [{ word: literal("."), spec: readPathspec(".") }];
  return meant.map(({ word, spec }): Change => {
    // What is left out is named from the folder: of what may lie outside, nothing is.
    const leftOut = /(?:^\/|(?:^|\/)\.\.(?:\/|$))/.test(spec.path) ? [] : excluded;
    const isPattern = spec.fromTop || leftOut.length > 0 || spec.ignoresCase ||
      (!word.isGlob && !spec.isLiteral && /[*?[\\]/.test(spec.path));
    if (word.isOpen || word.found !== undefined || !isPattern) {
      const plain = inFolder(spec.path === word.text ? word : withText(word, spec.path));
      return effect === "remove" || word.found !== undefined
        ? { word: plain, effect }
        : { word: plain, effect, search: { ...EVERYTHING, ...takenFrom } };
    }
    const [head] = spec.fromTop || leftOut.length > 0 ? [""] : /^(?:[^*?[\\]*\/)?/.exec(spec.path)!;
    const matches = matcherOf({ ...spec, path: spec.path.slice(head.length) });
    return {
      word: inFolder(literal(head || ".")),
      effect,
      search: {
        ...takenFrom,
        takesFolders: "no",
        fromTop: spec.fromTop,
        judge: ({ path }) => {
          const isMeant = matches(path) && !leftOut.some((isLeftOut) => isLeftOut(path)) &&
            mayBeTaken(path, takes);
          return { isMeant: isMeant ? "yes" : "no", goesOn: true };
        },
      },
    };
  });
}

/** The file, or all in the folder, if there is one: a word of which it is not sure that it names one. */
export function changesIfThere(word: Argument, how: PathspecUse): Change[] {
  return changesOfPaths([word], how)
    .map((change) => ({
      ...change,
      search: { ...EVERYTHING, ...change.search, named: "if-there" },
    }));
}

/** The configuration of conclaude and the settings of Claude Code, wherever they lie in the repository. */
export function policyFiles(takenFrom: string | null, folder: Argument | null): Change {
  return {
    word: folder ?? literal("."),
    effect: "change",
    search: {
      takesFolders: "no",
      takenFrom,
      fromTop: true,
      judge: ({ path }) => ({ isMeant: isPolicy(path) ? "yes" : "no", goesOn: true }),
    },
  };
}

/** Whether a file is named like one of them. */
export function isPolicy(path: string): boolean {
  return /(?:^|\/)(?:\.conclaude(?:\.local)?\.ya?ml|\.claude\/settings(?:\.local)?\.json)$/.test(
    path,
  );
}

/** Of a folder that is named: all that is in it. */
const EVERYTHING: Search = {
  takesFolders: "no",
  named: "always",
  judge: ({ path }) => ({ isMeant: mayBeTaken(path, undefined) ? "yes" : "no", goesOn: true }),
};

function mayBeTaken(path: string, takes: PathspecUse["takes"]): boolean {
  return (takes !== undefined || !PERSONAL.test(path)) && !/(?:^|\/)\.git(?:\/|$)/.test(path);
}

function readPathspec(text: string): Pathspec {
  const [magic = "", words, signs = ""] = MAGIC.exec(text) ?? [];
  const has = (word: string) => words?.split(",").includes(word) ?? false;
  const path = text.slice(magic.length) || (magic === "" ? text : ".");
  return {
    // Where `**` is no folder, its slash is not there either.
    path: has("glob") ? path.replaceAll("**/", "*") : path,
    fromTop: signs.includes("/") || has("top"),
    isExcluded: /[!^]/.test(signs) || has("exclude"),
    isLiteral: has("literal"),
    ignoresCase: has("icase"),
  };
}

/** Whether a path, from where git starts, is meant: by name, by a folder above it, by a pattern whose `*` takes `/`. */
function matcherOf({ path, isLiteral, ignoresCase }: Pathspec): (path: string) => boolean {
  const spec = tidied(path);
  if (spec === "") return () => true;
  const pattern = isLiteral ? spec.replace(/[*?[\]\\]/g, "\\$&") : spec;
  const matches = readWildcard(pattern, { ignoresCase });
  const matchesBelow = readWildcard(`${pattern}/*`, { ignoresCase });
  return (path) => (matches?.(path) ?? true) || (matchesBelow?.(path) ?? true);
}

/** Without `.`, `..` and doubled slashes; a backslash is none of them. */
function tidied(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
