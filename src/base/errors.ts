/**
 * An error for a person to read: it says what happened, why, and what to do next.
 *
 * Rooms throw it and never print. The command line prints it as three lines, or with `--json` as
 * `{"error":{what,why,next,code}}`; a hook writes it to its audit row and the log.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  /** The action that failed, in sentence case, without a closing period: `Cannot read FILE`. */
  readonly what: string;
  /** The state that prevented it, and what stayed unchanged where that matters. */
  readonly why: string;
  /** A command to paste, or an instruction where no command helps; empty when there is nothing to do. */
  readonly next: string;
  /** Exit status of the command line: 1 failure, 2 wrong usage (tasks have more: `docs/tasks-and-agents.md`). */
  readonly exitCode: number;
  /** A code for programs that names the reason, such as `ALREADY_CLAIMED`; null when there is none. */
  readonly reason: string | null;
  /** Facts for programs that belong to the reason; empty when there are none. */
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

/** Tells whether an error is for a person. Compares the name, since a bundle may hold the class twice. */
export function isUserError(thrown: unknown): thrown is UserError {
  return thrown instanceof Error && thrown.name === "UserError";
}

/** Returns the message of anything thrown, as one line that is never empty. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  return text.replace(/\s+/g, " ").trim() || "unknown error";
}

/** Tells whether SQLite gave up because another process holds the database. A later try may succeed. */
export function isDatabaseBusy(thrown: unknown): boolean {
  return /database (?:table |schema )?is (?:locked|busy)/i.test(messageOf(thrown));
}

/** Calls a function whose failure does no harm. @returns Its result; undefined when it throws. */
export function quietly<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
