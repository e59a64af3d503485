import assert from "node:assert/strict";
import { endText, failureText } from "../../src/policy/notify.ts";
import type { CommandEnd, CommandRun } from "../../src/system/process/types.ts";
import {
  letThroughText,
  nextOfQueue,
  type PromptQueue,
  stopReason,
} from "../../src/policy/stops/stop_blocks.ts";
import type { QueuePlace } from "../../src/policy/stops/stop_memory_table.ts";
import { compileCommand, splitScript } from "../../src/policy/stops/stop_section.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const COMMAND: CommandRun["command"] = CASES.commandOfAStop;

const RUN: CommandRun = {
  command: COMMAND,
  end: { kind: "failed", code: 3 },
  line: 1,
  stdout: null,
  stderr: null,
  durationMs: 5,
};

Deno.test("failureText() names the line that failed, the message, and the outputs that are there", () => {
  assert.equal(failureText(RUN), "stop.commands[2] failed with exit code 3: npm test");
  const told = failureText({
    ...RUN,
    command: { ...COMMAND, message: "Mend it", showCommand: false },
    stdout: { text: "", omittedLines: 0 },
    stderr: { text: "a\nb", omittedLines: 7 },
  });
  assert.equal(
    told,
    "stop.commands[2] failed with exit code 3\nMend it\nStderr:\na\nb\n... (7 lines omitted)",
  );
});

const ENDS = rowsOf<readonly [end: CommandEnd, text: string]>(CASES.commandEnds);
for (const [end, text] of ENDS) {
  Deno.test(`endText() of a command: ${text}`, () => assert.equal(endText(end), text));
}

/** The messages that a session gets, until there is none any more. */
function told(queue: PromptQueue, prompt: string): string[] {
  const texts: string[] = [];
  let place: QueuePlace = { position: 0, timesLeft: null };
  for (;;) {
    const next = nextOfQueue(queue, { ...place, prompt });
    if (next === null) return texts;
    texts.push(next.block.reason);
    place = next.then;
  }
}

Deno.test("nextOfQueue() tells every message as often as it says, then nothing", () => {
  const queue = {
    prefixes: ["^Check.*$"],
    messages: [{ text: "a", times: 2 }, { text: "b", times: 1 }, { text: "c", times: 3 }],
  };
  assert.deepEqual(told(queue, "Check\nthis"), ["a", "a", "b", "c", "c", "c"]);
  assert.deepEqual(told(queue, "Do this"), []);
  assert.deepEqual(told({ ...queue, messages: [] }, "Check"), []);
});

Deno.test("stopReason() says what is wrong, what to do, how often, and who lifts it", () => {
  const about = { inRow: 2, maxBlocks: 6, wayOut: "Only a person can lift this." };
  const wrong = stopReason([{ rule: "stop.commands[0]", reason: "A" }], about);
  assert.match(wrong, /^A\nClaude may not stop.*\nThis is stop 2 of at most 6 .*\nOnly a person/);
  const more = stopReason([{ rule: "stop.rounds", reason: "B" }], { ...about, inRow: null });
  assert.match(more, /^B\nGo on working, then stop again \(stop\.rounds\)\.\nOnly a person/);
});

Deno.test("letThroughText() tells one line of each that is still open", () => {
  const blocks = [{ rule: "r1", reason: "a\nb" }, { rule: "r2", reason: "c" }];
  const about = { why: "since", requirements: ["requirements.r3"] };
  assert.match(
    letThroughText(blocks, about),
    /, since\. Still open:\nr1: a\nr2: c\nrequirements\.r3$/,
  );
});

const SCRIPTS = rowsOf<readonly [script: string, lines: readonly string[]]>(CASES.scripts);
for (const [script, lines] of SCRIPTS) {
  Deno.test(`a command is cut into its lines, and a construct stays whole: ${JSON.stringify(script)}`, () => {
    assert.deepEqual(compileCommand({ run: script }, "r").lines, lines);
  });
}

Deno.test("splitScript() loses nothing behind the first command", () => {
  const script = "a\n# why\n\nb \\\n c\ncat <<X\n y\nX\n\n d";
  assert.equal(splitScript(script).join(""), script);
});

Deno.test("a told line of a command is short", () => {
  const [line] = compileCommand({ run: "é".repeat(1000) }, "r").lines;
  assert.ok(line!.length <= 200 && line!.endsWith("…"));
});
