/**
 * Runs of the real Claude Code that end at once, and runs that are killed: whatever their hooks have lost, the next drain finds
 * in the transcripts. `CONCLAUDE_CLIENT_RUNS` says how many.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { filesBelow, query, textOf } from "../support/look.ts";
import { seededRandom } from "../support/tool_uses.ts";
import { say, test, use } from "./harness.ts";

const RUNS = Number(Deno.env.get("CONCLAUDE_CLIENT_RUNS") ?? 6);
/** Every third run is killed. */
const KILLED_OF = 3;
/** Of a run's time: until then Claude Code only starts. */
const FIRST_PART = 0.15;
const ROUNDS = 6;

/** Three reads, an edit and a command, six times, from a model that does not think. */
const file_path = "{{PROJECT}}/notes.txt";
const STEPS = [
  ...Array.from({ length: ROUNDS }, (_, round) => [
    ...Array.from({ length: 3 }, () => use("Read", { file_path })),
    use("Edit", { file_path, old_string: `line ${round}.`, new_string: `Line ${round}!` }),
    use("Bash", { command: `echo ${round}`, description: "Say a number" }),
  ]).flat(),
  say("All done."),
];
const NOTES = Array.from({ length: ROUNDS }, (_, line) => `line ${line}.\n`).join("");

test(`after ${RUNS} runs, a third of them killed at some moment, every tool use of the transcripts is a capture, once`, async ({ executable, folder, runScenario }) => {
  const random = seededRandom(RUNS);
  const home = join(folder, "home");
  const project = join(folder, "project");
  const run = async (name: string, seconds?: number) => {
    const { database, summary } = await runScenario(name, {
      ...{ home, project, steps: STEPS, files: { "notes.txt": NOTES }, isUnwatched: true },
      ...seconds === undefined ? {} : { seconds },
    });
    const [, ms] = / ms=(\d+)/.exec(summary) ?? [];
    assert.ok(ms, summary);
    return { database, seconds: Number(ms) / 1_000 };
  };
  const { database, seconds } = await run("run-0");
  for (let at = 1; at <= RUNS; at++) {
    const isKilled = at % KILLED_OF === 0;
    await run(
      `run-${at}`,
      isKilled ? (FIRST_PART + random() * (1 - FIRST_PART)) * seconds : undefined,
    );
    const ended = endedUses(home);
    await drain(at, { executable, home, project });
    assert.deepEqual(captured(database).sort(), ended.sort(), `after run ${at}`);
  }
  const [{ lost }] = query(
    database,
    "SELECT count(*) AS lost FROM pending_queue WHERE source = 'transcript'",
  ) as unknown as [{ readonly lost: number }];
  console.log(`${captured(database).length} tool uses; hooks had lost ${lost}`);
});

/** The ways in which a drain comes about after a run, in turns. */
async function drain(
  at: number,
  { executable, home, project }: {
    readonly executable: string;
    readonly home: string;
    readonly project: string;
  },
): Promise<void> {
  const begins = {
    ...{ hook_event_name: "SessionStart", source: "startup", cwd: project },
    session_id: crypto.randomUUID(),
  };
  const [args, input] = at % 2 === 0
    ? [["queue", "drain"], ""]
    : [["hook", "Drain"], JSON.stringify(begins)];
  const child = new Deno.Command(executable, {
    ...{ args, cwd: project, clearEnv: true },
    env: { HOME: home, PATH: "/usr/bin:/bin", CLAUDE_PROJECT_DIR: project },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const fed = new Blob([input]).stream().pipeTo(child.stdin);
  const { success, stderr } = await child.output();
  await fed;
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** The captured tool uses, by session: the model gives the same ids in each run. */
function captured(database: string): string[] {
  return query(
    database,
    "SELECT session_id, tool_use_id FROM pending_queue WHERE tool_use_id IS NOT NULL",
  ).map(({ session_id, tool_use_id }) => `${session_id} ${tool_use_id}`);
}

/** The tool uses that have a result in a transcript. */
function endedUses(home: string): string[] {
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
