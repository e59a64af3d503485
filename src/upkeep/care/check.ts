/** Types and makers of the findings that `doctor` and `db check` print. */
import { shortened } from "../../memory/text.ts";
import { MAX_FAULTS } from "./care_table.ts";

/** One line of `doctor` and of `db check`. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  /** One sentence that tells what the check found. */
  readonly message: string;
  /** The next step, as in `UserError`: a command to paste wherever there is one; null when all is well. */
  readonly next: string | null;
  /** Every fault, if the message tells only the first. */
  readonly faults?: readonly string[];
}

export interface Finding extends Omit<Check, "name"> {
  /** Corrects the fault. Returns a sentence that tells what was done, and a finding if something is left undone. */
  readonly repair?: () => string | Repaired | Promise<string | Repaired>;
}

/** A repair that left something undone. */
export type Repaired = Readonly<{ done: string; undone: Finding }>;

/** Makes the finding that all is well. */
export function ok(message: string): Finding {
  return { status: "ok", message, next: null };
}

/** Makes a finding about something that works, but not as it should. */
export function warn(message: string, next: string, repair?: Finding["repair"]): Finding {
  return { status: "warn", message, next, ...(repair && { repair }) };
}

/** Makes a finding about something that prevents events from being recorded or found. */
export function fail(message: string, next: string, repair?: Finding["repair"]): Finding {
  return { ...warn(message, next, repair), status: "fail" };
}

const MAX_CHARS = 200;

/** Returns the first fault, shortened, and the number of others. */
export function faultsText([first = "", ...others]: readonly string[]): string {
  const text = shortened(first, MAX_CHARS);
  const more = others.length + 1 < MAX_FAULTS ? others.length : `at least ${others.length}`;
  return others.length === 0 ? text : `${text} (and ${more} more)`;
}
