/** What formatters change: files, what lies in folders, and patterns that they read themselves. */
import { baseName, parentOf } from "../../base/paths.ts";
import { type Change, marked } from "./shell_command.ts";
import { readWildcard } from "./wildcard.ts";
import { type Argument, withText } from "./word.ts";
import type { Writer } from "./writers.ts";

/** The files that a formatter changes. Where it is told to leave some, what a pattern or a folder means is not sure. */
export function changesOfFormatter(
  named: readonly Argument[],
  rest: readonly Argument[],
  { excluding, takes }: Pick<Writer, "excluding" | "takes">,
): Change[] {
  const isNegated = ({ text }: Argument) => /^!./.test(text);
  const leavesSome = named.some(isNegated) ||
    rest.some(({ text }) => excluding?.test(text.replace(/=.*$/s, "")));
  return named.filter((word) => !isNegated(word) && word.text !== "-")
    .flatMap((word) => formatted(word, { takes, leavesSome }));
}

interface Told {
  readonly takes: RegExp | undefined;
  readonly leavesSome: boolean;
}

function formatted(word: Argument, told: Told): Change[] {
  const { text, isOpen, isGlob } = word;
  if (isOpen || (isGlob && !told.leavesSome)) return marked([word], "change");
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
  return marked([word], "change");
}

/** The files that a pattern means; those that another one means are sure to be meant. */
function searched(
  word: Argument,
  { takes, leavesSome }: Told,
  { like, sure }: { readonly like: string; readonly sure: string | null },
): Change {
  const [head] = /^(?:[^*?[{(]*\/)?/.exec(like)!;
  const isMeant = matcherOf(like.slice(head.length));
  const isSure = sure === null || leavesSome ? () => false : matcherOf(sure.slice(head.length));
  return {
    // With the slash it is the folder to which a link leads.
    word: { ...withText(word, head || "./"), isGlob: false },
    effect: "change",
    search: {
      takesFolders: "no",
      entersNamed: true,
      judge: ({ path }) => {
        const isAsked = path !== "" && isMeant(path) && (takes?.test(path) ?? true);
        return { isMeant: !isAsked ? "no" : isSure(path) ? "yes" : "maybe", goesOn: true };
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
