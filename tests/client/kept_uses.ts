/** What transcripts and the database say of tool uses after runs of the real Claude Code. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { filesBelow, query, textOf } from "../support/look.ts";

/** Runs the program to its end as a hook or a person would. @param payload What stdin holds. */
export async function runAt(
  { executable, home, project }: {
    readonly executable: string;
    readonly home: string;
    readonly project: string;
  },
  args: readonly string[],
  payload?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const child = new Deno.Command(executable, {
    ...{ args: [...args], cwd: project, clearEnv: true },
    env: { HOME: home, PATH: "/usr/bin:/bin", CLAUDE_PROJECT_DIR: project },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const text = payload === undefined ? "" : JSON.stringify(payload);
  const fed = new Blob([text]).stream().pipeTo(child.stdin);
  const { success, stderr } = await child.output();
  await fed;
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** The captured tool uses, by session: the model gives the same ids in each run. */
export function capturedUses(database: string): string[] {
  return query(
    database,
    "SELECT session_id, tool_use_id FROM pending_queue WHERE tool_use_id IS NOT NULL",
  ).map(({ session_id, tool_use_id }) => `${session_id} ${tool_use_id}`);
}

/** The tool uses that have a result in a transcript. */
export function endedUses(home: string): string[] {
  const transcripts = filesBelow(join(home, ".claude", "projects"))
    .filter((path) => path.endsWith(".jsonl"));
  return transcripts.flatMap((path) =>
    textOf(path).split("\n").filter((line) => line.includes('"tool_result"'))
      .map((line) => JSON.parse(line))
      .flatMap(({ sessionId, message }) =>
        message.content.filter(({ type }: { readonly type: string }) => type === "tool_result")
          .map((one: { readonly tool_use_id: string }) => `${sessionId} ${one.tool_use_id}`)
      )
  );
}
