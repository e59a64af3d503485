/** Which files git changes. */
import { type Change, changesOfCopy, marked } from "./shell_command.ts";
import { type OptionName, type OptionNames, split, withoutGitOptions } from "./operands.ts";
import { type Argument, literal, OPEN, withText } from "./word.ts";
import type { Writer } from "./writers.ts";
import type { Effect, Search } from "../guards/types.ts";
import { readWildcard } from "./wildcard.ts";

const GIT_OUTPUTS: Readonly<Record<string, OptionName>> = {
  archive: { letter: "o", long: "--output" },
  diff: { long: "--output" },
  log: { long: "--output" },
  show: { long: "--output" },
};

/** `git mv` moves as `mv` does. */
const MOVING: Pick<Writer, "operands" | "copies"> = {
  operands: "moved",
  copies: { contents: /(?!)/, makes: "copy" },
};

/** With one of these, `git checkout` makes a branch or goes to one. */
const TO_BRANCH = /^(?:-[a-zA-Z]*[bBdt]|--(?:orphan|detach|track(?:=.*)?))$/;

/** Options of `git clone`, `git init` and `git submodule add` that take a value. */
const OPTIONS_OF_CLONE: OptionNames = {
  valued: "obcuj",
  valuedLong: "branch depth origin upload-pack template reference reference-if-able config " +
    "separate-git-dir filter jobs shallow-since shallow-exclude server-option bundle-uri name " +
    "object-format ref-format initial-branch",
};

/** With one of these, a person chooses what `git stash` takes, or a file lists it. */
const CHOSEN = /^(?:-[a-zA-Z]*p|--patch$|--pathspec-from-file)/;

const CHANGING = new Set(
  "am apply checkout clean clone init merge-file mv reset restore rm stash switch".split(" "),
);

/** Whether it is known which files a verb changes. */
export function changesByGit(verb: string): boolean {
  return CHANGING.has(verb) || Object.hasOwn(GIT_OUTPUTS, verb);
}

type PutAway = (words: readonly Argument[], takes: PathspecUse["takes"]) => Change[];

/** Verbs of `git stash` that put nothing away: they only look, or bring back files that were judged before. */
const PUTS_NOTHING_AWAY = /^(?:list|show|drop|clear|create|store|pop|apply|branch)$/;

/** `git rm`, `git mv`, `git checkout -- FILE`, `git restore FILE`, `git stash push FILE`; patches are in `patches.ts`. */
export function changesOfGit(rest: readonly Argument[]): Change[] {
  const { words, folder } = withoutGitOptions(rest);
  const [verb, ...after] = words;
  const has = (pattern: RegExp) => after.some(({ text }) => pattern.test(text));
  const inFolder = (word: Argument) => wordIn(folder, word);
  const paths = (words: readonly Argument[], how: Omit<PathspecUse, "folder">) => [
    ...changesOfPaths(words, { ...how, folder }),
    ...marked(has(/^--pathspec-from-file/) ? [OPEN] : [], how.effect),
  ];
  /** Restores files from a commit, from the index for null, or from an unknown state for undefined. */
  const takenBack = (words: readonly Argument[], source: string | null | undefined) =>
    paths(words, { effect: "change", ...(source === undefined ? {} : { source }) });
  // A stash keeps what it takes away.
  const putAway: PutAway = (words, takes) =>
    paths(words, {
      effect: "tamper",
      source: "HEAD",
      ...(takes === undefined ? {} : { takes }),
    });
  // What differs between commits is kept in git; changes that are not committed would be lost.
  const thrownAway = (to: Argument | undefined) =>
    to === undefined || to.text === "HEAD"
      ? takenBack([literal(":/")], "HEAD")
      : to.isOpen
      ? marked([OPEN], "change")
      : [policyFiles(to.text, folder)];
  switch (verb?.text) {
    case "rm":
      if (has(/^--cached$/)) {
        // The file stays until a branch without it is checked out.
        const named = after.filter(({ text, isOpen }) => !isOpen && isPolicy(text));
        return marked(named.map(inFolder), "change");
      }
      return has(/^(?:-[a-z]*n|--dry-run)$/)
        ? []
        : paths(split(after, { valuedLong: "pathspec-from-file" }).operands, {
          effect: "remove",
        });
    case "mv": {
      const given = split(after, {});
      return changesOfCopy(MOVING, { ...given, operands: given.operands.map(inFolder) });
    }
    case "restore": {
      // With `--staged` alone only the index changes.
      const isIndexOnly = has(/^(?:-[a-zA-Z]*S|--staged)/) && !has(/^(?:-[a-zA-Z]*W|--worktree)/);
      const { operands, outputs } = split(after, {
        output: { letter: "s", long: "--source" },
        valuedLong: "conflict pathspec-from-file",
      });
      return isIndexOnly ? [] : takenBack(operands, sourceOf(outputs.at(-1)));
    }
    case "checkout": {
      const dashes = after.findIndex(({ text }) => text === "--");
      if (dashes >= 0) {
        const [from] = split(after.slice(0, dashes), { valuedLong: "conflict" }).operands;
        return takenBack(after.slice(dashes + 1), sourceOf(from));
      }
      if (has(TO_BRANCH)) return [];
      if (has(/^(?:-f|--force)$/)) {
        const [to, ...named] = split(after, {}).operands;
        if (named.length === 0) return thrownAway(to);
      }
      const [first, ...files] = split(after, {
        valuedLong: "conflict pathspec-from-file",
      }).operands;
      if (first === undefined) return takenBack([], null);
      if (first.isOpen) return takenBack(files, undefined);
      // The first word is a branch, a commit or a file.
      const isPath = /^(?:\.{1,2}(?:\/|$)|:)|[*?[]/.test(first.text);
      if (isPath) return takenBack([first, ...files], null);
      return [
        ...changesIfThere(first, { effect: "change", folder, source: null }),
        ...takenBack(files, undefined),
      ];
    }
    case "switch":
      return has(/^(?:-f|--force|--discard-changes)$/)
        ? thrownAway(split(after, { valued: "cC" }).operands[0])
        : [];
    case "reset":
      return has(/^--(?:hard|merge|keep)$/) ? thrownAway(split(after, {}).operands[0]) : [];
    case "stash":
      return changesOfStash(after, putAway);
    case "clean":
      return has(/^(?:-[a-zA-Z]*n|--dry-run$)/) || !has(/^(?:-[a-zA-Z]*f|--force$)/)
        ? []
        : marked([OPEN], "remove");
    case "init": {
      const [folder = literal(".")] = split(after, OPTIONS_OF_CLONE).operands;
      return marked([configIn(inFolder(folder))], "tamper");
    }
    case "merge-file":
      return has(/^(?:-p|--stdout|--object-id)$/) ? [] : marked(
        split(after, { valued: "L", valuedLong: "marker-size" }).operands.slice(0, 1)
          .map(inFolder),
        "change",
      );
    case "clone": {
      const folders = cloned(after).map(inFolder);
      return [...marked(folders, "fill"), ...marked(folders.map(configIn), "tamper")];
    }
    case "submodule":
      return after[0]?.text === "add" ? marked(cloned(after.slice(1)).map(inFolder), "fill") : [];
    default: {
      const name = verb?.text ?? "";
      if (!Object.hasOwn(GIT_OUTPUTS, name)) return [];
      const { outputs } = split(after, { output: GIT_OUTPUTS[name]! });
      return marked(outputs.map(inFolder), "change");
    }
  }
}

function configIn(folder: Argument): Argument {
  return withText(folder, `${folder.text}/.git/config`);
}

/** The folder that a repository is cloned into: the named one, else one with the last name of its address. */
function cloned(after: readonly Argument[]): Argument[] {
  const [from, to] = split(after, OPTIONS_OF_CLONE).operands;
  if (to !== undefined) return [to];
  return from === undefined || from.isOpen ? [] : [withText(from, nameOf(from.text))];
}

function nameOf(address: string): string {
  return address.replace(/(?:\/+\.git)?\/*$/, "").split(/[/:]/).at(-1)!.replace(/\.git$/, "");
}

/** The state from which files are restored; undefined where only the running shell knows it. */
function sourceOf(word: Argument | undefined): string | null | undefined {
  if (word === undefined) return null;
  return word.isOpen ? undefined : word.text;
}

/** Puts away the changes of the named files; without names, those of all files that git finds changed. */
function changesOfStash(after: readonly Argument[], putAway: PutAway): Change[] {
  const [verb] = after;
  if (PUTS_NOTHING_AWAY.test(verb?.text ?? "")) return [];
  const isPush = verb?.text === "push";
  const rest = isPush ? after.slice(1) : after;
  const { operands } = split(rest, {
    valued: "m",
    valuedLong: "message pathspec-from-file",
  });
  // A word is a file only after `push` or `--`.
  const dashes = rest.findIndex(({ text }) => text === "--");
  const files = isPush ? operands : dashes < 0 ? [] : rest.slice(dashes + 1);
  const has = (pattern: RegExp) => rest.some(({ text }) => pattern.test(text));
  const takes = has(/^(?:-[a-zA-Z]*a|--all$)/)
    ? "ignored"
    : has(/^(?:-[a-zA-Z]*u|--include-untracked$)/)
    ? "untracked"
    : undefined;
  if (files.length > 0) return putAway(files, takes);
  const isPlain = /^(?:push|save|-.*)?$/s.test(verb?.text ?? "") &&
    !rest.some(({ isOpen }) => isOpen) && !has(CHOSEN);
  return isPlain ? putAway([literal(":/")], takes) : marked([OPEN], "change");
}

/** A pathspec of git: `src`, `*.lock`, `:/src`, `:!x`. */
interface Pathspec {
  readonly path: string;
  readonly fromTop: boolean;
  readonly isExcluded: boolean;
}

const MAGIC = /^:(?:\(([^)]*)\)|([/!^]*):?)/;

/** Files of one person, by their names: git does not know them. */
const PERSONAL = /\.local\.(?:ya?ml|json)$/;

/** What git does with the files that pathspecs name. */
interface PathspecUse {
  readonly effect: Effect;
  /** The folder that `git -C` names. */
  readonly folder: Argument | null;
  /** From where files are restored: a commit, or the index for null; absent where it is unknown. */
  readonly source?: string | null;
  readonly takes?: Search["takes"];
}

/** The files that git changes, or removes, by these pathspecs. */
function changesOfPaths(
  words: readonly Argument[],
  { effect, folder, source, takes }: PathspecUse,
): Change[] {
  const takenFrom = {
    ...(source === undefined ? {} : { takenFrom: source }),
    ...(takes === undefined ? {} : { takes }),
  };
  const inFolder = (word: Argument) => wordIn(folder, word);
  const specs = words.map((word) => ({ word, spec: readPathspec(word.text) }));
  const excluded = specs.filter(({ spec }) => spec.isExcluded).map(({ spec }) => matcherOf(spec));
  const included = specs.filter(({ spec }) => !spec.isExcluded);
  const meant = included.length > 0 || specs.length === 0
    ? included
    : [{ word: literal("."), spec: readPathspec(".") }];
  return meant.map(({ word, spec }): Change => {
    // Excluding pathspecs are read from the folder, so they exclude nothing that may lie outside of it.
    const leftOut = /(?:^\/|(?:^|\/)\.\.(?:\/|$))/.test(spec.path) ? [] : excluded;
    const isPattern = spec.fromTop || leftOut.length > 0 ||
      (!word.isGlob && /[*?[\\]/.test(spec.path));
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

/** A word that may name a file or folder: it counts if one is there. */
function changesIfThere(word: Argument, how: PathspecUse): Change[] {
  return changesOfPaths([word], how)
    .map((change) => ({
      ...change,
      search: { ...EVERYTHING, ...change.search, named: "if-there" },
    }));
}

/** The configuration of conclaude and the settings of Claude Code, wherever they lie in the repository. */
function policyFiles(takenFrom: string | null, folder: Argument | null): Change {
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

function isPolicy(path: string): boolean {
  return /(?:^|\/)(?:\.conclaude(?:\.local)?\.ya?ml|\.claude\/settings(?:\.local)?\.json)$/.test(
    path,
  );
}

/** Everything in a folder that is named. */
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
  const given = words === undefined ? [] : words.split(",");
  return {
    // Other words in brackets may change how the pattern is read: it counts as everything.
    path: given.every((word) => /^(?:top|exclude)$/.test(word))
      ? text.slice(magic.length) || (magic === "" ? text : ".")
      : "*",
    fromTop: signs.includes("/") || given.includes("top"),
    isExcluded: /[!^]/.test(signs) || given.includes("exclude"),
  };
}

/** Whether a pathspec means a path: by name, by a folder above it, or by a pattern whose `*` matches `/` as well. */
function matcherOf({ path }: Pathspec): (path: string) => boolean {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const spec = parts.join("/");
  if (spec === "") return () => true;
  const matches = readWildcard(spec);
  const matchesBelow = readWildcard(`${spec}/*`);
  return (path) => (matches?.(path) ?? true) || (matchesBelow?.(path) ?? true);
}

/** A word, read from the folder that `git -C` names. */
function wordIn(folder: Argument | null, word: Argument): Argument {
  return folder === null || word.text.startsWith("/")
    ? word
    : { ...withText(word, `${folder.text}/${word.text}`), isOpen: word.isOpen || folder.isOpen };
}
