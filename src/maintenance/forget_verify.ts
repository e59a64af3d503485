import { UserError } from "../errors.ts";
import { openDatabase } from "../store/database.ts";
import { chooseForgotten, type ForgetFilter } from "../store/forget_choice.ts";
import { countPlaces } from "../store/forget_places.ts";
import { keysBack } from "../store/forgotten_keys.ts";
import { cameBack, forgottenDigest, type Receipt, sameAgain } from "../store/forgotten.ts";
import { checkIndex } from "../store/memory_index.ts";
import { count } from "../counts.ts";
import { commandAgain, TEXT_AGAIN } from "./forget_again.ts";
import type { ForgetPlace } from "./forget_files.ts";
import { textLeft } from "./forget_proof.ts";

/** Something that is not as a receipt says, and the way out. */
export interface ForgetProblem {
  readonly message: string;
  readonly next: string;
}

/** Ids that one command names. */
const NAMED_IDS = 20;

/**
 * Looks whether what a receipt says still holds; empty when it does. Nothing is changed.
 *
 * @param options `text`: the text that was forgotten, with a filter for it; then every byte is looked through again.
 * @throws {UserError} When it is another text.
 */
export async function verifyReceipt(
  place: ForgetPlace,
  receipt: Receipt,
  { text, filter }: { readonly text: string | null; readonly filter: ForgetFilter | null },
): Promise<ForgetProblem[]> {
  if (text !== null) requireSameText(receipt, text);
  const problems: ForgetProblem[] = [];
  const db = await openDatabase(place.database, place);
  try {
    const back = cameBack(db, receipt.id);
    const again = sameAgain(db, receipt);
    const observations = [...new Set([...back.observations, ...again])];
    const ids = [...observations.map(String), ...back.captures];
    if (ids.length > 0) {
      problems.push({
        message: `${backText(observations.length, back.captures.length)} there again`,
        next: `conclaude memory forget ${ids.slice(0, NAMED_IDS).join(" ")} --yes`,
      });
    }
    for (const fault of checkIndex(db)) {
      problems.push({
        message: `the search index is damaged: ${fault}`,
        next: "conclaude doctor --fix",
      });
    }
    const keys = Object.entries(keysBack(db, receipt.id));
    // With the text these are counted below.
    if (filter === null && keys.length > 0) {
      problems.push({
        message: `rows are there again: ${keys.map(([table, n]) => `${n} of ${table}`).join(", ")}`,
        next: commandAgain(receipt.chosen),
      });
    }
    if (filter !== null) {
      const found = chooseForgotten(db, filter);
      const rows = Object.values(countPlaces(db, { text: filter.text!, sessions: null }));
      const all = rows.reduce((sum, n) => sum + n, found.observations.length) +
        found.captures.length;
      if (all > 0) {
        const message = `${count(all, "row holds", "rows hold")} the text again`;
        problems.push({ message, next: TEXT_AGAIN });
      }
    }
  } finally {
    db.close();
  }
  if (filter !== null) {
    for (const message of textLeft(place, filter, { again: TEXT_AGAIN })) {
      problems.push({ message, next: TEXT_AGAIN });
    }
  } else {
    for (const message of receipt.remains) problems.push({ message, next: TEXT_AGAIN });
  }
  if (receipt.finishedAtMs === null) {
    problems.push({
      message: "it was stopped before it was done",
      next: commandAgain(receipt.chosen),
    });
  }
  return problems;
}

/** For example `1 observation and 2 captures are`. */
function backText(observations: number, captures: number): string {
  const named = ([[observations, "observation"], [captures, "capture"]] as const)
    .filter(([n]) => n > 0)
    .map(([n, noun]) => count(n, noun));
  return `${named.join(" and ")} ${observations + captures === 1 ? "is" : "are"}`;
}

function requireSameText({ id, salt, textDigest }: Receipt, text: string): void {
  if (textDigest !== null && forgottenDigest(salt, text) === textDigest) return;
  throw new UserError(`Cannot verify "${id}" with this text`, {
    why: textDigest === null
      ? "the receipt is not about a text"
      : "it is not the text that was forgotten: letters of either case count as the same, all else must be equal",
    next: `conclaude memory verify ${id}`,
  });
}
