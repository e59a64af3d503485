/** Installs conclaude's hooks into a settings file of Claude Code, and takes them out again. */
import type { Mapping } from "../../base/mapping.ts";
import { removeQuietly } from "../../system/write_file.ts";
import { entriesIn, installInto, isOriginOf, planRemoval } from "./edit.ts";
import { checkHooks } from "./handler_schema.ts";
import {
  commandLine,
  EVENT_CAUTIONS,
  type HookEntry,
  planHooks,
  type PlanOptions,
  type Program,
  programLine,
  STRICT_EVENTS,
} from "./hooks.ts";
import { DEFAULT_EVENTS, type HookEvent } from "./lanes.ts";
import type { Ownership } from "./own_handler.ts";
import {
  type Attempt,
  backupPath,
  HOOKS,
  openFile,
  readBackup,
  removeMadeFolder,
  replaceBackedUp,
  replaceSettings,
  type SettingsFile,
  uneditable,
  withFreshFile,
} from "./settings_file.ts";
import { placeFlags, settingsPath, type SettingsPlace } from "./settings_place.ts";

const NOTHING_STRICT = `--strict changes nothing here: Claude Code honours it under ${
  [...STRICT_EVENTS].join(" and ")
} only, and the installed events include neither`;

/** A handler that runs `program` is ours, whatever the name of `program`. */
export interface UninstallOptions extends SettingsPlace, Ownership {
  readonly dryRun?: boolean | undefined;
  /** Flags besides those of the place, which a refusal repeats: `["--events", "Stop"]`. */
  readonly otherFlags?: readonly string[] | undefined;
}

export interface InstallOptions extends UninstallOptions, PlanOptions {
  readonly program: Program;
  /** As `chooseEvents()` returns them; by default the default events. */
  readonly events?: readonly HookEvent[] | undefined;
}

/**
 * Adds our hooks to a settings file, or updates them. A file that has none of our hooks yet is backed up first.
 * @throws UserError When the file cannot be edited safely, or Claude Code would discard it; then nothing changes.
 */
export function installHooks(options: InstallOptions) {
  return withFreshFile(attemptOf("install-hooks", options), (file) => installOnce(file, options));
}

/**
 * Removes our hooks from a settings file. A file untouched since the installation becomes what it was, byte for byte;
 * otherwise only our handlers are cut out. @throws UserError When that is not safe; then nothing changes.
 */
export function uninstallHooks(options: UninstallOptions) {
  return withFreshFile(
    attemptOf("uninstall-hooks", options),
    (file) => uninstallOnce(file, options),
  );
}

function attemptOf(command: Attempt["command"], options: UninstallOptions): Attempt {
  const flags = [...placeFlags(options), ...options.otherFlags ?? []];
  return { command, path: settingsPath(options), flags, subject: "hooks" };
}

/** Installs once. @returns The result, also of a `dryRun`; `undefined` when the file has changed meanwhile. */
function installOnce(file: SettingsFile, options: InstallOptions) {
  const { program, executable, events = DEFAULT_EVENTS, strict, dryRun = false } = options;
  const plan = { program, executable, entries: planHooks(program, events, options) };
  const before = file.text ?? "";
  const { text, ...changes } = installInto(before, plan);
  const blocking = blockingEvents(plan.entries);
  const warnings = [
    ...checkResult(openFile(text, HOOKS).settings),
    ...events.flatMap((event) => EVENT_CAUTIONS[event] ?? []),
    ...(strict && blocking.length === 0 ? [NOTHING_STRICT] : []),
    ...sharedPathWarnings(options),
  ];
  const created = file.text === undefined;
  const entries = entriesIn(openFile(before, HOOKS).settings, plan);
  const isFirst = !created && entries.length === 0;
  const backup = readBackup(file.path);
  const changed = text !== before;
  if (changed && !dryRun) {
    const replace = isFirst ? replaceBackedUp : replaceSettings;
    if (!replace(file, text)) return undefined;
    if (created && backup !== undefined && isOriginOf(text, { plan, origin: backup })) {
      // The backup holds no settings: it must not pass for the state before this installation.
      removeQuietly(backupPath(file.path));
    }
  }
  return {
    ...reportOf(file, options, changed),
    created,
    /** The copy of the file without our hooks; null when there is none. */
    backup: isFirst || (!created && backup !== undefined) ? backupPath(file.path) : null,
    events,
    drain: plan.entries.some(({ role }) => role === "drain"),
    /** Events that are blocked when their hook cannot run. */
    blocking,
    /** Events that were blocked before, and are no longer. */
    loosened: blockingEvents(entries).filter((event) => !blocking.includes(event)),
    /** The command up to the event: `/usr/local/bin/conclaude hook`. */
    command: `${programLine(program)} hook`,
    ...changes,
    /** Sentences for a person; none of them prevented the installation. */
    warnings,
    diff: diffLines(before, text),
  };
}

/** Refuses values that Claude Code would discard, and warns of values that it ignores. */
function checkResult(settings: Mapping): string[] {
  const problems = checkHooks(settings);
  const fatal = problems.find(({ discardsFile }) => discardsFile);
  if (fatal !== undefined) {
    throw uneditable(
      `\`${fatal.path}\` ${fatal.problem}; because of it Claude Code discards the whole file`,
      "correct or remove that entry",
    );
  }
  const warnings = problems.map(({ path, problem }) =>
    `\`${path}\` ${problem}; Claude Code ignores this entry`
  );
  if (settings["disableAllHooks"] !== true) return warnings;
  return [...warnings, "`disableAllHooks` is true in this file: Claude Code will not run any hook"];
}

/** Uninstalls once. @returns As {@linkcode installOnce}. */
function uninstallOnce(file: SettingsFile, options: UninstallOptions) {
  const { program, executable, dryRun = false } = options;
  const own = { program, executable };
  const before = file.text ?? "";
  const backup = readBackup(file.path);
  const { kind, text: after } = planRemoval(before, { ...own, backup });
  const changed = kind !== "absent";
  if (changed && !dryRun) {
    if (!replaceSettings(file, after)) return undefined;
    if (kind === "restored") removeQuietly(backupPath(file.path));
    if (kind === "deleted") removeMadeFolder(file.path);
  }
  const entries = entriesIn(openFile(before, HOOKS).settings, own);
  return {
    ...reportOf(file, options, changed),
    missing: file.text === undefined,
    /** Whether the file is as it was before the installation, byte for byte. */
    restored: kind === "restored" || kind === "deleted",
    /** Whether the installation had made the file, and it is removed. */
    deleted: kind === "deleted",
    /** The backup that stays; null when there was none, or the file was restored from it. */
    backup: backup !== undefined && kind !== "restored" ? backupPath(file.path) : null,
    removed: [...new Set(entries.map(({ event }) => event))],
    diff: diffLines(before, after ?? ""),
  };
}

/** Returns what both results say of the file; `scope` is `file` when a person has named the file itself. */
function reportOf({ path }: SettingsFile, options: UninstallOptions, changed: boolean) {
  const { settings, scope, dryRun = false } = options;
  return { settings: path, scope: settings ? "file" as const : scope, changed, dryRun };
}

function blockingEvents(entries: readonly HookEntry[]): string[] {
  return entries.filter(({ onFailure }) => onFailure === "block").map(({ event }) => event);
}

const CONTEXT_LINES = 2;

/** Returns the difference as lines for people: `+ `, `- `, two spaces before unchanged lines, `…` for omitted ones. */
export function diffLines(before: string, after: string): string[] {
  if (before === after) return [];
  const marked = markLines(splitLines(before), splitLines(after));
  const near = marked.map((_, index) =>
    marked.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some((line) => !line.startsWith("  "))
  );
  return marked.flatMap((line, index) => {
    if (near[index]) return [line];
    return index === 0 || near[index - 1] ? ["…"] : [];
  });
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Returns all lines of both texts with their marks, by the longest common subsequence. */
function markLines(before: readonly string[], after: readonly string[]): string[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const commonAt = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] = before[row] === after[column]
        ? commonAt(row + 1, column + 1) + 1
        : Math.max(commonAt(row + 1, column), commonAt(row, column + 1));
    }
  }
  const marked: string[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    if (row < before.length && before[row] === after[column]) {
      marked.push(`  ${before[row]}`);
      row++;
      column++;
    } else if (
      row < before.length &&
      (column === after.length || commonAt(row + 1, column) >= commonAt(row, column + 1))
    ) {
      marked.push(`- ${before[row++]}`);
    } else {
      marked.push(`+ ${after[column++]}`);
    }
  }
  return marked;
}

/** Warns where a path of this machine would go into the settings that a whole team shares. */
function sharedPathWarnings(place: SettingsPlace & { readonly program: Program }): string[] {
  if (place.program.kind === "name" || !isShared(place)) return [];
  const out = commandLine("uninstall-hooks", ["--scope", "project"]);
  const local = commandLine("install-hooks", ["--scope", "local"]);
  const named = commandLine("install-hooks", ["--scope", "project", "--command", "conclaude"]);
  return [
    "everybody who works in this project gets this file, and its hooks name a path of this machine. " +
    `For yourself alone: \`${out} && ${local}\`. ` +
    `For everybody who has conclaude on the PATH: \`${named}\`. ` +
    "One of them is enough: two record each event twice",
  ];
}

/** Tells whether a place is the project's shared file. In the home folder that file is the user's own. */
function isShared(place: SettingsPlace): boolean {
  const { settings: _, ...unnamed } = place;
  const path = settingsPath(place);
  if (path !== settingsPath({ ...unnamed, scope: "project" })) return false;
  const isUserKnown = Boolean(place.configDir || place.home);
  return !isUserKnown || path !== settingsPath({ ...unnamed, scope: "user" });
}
