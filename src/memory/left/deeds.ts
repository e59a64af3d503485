/** What is said to be left and is nothing but a deed of commands: "not committed yet", "not pushed to origin". */
import { once } from "../once.ts";
import { tellingWords } from "../telling_words.ts";

/** A deed that a command does. */
interface CommandDeed {
  /** The words by one of which it is said to be left. */
  readonly verbs: ReadonlySet<string>;
  /** What it is done to, one of which has to be said as well; with none, whatever it is. */
  readonly things: ReadonlySet<string>;
  /** What else may be said of it that makes it no other. */
  readonly words: ReadonlySet<string>;
}

const OF_ALL = "change work code file git branch local locally";
/** By the name of a deed its verbs, the words that may stand with them, and those of which one has to. */
const DEEDS: Readonly<Record<string, readonly [verbs: string, words: string, things?: string]>> = {
  commit: ["commit", `${OF_ALL} result edit`],
  push: ["push", `${OF_ALL} commit remote origin main master upstream`],
  merge: ["merge", "branch main master git"],
  request: ["opened created submitted", "pull request draft github gitlab", "pr mr request"],
  tag: ["tag", "version release commit git"],
  test: [
    "run ran execute rerun re-run",
    "test suite unit full whole complete npm pytest jest",
  ],
};
const knownDeeds = once((): ReadonlyMap<string, CommandDeed> =>
  new Map(
    Object.entries(DEEDS).map(([name, [verbs, words, things = ""]]) => [
      name,
      {
        verbs: tellingWords(verbs),
        words: tellingWords(`${words} ${things}`),
        things: tellingWords(things),
      },
    ]),
  )
);

const wordsOfDeeds = once((): ReadonlySet<string> =>
  new Set([...knownDeeds().values()].flatMap(({ verbs, words }) => [...verbs, ...words]))
);

/** Whether what is left is nothing but deeds of commands: of these the next turn leaves the same again. */
export function isDeedOfCommands(about: ReadonlySet<string>): boolean {
  return about.isSubsetOf(wordsOfDeeds());
}

/**
 * Whether what is left is nothing but a deed of commands that was done.
 *
 * @param about The words that tell what is left. @param options `ran`: what was done, by name; `named`: what it was done to,
 * as far as that is told.
 */
export function isDeedThatRan(
  about: ReadonlySet<string>,
  { ran, named }: { readonly ran: readonly string[]; readonly named: ReadonlySet<string> },
): boolean {
  const meant = [...knownDeeds()].filter(([, { verbs, things }]) =>
    !verbs.isDisjointFrom(about) && (things.size === 0 || !things.isDisjointFrom(about))
  );
  if (meant.length === 0 || !meant.every(([name]) => ran.includes(name))) return false;
  const known = meant.map(([, { verbs, words }]) => verbs.union(words));
  return [...about].every((word) => named.has(word) || known.some((words) => words.has(word)));
}
