/** The hooks that conclaude installs: which events, with which matcher, by which command. */
import { UserError } from "../../base/errors.ts";
import { nearestWords } from "../../base/likeness.ts";
import { baseName } from "../../base/paths.ts";

/** Every hook event of Claude Code 2.1.329; it ignores any other name in a settings file. */
export const KNOWN_EVENTS = [
  "SessionStart",
  "Setup",
  "InstructionsLoaded",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "MessageDisplay",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "StopFailure",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "ConfigChange",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "WorktreeCreate",
  "WorktreeRemove",
  "Elicitation",
  "ElicitationResult",
  "SessionEnd",
] as const;

export type HookEvent = typeof KNOWN_EVENTS[number];

/** The events that are installed by default, in the order in which they are written. */
export const DEFAULT_EVENTS: readonly HookEvent[] = [
  "SessionStart",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "SubagentStart",
  "SubagentStop",
  "Notification",
  "PreCompact",
  "PostCompact",
  "TaskCreated",
  "TaskCompleted",
  "Stop",
  "StopFailure",
  "SessionEnd",
];

/**
 * Where Claude Code honours `onFailure: "block"` (seen in 2.1.329): when the hook cannot start, crashes or times out,
 * the action is blocked. Under our other events it has no effect.
 */
export const STRICT_EVENTS: ReadonlySet<string> = new Set(["PreToolUse", "UserPromptSubmit"]);

const MATCHERS: Readonly<Partial<Record<HookEvent, string>>> = {
  SessionStart: "startup|resume|clear|compact|fork",
  PreToolUse: "*",
  PermissionRequest: "*",
  PostToolUse: "*",
  PostToolUseFailure: "*",
};

/** Warnings for events that are not installed by default. */
export const EVENT_CAUTIONS: Readonly<Partial<Record<HookEvent, string>>> = {
  WorktreeCreate: "a WorktreeCreate hook replaces `git worktree`, and conclaude creates none: " +
    "Claude Code will fail to create worktrees",
  FileChanged: "Claude Code watches only the files that a FileChanged matcher names, " +
    "and conclaude names none: the hook will not run",
};

/** Marks our command when the program has another name. Hooks ignore the mark. */
export const OWN_MARK = "--conclaude";

/** The event for which we install a second handler, the drain. */
export const DRAIN_EVENT = "Stop";

/** Stands for the event in the drain's command. */
export const DRAIN_WORD = "Drain";

/**
 * Our two handlers under one event: the event's own hook, whose answer Claude Code waits for, and the drain, which works
 * captures into memory in the background.
 */
export type HookRole = "event" | "drain";

/** One of our handlers in a settings file. No two share both event and role. */
export interface HookEntry {
  readonly event: string;
  readonly role: HookRole;
  /** `undefined` matches everything. */
  readonly matcher?: string | undefined;
  readonly command: string;
  /** Seconds, more than 0. */
  readonly timeout: number;
  /** `block`: the action is blocked when the hook cannot run. */
  readonly onFailure?: "block" | undefined;
  /** `true`: Claude Code does not wait for it. */
  readonly async?: true | undefined;
}

/**
 * What a hook starts: the path of an executable, a name that the shell finds on its `PATH`, or a ready command line
 * (`deno run … main.ts`). Paths and names are quoted where the shell needs it.
 */
export type Program =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "line"; readonly line: string };

/** Checks the events of `--events`, by default the usual ones. @throws UserError At the first unknown name. */
export function chooseEvents(names: readonly string[]): readonly HookEvent[] {
  if (names.length === 0) return DEFAULT_EVENTS;
  const chosen = new Set<HookEvent>();
  for (const name of names) {
    const event = KNOWN_EVENTS.find((known) => known === name);
    if (event === undefined) throw unknownEvent(name);
    chosen.add(event);
  }
  return [...chosen];
}

/** The entries for these events. @param options `strict`: block when a hook of STRICT_EVENTS cannot run. */
export function planHooks(
  program: Program,
  events: readonly HookEvent[],
  options: { readonly strict?: boolean | undefined } = {},
): HookEntry[] {
  return events.flatMap((event) => {
    const own: HookEntry = {
      event,
      role: "event",
      matcher: MATCHERS[event],
      command: hookCommand(program, event),
      timeout: hookTimeoutSeconds(event),
      onFailure: options.strict && STRICT_EVENTS.has(event) ? "block" : undefined,
    };
    return event === DRAIN_EVENT ? [own, drainEntry(program)] : [own];
  });
}

/** Its command has to differ from the event's, since Claude Code runs equal commands once. */
function drainEntry(program: Program): HookEntry {
  return {
    event: DRAIN_EVENT,
    role: "drain",
    command: hookCommand(program, DRAIN_WORD),
    timeout: DRAIN_TIMEOUT_SECONDS,
    async: true,
  };
}

/** The shell command of one hook: `conclaude hook Stop`. @param word An event, or {@linkcode DRAIN_WORD}. */
export function hookCommand(program: Program, word: string): string {
  const words = [programLine(program), "hook", word];
  return (tellsByName(program) ? words : [...words, OWN_MARK]).join(" ");
}

function tellsByName(program: Program): boolean {
  if (program.kind === "line") return false;
  return isOurName(program.kind === "name" ? program.name : baseName(program.path));
}

/** The beginning of a command for a POSIX shell; on Windows, hooks run in Git Bash, with forward slashes. */
export function programLine(program: Program): string {
  if (program.kind === "line") return program.line;
  if (program.kind === "name") return quoteWord(program.name);
  const windows = /^(?:[A-Za-z]:\\|\\\\)/.test(program.path);
  return quoteWord(windows ? program.path.replaceAll("\\", "/") : program.path);
}

/** Puts a word in single quotes where a POSIX shell needs them. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_@%+:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command to paste: `conclaude install-hooks --scope local`. */
export function commandLine(verb: string, flags: readonly string[] = []): string {
  return ["conclaude", verb, ...flags.map(quoteWord)].join(" ");
}

function unknownEvent(name: string): UserError {
  const [nearest] = nearestWords(name, KNOWN_EVENTS);
  return new UserError(`Cannot install a hook for "${name}"`, {
    why: `Claude Code has no hook event of this name; ${
      nearest === undefined ? `it has ${KNOWN_EVENTS.join(", ")}` : `did you mean \`${nearest}\`?`
    }`,
    next: commandLine("install-hooks", ["--help"]),
    exitCode: 2,
  });
}

/** Words that a release or a packager puts behind our name: the system, the machine, the kind of file. */
const PLATFORM_WORDS: ReadonlySet<string> = new Set([
  ..."linux macos mac osx darwin apple windows win pc unknown gnu musl msvc".split(" "),
  ..."x64 x86 amd64 arm64 aarch64 universal".split(" "),
  ..."alpha beta rc dev nightly exe cmd".split(" "),
]);

/** A version number, or a word size: `2`, `v0`, `64`, `rc1`. */
const VERSION_NUMBER = /^(?:v|rc|alpha|beta|win)?\d+$/;

/**
 * True for `conclaude` with a version or a platform behind it, and nothing else: `conclaude.exe`, `conclaude2`,
 * `conclaude-0.1.0`, `conclaude-linux-x86_64`. `conclaude-notify` is another program's name, and `cc-state` may be ours
 * or not: only a mark can tell (`OWN_MARK`).
 */
export function isOurName(name: string): boolean {
  const rest = /^conclaude(?![a-z])(.*)$/is.exec(name)?.[1];
  return rest !== undefined &&
    rest.toLowerCase().split(/[-_.+]/).every((part) =>
      part === "" || PLATFORM_WORDS.has(part) || VERSION_NUMBER.test(part)
    );
}

/** Claude Code's own default of 600 seconds would hold up a turn for ten minutes. */
const USUAL_SECONDS = 10;

/** Events at which configured commands run. A person waits for a prompt, so UserPromptSubmit gets less. */
const SECONDS_BY_EVENT: Readonly<Record<string, number>> = {
  Stop: 600,
  SubagentStop: 600,
  UserPromptSubmit: 30,
};

/** Seconds; Claude Code does not wait for the drain. */
const DRAIN_TIMEOUT_SECONDS = 60;

/** Seconds at the end of a hook, kept for ending a command and writing the database. */
const RESERVE_SECONDS = 15;

export function hookTimeoutSeconds(event: string): number {
  return SECONDS_BY_EVENT[event] ?? USUAL_SECONDS;
}

/** When the commands of an event must be done, in milliseconds since the hook started; 0 where none run. */
export function commandDeadlineMs(event: string): number {
  return (hookTimeoutSeconds(event) - RESERVE_SECONDS) * 1000;
}
