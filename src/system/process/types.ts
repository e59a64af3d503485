/** Configured commands and notifications as plain JSON, which the configuration cache can keep. */

export interface CommandRule {
  /** Its place in the configuration: `stop.commands[0]`. */
  readonly rule: string;
  /** For `bash -c`: the configured script, with a mark before every line that begins something. */
  readonly script: string;
  /** The line of each mark, as it may be shown. */
  readonly lines: readonly string[];
  /** Shown when the command fails; null for nothing more than the failure. */
  readonly message: string | null;
  readonly showStdout: boolean;
  readonly showStderr: boolean;
  /** Lines of each output that are shown; null for as many as there is room for. */
  readonly maxOutputLines: number | null;
  /** Null for as long as the hook may take. */
  readonly timeoutSeconds: number | null;
  readonly showCommand: boolean;
  /** Whether its end is shown as a notification. */
  readonly notifies: boolean;
  /** Whether it runs only where something may have changed. */
  readonly onlyAfterChanges?: true;
}

/** The beginning of an output. */
export interface HeadOfOutput {
  readonly text: string;
  /** Lines that are not in the text. */
  readonly omittedLines: number;
}

export type CommandEnd =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly code: number }
  /** `ofDeadline`: the hook's time was over, not its own. */
  | { readonly kind: "timedOut"; readonly seconds: number; readonly ofDeadline: boolean }
  /** There was no time left, or the shell could not be started. */
  | { readonly kind: "notStarted"; readonly why: string }
  /** Claude Code, or the person, ended the hook. */
  | { readonly kind: "interrupted" };

export interface CommandRun {
  readonly command: CommandRule;
  readonly end: CommandEnd;
  /** Which of `lines` it had come to; null when that is unknown. */
  readonly line: number | null;
  /** Null for an output that is not shown. */
  readonly stdout: HeadOfOutput | null;
  readonly stderr: HeadOfOutput | null;
  readonly durationMs: number;
}

export interface Notification {
  readonly title: string;
  readonly body: string;
  readonly isUrgent: boolean;
}
