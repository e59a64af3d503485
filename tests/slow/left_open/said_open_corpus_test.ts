/**
 * What Claude says is left at the end of turns as they really end, and what later turns make of it: how much is not told though
 * it is open, and how much is told though it is not. Both kinds of error only may become fewer.
 */
import assert from "node:assert/strict";
import { openAfter, type ToldTurn } from "../../support/left_sessions.ts";

/** A line of the corpus: sessions, the oldest first, and pieces of what was said in them that are open in the end, or not. */
interface Case {
  readonly category: string;
  readonly lang: string;
  readonly name: string;
  readonly sessions: readonly (readonly ToldTurn[])[];
  readonly open?: readonly string[];
  readonly gone?: readonly string[];
}

/** Of 187 that are open, and of 261 that are not. */
const MAX_UNTOLD = 11;
const MAX_WRONGLY_TOLD = 109;
/** In these commands were run, of which nothing else tells. */
const RAN = /^(?:6|7|10)-/;
const COMMAND = {
  kind: "command",
  outcome: "success",
  title: "Ran `./work`",
  facts: { command: "./work" },
} as const;

const plain = (text: string) => text.toLowerCase().replace(/[`*_"“”]/g, "").replace(/\s+/g, " ");

function withCommands({ category, sessions }: Case): ToldTurn[][] {
  return sessions.map((turns, session) =>
    turns.map((turn, n) =>
      RAN.test(category) && session + n > 0 && turn.file === undefined && turn.commit === undefined
        ? { ...turn, more: [COMMAND] }
        : turn
    )
  );
}

Deno.test("of what is said to be left as people read it, hardly anything is lost, and less than half of what is over is told", () => {
  const text = Deno.readTextFileSync(new URL("../../testdata/said_open.jsonl", import.meta.url));
  const cases: Case[] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const untold: string[] = [];
  const wrong: string[] = [];
  for (const one of cases) {
    const told = plain(openAfter(...withCommands(one)).join("\n"));
    const isTold = (piece: string) => told.includes(plain(piece));
    const shown = (piece: string) => `${one.category} ${one.lang} ${one.name}: ${piece}`;
    untold.push(...(one.open ?? []).filter((piece) => !isTold(piece)).map(shown));
    wrong.push(...(one.gone ?? []).filter(isTold).map(shown));
  }
  assert.ok(cases.length >= 280);
  assert.ok(untold.length <= MAX_UNTOLD, `${untold.length} not told:\n${untold.join("\n")}`);
  assert.ok(wrong.length <= MAX_WRONGLY_TOLD, `${wrong.length} wrong:\n${wrong.join("\n")}`);
});
