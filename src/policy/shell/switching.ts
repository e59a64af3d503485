/** Which branch a git command checks out: what comes after it happens there. */
import { programName, split, withoutGitOptions } from "./operands.ts";
import type { Argument } from "./word.ts";

/** `no`: the branch has to exist; `new`: it must not exist; `anew`: it begins here, whatever it was before. */
type Making = "no" | "new" | "anew";

export interface BranchSwitch {
  readonly branch: string;
  readonly makes: Making;
  /** Whether it begins somewhere else than at the current branch. */
  readonly startsElsewhere: boolean;
}

/** The options with which each verb makes the branch that it checks out. */
const MAKING: Readonly<Record<string, Readonly<Record<"new" | "anew", RegExp>>>> = {
  switch: { new: /^(?:-c|--create|--orphan)$/, anew: /^(?:-C|--force-create)$/ },
  checkout: { new: /^(?:-b|--orphan)$/, anew: /^-B$/ },
};

/** With one of these options, no plain word names the branch. */
const ELSEWHERE = /^(?:--|--detach|-d|-t|--track(?:=.*)?|-p|--patch|--pathspec.*|--ours|--theirs)$/;

/** Names that git allows for branches. */
const NAME = /^(?![-/.])(?!.*(?:\.\.|\/[/.]|@\{))[^\s~^:?*[\\]+(?<![/.]|\.lock)$/;

/** The branch that a command checks out; null for none, and where only git knows which. */
export function branchSwitch([program, ...rest]: readonly Argument[]): BranchSwitch | null {
  if (program === undefined || programName(program.text) !== "git") return null;
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  const making = Object.hasOwn(MAKING, verb?.text ?? "") ? MAKING[verb!.text]! : null;
  if (making === null || after.some(isUntold)) return null;
  const plain = withBundleApart(after);
  for (const makes of ["new", "anew"] as const) {
    const at = plain.findIndex(({ text }) => making[makes].test(text));
    if (at < 0) continue;
    const branch = plain[at + 1]?.text ?? "";
    const others = plain.toSpliced(at, 2);
    const startsElsewhere = plain.some(({ text }) => text === "--orphan") ||
      others.some(({ text }) => !text.startsWith("-"));
    return NAME.test(branch) ? { branch, makes, startsElsewhere } : null;
  }
  if (plain.some(({ text }) => ELSEWHERE.test(text))) return null;
  const { operands: [branch, ...more] } = split(plain, {});
  return branch === undefined || more.length > 0 || !NAME.test(branch.text)
    ? null
    : { branch: branch.text, makes: "no", startsElsewhere: false };
}

function isUntold({ isOpen, isGlob }: Argument): boolean {
  return isOpen || isGlob;
}

/** `-qb NAME` as `-q -b NAME`. */
function withBundleApart(words: readonly Argument[]): Argument[] {
  return words.flatMap((word) => {
    const [, others, last] = /^-([a-zA-Z]+)([bBcC])$/.exec(word.text) ?? [];
    if (others === undefined) return [word];
    return [{ ...word, text: `-${others}` }, { ...word, text: `-${last}` }];
  });
}
