/** Which branch a git command checks out, so that what comes after it happens there. */
import { split } from "./operands.ts";
import type { Argument } from "./word.ts";
import { withoutGitOptions } from "./git_options.ts";
import { programName } from "./wrappers.ts";

/** A branch that a command checks out. */
export interface BranchSwitch {
  readonly branch: string;
  /** `no`: it has to be there; `new`: it must not be there; `anew`: it begins here, whatever it was. */
  readonly makes: "no" | "new" | "anew";
  /** Whether it begins elsewhere than where the branch before it stands. */
  readonly startsElsewhere: boolean;
}

/** The options of a verb that name a branch to be made. */
const MAKING: Readonly<Record<string, { readonly new: RegExp; readonly anew: RegExp }>> = {
  switch: { new: /^(?:-c|--create|--orphan)$/, anew: /^(?:-C|--force-create)$/ },
  checkout: { new: /^(?:-b|--orphan)$/, anew: /^-B$/ },
};

/** Options after which no name that is written out tells the branch. */
const ELSEWHERE = /^(?:--|--detach|-d|-t|--track(?:=.*)?|-p|--patch|--pathspec.*|--ours|--theirs)$/;

/** What git takes as a name, as far as it matters here. */
const NAME = /^(?![-/.])(?!.*(?:\.\.|\/[/.]|@\{))[^\s~^:?*[\\]+(?<![/.]|\.lock)$/;

/** Null where it checks out none, and where only git knows which. */
export function branchSwitch([program, ...rest]: readonly Argument[]): BranchSwitch | null {
  if (program === undefined || programName(program.text) !== "git") return null;
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  const making = Object.hasOwn(MAKING, verb?.text ?? "") ? MAKING[verb!.text]! : null;
  if (making === null || after.some(({ isOpen, isGlob }) => isOpen || isGlob)) return null;
  const plain = withBundleApart(after);
  for (const makes of ["new", "anew"] as const) {
    const at = plain.findIndex(({ text }) => making[makes].test(text));
    if (at < 0) continue;
    const branch = plain[at + 1]?.text ?? "";
    if (!NAME.test(branch)) return null;
    const others = [...plain.slice(0, at), ...plain.slice(at + 2)];
    const startsElsewhere = plain[at]!.text === "--orphan" ||
      others.some(({ text }) => !text.startsWith("-"));
    return { branch, makes, startsElsewhere };
  }
  if (plain.some(({ text }) => ELSEWHERE.test(text))) return null;
  const { operands: [branch, ...more] } = split(plain, {});
  return branch === undefined || more.length > 0 || !NAME.test(branch.text)
    ? null
    : { branch: branch.text, makes: "no", startsElsewhere: false };
}

/** `-qb NAME` as `-q -b NAME`. */
function withBundleApart(words: readonly Argument[]): Argument[] {
  return words.flatMap((word) => {
    const [, others, last] = /^-([a-zA-Z]+)([bBcC])$/.exec(word.text) ?? [];
    if (others === undefined) return [word];
    return [{ ...word, text: `-${others}` }, { ...word, text: `-${last}` }];
  });
}
