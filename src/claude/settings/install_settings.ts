/** Installs conclaude's hooks into a settings file of Claude Code, and takes them out again. */
import { installInto, type InstallPlan, isOriginOf, planRemoval, readOwnEntries } from "./edit.ts";
import { checkHooks } from "./handler_schema.ts";
import {
  commandLine,
  EVENT_CAUTIONS,
  type HookEntry,
  planHooks,
  type Program,
  programLine,
  STRICT_EVENTS,
} from "./hooks.ts";
import { DEFAULT_EVENTS, type HookEvent, type NamedTools } from "./lanes.ts";
import { ownershipHere, type ThisProgram } from "./own_handler.ts";
import {
  type Attempt,
  backupPath,
  dropSettingsBackup,
  readBackup,
  refusal,
  removeMadeFolder,
  replaceBackedUp,
  replaceSettings,
  type SettingsFile,
  withFreshFile,
} from "./settings_file.ts";
import {
  placeFlags,
  settingsPath,
  type SettingsPlace,
  type SettingsScope,
} from "./settings_place.ts";

const NOTHING_STRICT = `--strict changes nothing here: Claude Code honours it under ${
  [...STRICT_EVENTS].join(" and ")
} only, and none of the events is one of them`;

export interface InstallOptions extends SettingsPlace, ThisProgram {
  readonly program: Program;
  /** As `chooseEvents()` returns them; by default the default events. */
  readonly events?: readonly HookEvent[] | undefined;
  /** The tools that rules name, which the matchers let through as well. */
  readonly tools?: NamedTools | undefined;
  /** Whether Claude Code can start a program without a shell. */
  readonly exec?: boolean | undefined;
  /** Whether actions are blocked when our hook cannot run, where Claude Code allows that. */
  readonly strict?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** Flags besides those of the place, which a refusal repeats: `["--events", "Stop"]`. */
  readonly otherFlags?: readonly string[] | undefined;
}

/** The hooks of `program` count as ours under any name. */
export interface UninstallOptions extends SettingsPlace, ThisProgram {
  readonly dryRun?: boolean | undefined;
  readonly otherFlags?: readonly string[] | undefined;
}

/**
 * Adds our hooks to a settings file, or updates them. It backs up a file without our hooks first. @throws UserError
 * When the file cannot be edited safely, or Claude Code would discard it; then nothing changes.
 */
export function installHooks(options: InstallOptions) {
  const attempt = attemptOf("install-hooks", options);
  return withFreshFile(attempt, (file) => installOnce(file, { ...options, attempt }));
}

/**
 * Removes our hooks from a settings file. A file untouched since the installation becomes what it was, byte for byte;
 * otherwise only our handlers are cut out. @throws UserError When that is not safe; then nothing changes.
 */
export function uninstallHooks(options: UninstallOptions) {
  const attempt = attemptOf("uninstall-hooks", options);
  return withFreshFile(attempt, (file) => uninstallOnce(file, { ...options, attempt }));
}

function attemptOf(
  command: Attempt["command"],
  options: SettingsPlace & Pick<InstallOptions, "otherFlags">,
): Attempt {
  const flags = [...placeFlags(options), ...options.otherFlags ?? []];
  return { command, path: settingsPath(options), flags };
}

/** Installs once. @returns The result, also of a `dryRun`; `undefined` when the file has changed meanwhile. */
function installOnce(file: SettingsFile, options: InstallOptions & { readonly attempt: Attempt }) {
  const { attempt, program, events = DEFAULT_EVENTS, strict, exec, tools, dryRun = false } =
    options;
  const plan: InstallPlan = {
    ...ownershipHere(options),
    path: file.path,
    flags: attempt.flags,
    entries: planHooks(program, events, { strict, exec, tools }),
  };
  const before = file.text ?? "";
  const edit = installInto(before, plan);
  const settings: unknown = JSON.parse(edit.text.replace(/^\uFEFF/, ""));
  const warnings = [
    ...checkResult(settings, attempt),
    ...events.flatMap((event) => EVENT_CAUTIONS[event] ?? []),
    ...(strict && blockingEvents(plan.entries).length === 0 ? [NOTHING_STRICT] : []),
    ...sharedPathWarnings(options),
  ];
  const created = file.text === undefined;
  const entries = readOwnEntries(before, { ...plan, attempt });
  const isFirst = !created && entries.length === 0;
  const backup = readBackup(file.path);
  const changed = edit.text !== before;
  if (changed && !dryRun) {
    const replace = isFirst ? replaceBackedUp : replaceSettings;
    if (!replace(file, edit.text)) return undefined;
    if (created && backup !== undefined && isOriginOf(edit.text, { plan, origin: backup })) {
      // The backup holds no settings: it must not pass for the state before this installation.
      dropSettingsBackup(file.path);
    }
  }
  const blocking = blockingEvents(plan.entries);
  const { added, updated, removed } = edit;
  return {
    ...installReportOf(file, options, changed),
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
    /** Events under which our hooks were added, corrected and removed. */
    ...{ added, updated, removed },
    /** Sentences for a person; none of them prevented the installation. */
    warnings,
    diff: diffLines(before, edit.text),
  };
}

/** Refuses values that Claude Code would discard, and warns of values that it ignores. */
function checkResult(settings: unknown, attempt: Attempt): string[] {
  const problems = checkHooks(settings);
  const fatal = problems.find(({ discardsFile }) => discardsFile);
  if (fatal !== undefined) {
    throw refusal(attempt, {
      why: `\`${fatal.path}\` ${fatal.problem}; because of it Claude Code discards the whole file`,
      todo: "correct or remove that entry",
    });
  }
  const warnings = problems.map(({ path, problem }) =>
    `\`${path}\` ${problem}; Claude Code ignores this entry`
  );
  const { disableAllHooks } = settings as { readonly disableAllHooks?: unknown };
  if (disableAllHooks !== true) return warnings;
  return [...warnings, "`disableAllHooks` is true in this file: Claude Code will not run any hook"];
}

/** Uninstalls once. @returns As {@linkcode installOnce}. */
function uninstallOnce(
  file: SettingsFile,
  options: UninstallOptions & { readonly attempt: Attempt },
) {
  const { attempt, dryRun = false } = options;
  const before = file.text ?? "";
  const backup = readBackup(file.path);
  const ownership = ownershipHere(options);
  const target = { path: file.path, flags: attempt.flags };
  const removal = planRemoval(before, { ...ownership, ...target, backup });
  const changed = removal.kind !== "absent";
  const after = removal.kind === "absent"
    ? before
    : removal.kind === "deleted"
    ? undefined
    : removal.text;
  if (changed && !dryRun) {
    if (!replaceSettings(file, after)) return undefined;
    if (removal.kind === "restored") dropSettingsBackup(file.path);
    if (removal.kind === "deleted") removeMadeFolder(file.path);
  }
  return {
    ...installReportOf(file, options, changed),
    missing: file.text === undefined,
    /** Whether the file is as it was before the installation, byte for byte. */
    restored: removal.kind === "restored" || removal.kind === "deleted",
    /** Whether the installation had made the file, and it is removed. */
    deleted: removal.kind === "deleted",
    /** A backup that stays because the file has changed since; null when there is none. */
    backup: backup !== undefined && removal.kind !== "restored" ? backupPath(file.path) : null,
    removed: [
      ...new Set(readOwnEntries(before, { ...ownership, attempt }).map(({ event }) => event)),
    ],
    diff: diffLines(before, after ?? ""),
  };
}

/** Returns what both results say of the file; `scope` is `file` when a person has named the file itself. */
function installReportOf({ path }: SettingsFile, options: UninstallOptions, changed: boolean) {
  const { settings, scope, dryRun = false } = options;
  const reported: SettingsScope | "file" = settings ? "file" : scope;
  return { settings: path, scope: reported, changed, dryRun };
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
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
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
  const isFindable = Boolean(place.configDir || place.home);
  return !isFindable || path !== settingsPath({ ...unnamed, scope: "user" });
}
