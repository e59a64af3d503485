/** Whether what is forbidden here is forbidden: Claude Code asks, and what it asks answers. */
import type { HookConfig } from "../../config/hook_config.ts";
import { needsOf } from "../../gate/gates.ts";
import type { GuardPolicy } from "../../guard/policy.ts";
import { baseName } from "../../paths.ts";
import { isBareName } from "../../process/executable.ts";
import { type Need, type Unarmed, unarmedText, whyUnarmed } from "../../settings/armed.ts";
import { checkHooks } from "../../settings/handler_schema.ts";
import { isSameProgram, machineHere, readHookCommand } from "../../settings/hook_program.ts";
import { commandLine, type HookEntry, quoteWord } from "../../settings/hooks.ts";
import { isOurName } from "../../settings/own_name.ts";
import { ownershipHere } from "../../settings/ownership.ts";
import { SCHEMA_VERSION } from "../../store/database.ts";
import { VERSION } from "../../version.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { proveHook, versionOfHook } from "./gate_proof.ts";
import { installLine, lookAtSettings, replaceLine, type SettingsLook } from "./hooks.ts";
import type { DoctorPlace } from "./place.ts";
import { isAtLeast } from "./program.ts";

/** Proves each installed hook that judges, where something is guarded. */
export async function lookAtGates(place: DoctorPlace): Promise<Finding[]> {
  const { config } = place;
  const needs = needsOf(config);
  if (needs.length === 0) return [ok("no gates here: nothing is guarded in this folder")];
  const looks = lookAtSettings(place);
  const unarmed = whyUnarmed(looks, {
    needs,
    ownership: ownershipHere(place),
    machine: machineHere(place.searchPath),
  });
  const notAsked = unarmed.map((reason) => fail(unarmedText(reason), wayToArm(reason, looks)));
  if (unarmed.some(({ isAll, events }) => isAll || events.includes("PreToolUse"))) return notAsked;
  const proofs: Finding[] = [];
  for (const look of looks) {
    if (checkHooks(look.settings).some(({ discardsFile }) => discardsFile)) continue;
    const entry = judgingEntry(look, needs);
    if (entry !== undefined) proofs.push(await lookAtEntry(entry, { look, looks, place }));
  }
  const missing = [...notAsked, ...unreadIn(config)];
  // That some of it is ARMED would be read as all of it.
  const told = missing.length === 0 ? proofs : proofs.filter(({ status }) => status !== "ok");
  return [...missing, ...told, ...lockOf(config)];
}

/** Rules in a file that cannot be read, where they were not strict: nobody asks what they were. */
function unreadIn(config: HookConfig): Finding[] {
  const { unreadable } = config;
  return unreadable === "" || lockOf(config).length > 0 ? [] : [
    fail(`NOT ARMED for what stands in ${unreadable}`, "conclaude config validate"),
  ];
}

/** What makes Claude Code ask. */
function wayToArm({ remedy }: Unarmed, looks: readonly SettingsLook[]): string {
  switch (remedy.kind) {
    case "enable":
      return `set it to false in ${quoteWord(remedy.path)}, or remove it`;
    case "correct":
      return `correct or remove \`${remedy.at}\` in ${quoteWord(remedy.path)}`;
    case "install":
    case "replace": {
      const look = looks.find(({ path }) => path === remedy.path) ??
        looks.findLast(({ entries }) => entries.length > 0);
      if (look === undefined) return commandLine("install-hooks");
      const line = remedy.kind === "install" ? installLine : replaceLine;
      return line(look.flags, look.entries);
    }
  }
}

/**
 * The hook whose program is tried: that of PreToolUse; where no tool is guarded, one of those that are asked, in the
 * place of which the same program is asked about a tool.
 */
function judgingEntry({ entries }: SettingsLook, needs: readonly Need[]): HookEntry | undefined {
  const ofTools = entries.find(({ event }) => event === "PreToolUse");
  if (ofTools !== undefined || needs.some(({ event }) => event === "PreToolUse")) return ofTools;
  const asked = entries.find(({ event }) => needs.some((need) => need.event === event));
  return asked && {
    ...asked,
    matcher: undefined,
    command: `${readHookCommand(asked.command).line} hook PreToolUse`,
  };
}

interface EntryPlace {
  readonly look: SettingsLook;
  readonly looks: readonly SettingsLook[];
  readonly place: DoctorPlace;
}

async function lookAtEntry(entry: HookEntry, around: EntryPlace): Promise<Finding> {
  const { path, flags, entries } = around.look;
  const again = installLine(flags, entries);
  if (!isOurs(entry, around)) {
    return warn(
      `not proved: the hook in ${path} starts a program that only this project names, so it was not run: ${entry.command}`,
      `if that is right, look at it yourself; if not: \`${again}\``,
    );
  }
  if (/\s--db\b/.test(entry.command)) {
    return warn(`not proved: the hook in ${path} names a database of its own`, again);
  }
  const proof = await proveHook(entry.command, entry.timeout * 1000);
  if (proof.kind === "untried") {
    return warn(
      `not proved: the hook in ${path} could not be run: ${proof.why}`,
      "conclaude doctor",
    );
  }
  if (proof.kind === "fails") {
    return fail(`NOT ARMED: the hook in ${path} ${proof.why}: ${entry.command}`, again);
  }
  const older = await olderVersion(entry, around.place);
  if (proof.kind === "blind") {
    const what = older === null ? "" : `, version ${older},`;
    return fail(
      `NOT ARMED: the program in ${path}${what} lets pass what must be denied: ${entry.command}`,
      again,
    );
  }
  if (older !== null) {
    return warn(
      `ARMED by an older program, version ${older}, which may not know every rule: ${entry.command} in ${path}`,
      again,
    );
  }
  return armed(entry, path, flags);
}

function armed(entry: HookEntry, path: string, flags: readonly string[]): Finding {
  const { matcher, onFailure } = entry;
  if (matcher !== undefined && matcher !== "" && matcher !== "*") {
    return warn(
      `ARMED only for ${matcher}: the PreToolUse hook in ${path} is asked about nothing else`,
      commandLine("install-hooks", flags),
    );
  }
  return ok(
    `ARMED: the hook in ${path} denied what is forbidden and let pass what is not; ` +
      (onFailure === "block"
        ? "strict: when it cannot run, nothing happens"
        : "not strict: when it cannot run, tools are used unjudged (`install-hooks --strict` changes that)"),
  );
}

/**
 * Whether a hook may be run to see what it does. The user's own file has been written by the user; what a file of the
 * project starts may be anything, and looking at a clone must not run what lies in it.
 */
function isOurs(entry: HookEntry, { look, looks, place }: EntryPlace): boolean {
  const isProjects = look.flags.includes("--scope");
  const ofUser = looks.filter(({ flags }) => !flags.includes("--scope"));
  if (!isProjects) return true;
  if (ofUser.some(({ entries }) => entries.some(({ command }) => command === entry.command))) {
    return true;
  }
  const { program, programPath, searchPath } = place;
  const started = readHookCommand(entry.command);
  return isSameProgram(started, { program, path: programPath, searchPath }) ||
    (isBareName(started.line) && isOurName(baseName(started.line)));
}

/** The version of the program when it is not this one and older; what says no version is older than all that do. */
async function olderVersion(entry: HookEntry, place: DoctorPlace): Promise<string | null> {
  const { program, programPath, searchPath } = place;
  const started = readHookCommand(entry.command);
  if (isSameProgram(started, { program, path: programPath, searchPath })) return null;
  const said = await versionOfHook(entry.command);
  if (said === null) return "unknown";
  const own = VERSION.split(".").map(Number);
  const isOlder = said.schema < SCHEMA_VERSION || !isAtLeast(said.version, own);
  return isOlder ? `${said.version} (schema ${said.schema})` : null;
}

/** While a strict policy cannot be read, more is forbidden than the rules say. */
function lockOf({ guards }: HookConfig): Finding[] {
  const lock = guards === "" ? null : (JSON.parse(guards) as GuardPolicy).lock;
  return lock === null ? [] : [
    warn(
      `every change is refused, since strict rules cannot be read: ${lock}`,
      "conclaude config validate",
    ),
  ];
}
