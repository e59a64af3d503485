/**
 * Proves that the rules of this folder are in force: Claude Code asks a hook, and the hook's program denies what rules
 * forbid. Doctor runs the program as Claude Code does, once with a forbidden edit and once with one that must pass, in
 * a temporary home and project.
 */
import type { DatabaseSync } from "node:sqlite";
import { answerToUnreadable } from "../../policy/guards/guard_policy.ts";
import { count } from "../../base/counts.ts";
import { messageOf, quietly } from "../../base/errors.ts";
import { baseName, joinPath } from "../../base/paths.ts";
import { daysMs } from "../../base/time.ts";
import { findMods, modText } from "../../claude/mods.ts";
import {
  type Need,
  readHookCommand,
  type Unarmed,
  unarmedText,
  whyUnarmed,
} from "../../claude/settings/armed.ts";
import { commandLine, type HookEntry, isOurName, quoteWord } from "../../claude/settings/hooks.ts";
import { memberOf, ownershipHere, unwrap } from "../../claude/settings/own_handler.ts";
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
import { isThisProgram } from "./hook_checks.ts";
import type { DoctorPlace } from "./place.ts";
import {
  installLine,
  lookAtSettings,
  replaceLine,
  type SettingsLook,
} from "../../claude/settings/installed_hooks.ts";

/** The hooks in one settings file that rules need and that start the same program. */
interface HookGroup {
  readonly entries: readonly HookEntry[];
  readonly look: SettingsLook;
  readonly looks: readonly SettingsLook[];
  readonly needs: readonly Need[];
  readonly place: DoctorPlace;
}

export async function lookAtGates(place: DoctorPlace): Promise<Finding[]> {
  const { config } = place;
  const needs = needsOf(config);
  if (needs.length === 0) {
    return [ok("no gates here but the built-in ones: no rule is written for this folder")];
  }
  const looks = lookAtSettings(place);
  const unarmed = whyUnarmed(looks, {
    needs,
    ownership: ownershipHere(place),
    searchPath: place.searchPath,
  });
  const faults = unarmed.map((reason) => fail(unarmedText(reason), wayToArm(reason, looks)));
  if (unarmed.some(({ isAll, events }) => isAll || events.includes("PreToolUse"))) return faults;
  const whenBlind = answerToUnreadable(config);
  const validate = "conclaude config validate";
  if (config.unreadable !== "" && whenBlind === "allow") {
    faults.push(fail(`NOT ARMED for what stands in ${config.unreadable}`, validate));
  }
  const proofs: Finding[] = [];
  for (const look of looks.filter(({ fatal }) => fatal === undefined)) {
    const needed = look.entries.filter(({ event, role }) =>
      role === "event" && needs.some((need) => need.event === event) &&
      !unarmed.some(({ events }) => events.includes(event))
    );
    const programs = Map.groupBy(needed, ({ command }) => readHookCommand(command).line);
    for (const entries of programs.values()) {
      proofs.push(await proveProgram({ entries, look, looks, needs, place }));
    }
  }
  // Beside a fault, ARMED would tell a person that all rules hold.
  const isWhole = faults.length === 0 &&
    proofs.every(({ message }) => message.startsWith("ARMED"));
  return [
    ...faults,
    ...proofs.filter(({ status }) => isWhole || status !== "ok"),
    ...whenBlind === "allow" ? [] : [
      warn(
        `every change is ${
          whenBlind === "ask" ? "asked about" : "refused"
        }, since rules cannot be read: ${config.unreadable}`,
        validate,
      ),
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
async function proveProgram(group: HookGroup): Promise<Finding> {
  const { entries, needs } = group;
  const entry = entries.find(({ event }) => event === "PreToolUse") ?? asToolHook(entries[0]!);
  const gates = gatesText(needs, entries.map(({ event }) => event));
  return await faultOf(entry, gates, group) ?? armedFinding(entry, group);
}

/** Makes a hook for tools with the same program, for settings in which no hook guards tools. */
function asToolHook(entry: HookEntry): HookEntry {
  const command = `${readHookCommand(entry.command).line} hook PreToolUse`;
  return { ...entry, event: "PreToolUse", matcher: undefined, command };
}

/** Returns ` for stop.commands` or the like, or "" if the events cover all gates. */
function gatesText(needs: readonly Need[], events: readonly string[]): string {
  const names = (of: readonly Need[]) => [...new Set(of.map(({ gate }) => gate))];
  const left = names(needs.filter(({ event }) => events.includes(event)));
  return left.length === names(needs).length ? "" : ` for ${left.join(", ")}`;
}

/** Returns why a hook is not proved to deny what rules forbid; null when it is proved. */
async function faultOf(entry: HookEntry, gates: string, group: HookGroup): Promise<Finding | null> {
  const { look, place } = group;
  const { command } = entry;
  const again = installLine(look);
  const hook = `the hook in ${look.path}`;
  const unproved = (why: string, next: string) => warn(`not proved${gates}: ${hook} ${why}`, next);
  if (!mayRun(entry, group)) {
    return unproved(
      `starts a program that only this project names, so it was not run: ${command}`,
      `if that is right, look at it yourself; if not: \`${again}\``,
    );
  }
  // Such a hook would write the proof into a person's database.
  if (/\s--db\b/.test(command)) return unproved("names a database of its own", again);
  const fault = await tryHook(entry, place);
  if (fault === null) return null;
  if (!fault.wasRun) return unproved(`could not be run: ${fault.why}`, "conclaude doctor");
  return fail(`NOT ARMED${gates}: ${hook} ${fault.why}: ${command}`, again);
}

function armedFinding({ onFailure }: HookEntry, { look: { path } }: HookGroup): Finding {
  return ok(
    `ARMED: the hook in ${path} denied what is forbidden and let pass what is not; ` +
      (onFailure === "block"
        ? "strict: when it cannot run, nothing happens"
        : "not strict: when it cannot run, tools are used unjudged (`install-hooks --strict` changes that)"),
  );
}

/**
 * Whether doctor may run a hook to see what it does. A hook in the user's own settings may run. A project's settings
 * may start anything, so doctor must not run them when somebody only looks at a clone.
 */
function mayRun(entry: HookEntry, { looks, place }: HookGroup): boolean {
  const program = readHookCommand(entry.command);
  const { line } = program;
  return isThisProgram(program, place) || (isBareName(line) && isOurName(baseName(line))) ||
    looks.filter(({ flags, isPlugin }) => !isPlugin && !flags.includes("--scope"))
      .some(({ entries }) => entries.some(({ command }) => readHookCommand(command).line === line));
}

/** The configuration of the proof, with a rule that starts no program. */
const POLICY = "preToolUse: {preventRootAdditions: false, uneditableFiles: ['*.denied']}\n";
const SESSION_ID = "00000000-0000-4000-8000-000000000000";
/** The time limit of a proof; hooks may have more time for a configuration's commands, but the proof has none. */
const MAX_PROOF_MS = 30_000;
/** The keys that Claude Code reads in an answer. */
const ANSWER_KEYS = ["hookSpecificOutput", "systemMessage", "decision", "continue"];

/** Runs a hook under the rule of the proof. @returns What is wrong with the hook; null when it decides correctly. */
async function tryHook(
  { command, timeout }: HookEntry,
  place: DoctorPlace,
): Promise<{ readonly why: string; readonly wasRun: boolean } | null> {
  const timeoutMs = Math.min(timeout * 1000, MAX_PROOF_MS);
  try {
    return await inStage(place, async ({ home, project, run }) => {
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
        const end = await run(command, `${JSON.stringify(payload)}\n`, timeoutMs);
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
    });
  } catch (thrown) {
    return { why: messageOf(thrown), wasRun: false };
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
  const answer = stdout.trim() === "" ? {} : parsed(stdout);
  const isRead = stdout.trim() === "" ||
    ANSWER_KEYS.some((key) => memberOf(answer, key) !== undefined);
  return isRead ? answer : "answers with something that Claude Code does not understand";
}

/** Temporary folders that replace a person's home and project. */
interface ProofStage {
  readonly home: string;
  readonly project: string;
  readonly run: (line: string, input: string, timeoutMs: number) => Promise<WordsEnd>;
}

async function inStage<Result>(
  { environment }: DoctorPlace,
  act: (stage: ProofStage) => Promise<Result>,
): Promise<Result> {
  const folder = realPathSync(makeTempDirSync({ prefix: "conclaude-doctor-" }));
  const [home, project] = [joinPath(folder, "home"), joinPath(folder, "project")];
  const variables = {
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_SESSION_ID: SESSION_ID,
    CLAUDE_PID: "",
    CONCLAUDE_DB_PATH: joinPath(home, "proof.db"),
  };
  try {
    mkdirSync(home);
    mkdirSync(project);
    writeTextFileSync(joinPath(project, ".conclaude.yaml"), POLICY);
    const run: ProofStage["run"] = (line, input, timeoutMs) =>
      runShellLine(atHome(line, home), {
        input,
        timeoutMs,
        environment,
        folder: project,
        variables,
      });
    return await act({ home, project, run });
  } finally {
    // If a started program still works in the folder, the system cleans it up later.
    quietly(() => removeSync(folder, { recursive: true }));
  }
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

function parsed(text: string): unknown {
  return quietly(() => JSON.parse(text));
}

const MANAGE = `sudo ${commandLine("install-hooks", ["--managed"])}`;

/** Names the mods of Claude Code that can bypass the gates. */
export function lookAtMods(place: DoctorPlace): Finding[] {
  const { claudeFolder, projectDir, locations: { home } } = place;
  const clientFolder = claudeFolder ?? (home && joinPath(home, ".claude"));
  const mods = findMods({ clientFolder: clientFolder ?? null, projectDir });
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
