/** Plays Claude Code's part: finds the hooks that a settings file lists for an event, and runs them the same way. */
import { dirname } from "node:path";
import { type Place, type Ran, REPOSITORY, run } from "./run_deno.ts";

/** A hook payload, as Claude Code writes it to stdin. */
export type Payload = Readonly<Record<string, unknown>> & { readonly hook_event_name: string };

export interface Settings {
  readonly hooks?: Readonly<
    Record<string, readonly { readonly matcher?: string; readonly hooks: readonly Hook[] }[]>
  >;
}

type Hook = { readonly type: string; readonly command: string };

export type HookRun = Ran & { readonly command: string };

/** The payload's field that a matcher is compared with, by event; `tool_name` for all others. */
const MATCHED_FIELDS: Readonly<Record<string, string>> = {
  SessionStart: "source",
  SessionEnd: "reason",
  Notification: "notification_type",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  PreCompact: "trigger",
  PostCompact: "trigger",
};

/** Reads the payloads of two recorded sessions, placed in a home and a project. */
export function readRecording(home: string, project: string): Payload[] {
  const text = Deno.readTextFileSync(new URL("tests/testdata/recorded_session.jsonl", REPOSITORY));
  const inText = (path: string) => JSON.stringify(path).slice(1, -1);
  const placed = text.replaceAll("<HOME>", inText(home)).replaceAll("<PROJECT>", inText(project))
    .replaceAll("<PROJECT_SLUG>", "tides");
  return placed.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** Lists the commands that the settings hold for an event, in order. */
export function commandsFor(settings: Settings, payload: Payload): string[] {
  const event = payload.hook_event_name;
  const subject = String(payload[MATCHED_FIELDS[event] ?? "tool_name"] ?? "");
  return (settings.hooks?.[event] ?? [])
    .filter(({ matcher }) => matches(matcher, subject))
    .flatMap(({ hooks }) => hooks)
    .filter(({ type }) => type === "command")
    .map(({ command }) => command);
}

/** Compares as Claude Code does: a missing or empty matcher and `*` fit all, `A|B` whole names; others are patterns. */
function matches(matcher: string | undefined, subject: string): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  if (/^[\w ,|-]+$/.test(matcher)) return matcher.split(/[|,]/).some((n) => n.trim() === subject);
  return new RegExp(matcher).test(subject);
}

/** Changes the file of a `Write` or an `Edit`, as the tool does before its PostToolUse hooks run. */
export async function changeFile(payload: Payload): Promise<void> {
  if (payload.hook_event_name !== "PostToolUse") return;
  const { filePath, content, originalFile, oldString, newString } =
    (payload["tool_response"] ?? {}) as Readonly<Record<string, string | undefined>>;
  const text = content ?? originalFile?.replace(oldString!, () => newString!);
  if (filePath === undefined || text === undefined) return;
  await Deno.mkdir(dirname(filePath), { recursive: true });
  await Deno.writeTextFile(filePath, text);
}

/** Runs one hook command through the shell, and writes the payload to its stdin as one line of JSON. */
export async function runHookCommand(
  command: string,
  { payload, ...place }: Place & { readonly payload: Payload },
): Promise<HookRun> {
  // Claude Code runs hooks with the POSIX shell; on Windows that is Git's.
  const shell = Deno.build.os === "windows" ? "bash" : "/bin/sh";
  return { command, ...await run(shell, ["-c", command], place, `${JSON.stringify(payload)}\n`) };
}
