/** What the recording lacks: sessions that wait for a person, what was denied, and a day of hooks. */
import { saveRecords } from "../../../src/db/captures.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { hook, type TempHome } from "../../support/program.ts";
import { hookRecord } from "../../support/records.ts";
import { seededRandom } from "../../support/tool_uses.ts";

/** Three sessions that go on: one waits for a permission, one was denied something, one works. */
export async function waitingFor(home: TempHome, project: string): Promise<void> {
  for (const [prompt, events] of GOING_ON) {
    const session_id = crypto.randomUUID();
    const common = {
      ...{ session_id, cwd: project, permission_mode: "default" },
      transcript_path: `${home.path}/.claude/projects/tides/${session_id}.jsonl`,
    };
    const all = [
      { hook_event_name: "SessionStart", source: "startup" },
      { hook_event_name: "UserPromptSubmit", prompt },
      ...events,
    ];
    for (const event of all) {
      await hook(event.hook_event_name, { ...common, ...event }, home, {
        env: { CLAUDE_PROJECT_DIR: project },
      });
    }
  }
}

type Event = { readonly hook_event_name: string } & Readonly<Record<string, unknown>>;

const bash = (hook_event_name: string, command: string): Event => ({
  ...{ hook_event_name, tool_name: "Bash", tool_use_id: `toolu_${command.length}` },
  tool_input: { command },
});

const GOING_ON: readonly (readonly [prompt: string, events: readonly Event[]])[] = [
  ["Publish the tide table", [
    bash("PreToolUse", "git push --force origin main"),
    bash("PreToolUse", "deno publish"),
    bash("PermissionRequest", "deno publish"),
  ]],
  ["Explain how the gauge at the pier is read", [
    { hook_event_name: "Stop", last_assistant_message: "It is read from the north side." },
  ]],
  ["Measure how long the table takes to print", [bash("PreToolUse", "deno bench tests/print.ts")]],
];

const HOOKS = [
  ["PreToolUse", 14],
  ["PostToolUse", 18],
  ["UserPromptSubmit", 22],
  ["SessionStart", 31],
  ["Stop", 26],
] as const;
const MINUTE_MS = 60_000;

/** A day of hooks, a few in each hour, and a question of an agent. */
export async function latestHooks(home: TempHome): Promise<void> {
  const random = seededRandom(3);
  using db = await openDatabase(home.database, { busyTimeoutMs: 1_000 });
  const nowMs = Date.now();
  const records = [];
  for (let minute = 24 * 60; minute > 2; minute -= 3) {
    for (const [hookName, usualMs] of HOOKS) {
      const durationMs = usualMs * (0.7 + random() * 0.6) * (random() < 0.03 ? 4 : 1);
      const execution = { hookName, durationMs, toolName: null, toolUseId: null };
      records.push(hookRecord({
        ...{ atMs: nowMs - minute * MINUTE_MS, sessionId: PAST, execution },
        session: { title: "A day of tides", effect: "end" },
      }));
    }
  }
  saveRecords(db, records);
  db.prepare(
    `INSERT INTO questions (id, type, text, options, status, source, created_at_ms)
     VALUES ('q-1', 'choice', 'Print heights in feet or in metres?', '["feet","metres"]', 'pending', 'output', ?)`,
  ).run(nowMs);
}

const PAST = "0d1e2f30-0000-4000-8000-000000000001";
