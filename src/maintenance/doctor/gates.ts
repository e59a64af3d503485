/** Whether what is forbidden here is forbidden: Claude Code asks, and what it asks answers. */
import type { HookConfig } from "../../config/hook_config.ts";
import { gateEvents } from "../../gate/gates.ts";
import type { GuardPolicy } from "../../guard/policy.ts";
import { baseName } from "../../paths.ts";
import { isBareName } from "../../process/executable.ts";
import { type Unarmed, whyUnarmed } from "../../settings/armed.ts";
import { checkHooks } from "../../settings/handler_schema.ts";
import { commandLine, type HookEntry, quoteWord } from "../../settings/hooks.ts";
import { isOurName } from "../../settings/own_name.ts";
import { ownershipHere } from "../../settings/ownership.ts";
import { SCHEMA_VERSION } from "../../store/database.ts";
import { VERSION } from "../../version.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { proveHook, versionOfHook } from "./gate_proof.ts";
import { isSameProgram, readHookCommand } from "./hook_program.ts";
import { installLine, lookAtSettings, type SettingsLook } from "./hooks.ts";
import type { DoctorPlace } from "./place.ts";
import { isAtLeast } from "./program.ts";

/** Proves each installed hook that judges, where something is guarded. */
export async function lookAtGates(place: DoctorPlace): Promise<Finding[]> {
  const { config } = place;
  const events = gateEvents(config);
  if (events.length === 0) return [ok("no gates here: nothing is guarded in this folder")];
  const looks = lookAtSettings(place);
  const unarmed = whyUnarmed(looks, {
    events,
    ownership: ownershipHere(place),
  });
  if (unarmed !== null) return [notAsked(unarmed, looks)];
  const findings: Finding[] = [];
  for (const look of looks) {
    if (checkHooks(look.settings).some(({ discardsFile }) => discardsFile)) continue;
    const entry = look.entries.find(({ event }) => event === "PreToolUse");
    if (entry !== undefined) findings.push(await lookAtEntry(entry, { look, looks, place }));
  }
  return [...findings, ...lockOf(config)];
}

/** Claude Code does not even ask. */
function notAsked(unarmed: Unarmed, looks: readonly SettingsLook[]): Finding {
  switch (unarmed.kind) {
    case "disabled":
      return fail(
        `NOT ARMED: \`disableAllHooks\` is true in ${unarmed.path}, so nothing is forbidden`,
        `set it to false in ${quoteWord(unarmed.path)}, or remove it`,
      );
    case "discarded":
      return fail(
        `NOT ARMED: Claude Code discards ${unarmed.path} with our hooks in it, because \`${unarmed.at}\` ${unarmed.problem}`,
        `correct or remove \`${unarmed.at}\` in ${quoteWord(unarmed.path)}`,
      );
    case "missing": {
      const widest = looks.findLast(({ entries }) => entries.length > 0);
      return fail(
        `NOT ARMED: something is guarded here, and no hook is installed for ${
          unarmed.events.join(" and ")
        }`,
        widest === undefined
          ? commandLine("install-hooks")
          : installLine(widest.flags, widest.entries),
      );
    }
  }
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
