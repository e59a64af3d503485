/**
 * Runs of the real Claude Code that end at once, and runs that are killed: whatever their hooks have lost, the next drain finds
 * in the transcripts. `CONCLAUDE_CLIENT_RUNS` says how many.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { query } from "../support/look.ts";
import { seededRandom } from "../support/tool_uses.ts";
import { say, test, use } from "./harness.ts";
import { capturedUses, endedUses, runAt } from "./kept_uses.ts";

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
    assert.deepEqual(capturedUses(database).sort(), ended.sort(), `after run ${at}`);
  }
  const [{ lost }] = query(
    database,
    "SELECT count(*) AS lost FROM pending_queue WHERE source = 'transcript'",
  ) as unknown as [{ readonly lost: number }];
  console.log(`${capturedUses(database).length} tool uses; hooks had lost ${lost}`);
});

/** The ways in which a drain comes about after a run, in turns. */
async function drain(at: number, place: Parameters<typeof runAt>[0]): Promise<void> {
  if (at % 2 === 0) return await runAt(place, ["queue", "drain"]);
  await runAt(place, ["hook", "Drain"], {
    ...{ hook_event_name: "SessionStart", source: "startup", cwd: place.project },
    session_id: crypto.randomUUID(),
  });
}
