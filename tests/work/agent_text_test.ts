import assert from "node:assert/strict";
import fc from "fast-check";
import {
  collectAgentText,
  lastQuestion,
  readAgentLine,
  readContract,
} from "../../src/work/agent_text.ts";
import CASES from "../testdata/work_cases.json" with { type: "json" };

const SESSION = "03999810-33b8-4dd9-8e7a-5f41ef86ca30";

/** Lines as Claude Code 2.1.329 prints them, shortened. */
const LINES = CASES.agentLines.map((line) => JSON.stringify(line));

Deno.test("readAgentLine() reads the words for a person, and the session", () => {
  assert.deepEqual(LINES.map((line) => readAgentLine(line).text), [
    null,
    null,
    null,
    null,
    null,
    'Turn "over".\n```json\n{"success": true}\n```',
    'Turn "over".\n```json\n{"success": true}\n```',
  ]);
  assert.ok(LINES.every((line) => readAgentLine(line).sessionId === SESSION));
  assert.deepEqual(LINES.map((line) => readAgentLine(line).isResult).lastIndexOf(false), 5);
});

Deno.test("readAgentLine() takes every other line as it stands", () => {
  for (const text of ["", "plain", "{", '{"success": true}', '{"type":"x"}', "[1]", "  a "]) {
    assert.deepEqual(readAgentLine(text), {
      text,
      sessionId: null,
      isResult: false,
    });
  }
  const error = { type: "result", is_error: true, subtype: "error_max_turns", errors: ["Stopped"] };
  assert.deepEqual(readAgentLine(JSON.stringify(error)), {
    text: "Stopped",
    sessionId: null,
    isResult: true,
  });
});

Deno.test("readAgentLine() never throws", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("assistant", "result", "system"), (json, type) => {
      readAgentLine(json);
      readAgentLine(`{"type":"${type}","message":${json},"result":${json},"errors":${json}}`);
      readAgentLine(`{"type":"${type}","message":{"content":${json}}}`);
    }),
  );
});

Deno.test("collectAgentText() has the words once, and the contract is read from them", () => {
  const { text, sessionId } = collectAgentText(LINES);
  assert.equal(text, 'Turn "over".\n```json\n{"success": true}\n```');
  assert.equal(sessionId, SESSION);
  assert.equal(readContract(text)?.success, true);
});

Deno.test("readContract() takes the last object that says whether it succeeded", () => {
  const of = (text: string) => readContract(text)?.summary ?? null;
  assert.equal(
    of('{"success": true, "summary": "a"} and {"success": true, "summary": "b"} {"x": 1}'),
    "b",
  );
  assert.equal(
    of('{"success": true, "summary": "a", "outputs": {"success": false, "summary": "b"}}'),
    "a",
  );
  assert.equal(
    of('Use {"a and } then\n{"success": true, "summary": "has } and \\" in it"}'),
    'has } and " in it',
  );
  assert.deepEqual(readContract('{"success": true} {"success": "no", "summary": "a"}'), {
    success: false,
    summary: null,
    outputs: {},
    error: 'its result is no valid one: "success" must be true or false, and is "no"',
  });
  assert.equal(of("nothing"), null);
  assert.deepEqual(readContract('{"success": false, "outputs": [1], "error": "e"}'), {
    success: false,
    summary: null,
    outputs: {},
    error: "e",
  });
});

Deno.test("lastQuestion() finds the question that a text ends with, but not one in a fence", () => {
  for (const line of CASES.questions) assert.equal(lastQuestion(`Done.\n\n  ${line}\n`), line);
  for (const text of CASES.noQuestions) assert.equal(lastQuestion(text), null, text);
});
