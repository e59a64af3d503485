/**
 * Proves the rules of this folder: Claude Code asks a hook, and the program of the hook denies what it must. Doctor runs
 * the program as Claude Code does, once with an edit that rules forbid and once with one that must pass, in a home and a
 * project that are made for the proof and removed afterwards.
 */
import { answerOfUnread } from "../../policy/guards/guard_policy.ts";
import { messageOf, quietly } from "../../base/errors.ts";
import { baseName, joinPath } from "../../base/paths.ts";
import {
  type Need,
  readHookCommand,
  type Unarmed,
  unarmedText,
  whyUnarmed,
} from "../../claude/settings/armed.ts";
import { commandLine, type HookEntry, isOurName, quoteWord } from "../../claude/settings/hooks.ts";
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
import type { DoctorPlace } from "./place.ts";
import {
  installLine,
  lookAtSettings,
  replaceLine,
  type SettingsLook,
} from "../../claude/settings/installed_hooks.ts";

/** The hooks in one settings file that start the same program and that rules need. */
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
  const whenBlind = answerOfUnread(config);
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
  // Beside a fault, a person would read ARMED as if all rules held.
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

/** Proves one program. It asks the rules in the same way at every event, so a tool proves it. */
async function proveProgram(group: HookGroup): Promise<Finding> {
  const { entries, needs } = group;
  const entry = entries.find(({ event }) => event === "PreToolUse") ?? asToolHook(entries[0]!);
  const gates = gatesText(needs, entries.map(({ event }) => event));
  return await faultOf(entry, gates, group) ?? armedFinding(entry, group);
}

/** Where no tool is guarded, doctor asks the same program about one. */
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
  group: HookGroup,
): Promise<Finding | null> {
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
  // It would write the proof into a database of the person.
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
 * Whether doctor may run a hook to see what it does. The user wrote the user's own file; a project's file may start
 * anything, and doctor must not run it because somebody looked at a clone.
 */
function mayRun(entry: HookEntry, { looks, place }: HookGroup): boolean {
  const program = readHookCommand(entry.command);
  const { line } = program;
  return isThisProgram(program, place) || (isBareName(line) && isOurName(baseName(line))) ||
    looks.filter(({ flags, isPlugin }) => !isPlugin && !flags.includes("--scope"))
      .some(({ entries }) => entries.some(({ command }) => readHookCommand(command).line === line));
}

/** A rule that starts no program. */
const POLICY = "preToolUse: {preventRootAdditions: false, uneditableFiles: ['*.denied']}\n";
const SESSION_ID = "00000000-0000-4000-8000-000000000000";
/** The commands of a configuration may take much longer; the proof has none. */
const MAX_PROOF_MS = 30_000;
/** What Claude Code reads in an answer. */
const ANSWER_KEYS = ["hookSpecificOutput", "systemMessage", "decision", "continue"];

/** Runs a hook under the rule of the proof. @returns What is wrong with it; null when it judges as it must. */
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

/** The answer of a hook, or why Claude Code could not use it. */
function answerOf(end: Exclude<LineEnd, { kind: "unstarted" }>, limitMs: number): unknown {
  if (end.kind === "late") return `does not answer within ${limitMs / 1000} seconds`;
  const { code, stdout, stderr } = end;
  if (code !== 0) {
    const said = stderr.trim().split("\n", 1)[0]!;
    return `leaves with status ${code}${said === "" ? "" : ` (${said})`}`;
  }
  const answer = stdout.trim() === "" ? {} : parsed(stdout);
  const isRead = stdout.trim() === "" ||
    ANSWER_KEYS.some((key) => memberOf(answer, key) !== undefined);
  return isRead ? answer : "answers with something that Claude Code does not understand";
}

/** Folders that stand for a person's home and a project. */
interface ProofStage {
  readonly home: string;
  readonly project: string;
  readonly run: (line: string, input: string, timeoutMs: number) => Promise<LineEnd>;
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
    // Where a program that was started still works there, the system cleans the folder.
    quietly(() => removeSync(folder, { recursive: true }));
  }
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

function parsed(text: string): unknown {
  return quietly(() => JSON.parse(text));
}
