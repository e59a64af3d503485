import type { Check } from "../upkeep/care/check.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import type { Globals } from "./context.ts";
import { kebab } from "./usage.ts";

/** Commands of conclaude that use the database, unless they ask for help. */
const WORKS_ON_DATABASE =
  /(?<=^|&& )conclaude (?=(?:status|doctor|session|audit|memory|queue|counter|task|workflow|agent|question|event|daemon|migrate|db|retention|export|import|reconcile|team)\b)(?!.* --help$)/g;

/** A command with `--db` added where this command was given one. */
export function nextHere(next: string, { db }: Pick<Globals, "db">): string {
  return db === undefined
    ? next
    : next.replace(WORKS_ON_DATABASE, () => `conclaude --db ${quoteWord(db)} `);
}

/** Flags as a person types them, each with a blank before it. */
export function flagsAgain(flags: Readonly<Record<string, unknown>>): string {
  return Object.entries(flags).map(([name, value]) => {
    if (value === undefined || value === false) return "";
    const flag = ` --${kebab(name)}`;
    return value === true ? flag : `${flag} ${quoteWord(String(value))}`;
  }).join("");
}

/** Commands between backticks, and those that end a line behind a colon: `next: conclaude status`. */
const HINT = /(?<=`)conclaude [^`]+(?=`)|(?<=: +)conclaude [^`\n]+$/gm;

/** A text with `--db` added to every command that it names as a hint. */
export function hintsHere(text: string, globals: Pick<Globals, "db">): string {
  return globals.db === undefined ? text : text.replace(HINT, (hint) => nextHere(hint, globals));
}

/** The command that gives what is known of a folder to another one. */
export function moveCommand(from: string, to: string): string {
  return `conclaude memory move ${quoteWord(from)} ${quoteWord(to)}`;
}

/** Checks with `--db` added to their next steps. */
export function checksHere(
  checks: readonly Check[],
  globals: Pick<Globals, "db">,
): readonly Check[] {
  return checks.map((one) => ({ ...one, next: one.next && nextHere(one.next, globals) }));
}
