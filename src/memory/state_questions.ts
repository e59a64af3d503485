/** Questions about how things stand: `what is open`, `last commit`, `what did we fix`. What answers them need not have their words. */
import type { ObservationKind } from "./observation.ts";

/** What answers a question about how things stand. */
export interface AskedState {
  readonly kinds: readonly ObservationKind[];
  /** `open`: what nothing has mended; `newest`: whatever came last. */
  readonly which: "open" | "newest";
}

/** What people call what there is a last one of. */
const NOUNS: Readonly<Record<string, ObservationKind>> = {
  commit: "commit",
  session: "summary",
  decision: "decision",
  failure: "failure",
  error: "failure",
  fix: "fix",
  edit: "edit",
  change: "edit",
  note: "note",
  prompt: "prompt",
  "test run": "test",
};
const NEWEST =
  /^(?:(?:show|what (?:was|were|is|are)) )?(?:the |my |our )?(?:last|latest|newest|most recent) ([a-z]+(?: run)?)$/;

/** By what people say that they did it. */
const VERBS: Readonly<Record<string, ObservationKind>> = {
  fix: "fix",
  mend: "fix",
  commit: "commit",
  decide: "decision",
  change: "edit",
  edit: "edit",
  note: "note",
};
const DONE =
  /^what (?:all )?(?:did|have|has) (?:we|i|you|claude|they) (?:already |all )?([a-z]+?)(?:e?d)?(?: so far)?$/;

const OPEN: readonly (readonly [said: RegExp, kinds: readonly ObservationKind[]])[] = [
  [
    /^(?:(?:which|what) tests? (?:are |is |do |does )?(?:still |currently |now )?(?:fail|fails|failing|broken|red)(?: now| here)?|(?:failing|broken|red|open) tests?)$/,
    ["test"],
  ],
  [
    /^(?:what (?:is |s |are )?(?:still )?(?:open|left open|failing|fails|broken|unfixed|not fixed|not mended)(?: now| here)?|open (?:ends|failures|errors|issues|problems)|(?:failing|open))$/,
    ["test", "failure"],
  ],
];

/**
 * What answers a question; null for one that is about something.
 *
 * @param said Its bare words, in small letters. @param untimed The same without those that speak of a time.
 */
export function askedState(said: string, untimed = said): AskedState | null {
  const open = OPEN.find(([pattern]) => pattern.test(said));
  if (open !== undefined) return { kinds: open[1], which: "open" };
  const did = DONE.exec(untimed)?.[1] ?? "";
  const verb = [did, `${did}e`].find((one) => Object.hasOwn(VERBS, one));
  if (verb !== undefined) return { kinds: [VERBS[verb]!], which: "newest" };
  const noun = NEWEST.exec(said)?.[1] ?? "";
  const one = Object.hasOwn(NOUNS, noun) ? noun : noun.replace(/(?<=fix)es$|s$/, "");
  return Object.hasOwn(NOUNS, one) ? { kinds: [NOUNS[one]!], which: "newest" } : null;
}
