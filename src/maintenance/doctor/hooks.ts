import { isUserError } from "../../errors.ts";
import { isConclaudeScript } from "../../settings/checkout.ts";
import { readOwnEntries } from "../../settings/edit.ts";
import { readSettings, settingsPath, type SettingsScope } from "../../settings/file.ts";
import { checkHooks } from "../../settings/handler_schema.ts";
import type { HookEntry } from "../../settings/hooks.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { isSameProgram, readHookCommand, whyNotStarted } from "./hook_program.ts";
import type { DoctorPlace } from "./place.ts";

/** A settings file as far as hooks go. */
interface SettingsLook {
  readonly scope: SettingsScope;
  readonly path: string;
  readonly entries: readonly HookEntry[];
  /** What the file says of `disableAllHooks`, if anything. */
  readonly disablesAll: boolean | undefined;
  readonly faults: readonly Finding[];
}

/** The settings file that has the last word first. */
const SCOPES: readonly SettingsScope[] = ["local", "project", "user"];

/** Without one of these nothing is captured, or no session begins or ends. */
const NEEDED_EVENTS = ["SessionStart", "PostToolUse", "SessionEnd"];

const REINSTALL = "conclaude install-hooks";

/** Whether Claude Code will start this program: in every settings file that counts here. */
export function lookAtHooks(place: DoctorPlace): Finding[] {
  const looks = settingsPaths(place).map(({ scope, path }) => lookInto(scope, path, place));
  const installed = looks.filter(({ entries }) => entries.length > 0);
  const faults = [
    ...looks.flatMap((look) => look.faults),
    ...disabled(looks),
    ...startFaults(installed, place),
    ...missingEvents(installed),
    ...doubled(installed),
  ];
  if (installed.length === 0) {
    const scopes = looks.map(({ path }) => path).join(", ");
    return [...faults, warn(`no hooks are installed in ${scopes}: nothing is recorded`, REINSTALL)];
  }
  const summary = installed.map(({ path, entries }) =>
    `${path} (${entries.map(({ event }) => event).join(", ")})`
  );
  return faults.length > 0 ? faults : [ok(`installed in ${summary.join("; ")}`)];
}

/** What a search for our hooks needs to know. */
export type HooksPlace = Pick<
  DoctorPlace,
  "locations" | "projectDir" | "claudeFolder" | "program"
>;

/** The settings files that count here and hold hooks of ours, the one with the last word first. */
export function installedHooks(
  place: HooksPlace,
): { readonly path: string; readonly events: readonly string[] }[] {
  return settingsPaths(place)
    .map(({ scope, path }) => lookInto(scope, path, place))
    .filter(({ entries }) => entries.length > 0)
    .map(({ path, entries }) => ({ path, events: entries.map(({ event }) => event) }));
}

function settingsPaths(
  { locations, projectDir, claudeFolder }: HooksPlace,
): { readonly scope: SettingsScope; readonly path: string }[] {
  const found = SCOPES.flatMap((scope) => {
    if (scope === "user" && locations.home === null && claudeFolder === undefined) return [];
    const home = locations.home ?? undefined;
    return [{ scope, path: settingsPath({ scope, projectDir, home, configDir: claudeFolder }) }];
  });
  // In the home folder itself the project's file is the user's.
  return found.filter(({ path }, index) =>
    found.findIndex((other) => other.path === path) === index
  );
}

function lookInto(scope: SettingsScope, path: string, { program }: HooksPlace): SettingsLook {
  const nothing = { scope, path, entries: [], disablesAll: undefined };
  try {
    const { text } = readSettings(path);
    if (text === undefined || text.trim() === "") return { ...nothing, faults: [] };
    const entries = readOwnEntries(text, {
      program,
      isOurScript: isConclaudeScript,
      attempt: { command: "install-hooks", path },
    });
    const settings: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    const { disableAllHooks } = settings as { readonly disableAllHooks?: unknown };
    return {
      scope,
      path,
      entries,
      disablesAll: typeof disableAllHooks === "boolean" ? disableAllHooks : undefined,
      faults: discardingFaults(settings, path, entries.length > 0),
    };
  } catch (thrown) {
    if (!isUserError(thrown)) throw thrown;
    return {
      ...nothing,
      faults: [fail(
        `${path}: ${thrown.why}; Claude Code may ignore the file, and every hook in it`,
        `correct the file, then run \`${REINSTALL}\``,
      )],
    };
  }
}

/** One invalid handler of anybody's makes Claude Code discard the whole file. */
function discardingFaults(settings: unknown, path: string, holdsOurs: boolean): Finding[] {
  const fatal = checkHooks(settings).find(({ discardsFile }) => discardsFile);
  if (fatal === undefined) return [];
  const message =
    `${path}: \`${fatal.path}\` ${fatal.problem}, so Claude Code discards the whole file`;
  const next = `correct or remove \`${fatal.path}\` in ${quoteWord(path)}`;
  return [holdsOurs ? fail(`${message}, conclaude's hooks too`, next) : warn(message, next)];
}

function disabled(looks: readonly SettingsLook[]): Finding[] {
  const decides = looks.find(({ disablesAll }) => disablesAll !== undefined);
  if (decides?.disablesAll !== true) return [];
  return [fail(
    `\`disableAllHooks\` is true in ${decides.path}: Claude Code runs no hook at all`,
    `set it to false in ${quoteWord(decides.path)}, or remove it`,
  )];
}

function startFaults(looks: readonly SettingsLook[], place: DoctorPlace): Finding[] {
  const own = { program: place.program, path: place.programPath };
  return looks.flatMap(({ scope, path, entries }) => {
    const install = scope === "user" ? REINSTALL : `${REINSTALL} --scope ${scope}`;
    const commands = new Map(entries.map(({ command }) => {
      const program = readHookCommand(command);
      return [program.line, program];
    }));
    return [...commands.values()].flatMap((program): Finding[] => {
      const why = whyNotStarted(program);
      if (why !== null) return [fail(`the hooks in ${path} cannot start: ${why}`, install)];
      if (isSameProgram(program, own)) return [];
      return [warn(
        `the hooks in ${path} start another program than this one (${own.path}), perhaps of another version: ` +
          `${program.script ?? program.executable}`,
        `${install}, if this one is right`,
      )];
    });
  });
}

function missingEvents(looks: readonly SettingsLook[]): Finding[] {
  if (looks.length === 0) return [];
  const present = new Set(looks.flatMap(({ entries }) => entries.map(({ event }) => event)));
  const missing = NEEDED_EVENTS.filter((event) => !present.has(event));
  if (missing.length === 0) return [];
  return [warn(`no hook is installed for ${missing.join(", ")}`, REINSTALL)];
}

/** Equal commands run once over all files; different ones each record the event. */
function doubled(looks: readonly SettingsLook[]): Finding[] {
  const commands = Map.groupBy(looks.flatMap(({ entries }) => entries), ({ event }) => event);
  const events = [...commands].filter(([, entries]) =>
    new Set(entries.map(({ command }) => command)).size > 1
  ).map(([event]) => event);
  if (events.length === 0) return [];
  return [warn(
    `these events are recorded twice, by different programs: ${events.join(", ")}`,
    `keep one: \`conclaude uninstall-hooks --scope ${looks[0]!.scope}\``,
  )];
}
