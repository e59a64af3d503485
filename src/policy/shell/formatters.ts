/** The files that a formatter changes: it is given files, folders, or patterns that it reads itself. */
import { baseName } from "../../base/paths.ts";
import { type Change, marked } from "./shell_command.ts";
import { type Argument, withText } from "./word.ts";
import { readWildcard } from "../../base/wildcard.ts";

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
      // With the slash at its end, a link means the folder that it leads to.
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
          // It leaves out what git ignores, and what its settings name.
          return { isMeant: isMeant ? "maybe" : "no", goesOn: true };
        },
      },
    };
    if (isPattern || /^\.*\/*$/.test(text)) return [found];
    // A name without an ending is a folder.
    const isFolder = !baseName(head.slice(0, -1)).slice(1).includes(".") || text.endsWith("/");
    return [...marked([word], "change"), ...(isFolder ? [found] : [])];
  });
}

/** `*.ts` and `*.tsx` of `*.{ts,tsx}`. */
function alternatives(pattern: string): string[] {
  const [all, before, choices, after] = /^([^{}]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern) ?? [];
  return all === undefined
    ? [pattern]
    : choices!.split(",").flatMap((choice) => alternatives(before + choice + after));
}
