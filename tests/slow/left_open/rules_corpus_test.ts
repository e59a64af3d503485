/**
 * Rules as people type them, with what stands in the end: how many are not heard, and how many are told though they are
 * none, or over. Both kinds of error only may become fewer.
 */
import assert from "node:assert/strict";
import { drainCaptures } from "../../../src/recall/capture_drain.ts";
import { saveEvent, tempDatabase } from "../../support/records.ts";

/** A line of the corpus: prompts, one a session, and pieces of them that are, or are not, to be told as rules. */
interface Case {
  readonly category: string;
  readonly lang: string;
  readonly prompts: readonly string[];
  readonly told?: readonly string[];
  readonly not?: readonly string[];
}

/** Of 174 that are to be told, and of 143 that are not. */
const MAX_UNHEARD = 39;
const MAX_WRONGLY_TOLD = 17;

async function rulesAfter(prompts: readonly string[]): Promise<string[]> {
  using temp = await tempDatabase();
  prompts.forEach((prompt, n) =>
    saveEvent(temp.db, {
      atMs: 1000 * (n + 1),
      sessionId: `s${n}`,
      capture: {
        toolName: "UserPromptSubmit",
        payload: JSON.stringify({ prompt, project_dir: "/p" }),
      },
    })
  );
  drainCaptures(temp.db, { now: () => 1_000_000 });
  return temp.db.prepare(
    "SELECT title FROM observations WHERE kind = 'decision' AND resolved_by IS NULL",
  ).all().map(({ title }) => String(title).toLowerCase());
}

Deno.test("of rules as people type them most are heard, and few are told that are none or over", async () => {
  const text = Deno.readTextFileSync(new URL("../../testdata/rules.jsonl", import.meta.url));
  const cases: Case[] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const unheard: string[] = [];
  const wrong: string[] = [];
  for (const { category, lang, prompts, told = [], not = [] } of cases) {
    const rules = await rulesAfter(prompts);
    const isTold = (piece: string) => rules.some((rule) => rule.includes(piece.toLowerCase()));
    const shown = (piece: string) => `${category} ${lang}: ${piece}`;
    unheard.push(...told.filter((piece) => !isTold(piece)).map(shown));
    wrong.push(...not.filter(isTold).map(shown));
  }
  assert.ok(cases.length >= 200);
  assert.ok(unheard.length <= MAX_UNHEARD, `${unheard.length} unheard:\n${unheard.join("\n")}`);
  assert.ok(wrong.length <= MAX_WRONGLY_TOLD, `${wrong.length} wrong:\n${wrong.join("\n")}`);
});
