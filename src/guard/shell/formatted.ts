/** What formatters change of files, of folders, of patterns that they read themselves; and what they are told to leave. */
import { baseName, parentOf } from "../../paths.ts";
import type { Answer } from "../types.ts";
import { type Change, marked } from "./changes.ts";
import { readWildcard } from "./wildcard.ts";
import { type Argument, withText } from "./word.ts";

/**
 * How a formatter is told what to leave. `patterns` and `!…` count for all files; `names` of files and folders, and what a
 * path `contains`, only for what lies in a folder.
 */
export interface Excluding {
  readonly options: RegExp;
  readonly reads: "patterns" | "names" | "contains";
}

/** What it formats, and how it is told what not. */
export interface Formatting {
  readonly excluding?: Excluding;
  /** The names of the files that it takes in a folder; absent where those are many. */
  readonly takes?: RegExp;
}

/** Whether a path, from where the formatter starts, is left out. */
type LeavesOut = (path: string) => Answer;

/** What is named plainly: `src/gen`, `src/gen/`, `src/gen/**`, with any folders above it. */
const PLAIN = /^(?:\.\/)?(\*\*\/)?([\w.@-]+(?:\/[\w.@-]+)*)(\/|\/\*\*(?:\/\*)?)?$/;
const ELSEWHERE = /^\/|(?:^|\/)\.\.(?:\/|$)/;

/** The files that a formatter changes. */
export function changesOfFormatter(
  named: readonly Argument[],
  rest: readonly Argument[],
  { excluding, takes }: Formatting,
): Change[] {
  const isNegated = ({ text }: Argument) => /^!./.test(text);
  const texts = valuesOf(rest, excluding?.options);
  const patterns = [
    ...named.filter(isNegated).map(({ text }) => text.slice(1)),
    ...(excluding?.reads === "patterns" ? texts : []),
  ].map(patternExcluded);
  const names = excluding === undefined || excluding.reads === "patterns"
    ? []
    : texts.map(excluding.reads === "names" ? nameExcluded : textExcluded);
  const leaves = (rules: readonly LeavesOut[]): LeavesOut => (path) => {
    const answers = ELSEWHERE.test(path) ? [] : rules.map((rule) => rule(path));
    return answers.find((answer) => answer === "yes") ??
      answers.find((answer) => answer === "maybe") ?? "no";
  };
  const told = {
    ofFiles: leaves(patterns),
    inFolders: leaves([...patterns, ...names]),
    takes,
    isTold: patterns.length + names.length > 0,
  };
  return named.filter((word) => !isNegated(word) && word.text !== "-")
    .flatMap((word) => formatted(word, told));
}

interface Told {
  readonly ofFiles: LeavesOut;
  readonly inFolders: LeavesOut;
  readonly takes: RegExp | undefined;
  readonly isTold: boolean;
}

function formatted(word: Argument, told: Told): Change[] {
  const { text, isOpen, isGlob } = word;
  if (isOpen || (isGlob && !told.isTold)) return marked([word], "change");
  const asShell = text.replaceAll("**", "*");
  if (isGlob) return [searched(word, told, { like: asShell, sure: asShell })];
  if (/[*?[{]/.test(text)) {
    // What it means in the folder that it names is sure, what lies deeper is not.
    const near = text.replaceAll("**/", "");
    const isPlain = !/[{(]/.test(text) && !/[*?[]/.test(parentOf(near));
    return [searched(word, told, { like: text, sure: isPlain ? near : null })];
  }
  const folder = text.replace(/\/+$/, "") || "/";
  const name = baseName(folder);
  if (/^\.+$/.test(name) || folder === "/") {
    return [searched(word, told, { like: `${folder}/**`, sure: null })];
  }
  // A name without an ending is one of a folder.
  if (!name.slice(1).includes(".") || folder !== text) {
    const inside = searched(word, told, { like: `${folder}/**`, sure: `${folder}/*` });
    return [...marked([word], "change"), inside];
  }
  const left = told.ofFiles(tidied(text));
  if (left === "maybe") return [searched(word, told, { like: text, sure: null })];
  return left === "no" ? marked([word], "change") : [];
}

/** The files that a pattern means, without those that are left out; those that another one means are sure to be meant. */
function searched(
  word: Argument,
  { ofFiles, inFolders, takes }: Told,
  { like, sure }: { readonly like: string; readonly sure: string | null },
): Change {
  const [head] = /^(?:[^*?[{(]*\/)?/.exec(like)!;
  const isMeant = matcherOf(like.slice(head.length));
  const isSure = sure === null ? () => false : matcherOf(sure.slice(head.length));
  // A folder that is named itself is formatted, whatever is left out of folders.
  const isFolder = like.endsWith("/**") && inFolders(tidied(`${head}x`)) !== "yes";
  const leavesOut = isFolder ? inFolders : ofFiles;
  return {
    // With the slash it is the folder to which a link leads.
    word: { ...withText(word, head || "./"), isGlob: false },
    effect: "change",
    search: {
      takesFolders: "no",
      entersNamed: true,
      judge: ({ path }) => {
        const isAsked = path !== "" && isMeant(path) && (takes?.test(path) ?? true);
        const left = isAsked ? leavesOut(tidied(head + path)) : "yes";
        if (left === "yes") return { isMeant: "no", goesOn: true };
        return { isMeant: left === "no" && isSure(path) ? "yes" : "maybe", goesOn: true };
      },
    },
  };
}

/** Whether a pattern means a path; one with groups that are not read here means more rather than less. */
function matcherOf(pattern: string): (path: string) => boolean {
  const all = alternatives(pattern).map((one) => {
    const plain = one.replace(/.?[({].*$/s, "**");
    const matches = readWildcard(plain.replaceAll("**/", "*"));
    const depth = plain.includes("**") ? null : plain.split("/").length;
    return (path: string) =>
      (depth === null || path.split("/").length === depth) && (matches?.(path) ?? true);
  });
  return (path) => all.some((matches) => matches(path));
}

/** `*.ts` and `*.tsx` of `*.{ts,tsx}`. */
function alternatives(pattern: string): string[] {
  const [all, before, choices, after] = /^([^{}]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern) ?? [];
  return all === undefined
    ? [pattern]
    : choices!.split(",").flatMap((choice) => alternatives(before + choice + after));
}

function patternExcluded(text: string): LeavesOut {
  const [plain, anywhere, name, below] = PLAIN.exec(text) ?? [];
  if (plain === undefined) {
    const matches = matcherOf(text.replace(/^\.\//, ""));
    return (path) => matches(path) ? "maybe" : "no";
  }
  return (path) => {
    const isBelow = anywhere === undefined
      ? path.startsWith(`${name}/`)
      : `/${path}`.includes(`/${name}/`);
    // Whether a folder's mere name means what lies in it, not all of them agree.
    if (isBelow) return below === undefined ? "maybe" : "yes";
    const isItself = anywhere === undefined ? path === name : `/${path}`.endsWith(`/${name}`);
    return isItself && below === undefined ? "yes" : "no";
  };
}

/** One name means a file or folder anywhere, a path the one that it leads to. */
function nameExcluded(text: string): LeavesOut {
  const [plain, anywhere = "", name = "", below = "/"] = PLAIN.exec(text) ?? [];
  if (plain === undefined) return patternExcluded(text);
  const isAnywhere = anywhere !== "" || !name.includes("/");
  const byPattern = patternExcluded(`${isAnywhere ? "**/" : ""}${name}${below}`);
  return (path) => path === name || path.endsWith(`/${name}`) ? "maybe" : byPattern(path);
}

/** A regular expression; one of plain letters is a text that the path contains. */
function textExcluded(text: string): LeavesOut {
  const isPlain = /^[\w./-]+$/.test(text);
  return (path) => !isPlain ? "maybe" : `/${path}`.includes(text) ? "yes" : "no";
}

/** What the options that exclude are given: the next word, or what stands behind `=`. */
function valuesOf(rest: readonly Argument[], options: RegExp | undefined): string[] {
  if (options === undefined) return [];
  return rest.flatMap(({ text, isOpen }, i) => {
    if (isOpen) return [];
    if (options.test(rest[i - 1]?.text ?? "")) return [text];
    const at = text.indexOf("=");
    return at > 0 && options.test(text.slice(0, at)) ? [text.slice(at + 1)] : [];
  });
}

function tidied(path: string): string {
  return path.replace(/^(?:\.\/+)+/, "").replace(/\/(?:\.?\/)+/g, "/");
}
