/** The cheap look lets ordinary payloads pass, so that few hooks load what masks. */
import assert from "node:assert/strict";
import { needsRedaction } from "../../src/secrets/look.ts";

const PLACES = {
  session_id: "0a1f9c0a-0a1f-4a1f-8a1f-0a1f9c0a1f9c",
  transcript_path:
    "/home/ana/.claude/projects/-home-ana-tide/0a1f9c0a-0a1f-4a1f-8a1f-0a1f9c0a1f9c.jsonl",
  cwd: "/home/ana/tide",
  permission_mode: "default",
  hook_event_name: "PostToolUse",
  tool_use_id: "toolu_01A09q90qw90lq917835lq9",
};

const ORDINARY: readonly Record<string, unknown>[] = [
  {
    tool_name: "Bash",
    tool_input: { command: "npm test" },
    tool_response: { stdout: "12 passed\n" },
  },
  {
    tool_name: "Bash",
    tool_input: { command: "git log --oneline" },
    tool_response: { stdout: "da39a3e Read the tide" },
  },
  {
    tool_name: "Read",
    tool_input: { file_path: "/home/ana/tide/src/a.ts" },
    tool_response: { content: "export const a = 1;\n" },
  },
  {
    tool_name: "Grep",
    tool_input: { pattern: "heightAt", path: "src" },
    tool_response: { filenames: ["src/tide.ts"] },
  },
  {
    tool_name: "Edit",
    tool_input: {
      file_path: "/home/ana/tide/src/tide.ts",
      old_string: "const height = heightAt(minute, before); // each quarter",
      new_string: 'const height = heightAt(minuteOfDay, "before"); // https://tide.example/docs',
    },
    tool_response: {
      structuredPatch: [{ lines: [" export {};", "-const height = 1;", "+const height = 2;"] }],
      userModified: false,
    },
  },
];

Deno.test("the cheap look lets ordinary tool uses pass", () => {
  for (const use of ORDINARY) {
    assert.equal(
      needsRedaction(JSON.stringify({ ...PLACES, ...use }), []),
      false,
      JSON.stringify(use),
    );
  }
});

Deno.test("the cheap look searches for the literal beginning of a user's pattern", () => {
  assert.equal(needsRedaction('"see CUST-1"', [/CUST-\d+/g]), true);
  assert.equal(needsRedaction('"see nothing"', [/CUST-\d+/g]), false);
  assert.equal(needsRedaction('"see nothing"', [/(?:CUST|ACME)-\d+/g]), true);
});
