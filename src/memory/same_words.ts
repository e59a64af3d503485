/** Words that one says for the same deed: what is `not invalidated yet` is done when it is cleared. */
import { once } from "./once.ts";
import { tellingWords } from "./telling_words.ts";

/** Each line is one deed; the first word stands for all of it. */
const SAME = [
  "invalidate invalidated clear cleared flush flushed purge purged evict",
  "validate validated check checked verify verified",
  "remove removed delete deleted drop dropped gone rid clean cleaned cleanup",
  "enable enabled activate activated",
  "disable disabled deactivate deactivated",
  "hide hidden",
  "increase increased raise raised",
  "decrease decreased reduce reduced lower lowered",
  "update updated upgrade upgraded bump bumped",
  "hook wire wired connect connected",
  "extract extracted move moved",
  "limit limited restrict restricted cap capped",
  "reject rejected refuse refused deny denied",
  "send sent sending deliver delivered",
  "write written wrote writing",
  "build built building",
  "show shown display displayed render rendered",
  "document documented documentation docs describe described readme",
  "store stored save saved persist persisted keep kept",
];
const FIRST_OF = once((): ReadonlyMap<string, string> =>
  new Map(
    SAME.flatMap((line) => {
      const [first = "", ...others] = tellingWords(line);
      return others.map((word) => [word, first] as const);
    }),
  )
);

/** The word that stands for all of its deed; itself where there is no other. */
export function firstOfSame(word: string): string {
  return FIRST_OF().get(word) ?? word;
}
