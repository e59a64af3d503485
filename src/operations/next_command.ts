import type { Check } from "../upkeep/care/check.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import type { Globals } from "./context.ts";
import { kebab } from "./usage.ts";

/**
 * The beginning of a command of conclaude that uses the database and does not ask for help. It names the verbs, since
 * titles and notes are printed, too, and "conclaude crashes" is no command. A test compares it with the table of verbs.
 */
const WORKS_ON_DATABASE =
  /(?<=^|&& |, or )conclaude (?=(?:config|status|session|ui|memory|usage|guard|req|explain|task|workflow|agent|question|team|doctor|db|retention|reconcile|export|import|migrate|daemon|token|queue|audit|event|counter)\b)(?!.* --help$)/g;

/** Adds `--db` to a command if the running command was given one. */
export function nextHere(next: string, { db }: Pick<Globals, "db">): string {
  return db === undefined
    ? next
    : next.replace(WORKS_ON_DATABASE, () => `conclaude --db ${quoteWord(db)} `);
}

/** Writes flags as a person types them, each after a blank. `since` and `until` are epoch milliseconds. */
export function flagsAgain(flags: Readonly<Record<string, unknown>>): string {
  return Object.entries(flags).map(([name, value]) => {
    if (value === undefined || value === false) return "";
    const isTime = typeof value === "number" && (name === "since" || name === "until");
    const word = isTime ? new Date(value).toISOString() : String(value);
    return ` --${kebab(name)}${value === true ? "" : ` ${quoteWord(word)}`}`;
  }).join("");
}

/** A command between backticks, or after a colon at the end of a line: `next: conclaude status`. */
const HINT = /(?<=`)conclaude [^`]+(?=`)|(?<=: +)conclaude [^`\n]+$/gm;

/** Adds `--db` to every command that a text gives as a hint. */
export function hintsHere(text: string, globals: Pick<Globals, "db">): string {
  return globals.db === undefined ? text : text.replace(HINT, (hint) => nextHere(hint, globals));
}

export function moveCommand(from: string, to: string): string {
  return `conclaude memory move ${quoteWord(from)} ${quoteWord(to)}`;
}

export function checksHere(
  checks: readonly Check[],
  globals: Pick<Globals, "db">,
): readonly Check[] {
  return checks.map((one) => ({ ...one, next: one.next && nextHere(one.next, globals) }));
}
