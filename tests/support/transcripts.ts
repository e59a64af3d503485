/** Transcripts that Claude Code 2.1.329 wrote, and what its hooks were told in the same sessions. */
import { dirname, join } from "node:path";
import { filesBelow } from "./look.ts";
import { REPOSITORY } from "./process.ts";
import { hook, type TempHome } from "./program.ts";

const TESTDATA = join(REPOSITORY, "tests", "testdata", "transcripts");

/** `work`: a sub-agent, a compaction, a background task. `tools`: one turn. `refused`: permissions. `forked`: two sessions. */
export type Recorded = "work" | "tools" | "refused" | "forked";

/** The folder of the project in the recordings. */
export const PROJECT = "/home/ana/app";

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
): Promise<void> {
  for (const payload of recordedHooks(name)) {
    if (leaveOut(payload)) continue;
    const options = { env: { CLAUDE_PROJECT_DIR: PROJECT } };
    await hook(String(payload["hook_event_name"]), payload, home, options);
  }
}

/** A transcript of one long session: `count` shell commands, one after the other. */
export function longTranscript(sessionId: string, count: number): string {
  const startMs = Date.UTC(2026, 0, 5);
  const lines = [];
  for (let index = 0; index < count; index++) {
    const id = `toolu_long${index}`;
    const at = (ms: number) => new Date(startMs + index * 1_000 + ms).toISOString();
    const common = { isSidechain: false, cwd: PROJECT, sessionId, gitBranch: "main" };
    lines.push({
      ...common,
      type: "assistant",
      uuid: `a${index}`,
      timestamp: at(0),
      message: {
        id: `msg_${index}`,
        role: "assistant",
        content: [{ type: "tool_use", id, name: "Bash", input: { command: `echo ${index}` } }],
        stop_reason: "tool_use",
      },
    }, {
      ...common,
      type: "user",
      uuid: `u${index}`,
      timestamp: at(500),
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: `${index}` }],
      },
      toolUseResult: { stdout: `${index} ${"x".repeat(400)}`, stderr: "", interrupted: false },
      permissionDecision: { decision: "accept" },
    });
  }
  return lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
}
