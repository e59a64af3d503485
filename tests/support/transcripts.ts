/** Transcripts that Claude Code 2.1.329 wrote, and what its hooks were told in the same sessions. */
import { dirname, join } from "node:path";
import { captures, filesBelow } from "./look.ts";
import { REPOSITORY } from "./process.ts";
import { hook, type TempHome } from "./program.ts";

const TESTDATA = join(REPOSITORY, "tests", "testdata", "transcripts");

/** `work`: a sub-agent, a compaction, a background task. `tools`: one turn. `refused`: permissions. `forked`: two sessions. */
export type Recorded = "work" | "tools" | "refused" | "forked";

/** The folder of the project in the recordings. */
export const PROJECT = "/home/ana/app";

/** Where the transcripts lay that the recordings name. */
const RECORDED_IN = "/home/ana/.claude/projects";

/** Where Claude Code keeps transcripts of a home. */
export function transcriptsOf(home: TempHome): string {
  return join(home.path, ".claude", "projects");
}

/**
 * Puts recorded transcripts where Claude Code has them.
 *
 * @param change Applied to the text of each. @returns Their paths.
 */
export function putTranscripts(
  home: TempHome,
  names: readonly Recorded[],
  change: (text: string) => string = (text) => text,
): string[] {
  return names.flatMap((name) => {
    const from = join(TESTDATA, name);
    return filesBelow(from).map((path) => {
      const to = join(transcriptsOf(home), "-home-ana-app", path.slice(from.length + 1));
      Deno.mkdirSync(dirname(to), { recursive: true });
      Deno.writeTextFileSync(to, change(Deno.readTextFileSync(path)));
      return to;
    });
  });
}

/** The payloads that the hooks of a recorded session got, in their order. */
export function recordedHooks(name: Recorded): Readonly<Record<string, unknown>>[] {
  return Deno.readTextFileSync(join(TESTDATA, `${name}.hooks.txt`)).trim().split("\n")
    .map((line) => JSON.parse(line));
}

/** Tells the hooks of a home what they were told in a recorded session, but for some of it. */
export async function tellHooks(
  home: TempHome,
  name: Recorded,
  leaveOut: (payload: Readonly<Record<string, unknown>>) => boolean = () => false,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    /** Applied to the text of each payload. */
    readonly change?: (text: string) => string;
  } = {},
): Promise<void> {
  const { env = {}, change = (text) => text } = options;
  for (const payload of recordedHooks(name)) {
    if (leaveOut(payload)) continue;
    const text = JSON.stringify(payload).replaceAll(RECORDED_IN, transcriptsOf(home));
    const told = JSON.parse(change(text));
    const event = String(payload["hook_event_name"]);
    await hook(event, told, home, { env: { CLAUDE_PROJECT_DIR: PROJECT, ...env } });
  }
}

/** What each capture says of what happened; what only a hook knows is left out. */
export function toldOf(home: TempHome) {
  return captures(home).map((row) => {
    const { effort: _, duration_ms: _ms, is_interrupt: _i, ...payload } = Object(row["payload"]);
    const response = Object(payload.tool_response);
    // The transcript of a sub-agent has the output alone.
    if (payload.agent_id !== undefined) payload.tool_response = response.stdout ?? String(response);
    const { session_id, tool_name, tool_use_id, outcome, priority, files_touched } = row;
    const bare = payload.compact_summary?.replace(/^[\s\S]*<summary>|<\/summary>$/g, "");
    if (bare !== undefined) payload.compact_summary = bare;
    return { session_id, tool_name, tool_use_id, outcome, priority, files_touched, payload };
  }).toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
}

/** A tool use as the payload of its hook tells of it, and as a transcript does. */
export interface ToldUse {
  readonly id: string;
  readonly atMs: number;
  readonly use: Readonly<Record<string, unknown>>;
}

/** The two lines of a tool use in a transcript. @param common What every line of it has. */
export function toolUseLines(
  { id, atMs, use: { tool_name, tool_input, tool_response, error } }: ToldUse,
  common: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
  const all = { isSidechain: false, gitBranch: "main", ...common };
  const timestamp = (ms: number) => new Date(ms).toISOString();
  const content = [{ type: "tool_use", id, name: tool_name, input: tool_input }];
  const message = { id: `msg_${id}`, role: "assistant", content, stop_reason: "tool_use" };
  const result = { type: "tool_result", tool_use_id: id, content: error ?? "done" };
  return [
    { ...all, type: "assistant", uuid: `a-${id}`, timestamp: timestamp(atMs), message },
    {
      ...all,
      type: "user",
      uuid: `u-${id}`,
      timestamp: timestamp(atMs + 500),
      message: { role: "user", content: [error ? { ...result, is_error: true } : result] },
      toolUseResult: error ?? tool_response,
      permissionDecision: { decision: "accept" },
    },
  ];
}

/** Values as lines of JSON. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** A transcript of one long session: `count` shell commands, one after the other. */
export function longTranscript(sessionId: string, count: number): string {
  const uses = Array.from({ length: count }, (_, index) => ({
    id: `toolu_long${index}`,
    atMs: Date.UTC(2026, 0, 5) + index * 1_000,
    use: {
      tool_name: "Bash",
      tool_input: { command: `echo ${index}` },
      tool_response: { stdout: `${index} ${"x".repeat(400)}`, stderr: "", interrupted: false },
    },
  }));
  return jsonLines(uses.flatMap((use) => toolUseLines(use, { cwd: PROJECT, sessionId })));
}
