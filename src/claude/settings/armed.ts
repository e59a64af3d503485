/** Tells from Claude Code's settings files whether Claude Code calls conclaude's hooks. */
import { checkHooks } from "./handler_schema.ts";
import { OWN_MARK } from "./hooks.ts";
import { memberOf, type Ownership, roleOf } from "./own_handler.ts";

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
  /** The tools that the gate must be asked about; empty where any guarded tool will do, or the event has no tool. */
  readonly tools: readonly string[];
}

export type Remedy =
  /** Remove `disableAllHooks` from this file. */
  | { readonly kind: "enable"; readonly path: string }
  /** Correct an invalid entry in this file. */
  | { readonly kind: "correct"; readonly path: string; readonly at: string }
  /** Install our hooks into this file; null where none of them is installed anywhere. */
  | { readonly kind: "install"; readonly path: string | null }
  /** Install the hooks of another program: the one that is named there cannot be started. */
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

/** Finds out why gates are not asked, one entry a reason. @param files The first one outranks the others. */
export function whyUnarmed(
  files: readonly ParsedSettings[],
  around: {
    readonly needs: readonly Need[];
    readonly ownership: Ownership;
    readonly machine: Machine;
  },
): Unarmed[] {
  const { needs } = around;
  const read = files.map((file) => ({
    ...file,
    fatal: checkHooks(file.settings).find(({ discardsFile }) => discardsFile),
  }));
  const deciding = read.find(({ settings, fatal }) =>
    fatal === undefined && typeof memberOf(settings, "disableAllHooks") === "boolean"
  );
  if (deciding !== undefined && memberOf(deciding.settings, "disableAllHooks") === true) {
    const { path } = deciding;
    const says = () => `\`disableAllHooks\` is true in ${path}`;
    return joined([{ needs, says, remedy: { kind: "enable", path } }], needs);
  }
  const byEvent = [...Map.groupBy(needs, ({ event }) => event)];
  return joined(
    byEvent.flatMap(([event, ofEvent]) =>
      obstacleFor(event, { ...around, needs: ofEvent, files: read }) ?? []
    ),
    needs,
  );
}

/** `NOT ARMED: no hook is installed for Stop`; names the gates unless all are meant. */
export function unarmedText({ gates, isAll, why }: Unarmed): string {
  return `NOT ARMED${isAll ? "" : ` for ${gates.join(", ")}`}: ${why}`;
}

/** Whether our hook of an event is installed, whatever else its handler says. */
export function holdsOwn(settings: unknown, event: string, ownership: Ownership): boolean {
  return handlersIn({ path: "", settings }, event, ownership).length > 0;
}

interface Obstacle {
  readonly needs: readonly Need[];
  /** The reason; `events` are the events that are not asked about. */
  readonly says: (events: string) => string;
  readonly remedy: Remedy;
}

interface ReadSettings extends ParsedSettings {
  /** The entry because of which Claude Code discards the file. */
  readonly fatal: { readonly path: string; readonly problem: string } | undefined;
}

function obstacleFor(
  event: string,
  around: {
    readonly files: readonly ReadSettings[];
    readonly needs: readonly Need[];
    readonly ownership: Ownership;
    readonly machine: Machine;
  },
): Obstacle | null {
  const { files, needs, ownership, machine } = around;
  const found = files.flatMap((file) =>
    handlersIn(file, event, ownership).map((own) => ({ ...own, fatal: file.fatal }))
  );
  const counting = found.filter(({ fatal }) => fatal === undefined)
    .map((own) => ({ ...own, fault: faultOf(own.handler, event, machine) }));
  const sound = counting.filter(({ fault }) => fault === null);
  const missedOf = ({ tools }: Need) => missedTools({ event, tools, sound, machine });
  const unheard = needs.filter((need) => missedOf(need).length > 0);
  const heard = needs.every(({ tools }) => tools.length > 0) ||
    sound.some(({ matcher }) => GATED_TOOLS.some((tool) => letsThrough(event, matcher, tool)));
  if (unheard.length === 0 && heard) return null;
  const [first] = sound;
  if (first !== undefined) {
    const deaf = unheard.length > 0 ? unheard : needs;
    const tools = [...new Set(deaf.flatMap(missedOf))];
    const about = tools.length > 0 ? tools.join(", ") : "any tool that is guarded";
    return {
      needs: deaf,
      says: (events) =>
        `the hook for ${events} in ${first.path} is not asked about ${about}: ` +
        `its matcher is \`${first.matcher}\``,
      remedy: { kind: "install", path: first.path },
    };
  }
  const faulty = counting.find(({ fault }) => fault !== null);
  if (faulty?.fault) {
    const { path, fault } = faulty;
    return {
      needs,
      says: (events) => `the hook for ${events} in ${path} ${fault.says}`,
      remedy: { kind: fault.isProgram ? "replace" : "install", path },
    };
  }
  const lost = found.find(({ fatal }) => fatal !== undefined);
  if (lost?.fatal === undefined) {
    return {
      needs,
      says: (events) => `no hook is installed for ${events}`,
      remedy: { kind: "install", path: null },
    };
  }
  const { path, fatal } = lost;
  return {
    needs,
    says: () =>
      `Claude Code discards ${path} with our hooks in it, because \`${fatal.path}\` ${fatal.problem}`,
    remedy: { kind: "correct", path, at: fatal.path },
  };
}

/** Joins events that have the same reason. */
function joined(obstacles: readonly Obstacle[], all: readonly Need[]): Unarmed[] {
  return [...Map.groupBy(obstacles, ({ says }) => says("")).values()].map((same) => {
    const needs = same.flatMap(({ needs }) => needs);
    const gates = namesOf(needs);
    const events = [...new Set(needs.map(({ event }) => event))];
    const { says, remedy } = same[0]!;
    const isAll = gates.length === namesOf(all).length;
    return { gates, events, isAll, why: says(listed(events)), remedy };
  });
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function namesOf(needs: readonly Need[]): string[] {
  return [...new Set(needs.map(({ gate }) => gate))];
}

interface OwnHandler {
  readonly path: string;
  readonly matcher: unknown;
  readonly handler: unknown;
}

function handlersIn(
  { path, settings }: ParsedSettings,
  event: string,
  ownership: Ownership,
): OwnHandler[] {
  return itemsOf(memberOf(memberOf(settings, "hooks"), event)).flatMap((group) =>
    itemsOf(memberOf(group, "hooks"))
      // The drain beside Stop answers nothing, so it arms no gate.
      .filter((handler) => roleOf(handler, ownership) === "event")
      .map((handler) => ({ path, matcher: memberOf(group, "matcher"), handler }))
  );
}

/** Tools that no handler is asked about. PowerShell counts only where the machine has it. */
function missedTools(
  { event, tools, sound, machine }: {
    readonly event: string;
    readonly tools: readonly string[];
    readonly sound: readonly OwnHandler[];
    readonly machine: Machine;
  },
): readonly string[] {
  return tools.filter((tool) => !sound.some(({ matcher }) => letsThrough(event, matcher, tool)))
    .filter((tool) => tool !== "PowerShell" || machine.hasPowerShell());
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export interface Machine {
  /** Null when the program can be started, or when only the shell knows. */
  readonly whyNotStarted: (command: string) => string | null;
  readonly hasPowerShell: () => boolean;
}

/** Events whose matcher is compared with the name of a tool. */
const TOOL_EVENTS: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
]);
const GATED_TOOLS: readonly string[] = [
  "Edit",
  "Write",
  "MultiEdit",
  "NotebookEdit",
  "Bash",
  "PowerShell",
  "Monitor",
  "Skill",
];

/** Whether a matcher lets a tool through, as Claude Code reads it. */
function letsThrough(event: string, matcher: unknown, tool: string): boolean {
  if (!TOOL_EVENTS.has(event) || typeof matcher !== "string") return true;
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

interface HandlerFault {
  /** Follows "the hook for … in …". */
  readonly says: string;
  /** True when the program itself cannot be started. */
  readonly isProgram?: true;
}

/** No process starts and answers in less time, in seconds. */
const LEAST_SECONDS = 0.1;

/** The event in a command; absent where the payload tells. */
const NAMED_EVENT = new RegExp(` hook ([A-Za-z]+)(?: ${OWN_MARK})?\\s*$`);

/** Why Claude Code does not start a handler for every use, or does not wait for it; null when it does both. */
function faultOf(handler: unknown, event: string, machine: Machine): HandlerFault | null {
  if (memberOf(handler, "async") === true || memberOf(handler, "asyncRewake") === true) {
    return { says: "is not waited for: it is `async`" };
  }
  if (memberOf(handler, "if") !== undefined) return { says: "is asked only where its `if` holds" };
  if (memberOf(handler, "args") !== undefined) {
    return { says: "is handed arguments that are not ours, as `args`" };
  }
  if (memberOf(handler, "shell") === "powershell" && !machine.hasPowerShell()) {
    return { says: "cannot start: its `shell` is PowerShell, and there is no `pwsh` here" };
  }
  const timeout = memberOf(handler, "timeout");
  if (typeof timeout === "number" && timeout < LEAST_SECONDS) {
    return { says: `has no time to answer: its \`timeout\` is ${timeout} s` };
  }
  const command = String(memberOf(handler, "command"));
  const named = NAMED_EVENT.exec(command)?.[1];
  if (named !== undefined && named !== event) {
    return { says: `does what another event wants: \`hook ${named}\`` };
  }
  const why = machine.whyNotStarted(command);
  return why === null ? null : { says: `cannot start: ${why}`, isProgram: true };
}
