/** Finds the files that a formatter changes, whose operands are files, folders, or patterns that it expands itself. */
import { baseName } from "../../base/paths.ts";
import { type Change, marked } from "./shell_command.ts";
import { type Argument, withText } from "./word.ts";
import { readWildcard } from "../../base/wildcard.ts";

export interface Formatter {
  /** Matches the files that it formats in a folder; absent where it formats many kinds. */
  readonly takes?: RegExp;
  /** Matches the options that name files to leave out. */
  readonly excluding?: RegExp;
}

/** Returns the changes. If some files are left out, only the running program knows which. */
export function changesOfFormatter(
  { takes, excluding }: Formatter,
  named: readonly Argument[],
  options: readonly string[],
): Change[] {
  const isNegated = ({ text }: Argument) => /^!./.test(text);
  const leavesSome = named.some(isNegated) ||
    options.some((text) => excluding?.test(text.replace(/=.*$/s, "")));
  return named.filter((word) => !isNegated(word) && word.text !== "-").flatMap((word) => {
    const { text, isOpen, isGlob } = word;
    if (isOpen || (isGlob && !leavesSome)) return marked([word], "change");
    const isPattern = /[*?[{]/.test(text);
    const path = isPattern ? text : `${text.replace(/\/+$/, "")}/**`;
    const [head] = /^(?:[^*?[{(]*\/)?/.exec(path)!;
    const like = baseName(path);
    const files = alternatives(like).map((one) => readWildcard(one.replace(/.?\(.*$/s, "*")));
    const isDeep = path.slice(head.length).includes("/") || like === "**";
    const found: Change = {
      // With a slash at its end, a link means the folder to which it leads.
      word: { ...withText(word, head || "./"), isGlob: false },
      effect: "change",
      search: {
        takesFolders: "no",
        entersNamed: true,
        takesAll: !leavesSome,
        judge: ({ path }) => {
          const name = baseName(path);
          const isMeant = path !== "" && (isDeep || name === path) && (takes?.test(path) ?? true) &&
            files.some((matches) => matches?.(name) ?? true);
          // `maybe`: the formatter leaves out what git ignores, and what its own settings name.
          return { isMeant: isMeant ? "maybe" : "no", goesOn: true };
        },
      },
    };
    if (isPattern || /^\.*\/*$/.test(text)) return [found];
    // A name without an extension counts as a folder.
    const isFolder = !baseName(head.slice(0, -1)).slice(1).includes(".") || text.endsWith("/");
    return [...marked([word], "change"), ...(isFolder ? [found] : [])];
  });
}

/** Expands `*.{ts,tsx}` to `*.ts` and `*.tsx`. */
function alternatives(pattern: string): string[] {
  const [all, before, choices, after] = /^([^{}]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern) ?? [];
  return all === undefined
    ? [pattern]
    : choices!.split(",").flatMap((choice) => alternatives(before + choice + after));
}
