/** Whether the rules of this folder hold: Claude Code asks a hook, and the hook's program denies what it must. */
import type { HookConfig } from "../../config/hook_config.ts";
import { needsOf } from "../../policy/armed_gates.ts";
import { baseName } from "../../base/paths.ts";
import { isBareName } from "../../system/process/executable.ts";
import { type Need, type Unarmed, unarmedText, whyUnarmed } from "../../claude/settings/armed.ts";
import { ownershipHere, unwrap } from "../../claude/settings/own_handler.ts";
import { checkHooks } from "../../claude/settings/handler_schema.ts";
import { isSameProgram, machineHere, readHookCommand } from "../../claude/settings/hook_program.ts";
import { commandLine, type HookEntry, isOurName, quoteWord } from "../../claude/settings/hooks.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { VERSION } from "../../base/version.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import { canBeProved, proveHook, versionOfHook } from "./gate_proof.ts";
import { type DoctorPlace, lockReason } from "./place.ts";
import { isAtLeast } from "./program_check.ts";
import { installLine, lookAtSettings, replaceLine, type SettingsLook } from "./settings_look.ts";

const VALIDATE = "conclaude config validate";

/** What the proof of one settings file's hooks needs to know. */
interface ProofPlace {
  readonly place: DoctorPlace;
  readonly needs: readonly Need[];
  readonly look: SettingsLook;
  readonly looks: readonly SettingsLook[];
}

/** Runs each installed hook that rules depend on, where there are rules. */
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
  const faults = unarmed.map((reason) => fail(unarmedText(reason), wayToArm(reason, looks)));
  if (unarmed.some(({ isAll, events }) => isAll || events.includes("PreToolUse"))) return faults;
  const asked = needs.filter(({ event }) => !unarmed.some(({ events }) => events.includes(event)));
  const lock = lockFindings(config);
  if (config.unreadable !== "" && lock.length === 0) {
    faults.push(fail(`NOT ARMED for what stands in ${config.unreadable}`, VALIDATE));
  }
  const proofs: Finding[] = [];
  for (const look of looks) {
    if (checkHooks(look.settings).some(({ discardsFile }) => discardsFile)) continue;
    for (const entries of entriesByProgram(look, asked)) {
      proofs.push(await proveProgram(entries, { place, needs, look, looks }));
    }
  }
  // Beside a fault, ARMED would be read as if all rules held.
  const isWhole = faults.length === 0 &&
    proofs.every(({ message }) => message.startsWith("ARMED"));
  return [...faults, ...proofs.filter(({ status }) => isWhole || status !== "ok"), ...lock];
}

/** The command that makes Claude Code ask. */
function wayToArm({ remedy, events }: Unarmed, looks: readonly SettingsLook[]): string {
  if (remedy.kind === "enable") return `set it to false in ${quoteWord(remedy.path)}, or remove it`;
  if (remedy.kind === "correct") {
    return `correct or remove \`${remedy.at}\` in ${quoteWord(remedy.path)}`;
  }
  for (const { path, flags, wrapped } of remedy.kind === "install" ? looks : []) {
    const found = wrapped.find(({ event, role }) => role === "event" && events.includes(event));
    if (found !== undefined) return unwrap(found, path, flags);
  }
  const look = looks.find(({ path }) => path === remedy.path) ??
    looks.findLast(({ entries }) => entries.length > 0);
  if (look === undefined) return commandLine("install-hooks");
  return (remedy.kind === "install" ? installLine : replaceLine)(look);
}

/** The hooks of a file that rules need, by the program that they start: the hook for tools first, then those that can be proved. */
function entriesByProgram({ entries }: SettingsLook, needs: readonly Need[]): HookEntry[][] {
  const rank = ({ event }: HookEntry) => event === "PreToolUse" ? 0 : canBeProved(event) ? 1 : 2;
  const needed = entries
    .filter(({ event, role }) => role === "event" && needs.some((need) => need.event === event))
    .sort((one, other) => rank(one) - rank(other));
  return [...Map.groupBy(needed, ({ command }) => readHookCommand(command).line).values()];
}

/**
 * Proves the hooks of one program. This program itself does the same at every event; of another program each hook is
 * proved whose answer tells anything. The first fault is reported.
 */
async function proveProgram(entries: readonly HookEntry[], around: ProofPlace): Promise<Finding> {
  const first = entries[0]!;
  const provable = entries.filter(({ event }) => canBeProved(event));
  const chosen = provable.length === 0
    ? [asToolHook(first)]
    : isThisProgram(first, around.place)
    ? [first]
    : provable;
  for (const [index, entry] of chosen.entries()) {
    const judged = chosen.slice(0, index).map(({ event }) => event);
    const left = entries.map(({ event }) => event).filter((event) => !judged.includes(event));
    const fault = await faultOf(entry, gatesText(around.needs, left), around);
    if (fault !== null) return fault;
  }
  return await armedFinding(chosen[0]!, around);
}

/** The hook for tools of the same program, for events whose answer tells nothing. */
function asToolHook(entry: HookEntry): HookEntry {
  const command = `${readHookCommand(entry.command).line} hook PreToolUse`;
  return { ...entry, event: "PreToolUse", matcher: undefined, command };
}

/** ` for stop.commands`, or nothing where that is all that is guarded. */
function gatesText(needs: readonly Need[], events: readonly string[]): string {
  const names = (of: readonly Need[]) => [...new Set(of.map(({ gate }) => gate))];
  const left = names(needs.filter(({ event }) => events.includes(event)));
  return left.length === names(needs).length ? "" : ` for ${left.join(", ")}`;
}

/** Why a hook is not proved to deny what it must; null when it is proved. */
async function faultOf(
  entry: HookEntry,
  gates: string,
  around: ProofPlace,
): Promise<Finding | null> {
  const { look, place } = around;
  const { event, timeout, command } = entry;
  const again = installLine(look);
  const hook = `the hook in ${look.path}`;
  const unproved = (why: string, next: string) => warn(`not proved${gates}: ${hook} ${why}`, next);
  if (!mayRun(entry, around)) {
    return unproved(
      `starts a program that only this project names, so it was not run: ${command}`,
      `if that is right, look at it yourself; if not: \`${again}\``,
    );
  }
  if (/\s--db\b/.test(command)) return unproved("names a database of its own", again);
  const { environment } = place;
  const proof = await proveHook(command, { event, timeoutMs: timeout * 1000, environment });
  switch (proof.kind) {
    case "judges":
      return null;
    case "untried":
      return unproved(`could not be run: ${proof.why}`, "conclaude doctor");
    case "fails":
      return fail(`NOT ARMED${gates}: ${hook} ${proof.why}: ${command}`, again);
    case "blind": {
      const older = await olderVersion(entry, place);
      const what = older === null ? "" : `, version ${older},`;
      return fail(
        `NOT ARMED${gates}: the program in ${look.path}${what} lets pass what must be denied: ${command}`,
        again,
      );
    }
  }
}

async function armedFinding(entry: HookEntry, { look, place }: ProofPlace): Promise<Finding> {
  const { path, flags } = look;
  const older = await olderVersion(entry, place);
  if (older !== null) {
    return warn(
      `ARMED by an older program, version ${older}, which may not know every rule: ${entry.command} in ${path}`,
      installLine(look),
    );
  }
  const { matcher = "*", onFailure } = entry;
  if (matcher !== "" && matcher !== "*") {
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
 * Whether doctor may run a hook to see what it does. The user has written the user's own file; what a project's file
 * starts may be anything, and doctor must not run it because somebody looked at a clone.
 */
function mayRun(entry: HookEntry, { look, looks, place }: ProofPlace): boolean {
  const isUsers = ({ flags }: SettingsLook) => !flags.includes("--scope");
  const { line } = readHookCommand(entry.command);
  return isUsers(look) || isThisProgram(entry, place) ||
    (isBareName(line) && isOurName(baseName(line))) ||
    looks.filter(isUsers).some(({ entries }) =>
      entries.some(({ command }) => command === entry.command)
    );
}

function isThisProgram(
  { command }: HookEntry,
  { program, programPath, searchPath }: DoctorPlace,
): boolean {
  return isSameProgram(readHookCommand(command), { program, path: programPath, searchPath });
}

/** The version of an older program than this one; null for any other. A program that tells no version is older. */
async function olderVersion(entry: HookEntry, place: DoctorPlace): Promise<string | null> {
  if (isThisProgram(entry, place)) return null;
  const said = await versionOfHook(entry.command, place.environment);
  if (said === null) return "unknown";
  const isOlder = said.schema < SCHEMA_VERSION ||
    !isAtLeast(said.version, VERSION.split(".").map(Number));
  return isOlder ? `${said.version} (schema ${said.schema})` : null;
}

/** While a strict policy cannot be read, every change is refused. */
function lockFindings(config: HookConfig): Finding[] {
  const lock = lockReason(config);
  return lock === null
    ? []
    : [warn(`every change is refused, since strict rules cannot be read: ${lock}`, VALIDATE)];
}
