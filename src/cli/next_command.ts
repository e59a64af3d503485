import type { Check } from "../maintenance/check.ts";
import { quoteWord } from "../settings/hooks.ts";
import type { Globals } from "./context.ts";

/** Commands of ours that look into the database; their help does not. */
const WORKS_ON_DATABASE =
  /(?<=^|&& )conclaude (?=(?:status|doctor|session|audit|queue|memory|counter|task|workflow|agent|question|event|daemon|migrate|db|retention|export)\b)(?!.* --help$)/g;

/** A way out as it has to be pasted here: on the database that `--db` named, when it did. */
export function nextHere(next: string, { db }: Pick<Globals, "db">): string {
  return db === undefined
    ? next
    : next.replace(WORKS_ON_DATABASE, () => `conclaude --db ${quoteWord(db)} `);
}

/** A text of this program's own with the commands in it, between backticks, as {@linkcode nextHere} gives them. */
export function hintsHere(text: string, globals: Pick<Globals, "db">): string {
  return text.replace(/`(conclaude [^`]+)`/g, (_, command) => `\`${nextHere(command, globals)}\``);
}

/** Findings with their ways out as {@linkcode nextHere} gives them. */
export function checksHere(
  checks: readonly Check[],
  globals: Pick<Globals, "db">,
): readonly Check[] {
  return checks.map((check) => {
    return check.next === null ? check : { ...check, next: nextHere(check.next, globals) };
  });
}
