/** A failure and what mended it, as one observation: the error, the changes, and that the same command passes. */
import { likeliestChanges, speaksOf } from "./credited_changes.ts";
import type { ObservedFacts } from "./observation.ts";
import { titleOfFix } from "./fix_title.ts";
import { headAndTail, shortened } from "./text.ts";

/** What is told of a change that came between. */
export interface MendingChange {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
}

/** A fix in words. */
export interface Fix {
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly facts: ObservedFacts;
}

const MAX_CHANGES = 6;
const KEPT_CHANGE = { head: 700, tail: 200 };
const KEPT_ERROR = { head: 300, tail: 900 };

/**
 * Tells a fix; of many changes those come first that no fix of the same failure has been told with, and of what the
 * failure speaks of.
 *
 * @param failure What failed. @param changes What was changed between that and the success; at least one.
 * @param success `passing`: what passes, when it is not the whole command. `commands`: what was run, where no file was
 *   edited. `credited`: the changes that other fixes of the failure were told with.
 */
export function describeFix(
  failure: {
    readonly id: number;
    readonly title: string;
    readonly text: string;
    readonly facts: ObservedFacts;
  },
  changes: readonly MendingChange[],
  { passing, commands = [], credited }: {
    readonly passing?: string | undefined;
    readonly commands?: readonly string[];
    readonly credited?: ReadonlySet<number>;
  } = {},
): Fix {
  const isAbout = speaksOf(failure);
  const isNew = new Set(
    changes.filter(({ id }) => credited?.has(id) !== true).flatMap((change) => change.files),
  );
  const rank = (path: string) => (isNew.has(path) ? 2 : 0) + (isAbout(path) ? 1 : 0);
  const files = [...new Set(changes.flatMap((change) => change.files))]
    .sort((one, other) => rank(other) - rank(one));
  const { command = "", error } = failure.facts;
  const told = likeliestChanges(failure, { changes, most: MAX_CHANGES });
  return {
    title: titleOfFix(failure, { files, commands }),
    text: [
      `Failed: ${failure.title}`,
      headAndTail(failure.text, KEPT_ERROR),
      ...told.map(({ title, text }) => `${title}\n${headAndTail(text, KEPT_CHANGE)}`),
      `Passes since: ${shortened(passing ?? command, 200)}`,
    ].join("\n"),
    files,
    facts: {
      command,
      ...(error === undefined ? {} : { error }),
      mended: failure.id,
      by: changes.map(({ id }) => id),
    },
  };
}
