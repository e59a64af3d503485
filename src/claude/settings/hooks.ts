/** Plans the hooks that conclaude installs: which events, with which matcher, by which command. */
import { UserError } from "../../base/errors.ts";
import { nearestWords } from "../../base/likeness.ts";
import { baseName } from "../../base/paths.ts";
import {
  DEFAULT_EVENTS,
  DRAIN_WORD,
  type HookEvent,
  type HookRole,
  KNOWN_EVENTS,
  matcherOf,
  type NamedTools,
  rowsOf,
} from "./lanes.ts";

/**
 * The events under which Claude Code honours `onFailure: "block"` (seen in 2.1.329): when the hook cannot start,
 * crashes or times out, Claude Code blocks the action. Under our other events it has no effect.
 */
export const STRICT_EVENTS: ReadonlySet<string> = new Set(["PreToolUse", "UserPromptSubmit"]);

/** Warnings for events that are not installed by default. */
export const EVENT_CAUTIONS: Readonly<Partial<Record<HookEvent, string>>> = {
  WorktreeCreate: "a WorktreeCreate hook replaces `git worktree`, and conclaude creates none: " +
    "Claude Code will fail to create worktrees",
  FileChanged: "Claude Code watches only the files that a FileChanged matcher names, " +
    "and conclaude names none: the hook will not run",
};

/** Marks our command when the program has another name. Hooks ignore the mark. */
export const OWN_MARK = "--conclaude";

/** One of our handlers in a settings file. No two share event, role and lane. */
export interface HookEntry {
  readonly event: string;
  readonly role: HookRole;
  /** `undefined` matches everything. */
  readonly matcher?: string | undefined;
  /** The command as a person would type it, also where Claude Code starts it without a shell. */
  readonly command: string;
  /** `true`: Claude Code starts the program itself, without a shell. */
  readonly exec?: true | undefined;
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
  return names.length === 0 ? DEFAULT_EVENTS : [...new Set(names.map(eventNamed))];
}

function eventNamed(name: string): HookEvent {
  const event = KNOWN_EVENTS.find((known) => known === name);
  if (event !== undefined) return event;
  const [nearest] = nearestWords(name, KNOWN_EVENTS);
  const meant = nearest === undefined
    ? `it has ${KNOWN_EVENTS.join(", ")}`
    : `did you mean \`${nearest}\`?`;
  throw new UserError(`Cannot install a hook for "${name}"`, {
    why: `Claude Code has no hook event of this name; ${meant}`,
    next: commandLine("install-hooks", ["--help"]),
    exitCode: 2,
  });
}

export interface PlanOptions {
  /** Whether an action is blocked when its hook of STRICT_EVENTS cannot run. */
  readonly strict?: boolean | undefined;
  /** Whether Claude Code can start a program without a shell. An older one would leave out the arguments. */
  readonly exec?: boolean | undefined;
  /** The tools that rules name, by default none beside the usual ones. */
  readonly tools?: NamedTools | undefined;
}

/** Returns the entries for these events, as the table of lanes has them; an event that it lacks is only recorded. */
export function planHooks(
  program: Program,
  events: readonly HookEvent[],
  { strict, exec, tools }: PlanOptions = {},
): HookEntry[] {
  return events.flatMap((event) =>
    rowsOf(event).flatMap(({ role, lane, seconds, match }): HookEntry[] => {
      const matcher = matcherOf(match, tools);
      return matcher === null ? [] : [{
        event,
        role,
        matcher,
        // The drain's command differs from the event's, since Claude Code runs equal commands once.
        command: hookCommand(program, role === "drain" ? DRAIN_WORD : event),
        exec: exec ? true : undefined,
        timeout: seconds,
        onFailure: strict && STRICT_EVENTS.has(event) ? "block" : undefined,
        async: lane === "async" ? true : undefined,
      }];
    })
  );
}

/** Returns the shell command of one hook: `conclaude hook Stop`. @param word An event, or {@linkcode DRAIN_WORD}. */
export function hookCommand(program: Program, word: string): string {
  const name = program.kind === "path" ? baseName(program.path) : programLine(program);
  const mark = program.kind !== "line" && isOurName(name) ? [] : [OWN_MARK];
  return [programLine(program), "hook", word, ...mark].join(" ");
}

/** Returns the beginning of a command for a POSIX shell; on Windows, hooks run in Git Bash, with forward slashes. */
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

/** Returns a command to paste: `conclaude install-hooks --scope local`. */
export function commandLine(verb: string, flags: readonly string[] = []): string {
  return ["conclaude", verb, ...flags.map(quoteWord)].join(" ");
}

/** Words that a release or a packager adds to our name: the system, the machine, the kind of file. */
const PLATFORM_WORDS: ReadonlySet<string> = new Set([
  ..."linux macos mac osx darwin apple windows win pc unknown gnu musl msvc".split(" "),
  ..."x64 x86 amd64 arm64 aarch64 universal".split(" "),
  ..."alpha beta rc dev nightly exe cmd".split(" "),
]);

/** A version number, or a word size: `2`, `v0`, `64`, `rc1`. */
const VERSION_NUMBER = /^(?:v|rc|alpha|beta|win)?\d+$/;

/**
 * Tells whether a name is `conclaude`, with nothing but a version or a platform after it: `conclaude.exe`,
 * `conclaude2`, `conclaude-0.1.0`, `conclaude-linux-x86_64`. `conclaude-notify` is another program's name, and
 * `cc-state` may be ours or not: only a mark can tell (`OWN_MARK`).
 */
export function isOurName(name: string): boolean {
  const rest = /^conclaude(?![a-z])(.*)$/is.exec(name)?.[1];
  return rest !== undefined &&
    rest.toLowerCase().split(/[-_.+]/).every((part) =>
      part === "" || PLATFORM_WORDS.has(part) || VERSION_NUMBER.test(part)
    );
}

/** The seconds that a hook keeps at its end for ending a command and writing the database. */
const RESERVE_SECONDS = 15;

/** Returns how long Claude Code waits for the answer to an event, in seconds. */
export function hookTimeoutSeconds(event: string): number {
  return rowsOf(event)[0]!.seconds;
}

/** Returns when the commands of an event must be done, in milliseconds since the hook began; below 0 where none run. */
export function commandDeadlineMs(event: string): number {
  return (hookTimeoutSeconds(event) - RESERVE_SECONDS) * 1000;
}
