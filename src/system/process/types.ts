/** Describes configured commands and notifications as plain JSON, which the configuration cache can keep. */

export interface CommandRule {
  /** The rule's place in the configuration: `stop.commands[0]`. */
  readonly rule: string;
  /** For `bash -c`: the configured script, with a mark before every line that begins a statement. */
  readonly script: string;
  /** The line of each mark, as it may be shown. */
  readonly lines: readonly string[];
  /** The text that is shown when the command fails; null shows only the failure. */
  readonly message: string | null;
  readonly showStdout: boolean;
  readonly showStderr: boolean;
  /** How many lines of each output are shown; null means as many as there is room for. */
  readonly maxOutputLines: number | null;
  /** Null means the time that the hook may take. */
  readonly timeoutSeconds: number | null;
  readonly showCommand: boolean;
  /** Whether a notification shows how the command ended. */
  readonly notifies: boolean;
  /** Whether the command runs only where something may have changed. */
  readonly onlyAfterChanges?: true;
}

export interface HeadOfOutput {
  readonly text: string;
  /** How many lines are not in the text. */
  readonly omittedLines: number;
}

export type CommandEnd =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly code: number }
  /** `ofDeadline`: the time of the hook was over, not that of the command. */
  | { readonly kind: "timedOut"; readonly seconds: number; readonly ofDeadline: boolean }
  /** There was no time left, or the shell could not be started. */
  | { readonly kind: "notStarted"; readonly why: string }
  /** Claude Code, or the person, ended the hook. */
  | { readonly kind: "interrupted" };

export interface CommandRun {
  readonly command: CommandRule;
  readonly end: CommandEnd;
  /** The entry of `lines` that the command had come to; null when it is unknown. */
  readonly line: number | null;
  /** Null for an output that is not shown. */
  readonly stdout: HeadOfOutput | null;
  readonly stderr: HeadOfOutput | null;
  readonly durationMs: number;
}

export type Notification = Readonly<{ title: string; body: string; isUrgent: boolean }>;
