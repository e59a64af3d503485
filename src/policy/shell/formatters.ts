/** The files that a formatter changes: it is given files, folders, or patterns that it reads itself. */
import { baseName, parentOf } from "../../base/paths.ts";
import { type Change, marked } from "./shell_command.ts";
import { type Argument, withText } from "./word.ts";
import { readWildcard } from "./wildcard.ts";

interface Told {
  /** The files that it takes in a folder; absent for many kinds. */
  readonly takes?: RegExp;
  /** The options that name what it leaves out. */
  readonly excluding?: RegExp;
}

/** The files that change. If some are left out, only the running program knows which. */
export function changesOfFormatter(
  { takes, excluding }: Told,
  named: readonly Argument[],
  options: readonly string[],
): Change[] {
  const leavesSome = named.some(isNegated) ||
    options.some((text) => excluding?.test(text.replace(/=.*$/s, "")));
  /** The files that the pattern `like` means. Those that `sure` matches are sure to be meant. */
  const searched = (word: Argument, like: string, sure: string | null): Change => {
    const [head] = /^(?:[^*?[{(]*\/)?/.exec(like)!;
    const isMeant = matcherOf(like.slice(head.length));
    const isSure = sure === null || leavesSome ? () => false : matcherOf(sure.slice(head.length));
    return {
      // With the slash at its end, a link means the folder that it leads to.
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
  };
  return named.filter((word) => !isNegated(word) && word.text !== "-").flatMap((word) => {
    const { text, isOpen, isGlob } = word;
    if (isOpen || (isGlob && !leavesSome)) return marked([word], "change");
    if (isGlob) {
      const asShell = text.replaceAll("**", "*");
      return [searched(word, asShell, asShell)];
    }
    if (/[*?[{]/.test(text)) {
      // The files directly in the folder are sure to be meant, those below it are not.
      const near = text.replaceAll("**/", "");
      const isPlain = !/[{(]/.test(text) && !/[*?[]/.test(parentOf(near));
      return [searched(word, text, isPlain ? near : null)];
    }
    const folder = text.replace(/\/+$/, "") || "/";
    const name = baseName(folder);
    if (/^\.+$/.test(name) || folder === "/") return [searched(word, `${folder}/**`, null)];
    // A name without an ending is a folder.
    const isFolder = !name.slice(1).includes(".") || folder !== text;
    const inside = isFolder ? [searched(word, `${folder}/**`, `${folder}/*`)] : [];
    return [...marked([word], "change"), ...inside];
  });
}

function isNegated({ text }: Argument): boolean {
  return /^!./.test(text);
}

/** Whether a pattern means a path. A pattern with groups may mean more files here than it does. */
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
