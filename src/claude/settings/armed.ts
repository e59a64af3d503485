/** Tells from Claude Code's settings files whether it calls conclaude's hooks, and whether the program can start. */
import { EDITING_TOOLS, SHELL_TOOLS } from "../payload.ts";
import { checkHooks, type HookProblem } from "./handler_schema.ts";
import { isManagedFile } from "./settings_place.ts";
import { type Program, programLine } from "./hooks.ts";
import {
  handlerLine,
  memberOf,
  type Ownership,
  ownHandlersIn,
  partsOfCommand,
  splitWords,
} from "./own_handler.ts";
import { baseName, isAbsolutePath } from "../../base/paths.ts";
import {
  findOnPath,
  IS_WINDOWS,
  isBareName,
  isSameFile,
  whyNotRead,
  whyNotRun,
} from "../../system/process/executable.ts";

/** A settings file; `settings` is `undefined` when there is no file, or no JSON in it: Claude Code ignores both. */
export interface ParsedSettings {
  readonly path: string;
  readonly settings: unknown;
}

/** An event without which a gate cannot decide. */
export interface Need {
  /** The gate's name, as in the configuration: `stop.commands`. */
  readonly gate: string;
  readonly event: string;
  /** The tools that the gate must be asked about, `*` for all; empty if asking about any one is enough. */
  readonly tools: readonly string[];
}

export type Remedy =
  /** Remove `disableAllHooks` from this file. */
  | { readonly kind: "enable"; readonly path: string }
  /** Correct an invalid entry in this file. */
  | { readonly kind: "correct"; readonly path: string; readonly at: string }
  /** Install our hooks into this file; null where no file has a hook of ours for the event. */
  | { readonly kind: "install"; readonly path: string | null }
  /** Install the hooks anew, with another program: the one that this file names cannot be started. */
  | { readonly kind: "replace"; readonly path: string };

/** Gates that Claude Code does not ask, and why. */
export interface Unarmed {
  readonly gates: readonly string[];
  readonly events: readonly string[];
  /** True when no other gate is configured. */
  readonly isAll: boolean;
  /** A sentence in small letters without a period. */
  readonly why: string;
  readonly remedy: Remedy;
}

/** The rules and the surroundings that a check of the gates needs. */
interface GateCheck {
  readonly needs: readonly Need[];
  readonly ownership: Ownership;
  /** The variable `PATH`. */
  readonly searchPath: string | undefined;
}

/** Finds out why gates are not asked, one entry per reason. @param files The first one outranks the others. */
export function whyUnarmed(files: readonly ParsedSettings[], check: GateCheck): Unarmed[] {
  const { needs, ownership } = check;
  const path = disablingFile(files);
  // `disableAllHooks` in another file leaves the hooks of managed settings running.
  const managed = files.filter(({ path }) => isManagedFile(path));
  const managedHooksRun = path !== null && managed.every((file) => file.path !== path) &&
    managed.some(({ settings }) => holdsOwn(settings, "PreToolUse", ownership));
  if (managedHooksRun) return whyUnarmed(managed, check);
  if (path !== null) {
    const says = () => `\`disableAllHooks\` is true in ${path}`;
    return joined([{ needs, says, remedy: { kind: "enable", path } }], needs);
  }
  const byEvent = [...Map.groupBy(needs, ({ event }) => event)];
  return joined(
    byEvent.flatMap(([event, needs]) => obstacleFor(event, files, { ...check, needs }) ?? []),
    needs,
  );
}

/** Returns the file that switches off all hooks, if one does; files that Claude Code discards do not count. */
export function disablingFile(files: readonly ParsedSettings[]): string | null {
  const settingOf = ({ settings }: ParsedSettings) => memberOf(settings, "disableAllHooks");
  const deciding = files.find((file) =>
    typeof settingOf(file) === "boolean" && fatalIn(file) === undefined
  );
  return deciding !== undefined && settingOf(deciding) === true ? deciding.path : null;
}

/** Returns the entry that makes Claude Code discard a file. */
export function fatalIn({ settings }: Pick<ParsedSettings, "settings">): HookProblem | undefined {
  return checkHooks(settings).find(({ discardsFile }) => discardsFile);
}

/** Describes gates: `NOT ARMED: no hook is installed for Stop`; it names the gates unless all are unarmed. */
export function unarmedText({ gates, isAll, why }: Unarmed): string {
  return `NOT ARMED${isAll ? "" : ` for ${gates.join(", ")}`}: ${why}`;
}

/** Returns our handlers for an event. The drain beside Stop answers nothing, so it arms no gate. */
function handlersOf(event: string, settings: unknown, ownership: Ownership) {
  return ownHandlersIn(settings, ownership)
    .filter((own) => own.event === event && own.role === "event");
}

/** Tells whether our hook of an event is installed, whatever else its handler says. */
export function holdsOwn(settings: unknown, event: string, ownership: Ownership): boolean {
  return handlersOf(event, settings, ownership).length > 0;
}

/** Why gates are not asked, and what helps. */
interface Obstacle {
  readonly needs: readonly Need[];
  /** The reason; `events` names the events at which the gates are not asked. */
  readonly says: (events: string) => string;
  readonly remedy: Remedy;
}

function obstacleFor(
  event: string,
  files: readonly ParsedSettings[],
  { needs, ownership, searchPath }: GateCheck,
): Obstacle | null {
  const found = files.flatMap((file) =>
    handlersOf(event, file.settings, ownership).map(({ matcher, handler }) => ({
      path: file.path,
      matcher,
      trouble: troubleOf(handler, event, { file, searchPath }),
    }))
  );
  const sound = found.filter(({ trouble }) => trouble === null);
  const isAsked = (tool: string) =>
    sound.some(({ matcher }) => letsThrough(event, matcher, tool)) ||
    tool === "PowerShell" && !hasPowerShell(searchPath);
  const missedOf = ({ tools }: Need) => tools.filter((tool) => !isAsked(tool));
  const unheard = needs.filter((need) => missedOf(need).length > 0);
  const isAnyAsked = needs.every(({ tools }) => tools.length > 0) ||
    sound.some(({ matcher }) => GATED_TOOLS.some((tool) => letsThrough(event, matcher, tool)));
  if (unheard.length === 0 && isAnyAsked) return null;
  const [first] = sound;
  if (first === undefined) {
    const troubles = found.flatMap(({ trouble }) => trouble ?? []);
    const [trouble = NOT_INSTALLED] = [
      ...troubles.filter(({ remedy }) => remedy.kind !== "correct"),
      ...troubles,
    ];
    return { needs, ...trouble };
  }
  const unmet = unheard.length > 0 ? unheard : needs;
  const tools = [...new Set(unmet.flatMap(missedOf))];
  const about = tools.includes("*") ? "every tool" : tools.join(", ") || "any tool that is guarded";
  return {
    needs: unmet,
    says: (events) =>
      `the hook for ${events} in ${first.path} is not asked about ${about}: ` +
      `its matcher is \`${first.matcher}\``,
    remedy: { kind: "install", path: first.path },
  };
}

type Trouble = Omit<Obstacle, "needs">;

const NOT_INSTALLED: Trouble = {
  says: (events) => `no hook is installed for ${events}`,
  remedy: { kind: "install", path: null },
};

/** Returns why Claude Code does not start a handler for every use, or does not wait for it; null when it does both. */
function troubleOf(
  handler: unknown,
  event: string,
  { file, searchPath }: Pick<GateCheck, "searchPath"> & { readonly file: ParsedSettings },
): Trouble | null {
  const { path } = file;
  const fatal = fatalIn(file);
  if (fatal !== undefined) {
    return {
      says: () =>
        `Claude Code discards ${path} with our hooks in it, because \`${fatal.path}\` ${fatal.problem}`,
      remedy: { kind: "correct", path, at: fatal.path },
    };
  }
  const trouble = (why: string, kind: "install" | "replace" = "install"): Trouble => ({
    says: (events) => `the hook for ${events} in ${path} ${why}`,
    remedy: { kind, path },
  });
  if (memberOf(handler, "async") === true || memberOf(handler, "asyncRewake") === true) {
    return trouble("is not waited for: it is `async`");
  }
  if (memberOf(handler, "if") !== undefined) return trouble("is asked only where its `if` holds");
  const command = handlerLine(handler);
  const parts = partsOfCommand(command);
  if (memberOf(handler, "args") !== undefined && parts === undefined) {
    return trouble("is handed arguments that are not ours, as `args`");
  }
  if (parts?.word !== undefined && parts.word !== event) {
    return trouble(`does what another event wants: \`hook ${parts.word}\``);
  }
  const why = whyNotStarted(readHookCommand(command), searchPath);
  return why === null ? null : trouble(`cannot start: ${why}`, "replace");
}

/** Writes names as a list, `a, b and c`; a first use of `Intl.ListFormat` takes 16 ms. */
function listText(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Joins the obstacles that have the same reason. */
function joined(obstacles: readonly Obstacle[], all: readonly Need[]): Unarmed[] {
  return [...Map.groupBy(obstacles, ({ says }) => says("")).values()].map((same) => {
    const needs = same.flatMap(({ needs }) => needs);
    const gates = namesOf(needs);
    const events = [...new Set(needs.map(({ event }) => event))];
    const { says, remedy } = same[0]!;
    const isAll = gates.length === namesOf(all).length;
    return { gates, events, isAll, why: says(listText(events)), remedy };
  });
}

function namesOf(needs: readonly Need[]): string[] {
  return [...new Set(needs.map(({ gate }) => gate))];
}

/** Events whose matcher is compared with the name of a tool. */
const TOOL_EVENTS = ["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"];
const GATED_TOOLS = [...EDITING_TOOLS, ...SHELL_TOOLS, "Skill"];

/** Tells whether a matcher lets a tool through, as Claude Code reads it. */
export function letsThrough(event: string, matcher: unknown, tool: string): boolean {
  if (!TOOL_EVENTS.includes(event) || typeof matcher !== "string") return true;
  if (matcher === "" || matcher === "*") return true;
  if (/^[A-Za-z0-9_ ,|-]+$/.test(matcher)) {
    return matcher.split(/[|,]/).some((name) => name.trim() === tool);
  }
  try {
    return new RegExp(matcher).test(tool);
  } catch {
    return false;
  }
}

export interface HookProgram {
  /** The command up to `hook <Event>`. */
  readonly line: string;
  readonly executable: string;
  /** The script that Deno runs; null for an executable. */
  readonly script: string | null;
}

/** Reads one of our own commands: `/usr/local/bin/conclaude hook Stop`, `deno run … main.ts hook Stop`. */
export function readHookCommand(command: string): HookProgram {
  const { line } = partsOfCommand(command) ?? { line: command };
  const words = splitWords(line) ?? line.split(/\s+/);
  const executable = words[0] ?? "";
  const runsScript = /^deno(?:\.exe)?$/i.test(baseName(executable));
  return { line, executable, script: runsScript ? words.at(-1) ?? null : null };
}

/** Returns the file that a hook starts; null when no folder of `PATH` has it. Variables in it are not replaced. */
export function fileOf({ executable }: HookProgram, searchPath: string | undefined): string | null {
  return isBareName(executable) ? findOnPath(executable, searchPath)[0] ?? null : executable;
}

/** Returns why a program cannot be started; null when it can, or when only the shell knows where it is. */
export function whyNotStarted(program: HookProgram, searchPath: string | undefined): string | null {
  const { executable, script } = program;
  const file = fileOf(program, searchPath);
  if (file === null) return `no folder of the PATH has an executable \`${executable}\``;
  if (!isAbsolutePath(file)) return null;
  return whyNotRun(file) ?? (script === null ? null : whyNotRead(script));
}

function hasPowerShell(searchPath: string | undefined): boolean {
  return IS_WINDOWS || findOnPath("pwsh", searchPath).length > 0;
}

/** Tells whether a hook starts this very program. */
export function isThisProgram(
  started: HookProgram,
  { program, programPath, searchPath }: {
    readonly program: Program;
    /** The file of this program. */
    readonly programPath: string;
    readonly searchPath: string | undefined;
  },
): boolean {
  const file = started.script ?? fileOf(started, searchPath);
  return started.line === programLine(program) || (file !== null && isSameFile(file, programPath));
}
