/**
 * Proves that the rules of this folder are in force: Claude Code asks a hook, and the hook's program denies what rules
 * forbid. Doctor runs the program as Claude Code does, once with a forbidden edit and once with one that must pass, in
 * a temporary home and project.
 */
import type { DatabaseSync } from "node:sqlite";
import { answerToUnreadable } from "../../policy/guards/guard_policy.ts";
import { count } from "../../base/counts.ts";
import { messageOf, quietly } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import { daysMs } from "../../base/time.ts";
import { findMods, modText } from "../../claude/plugins.ts";
import {
  type HookProgram,
  isThisProgram,
  type Need,
  readHookCommand,
  type Unarmed,
  unarmedText,
  whyUnarmed,
} from "../../claude/settings/armed.ts";
import { commandLine, type HookEntry, isOurName, quoteWord } from "../../claude/settings/hooks.ts";
import { memberOf, unwrap } from "../../claude/settings/own_handler.ts";
import { isManagedFile } from "../../claude/settings/settings_place.ts";
import { countPastGates } from "../../db/executions.ts";
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
import { runShellLine, type WordsEnd } from "../../system/process/run_program.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import type { DoctorPlace } from "./place.ts";
import {
  installLine,
  lookAtSettings,
  replaceLine,
  type SettingsLook,
} from "../../claude/settings/installed_hooks.ts";

export async function lookAtGates(place: DoctorPlace): Promise<Finding[]> {
  const { config, searchPath } = place;
  const needs = needsOf(config);
  if (needs.length === 0) {
    return [ok("no gates here but the built-in ones: no rule is written for this folder")];
  }
  const looks = lookAtSettings(place);
  const unarmed = whyUnarmed(looks, { needs, ownership: place, searchPath });
  const faults = unarmed.map((reason) => fail(unarmedText(reason), wayToArm(reason, looks)));
  if (unarmed.some(({ isAll, events }) => isAll || events.includes("PreToolUse"))) return faults;
  const whenBlind = answerToUnreadable(config);
  const validate = "conclaude config validate";
  if (config.unreadable !== "" && whenBlind === "allow") {
    faults.push(fail(`NOT ARMED for what stands in ${config.unreadable}`, validate));
  }
  const mayRun = programsToRun(looks, place);
  const proofs: Finding[] = [];
  for (const look of looks.filter(({ fatal }) => fatal === undefined)) {
    const needed = look.entries.filter(({ event, role }) =>
      role === "event" && needs.some((need) => need.event === event) &&
      !unarmed.some(({ events }) => events.includes(event))
    );
    const programs = Map.groupBy(needed, ({ command }) => readHookCommand(command).line);
    for (const entries of programs.values()) {
      proofs.push(await proveProgram(entries, look, { needs, mayRun, place }));
    }
  }
  // Beside a fault, ARMED would tell a person that all rules hold.
  const isWhole = [...faults, ...proofs].every(({ status }) => status === "ok");
  const asked = whenBlind === "ask" ? "asked about" : "refused";
  return [
    ...faults,
    ...proofs.filter(({ status }) => isWhole || status !== "ok"),
    ...whenBlind === "allow" ? [] : [
      warn(`every change is ${asked}, since rules cannot be read: ${config.unreadable}`, validate),
    ],
  ];
}

/** Returns the next step that makes Claude Code ask the hooks. */
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

/** Proves one program with a tool use; the program asks the rules in the same way at every event. */
async function proveProgram(
  entries: readonly HookEntry[],
  look: SettingsLook,
  { needs, mayRun, place }: {
    readonly needs: readonly Need[];
    readonly mayRun: (program: HookProgram) => boolean;
    readonly place: DoctorPlace;
  },
): Promise<Finding> {
  const asked = entries.find(({ event }) => event === "PreToolUse");
  const { timeout, onFailure } = asked ?? entries[0]!;
  // Without a hook for PreToolUse among them, the program is asked as that hook would be.
  const command = asked?.command ?? `${readHookCommand(entries[0]!.command).line} hook PreToolUse`;
  const namesOf = (those: readonly Need[]) => [...new Set(those.map(({ gate }) => gate))];
  const names = namesOf(needs.filter((need) => entries.some(({ event }) => event === need.event)));
  const gates = names.length === namesOf(needs).length ? "" : ` for ${names.join(", ")}`;
  const install = installLine(look);
  const hook = `the hook in ${look.path}`;
  const unproved = (why: string, next: string) => warn(`not proved${gates}: ${hook} ${why}`, next);
  if (!mayRun(readHookCommand(command))) {
    return unproved(
      `starts a program that only this project names, so it was not run: ${command}`,
      `if that is right, look at it yourself; if not: \`${install}\``,
    );
  }
  // A hook with `--db` would write the proof into a person's database.
  if (/\s--db\b/.test(command)) return unproved("names a database of its own", install);
  const fault = await tryHook(command, timeout, place);
  if (fault === null) {
    return ok(
      `ARMED: ${hook} denied what is forbidden and let pass what is not; ` +
        (onFailure === "block"
          ? "strict: when it cannot run, nothing happens"
          : "not strict: when it cannot run, tools are used unjudged (`install-hooks --strict` changes that)"),
    );
  }
  if (!fault.wasRun) return unproved(`could not be run: ${fault.why}`, "conclaude doctor");
  return fail(`NOT ARMED${gates}: ${hook} ${fault.why}: ${command}`, install);
}

/**
 * Decides which programs doctor may run to see what they do. A hook in the user's own settings may run. A project's
 * settings may start anything, so doctor must not run them when somebody only looks at a clone.
 */
function programsToRun(looks: readonly SettingsLook[], place: DoctorPlace) {
  const owned = looks.filter(({ flags, isPlugin }) => !isPlugin && !flags.includes("--scope"))
    .flatMap(({ entries }) => entries.map(({ command }) => readHookCommand(command).line));
  return (program: HookProgram) => {
    const { line } = program;
    return isThisProgram(program, place) || (isBareName(line) && isOurName(line)) ||
      owned.includes(line);
  };
}

/** The configuration of the proof, with a rule that starts no program. */
const POLICY = "preToolUse: {preventRootAdditions: false, uneditableFiles: ['*.denied']}\n";
const SESSION_ID = "00000000-0000-4000-8000-000000000000";
/** The time limit of a proof; hooks may have more time for a configuration's commands, but a proof runs none. */
const MAX_PROOF_MS = 30_000;
/** The keys that Claude Code reads in an answer. */
const ANSWER_KEYS = ["hookSpecificOutput", "systemMessage", "decision", "continue"];

/**
 * Runs a hook under the rule of the proof, in temporary folders that replace a person's home and project.
 * @returns What is wrong with the hook; null when it decides correctly.
 */
async function tryHook(
  command: string,
  seconds: number,
  { environment }: DoctorPlace,
): Promise<{ readonly why: string; readonly wasRun: boolean } | null> {
  const timeoutMs = Math.min(seconds * 1000, MAX_PROOF_MS);
  let folder: string | undefined;
  try {
    folder = realPathSync(makeTempDirSync({ prefix: "conclaude-doctor-" }));
    const [home, project] = [joinPath(folder, "home"), joinPath(folder, "project")];
    mkdirSync(home);
    mkdirSync(project);
    writeTextFileSync(joinPath(project, ".conclaude.yaml"), POLICY);
    const variables = {
      CLAUDE_PROJECT_DIR: project,
      CLAUDE_CODE_SESSION_ID: SESSION_ID,
      CLAUDE_PID: "",
      CONCLAUDE_DB_PATH: joinPath(home, "proof.db"),
    };
    for (const isForbidden of [true, false]) {
      const payload = {
        session_id: SESSION_ID,
        transcript_path: joinPath(home, "transcript.jsonl"),
        cwd: project,
        hook_event_name: "PreToolUse",
        permission_mode: "default",
        tool_name: "Edit",
        tool_input: {
          file_path: joinPath(project, isForbidden ? "proof.denied" : "proof.txt"),
          old_string: "1",
          new_string: "2",
        },
        tool_use_id: "toolu_proof",
      };
      const input = `${JSON.stringify(payload)}\n`;
      const how = { input, timeoutMs, environment, folder: project, variables };
      const end = await runShellLine(atHome(command, home), how);
      if (end.kind === "unstarted") return { why: end.why, wasRun: false };
      const answer = answerOf(end, timeoutMs);
      if (typeof answer === "string") return { why: answer, wasRun: true };
      const decision = memberOf(memberOf(answer, "hookSpecificOutput"), "permissionDecision");
      if ((decision === "deny") !== isForbidden) {
        const why = isForbidden ? "lets pass what must be denied" : "denies what must pass";
        return { why, wasRun: true };
      }
    }
    return null;
  } catch (thrown) {
    return { why: messageOf(thrown), wasRun: false };
  } finally {
    // If a started program still works in the folder, the system cleans it up later.
    if (folder !== undefined) quietly(() => removeSync(folder!, { recursive: true }));
  }
}

/** Returns the answer of a hook, or a text that tells why Claude Code could not use it. */
function answerOf(end: Exclude<WordsEnd, { kind: "unstarted" }>, limitMs: number): unknown {
  if (end.kind === "late") return `does not answer within ${limitMs / 1000} seconds`;
  const { code, stdout, stderr } = end;
  if (code !== 0) {
    const message = stderr.trim().split("\n", 1)[0]!;
    return `leaves with status ${code}${message === "" ? "" : ` (${message})`}`;
  }
  if (stdout.trim() === "") return {};
  const answer: unknown = quietly(() => JSON.parse(stdout));
  const isRead = ANSWER_KEYS.some((key) => memberOf(answer, key) !== undefined);
  return isRead ? answer : "answers with something that Claude Code does not understand";
}

/**
 * Returns a shell line that runs a command with another home. The shell expands the command's words before the
 * assignment takes effect, so it still finds `"$HOME/bin/conclaude"` in the person's home.
 */
function atHome(line: string, home: string): string {
  // Deno's cache is in the home, unless a variable names another place.
  const cache = OS === "darwin" ? "$HOME/Library/Caches" : "${XDG_CACHE_HOME:-$HOME/.cache}";
  const isScript = readHookCommand(line).script !== null;
  const denoDir = isScript ? `DENO_DIR="\${DENO_DIR:-${cache}/deno}" ` : "";
  return `${denoDir}HOME=${quoteWord(home)} ${line}`;
}

const MANAGE = `sudo ${commandLine("install-hooks", ["--managed"])}`;

/** Names the mods of Claude Code that can bypass the gates. */
export function lookAtMods(place: DoctorPlace): Finding[] {
  const mods = findMods(place);
  if (mods.length === 0) return [ok("no mods: no plugin's code runs inside Claude Code here")];
  const isManaged = lookAtSettings(place).some((look) =>
    isManagedFile(look.path) && look.entries.some(({ event }) => event === "PreToolUse")
  );
  return mods.map((mod) => {
    if (mod.listens.length === 0) return ok(`${mod.name} (${mod.folder}) listens to no tool`);
    return isManaged
      ? ok(`${modText(mod)}; the machine's hooks are asked first`)
      : warn(`${modText(mod)}: it can answer a tool so that no rule is asked`, MANAGE);
  });
}

/** Counts the tool uses that bypassed a gate. */
export function askAboutGates(db: DatabaseSync, { nowMs }: DoctorPlace): Finding[] {
  const past = countPastGates(db, nowMs - daysMs(1));
  const uses = count(past, "tool use");
  return past === 0 ? [] : [warn(
    `${uses} of the last 24 hours ran without asking a gate, or although one denied it`,
    `${commandLine("audit", ["list", "--hook", "PostToolUse"])}; ${MANAGE}`,
  )];
}
