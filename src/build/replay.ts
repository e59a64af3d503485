/** Plays Claude Code's part: finds the hooks that a settings file lists for an event, and runs them as it would. */
import { dirname } from "node:path";
import { type Place, type Ran, REPOSITORY, run } from "./run_deno.ts";

/** A hook payload, as Claude Code writes it to stdin. */
export type Payload = Readonly<Record<string, unknown>> & { readonly hook_event_name: string };

/** The part of a settings file that matters here. */
export interface Settings {
  readonly hooks?: Readonly<
    Record<string, readonly { readonly matcher?: string; readonly hooks: readonly Hook[] }[]>
  >;
}
type Hook = { readonly type: string; readonly command: string };

/** The end of one command. */
export type HookRun = Ran & { readonly command: string };

/** The field of an event that a matcher is compared with. */
const MATCHED_FIELDS: Readonly<Record<string, string>> = {
  SessionStart: "source",
  SessionEnd: "reason",
  Notification: "notification_type",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  PreCompact: "trigger",
  PostCompact: "trigger",
};

/** Two sessions as Claude Code reported them, in a home and a project. */
export function readRecording(home: string, project: string): Payload[] {
  const text = Deno.readTextFileSync(new URL("tests/testdata/recorded_session.jsonl", REPOSITORY));
  const inText = (path: string) => JSON.stringify(path).slice(1, -1);
  const placed = text.replaceAll("<HOME>", inText(home)).replaceAll("<PROJECT>", inText(project))
    .replaceAll("<PROJECT_SLUG>", "tides");
  return placed.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** The commands that the settings list for an event, in order. */
export function commandsFor(settings: Settings, payload: Payload): string[] {
  const event = payload.hook_event_name;
  const subject = String(payload[MATCHED_FIELDS[event] ?? "tool_name"] ?? "");
  return (settings.hooks?.[event] ?? [])
    .filter(({ matcher }) => matches(matcher, subject))
    .flatMap(({ hooks }) => hooks)
    .filter(({ type }) => type === "command")
    .map(({ command }) => command);
}

/** Nothing, the empty text and `*` match everything; names between bars are compared whole, the rest is a pattern. */
function matches(matcher: string | undefined, subject: string): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  if (/^[\w ,|-]+$/.test(matcher)) return matcher.split(/[|,]/).some((n) => n.trim() === subject);
  return new RegExp(matcher).test(subject);
}

/** Makes the change that a tool has made by the time its hooks run: of a `Write` or an `Edit`, in its file. */
export async function changeFile(payload: Payload): Promise<void> {
  if (payload.hook_event_name !== "PostToolUse") return;
  const { filePath, content, originalFile, oldString, newString } =
    (payload["tool_response"] ?? {}) as Readonly<Record<string, string | undefined>>;
  const text = content ?? originalFile?.replace(oldString!, () => newString!);
  if (filePath === undefined || text === undefined) return;
  await Deno.mkdir(dirname(filePath), { recursive: true });
  await Deno.writeTextFile(filePath, text);
}

/** Runs one hook command through the shell, the payload on its stdin as one line of JSON. */
export async function runHookCommand(
  command: string,
  { payload, ...place }: Place & { readonly payload: Payload },
): Promise<HookRun> {
  // Claude Code runs hooks with the POSIX shell; on Windows that is Git's.
  const shell = Deno.build.os === "windows" ? "bash" : "/bin/sh";
  return { command, ...await run(shell, ["-c", command], place, `${JSON.stringify(payload)}\n`) };
}
