/** What is run and shown on the desktop: plain JSON, so that a hook takes it from the cache. */

/** One command of the configuration. */
export interface CommandRule {
  /** Its name, as in the configuration: `stop.commands[0]`. */
  readonly rule: string;
  /** For `bash -c`: what was configured, with a mark before every line that begins something. */
  readonly script: string;
  /** What each mark stands for, as it may be told: one line each. */
  readonly lines: readonly string[];
  /** Told when it fails; null for nothing beside what failed. */
  readonly message: string | null;
  readonly showStdout: boolean;
  readonly showStderr: boolean;
  /** Lines of each output that are told; null for as many as there is room for. */
  readonly maxOutputLines: number | null;
  /** Seconds; null for as long as the hook may take. */
  readonly timeoutSeconds: number | null;
  readonly showCommand: boolean;
  /** Whether its end is a notification of its own. */
  readonly notifies: boolean;
}

/** What is left of an output. */
export interface HeadOfOutput {
  readonly text: string;
  /** Lines that are not in the text. */
  readonly omittedLines: number;
}

/** How a command ended. */
export type CommandEnd =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly code: number }
  /** `ofDeadline`: its own time was not over, but the hook's. */
  | { readonly kind: "timedOut"; readonly seconds: number; readonly ofDeadline: boolean }
  /** There was no time left for it, or the shell could not be started. */
  | { readonly kind: "notStarted"; readonly why: string }
  /** Claude Code, or the person, ended the hook. */
  | { readonly kind: "interrupted" };

/** A command that was run. */
export interface CommandRun {
  readonly command: CommandRule;
  readonly end: CommandEnd;
  /** Which of `lines` it had come to; null where that cannot be told. */
  readonly line: number | null;
  /** Null for an output that nobody wants to see. */
  readonly stdout: HeadOfOutput | null;
  readonly stderr: HeadOfOutput | null;
  readonly durationMs: number;
}

/** What a notifier is given. */
export interface Notification {
  readonly title: string;
  readonly body: string;
  readonly isUrgent: boolean;
}
