/** The files that a patch changes which stands in the script itself. */
import type { Change } from "./changes.ts";
import { literal } from "./word.ts";

/** What is not there before, or not afterwards. */
const NOTHING = "/dev/null";

/**
 * The files that the text of a patch names; empty when it names none.
 *
 * @param strip How many folders are taken off their names; null leaves nothing but the last part.
 */
export function changesOfPatch(patch: string, strip: number | null): Change[] {
  const names = [...patch.matchAll(/^(?:(---|\+\+\+) ([^\t\n]+)|rename (?:from|to) (.+))/gm)];
  return names.flatMap(([, sign, name, renamed], i): Change[] => {
    if (renamed !== undefined) return [{ word: literal(renamed), effect: "change" }];
    if (name === NOTHING) return [];
    const path = name!.trim().split("/");
    const word = literal(path.slice(strip ?? -1).join("/"));
    const isGone = sign === "---" && names[i + 1]?.[2]?.trim() === NOTHING;
    return isGone
      ? [{ word, effect: "remove" }]
      : sign === "+++"
      ? [{ word, effect: "change" }]
      : [];
  });
}
