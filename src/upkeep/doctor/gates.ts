/**
 * Proves the rules of this folder: Claude Code asks a hook, and the program of the hook denies what it must. Doctor runs
 * the program with an edit that rules forbid and with one that must pass, in a home and a project that are made for the
 * proof and removed afterwards.
 */
import { quietly } from "../../base/errors.ts";
import { baseName, joinPath } from "../../base/paths.ts";
import { type Need, type Unarmed, unarmedText, whyUnarmed } from "../../claude/settings/armed.ts";
import { machineHere, readHookCommand } from "../../claude/settings/hook_program.ts";
import { commandLine, type HookEntry, isOurName, quoteWord } from "../../claude/settings/hooks.ts";
import {
  installLine,
  lookAtSettings,
  replaceLine,
  type SettingsLook,
} from "../../claude/settings/installed_hooks.ts";
import { memberOf, ownershipHere, unwrap } from "../../claude/settings/own_handler.ts";
import { needsOf } from "../../policy/armed_gates.ts";
import { OS } from "../../system/environment.ts";
import {
  makeTempDirSync,
  mkdirSync,
  realPathSync,
  removeSync,
  writeTextFileSync,
} from "../../system/files.ts";
import { isBareName } from "../../system/process/executable.ts";
import { type LineEnd, runShellLine } from "../../system/process/run_program.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import { isThisProgram } from "./hook_checks.ts";
import { type DoctorPlace, lockReason } from "./place.ts";

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
  if (config.unreadable !== "" && lockReason(config) === null) {
    faults.push(
      fail(`NOT ARMED for what stands in ${config.unreadable}`, "conclaude config validate"),
    );
  }
  const proofs: Finding[] = [];
  for (const look of looks.filter(({ fatal }) => fatal === undefined)) {
    const needed = look.entries.filter(({ event, role }) =>
      role === "event" && needs.some((need) => need.event === event) &&
      !unarmed.some(({ events }) => events.includes(event))
    );
    for (const entries of Map.groupBy(needed, ({ command }) => programOf(command)).values()) {
      proofs.push(await proveProgram(entries, { look, looks, needs, place }));
    }
  }
  // Beside a fault, a person would read ARMED as if all rules held.
  const isWhole = faults.length === 0 &&
    proofs.every(({ message }) => message.startsWith("ARMED"));
  return [
    ...faults,
    ...proofs.filter(({ status }) => isWhole || status !== "ok"),
  ];
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

/** The program that a hook's command starts, as it is written there. */
function programOf(command: string): string {
  return readHookCommand(command).line;
}

/** Proves the program that hooks of one settings file start. */
async function proveProgram(
  entries: readonly HookEntry[],
  { look, looks, needs, place }: {
    readonly look: SettingsLook;
    readonly looks: readonly SettingsLook[];
    readonly needs: readonly Need[];
    readonly place: DoctorPlace;
  },
): Promise<Finding> {
  const entry = entries.find(({ event }) => event === "PreToolUse") ?? entries[0]!;
  const { command, onFailure } = entry;
  const again = installLine(look);
  const hook = `the hook in ${look.path}`;
  const gates = gatesText(needs, entries);
  if (!mayRun(command, looks, place)) {
    return warn(
      `not proved${gates}: ${hook} starts a program that only this project names, so it was not run: ${command}`,
      `if that is right, look at it yourself; if not: \`${again}\``,
    );
  }
  const fault = await tryProgram(entry, place);
  if (fault !== null) return fail(`NOT ARMED${gates}: ${hook} ${fault}: ${command}`, again);
  return ok(
    `ARMED: ${hook} denied what is forbidden and let pass what is not; ` +
      (onFailure === "block"
        ? "strict: when it cannot run, nothing happens"
        : "not strict: when it cannot run, tools are used unjudged (`install-hooks --strict` changes that)"),
  );
}

/** ` for stop.commands`, or nothing where that is all that is guarded. */
function gatesText(needs: readonly Need[], entries: readonly HookEntry[]): string {
  const namesOf = (of: readonly Need[]) => [...new Set(of.map(({ gate }) => gate))];
  const asked = needs.filter((need) => entries.some(({ event }) => event === need.event));
  const names = namesOf(asked);
  return names.length === namesOf(needs).length ? "" : ` for ${names.join(", ")}`;
}

/**
 * Whether doctor may run a hook to see what it does. The user has written the user's own file; what a project's file
 * starts may be anything, and doctor must not run it because somebody looked at a clone.
 */
function mayRun(
  command: string,
  looks: readonly SettingsLook[],
  place: DoctorPlace,
): boolean {
  const program = readHookCommand(command);
  const { line } = program;
  return isThisProgram(program, place) || (isBareName(line) && isOurName(baseName(line))) ||
    looks.filter(({ flags }) => !flags.includes("--scope"))
      .some(({ entries }) => entries.some((entry) => programOf(entry.command) === line));
}

/** A rule that starts no program. */
const POLICY = "preToolUse: {preventRootAdditions: false, uneditableFiles: ['*.denied']}\n";
const SESSION_ID = "00000000-0000-4000-8000-000000000000";
/** The commands of a configuration may take much longer; the proof has none. */
const MAX_PROOF_MS = 30_000;

/** What Claude Code reads in an answer. */
const ANSWER_KEYS = ["hookSpecificOutput", "systemMessage", "decision", "continue"];

/**
 * Asks a program about an edit that the proof's rule forbids, and about one that it allows.
 *
 * @returns What is wrong with the answers; null when it judges as it must.
 */
async function tryProgram(
  { command, timeout }: HookEntry,
  { environment }: DoctorPlace,
): Promise<string | null> {
  const timeoutMs = Math.min(timeout * 1000, MAX_PROOF_MS);
  // These folders stand for a person's home and a project.
  const stage = realPathSync(makeTempDirSync({ prefix: "conclaude-doctor-" }));
  const [home, folder] = [joinPath(stage, "home"), joinPath(stage, "project")];
  const variables = {
    CLAUDE_PROJECT_DIR: folder,
    CLAUDE_CODE_SESSION_ID: SESSION_ID,
    CLAUDE_PID: "",
    CONCLAUDE_DB_PATH: joinPath(home, "proof.db"),
  };
  try {
    mkdirSync(home);
    mkdirSync(folder);
    writeTextFileSync(joinPath(folder, ".conclaude.yaml"), POLICY);
    for (const isForbidden of [true, false]) {
      const file = joinPath(folder, isForbidden ? "proof.denied" : "proof.txt");
      const input = JSON.stringify({
        session_id: SESSION_ID,
        transcript_path: joinPath(home, "transcript.jsonl"),
        cwd: folder,
        hook_event_name: "PreToolUse",
        permission_mode: "default",
        tool_name: "Edit",
        tool_input: { file_path: file, old_string: "1", new_string: "2" },
        tool_use_id: "toolu_proof",
      });
      const line = atHome(`${programOf(command)} hook PreToolUse`, home);
      const around = { timeoutMs, environment, folder, variables };
      const answer = answerOf(
        await runShellLine(line, { input: `${input}\n`, ...around }),
        timeoutMs,
      );
      if (typeof answer === "string") return answer;
      const decision = memberOf(memberOf(answer, "hookSpecificOutput"), "permissionDecision");
      if ((decision === "deny") !== isForbidden) {
        return isForbidden ? "lets pass what must be denied" : "denies what must pass";
      }
    }
    return null;
  } finally {
    // Where a program that was started still works there, the system cleans the folder.
    quietly(() => removeSync(stage, { recursive: true }));
  }
}

/** The answer of a hook, or why Claude Code could not use it. */
function answerOf(end: LineEnd, limitMs: number): unknown {
  if (end.kind === "unstarted") return `could not be run: ${end.why}`;
  if (end.kind === "late") return `does not answer within ${limitMs / 1000} seconds`;
  const { code, stdout, stderr } = end;
  if (code !== 0) {
    const said = stderr.trim().split("\n", 1)[0]!;
    return `leaves with status ${code}${said === "" ? "" : ` (${said})`}`;
  }
  const answer = stdout.trim() === "" ? {} : quietly(() => JSON.parse(stdout));
  const isRead = stdout.trim() === "" ||
    ANSWER_KEYS.some((key) => memberOf(answer, key) !== undefined);
  return isRead ? answer : "answers with something that Claude Code does not understand";
}

/**
 * The line of a shell that runs a command with another home. The shell expands the words of the command before the
 * assignment in front counts: it still finds `"$HOME/bin/conclaude"` in the person's home.
 */
function atHome(line: string, home: string): string {
  // Deno keeps what it has fetched for a script in the home, unless a variable names another place.
  const cache = OS === "darwin" ? "$HOME/Library/Caches" : "${XDG_CACHE_HOME:-$HOME/.cache}";
  const isScript = readHookCommand(line).script !== null;
  const kept = isScript ? `DENO_DIR="\${DENO_DIR:-${cache}/deno}" ` : "";
  return `${kept}HOME=${quoteWord(home)} ${line}`;
}
