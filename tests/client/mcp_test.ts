/** The real Claude Code with our MCP server: what the model calls for reaches it. */
import assert from "node:assert/strict";
import { query } from "../support/look.ts";
import { say, type Steps, test, use } from "./harness.ts";

const ours = (name: string, input: Record<string, unknown>) =>
  use(`mcp__conclaude__${name}`, input);

const NOTE = "The rounding of invoices is half-even, as the tax office wants it";

const STEPS: Steps = [
  ours("remember", { text: NOTE, file: "src/rounding.ts" }),
  ours("recall", { query: "how are invoices rounded", limit: 5 }),
  ours("open", { id: 4_711 }),
  ours("status", {}),
  say("Half-even."),
];

test("the real Claude Code calls our tools, and the model is told what they answer", async ({ executable, runScenario }) => {
  const servers = { mcpServers: { conclaude: { command: executable, args: ["mcp"] } } };
  const run = await runScenario("mcp-memory", {
    steps: STEPS,
    args: ["--dangerously-skip-permissions", "--mcp-config", JSON.stringify(servers)],
  });
  const sent = run.sentToModel;
  for (const name of ["recall", "open", "timeline", "remember", "status"]) {
    assert.ok(sent.includes(`mcp__conclaude__${name}`), `${name}: ${run.summary}`);
  }
  assert.match(sent, /Remembered as #\d+\./);
  assert.match(sent, /#\d+ just now, note: The rounding of invoices is half-even/);
  assert.match(sent, /Cannot find the observation #4711/);
  assert.match(sent, /observations of this project: \d+/);
  const [note] = query(run.database, "SELECT * FROM observations WHERE kind = 'note'");
  const [session] = query(run.database, "SELECT session_id AS id FROM sessions");
  assert.equal(note!["text"], NOTE);
  assert.equal(note!["project"], run.project);
  assert.equal(note!["session_id"], session!["id"]);
});
