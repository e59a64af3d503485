/** What memory makes of a text takes time in proportion to it, whatever it holds: a drain works at it in a hook's time. */
import { observe } from "../../src/memory/observe/observe.ts";
import type { ToolUse } from "../../src/memory/observe/observation.ts";
import { standingRules } from "../../src/memory/observe/observe_words.ts";
import { programsOf } from "../../src/memory/tell/open_ends.ts";
import { liesOutside } from "../../src/memory/drain/describe_fix.ts";
import { endOfText, shortened } from "../../src/memory/text.ts";
import { textMatcher } from "../../src/memory/forget_text.ts";
import { indexedTerms } from "../../src/memory/search/terms.ts";
import { bareSummary, promptOf } from "../../src/claude/transcript/spoken.ts";
import { needsRedaction } from "../../src/secrets/look.ts";
import { withoutColours } from "../../src/secrets/colours.ts";
import { assertQuick } from "../support/quick.ts";
import CASES from "../testdata/linear_cases.json" with { type: "json" };

/** A pattern that looks at the rest from each place needs ten seconds and more for so many; a linear one some milliseconds. */
const CHARS = 50_000;
/** The most that is kept of a message. */
const KEPT_CHARS = 64_000;

/** No JSON file can hold half a character. */
const UNITS = [...CASES.lineUnits, "\ud800"];
const CODE = "function a(b){return c.d(e=>f[g]+'h')||i};";
const JSON_LINE = '{"id":1,"name":"a b","path":"/src/a.ts","list":[1,2]},';

const TEXTS = [...UNITS, CODE, JSON_LINE].flatMap((unit) => {
  const many = unit.repeat(CHARS / unit.length);
  return [many, `a${many}b`, `1 test, ${many}`, `Analysis:${many}b`];
});

type Made = readonly [toolName: string, payload: (text: string) => Record<string, unknown>];

const USES: readonly Made[] = [
  ["Bash", (t) => ({ tool_input: { command: "cat a" }, tool_response: { stdout: t, stderr: t } })],
  ["Bash", (t) => ({ tool_input: { command: t, description: t }, tool_response: { stdout: t } })],
  ["Bash", (t) => ({ tool_input: { command: `git commit -m '${t}' | tee "${t}"` } })],
  ["Bash", (t) => ({ tool_input: { command: "npm test" }, tool_response: { stdout: t } })],
  ["Bash", (t) => ({ tool_input: { command: "make | tail" }, tool_response: { stdout: t } })],
  ["Bash", (t) => ({ tool_input: { command: "npm test" }, error: `1 failing\n${t}` })],
  ["Bash", (t) => ({ tool_input: { command: "npm test" }, error: `Exit code 1\n${t}` })],
  ["Bash", (t) => ({ tool_input: { command: t }, error: `Exit code 1\nerror: ${t}` })],
  ["Edit", (t) => ({ tool_input: { file_path: "/p/a.ts", old_string: t, new_string: `x${t}` } })],
  ["Write", (t) => ({ tool_input: { file_path: t, content: t } })],
  ["Read", (t) => ({ tool_input: { file_path: t }, error: t })],
  ["Grep", (t) => ({ tool_input: { pattern: t }, tool_response: { content: t } })],
  ["WebFetch", (t) => ({ tool_input: { url: t, prompt: t }, tool_response: { result: t } })],
  ["Agent", (t) => ({ tool_input: { prompt: t }, tool_response: { content: [{ text: t }] } })],
  ["TodoWrite", (t) => ({ tool_input: { todos: [{ content: t, status: "pending" }] } })],
  ["ExitPlanMode", (t) => ({ tool_input: { plan: t }, tool_response: { plan: t } })],
  ["AskUserQuestion", (t) => ({ tool_input: {}, tool_response: { answers: { [t]: t } } })],
  ["mcp__a__b", (t) => ({ tool_input: { a: t }, tool_response: [{ type: "text", text: t }] })],
  ["mcp__a__b", (t) => ({ tool_input: { a: t }, error: t })],
  ["UserPromptSubmit", (t) => ({ prompt: t })],
  ["Stop", (t) => ({ last_assistant_message: t })],
  ["PostCompact", (t) => ({ compact_summary: t })],
];

const shown = (text: string) => JSON.stringify(text.slice(0, 30));

for (const [at, [toolName, payloadOf]] of USES.entries()) {
  Deno.test(`an observation is made in linear time: ${toolName}, form ${at}`, () => {
    for (const text of TEXTS) {
      const payload = payloadOf(text);
      const outcome: ToolUse["outcome"] = "error" in payload ? "failure" : "success";
      assertQuick(shown(text), () => {
        const observed = observe({ toolName, outcome, payload, root: "/p" });
        if (observed !== null) indexedTerms(`${observed.title}\n${observed.text}`, "/p");
      });
    }
  });
}

Deno.test("transcripts are read, colours taken out, and what is forgotten found in linear time", () => {
  const matcher = textMatcher('the "wombat" \\ burrow');
  for (const text of TEXTS) {
    assertQuick(`a summary ${shown(text)}`, () => bareSummary(text));
    assertQuick(`a prompt ${shown(text)}`, () => promptOf(`<command-message>${text}`));
    assertQuick(`colours ${shown(text)}`, () => withoutColours(text));
    assertQuick(`forgetting ${shown(text)}`, () => matcher.replaceIn(text));
  }
  for (
    const text of ["\x1b]", "\x1b[", "\x1b]8;;"].map((unit) => unit.repeat(CHARS / unit.length))
  ) {
    assertQuick(`a look ${shown(text)}`, () => needsRedaction(JSON.stringify({ text }), []));
  }
});

Deno.test("what is told of a text is found in linear time", () => {
  const units = ["always a. ", "never x", "- please ", "> ```\n", "A=1 ", "&& cd ", "PORT is "];
  for (const unit of [...UNITS, ...units]) {
    const text = unit.repeat(KEPT_CHARS / unit.length);
    assertQuick(`rules ${shown(text)}`, () => standingRules(text));
    assertQuick(`programs ${shown(text)}`, () => programsOf(text));
    assertQuick(`outside ${shown(text)}`, () => liesOutside(text));
    assertQuick(`end ${shown(text)}`, () => endOfText(text, 400));
    assertQuick(`short ${shown(text)}`, () => shortened(text, 60_000));
  }
});
