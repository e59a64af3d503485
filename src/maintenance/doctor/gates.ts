/** Whether what is forbidden here is forbidden: Claude Code asks, and what it asks answers. */
import type { HookConfig } from "../../config/hook_config.ts";
import { needsOf } from "../../gate/armed_gates.ts";
import type { GuardPolicy } from "../../guard/guard_policy.ts";
import { baseName } from "../../paths.ts";
import { isBareName } from "../../process/executable.ts";
import { type Need, type Unarmed, unarmedText, whyUnarmed } from "../../settings/armed.ts";
import { checkHooks } from "../../settings/handler_schema.ts";
import { isSameProgram, machineHere, readHookCommand } from "../../settings/hook_program.ts";
import { commandLine, type HookEntry, isOurName, quoteWord } from "../../settings/hooks.ts";
import { ownershipHere, unwrap } from "../../settings/own_handler.ts";
import { SCHEMA_VERSION } from "../../store/database.ts";
import { VERSION } from "../../version.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { canBeProved, proveHook, versionOfHook } from "./gate_proof.ts";
import { installLine, replaceLine } from "./install_line.ts";
import type { DoctorPlace } from "./place.ts";
import { isAtLeast } from "./program.ts";
import { lookAtSettings, type SettingsLook } from "./settings_look.ts";

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
  const asked = needs.filter(({ event }) => !unarmed.some(({ events }) => events.includes(event)));
  const proofs: ProgramProof[] = [];
  for (const look of looks) {
    if (checkHooks(look.settings).some(({ discardsFile }) => discardsFile)) continue;
    for (const entries of programsOf(look, asked)) {
      proofs.push(await lookAtProgram(entries, { look, looks, place, needs }));
    }
  }
  const missing = [...notAsked, ...unreadIn(config)];
  const proved = new Set(proofs.flatMap(({ judged }) => judged));
  const isWhole = missing.length === 0 &&
    proofs.every(({ left }) => left.every((event) => proved.has(event)));
  // That some of it is ARMED would be read as all of it.
  const told = proofs.map(({ finding }) => finding)
    .filter(({ status }) => isWhole || status !== "ok");
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
function wayToArm({ remedy, events }: Unarmed, looks: readonly SettingsLook[]): string {
  for (const { path, flags, wrapped } of looks) {
    const found = wrapped.find(({ event, role }) => role === "event" && events.includes(event));
    if (remedy.kind === "install" && found !== undefined) return unwrap(found, path, flags);
  }
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

/** The hooks of a file that gates need, by the program that they start; those that can be proved first. */
function programsOf({ entries }: SettingsLook, needs: readonly Need[]): HookEntry[][] {
  const needed = entries
    .filter(({ event, role }) => role === "event" && needs.some((need) => need.event === event))
    .sort((one, other) => rankOf(one) - rankOf(other));
  return [...Map.groupBy(needed, ({ command }) => readHookCommand(command).line).values()];
}

/** What is asked about tools tells the most. */
function rankOf({ event }: HookEntry): number {
  return event === "PreToolUse" ? 0 : canBeProved(event) ? 1 : 2;
}

interface ProgramPlace {
  readonly look: SettingsLook;
  readonly looks: readonly SettingsLook[];
  readonly place: DoctorPlace;
  readonly needs: readonly Need[];
}

/** What came of the hooks that start one program. */
interface ProgramProof {
  readonly finding: Finding;
  /** The events at which it judges. */
  readonly judged: readonly string[];
  /** Those of which nobody can say that. */
  readonly left: readonly string[];
}

/**
 * Proves the hooks of one program. This very program does the same at every event; another one may not, so that each of
 * its hooks is proved whose answer tells anything. The first fault says enough.
 */
async function lookAtProgram(
  entries: readonly HookEntry[],
  around: ProgramPlace,
): Promise<ProgramProof> {
  const events = entries.map(({ event }) => event);
  const [first] = entries as [HookEntry];
  const tried = entries.filter(({ event }) => canBeProved(event));
  const chosen = tried.length === 0
    ? [standIn(first)]
    : isThisProgram(first, around.place)
    ? [tried[0]!]
    : tried;
  for (const [index, entry] of chosen.entries()) {
    const judged = chosen.slice(0, index).map(({ event }) => event);
    const left = events.filter((event) => !judged.includes(event));
    const fault = await lookAtEntry(entry, { ...around, gates: gatesText(around.needs, left) });
    if (fault !== null) return { finding: fault, judged, left };
  }
  return { finding: await armed(chosen[0]!, around), judged: events, left: [] };
}

/** Where no answer tells anything, the program is asked about a tool. */
function standIn(entry: HookEntry): HookEntry {
  const command = `${readHookCommand(entry.command).line} hook PreToolUse`;
  return { ...entry, event: "PreToolUse", matcher: undefined, command };
}

/** ` for stop.commands`, or nothing where it is all that is guarded. */
function gatesText(needs: readonly Need[], events: readonly string[]): string {
  const names = (of: readonly Need[]) => [...new Set(of.map(({ gate }) => gate))];
  const left = names(needs.filter(({ event }) => events.includes(event)));
  return left.length === names(needs).length ? "" : ` for ${left.join(", ")}`;
}

/** Why a hook is not proved to judge; null when it is. */
async function lookAtEntry(
  entry: HookEntry,
  around: ProgramPlace & { readonly gates: string },
): Promise<Finding | null> {
  const { look: { path, flags, entries }, gates } = around;
  const again = installLine(flags, entries);
  if (!isOurs(entry, around)) {
    return warn(
      `not proved${gates}: the hook in ${path} starts a program that only this project names, so it was not run: ${entry.command}`,
      `if that is right, look at it yourself; if not: \`${again}\``,
    );
  }
  if (/\s--db\b/.test(entry.command)) {
    return warn(`not proved${gates}: the hook in ${path} names a database of its own`, again);
  }
  const { event, timeout } = entry;
  const proof = await proveHook(entry.command, {
    event,
    timeoutMs: timeout * 1000,
    environment: around.place.environment,
  });
  switch (proof.kind) {
    case "judges":
      return null;
    case "untried":
      return warn(
        `not proved${gates}: the hook in ${path} could not be run: ${proof.why}`,
        "conclaude doctor",
      );
    case "fails":
      return fail(`NOT ARMED${gates}: the hook in ${path} ${proof.why}: ${entry.command}`, again);
    case "blind": {
      const older = await olderVersion(entry, around.place);
      const what = older === null ? "" : `, version ${older},`;
      return fail(
        `NOT ARMED${gates}: the program in ${path}${what} lets pass what must be denied: ${entry.command}`,
        again,
      );
    }
  }
}

async function armed(entry: HookEntry, { look, place }: ProgramPlace): Promise<Finding> {
  const { path, flags, entries } = look;
  const older = await olderVersion(entry, place);
  if (older !== null) {
    return warn(
      `ARMED by an older program, version ${older}, which may not know every rule: ${entry.command} in ${path}`,
      installLine(flags, entries),
    );
  }
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
function isOurs(
  entry: HookEntry,
  { look, looks, place }: Pick<ProgramPlace, "look" | "looks" | "place">,
): boolean {
  const isProjects = look.flags.includes("--scope");
  const ofUser = looks.filter(({ flags }) => !flags.includes("--scope"));
  if (!isProjects) return true;
  if (ofUser.some(({ entries }) => entries.some(({ command }) => command === entry.command))) {
    return true;
  }
  const started = readHookCommand(entry.command);
  return isThisProgram(entry, place) ||
    (isBareName(started.line) && isOurName(baseName(started.line)));
}

function isThisProgram(
  { command }: HookEntry,
  { program, programPath, searchPath }: DoctorPlace,
): boolean {
  return isSameProgram(readHookCommand(command), { program, path: programPath, searchPath });
}

/** The version of the program when it is not this one and older; what says no version is older than all that do. */
async function olderVersion(entry: HookEntry, place: DoctorPlace): Promise<string | null> {
  if (isThisProgram(entry, place)) return null;
  const said = await versionOfHook(entry.command, place.environment);
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
