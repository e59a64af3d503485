/**
 * The one error that a person is meant to read: what happened, why, and what to do next.
 *
 * Rooms throw it and never print. The command line prints it as three lines, or with `--json` as
 * `{"error":{what,why,next,code}}`; a hook writes it to its audit row and the log.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  /** What could not be done, in sentence case, without a closing period. */
  readonly what: string;
  /** The current state that prevented it; says also what was left untouched where that matters. */
  readonly why: string;
  /** A command to paste; empty when there is nothing to do, an imperative where no command can do it. */
  readonly next: string;
  /** Exit status of the command line: 1 could not, 2 usage (more in the README). */
  readonly exitCode: number;
  /** The reason in a word for programs, such as `ALREADY_CLAIMED`; null where there is none. */
  readonly reason: string | null;
  /** Facts for programs that belong to the reason; empty where there are none. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    what: string,
    details: {
      why: string;
      next: string;
      exitCode?: number;
      cause?: unknown;
      reason?: string;
      details?: Readonly<Record<string, unknown>>;
    },
  ) {
    super(what, details.cause === undefined ? {} : { cause: details.cause });
    this.what = what;
    this.why = details.why;
    this.next = details.next;
    this.exitCode = details.exitCode ?? 1;
    this.reason = details.reason ?? null;
    this.details = details.details ?? {};
  }
}

/** Whether an error is meant for a person. By name, since a bundle may hold the class twice. */
export function isUserError(thrown: unknown): thrown is UserError {
  return thrown instanceof Error && thrown.name === "UserError";
}

/** The message of anything that was thrown, one line, never empty. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  return text.replace(/\s+/g, " ").trim() || "unknown error";
}

/** Whether SQLite gave up because another process writes: nothing is wrong, and it may go well the next time. */
export function isDatabaseBusy(thrown: unknown): boolean {
  return /database (?:table )?is (?:locked|busy)/i.test(messageOf(thrown));
}

/** Runs a look into the database. A failed look gives undefined: when the event is saved, the same fault is reported. */
export function quietly<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
