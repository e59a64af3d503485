/** A session that was cut off in a turn, or crashed: what the next one is told, and how its summary says that it ended. */
import assert from "node:assert/strict";
import { endedPid } from "../support/processes.ts";
import { change, printed } from "../support/on_home.ts";
import { FIRST, SECOND, type Sender, type Workplace, workplace } from "../support/told_sessions.ts";
import { testWith } from "../support/fixtures.ts";
import { Buffer } from "node:buffer";
import { drainLockPath, takeLock } from "../../src/db/process_lock.ts";

const ASK = "Migrate all 30 handlers to the new router";
const THIRD = { session: "c0de0000-0000-4000-8000-000000000003" };

/** A session begins with what is asked, and with an edit. */
async function begin(at: Workplace, sender: Sender = {}): Promise<void> {
  await at.start("startup", { session: FIRST, ...sender });
  await at.asked(ASK, sender);
  await at.edit("src/a.ts", "export const a = 1;\n", sender);
}

const fails = (at: Workplace, error: string, message: string) =>
  at.send("StopFailure", { error, last_assistant_message: message });

/** A session ends, and all of it is worked in, however busy the machine is. */
async function end(at: Workplace, reason: string, sender?: Sender): Promise<void> {
  await at.send("SessionEnd", { reason }, sender);
  await printed(at, at.project, "queue", "drain");
}

/** What the summary of the session says. */
async function summary(at: Workplace): Promise<string> {
  await printed(at, at.project, "queue", "drain");
  const found = await printed(at, at.project, ...[
    "memory",
    "search",
    ASK,
    "--kind",
    "summary",
    "--json",
  ]);
  const [one] = JSON.parse(found).results;
  return await printed(at, at.project, "memory", "show", String(one.id));
}

const cutOff = (by: string) =>
  new RegExp(`Left open on main:\\n- #\\d+ just now, cut off \\(${by}\\) while: ${ASK}\\n`);

const test = testWith(workplace);

test("a turn that an error of the API ended is told as cut off, and stands in the timeline", async (at) => {
  await begin(at);
  await fails(at, "rate_limit", "API Error: 429 rate limited");
  assert.match(
    await at.start(),
    /worked in yet:\n- just now: asked, cut off \(rate limit\): Migrate all/,
  );
  await end(at, "other");
  assert.match(await at.start("startup", THIRD), cutOff("rate limit"));
  assert.match(await summary(at), /^Ended: cut off by an error of the API \(rate limit\)$/m);
  assert.match(
    await printed(at, at.project, "memory", "timeline", "1"),
    /message +Cut off \(rate limit\): API Error: 429 rate limited/,
  );
});

test("a session that the person ended in a turn is told as cut off, one that was closed after it is not", async (at) => {
  await begin(at);
  await end(at, "prompt_input_exit");
  const told = await at.start();
  assert.match(told, cutOff("by the person"));
  assert.match(told, /Last sessions:\n- #\d+ just now: Migrate all 30 .* \(1 file\)\n/);
  assert.match(await summary(at), /^Ended: by the person, in a turn$/m);
  await at.start("resume", { session: FIRST });
  await at.asked("go on");
  assert.doesNotMatch(await at.start(), /cut off/);
  await at.said("All 30 are migrated.");
  await end(at, "prompt_input_exit");
  assert.doesNotMatch(await at.start("startup", THIRD), /cut off/);
  assert.match(await summary(at), /^Ended: by the person, after its last turn$/m);
});

test("a turn of many hundred steps keeps what was asked of it", async (at) => {
  await begin(at);
  await printed(at, at.project, "queue", "drain");
  change(
    at,
    `WITH RECURSIVE steps(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM steps WHERE n < 500)
     INSERT INTO observations
       (uid, session_id, project, branch, kind, title, text, terms, files, created_at_ms, updated_at_ms)
     SELECT uid || '-' || n, session_id, project, branch, kind, title || n, text, terms, files,
            created_at_ms + n, updated_at_ms + n
       FROM observations, steps
      WHERE kind = 'edit'`,
  );
  await at.edit("src/b.ts", "export const b = 1;\n");
  await end(at, "prompt_input_exit");
  assert.match(await at.start(), cutOff("by the person"));
  assert.match(await summary(at), new RegExp(`^Asked:\n- ${ASK}$`, "m"));
});

test("a session whose process died in a turn is told as cut off, and none that lives", async (at) => {
  await begin(at, { pid: Deno.pid });
  assert.doesNotMatch(await at.start("startup", { session: SECOND }), /cut off/);
  await at.asked(ASK, { pid: await endedPid() });
  await printed(at, at.project, "queue", "drain");
  assert.match(await at.start("startup", THIRD), cutOff("its process died"));
  assert.match(await summary(at), /^Ended: its process died, in a turn$/m);
});

test("a turn that the person interrupted and followed by another prompt was not cut off", async (at) => {
  await begin(at);
  await at.asked("Stop, first rename the router");
  await at.said("It is renamed.");
  await end(at, "prompt_input_exit");
  assert.doesNotMatch(await at.start(), /cut off/);
});

test("a turn that ended without a word has ended", async (at) => {
  await begin(at);
  await at.send("Stop", {});
  await end(at, "prompt_input_exit");
  assert.doesNotMatch(await at.start(), /cut off/);
});

test("a prompt that was answered by an error at once is told, however short it is", async (at) => {
  await at.start("startup", { session: FIRST });
  await at.asked(ASK);
  await fails(at, "overloaded", "API Error: 529");
  await end(at, "other");
  assert.match(await at.start(), cutOff("overloaded"));
});

test("work that was cut off is no longer told once a later session has gone on with it", async (at) => {
  await begin(at);
  await end(at, "prompt_input_exit");
  await at.start();
  await at.asked("continue", { session: SECOND });
  await at.edit("src/b.ts", "export const b = 1;\n", { session: SECOND });
  await at.said("The rest is migrated.", { session: SECOND });
  await end(at, "prompt_input_exit", { session: SECOND });
  assert.doesNotMatch(await at.start("startup", THIRD), /cut off/);
});

/** A session that is asked something, edits a file, and dies with its process. */
async function crash(at: Workplace, text = "export const a = 1;\n"): Promise<void> {
  const sender = { session: FIRST, pid: await endedPid() };
  await at.start("startup", sender);
  await at.asked(ASK, sender);
  await at.edit("src/a.ts", text, sender);
}

/** The last edit, so many times more, without as many hooks. */
function repeatEdit(at: Workplace, times: number): void {
  change(
    at,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times})
     INSERT INTO pending_queue (id, session_id, tool_name, tool_use_id, outcome, priority, payload, raw_bytes, branch,
                                created_at_ms, updated_at_ms)
     SELECT id || i, session_id, tool_name, 'use' || i, outcome, priority, replace(payload, 'a.ts', 'a' || i || '.ts'),
            raw_bytes, branch, created_at_ms + i, updated_at_ms + i
       FROM pending_queue, n
      WHERE tool_name = 'Write'`,
  );
}

const WAITING = new RegExp(
  `Captured, and not worked in yet:\\n- just now: asked, cut off \\(its process died\\): ${ASK}\\n- just now: Write src/a\\d*\\.ts\\n`,
);

Deno.test("the first session after a crash is told what was asked and done last, however much waits", async () => {
  for (const edits of [0, 40]) {
    using at = workplace();
    await crash(at);
    repeatEdit(at, edits);
    const told = await at.start();
    assert.match(told, WAITING);
    assert.match(told, /captures of other sessions of this project are not worked in yet/);
    await printed(at, at.project, "queue", "drain");
    const later = await at.start("startup", THIRD);
    assert.match(
      later,
      new RegExp(`^- #\\d+ just now, cut off \\(its process died\\) while: ${ASK}$`, "m"),
    );
    assert.match(later, /Migrate all 30 handlers to the new router \(\d+ files?\)/);
  }
});

test("the cut-off prompt is told while a drain works, and where the last capture is large", async (at) => {
  await crash(at, `export const a = "${Buffer.alloc(200_000, "ab ").toString()}";\n`);
  const lock = takeLock(drainLockPath(at.database), { waitMs: 0 })!;
  try {
    assert.match(await at.start(), /asked, cut off \(its process died\): Migrate all 30 handlers/);
  } finally {
    lock.release();
  }
});

test("a prompt of another project, or one that no person wrote, is not told", async (at) => {
  await at.asked("<task-notification><summary>Agent ended</summary></task-notification>");
  await at.edit("src/a.ts", "export const a = 1;\n");
  await at.asked(ASK, { project: at.path, session: THIRD.session });
  repeatEdit(at, 300);
  const told = await at.start();
  assert.match(told, /Captured, and not worked in yet:\n- just now: Write src\/a\d+\.ts\n/);
  assert.doesNotMatch(told, /Agent ended|Migrate/);
});

test("a secret in a waiting capture is masked although its pattern was configured later", async (at) => {
  await at.asked("Migrate the handlers of customer acme-4711 to the router");
  await at.edit("src/a.ts", "export const a = 1;\n");
  repeatEdit(at, 300);
  await at.configure('capture:\n  redact:\n    patterns: ["acme-\\\\d+"]\n');
  const told = await at.start();
  assert.match(told, /- just now: asked: Migrate the handlers of customer/);
  assert.doesNotMatch(told, /4711/);
});
