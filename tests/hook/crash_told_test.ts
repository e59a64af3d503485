/** After a crash, when nothing of the last turn was worked in: the first session is told what was asked. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { drainLockPath, takeLock } from "../../src/db/process_lock.ts";
import { endedPid } from "../support/processes.ts";
import { change, printed } from "../support/on_home.ts";
import { asked, edit, FIRST, start, type Workplace, workplace } from "../support/told_sessions.ts";

const ASK = "Migrate all 30 handlers to the new router";
const THIRD = { session: "c0de0000-0000-4000-8000-000000000003" };

/** A session that is asked something, edits a file, and dies with its process. */
async function crash(at: Workplace, text = "export const a = 1;\n"): Promise<void> {
  const sender = { session: FIRST, pid: await endedPid() };
  await start(at, "startup", sender);
  await asked(at, ASK, sender);
  await edit(at, "src/a.ts", text, sender);
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
    using at = await workplace();
    await crash(at);
    repeatEdit(at, edits);
    const told = await start(at);
    assert.match(told, WAITING);
    assert.match(told, /captures of other sessions of this project are not worked in yet/);
    await printed(at, at.project, "queue", "drain");
    const later = await start(at, "startup", THIRD);
    assert.match(
      later,
      new RegExp(`^- #\\d+ just now, cut off \\(its process died\\) while: ${ASK}$`, "m"),
    );
    assert.match(later, /Migrate all 30 handlers to the new router \(\d+ files?\)/);
  }
});

Deno.test("it is told while a drain is at work, and where the last capture is large", async () => {
  using at = await workplace();
  await crash(at, `export const a = "${Buffer.alloc(200_000, "ab ").toString()}";\n`);
  const lock = takeLock(drainLockPath(at.database), { waitMs: 0 })!;
  try {
    assert.match(await start(at), /asked, cut off \(its process died\): Migrate all 30 handlers/);
  } finally {
    lock.release();
  }
});

Deno.test("what was asked in another project, or was no person's prompt, is not told", async () => {
  using at = await workplace();
  await asked(at, "<task-notification><summary>Agent ended</summary></task-notification>");
  await edit(at, "src/a.ts", "export const a = 1;\n");
  await asked(at, ASK, { project: at.path, session: THIRD.session });
  repeatEdit(at, 300);
  const told = await start(at);
  assert.match(told, /Captured, and not worked in yet:\n- just now: Write src\/a\d+\.ts\n/);
  assert.doesNotMatch(told, /Agent ended|Migrate/);
});

Deno.test("of what waits a secret is masked whose pattern came later", async () => {
  using at = await workplace();
  await asked(at, "Migrate the handlers of customer acme-4711 to the router");
  await edit(at, "src/a.ts", "export const a = 1;\n");
  repeatEdit(at, 300);
  await Deno.writeTextFile(
    `${at.project}/.conclaude.yaml`,
    'capture:\n  redact:\n    patterns: ["acme-\\\\d+"]\n',
  );
  const told = await start(at);
  assert.match(told, /- just now: asked: Migrate the handlers of customer/);
  assert.doesNotMatch(told, /4711/);
});
