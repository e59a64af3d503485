import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readQuestion } from "../../src/memory/search/question.ts";
import { spokenTime } from "../../src/memory/search/spoken_time.ts";
import { mayNameTime } from "../../src/memory/search/time_words.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };

/** A Wednesday. */
const NOW = Date.UTC(2026, 6, 15, 10);

/** The first and the last day of a spoken time. */
function daysOf(text: string): string | null {
  const time = spokenTime(text, NOW);
  if (time === null) return null;
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return `${day(time.fromMs)} ${day(time.untilMs - 1)}`;
}

const SPOKEN: Readonly<Record<string, string>> = CASES.spoken;

const matches = ({ terms }: ReturnType<typeof readQuestion>) => terms.map(({ match }) => match);

Deno.test("spokenTime() understands how people speak of days, weeks and months", () => {
  const understood = Object.fromEntries(Object.keys(SPOKEN).map((text) => [text, daysOf(text)]));
  deepStrictEqual(understood, SPOKEN);
});

Deno.test("spokenTime() takes neither versions nor verbs for a time", () => {
  for (const text of CASES.notSpoken) strictEqual(daysOf(text), null, text);
});

Deno.test("the reader of times is loaded for every text with a time, and not for most others", () => {
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month)));
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2026, 5, day)));
  const named = ["en", "de", "fr"].flatMap((language) => [
    ...months.map((one) => one.toLocaleString(language, { month: "long", timeZone: "UTC" })),
    ...days.map((one) => one.toLocaleString(language, { weekday: "long", timeZone: "UTC" })),
  ]);
  const texts = [
    ...Object.entries(SPOKEN).filter(([, days]) => days !== null).map(([text]) => text),
    ...named.flatMap((name) => [name, `since ${name}`, `am ${name}`, `en ${name}`]),
    ...["l'an dernier", "il y a un an", "letzten do", "vorgestern", "last qtr", "an hr ago"],
  ];
  deepStrictEqual(texts.filter((text) => daysOf(text) !== null && !mayNameTime(text)), []);
  for (
    const text of ["why did the invoice renderer crash", "an error so far", "how do I", "日 off"]
  ) strictEqual(mayNameTime(text), text.includes("日"), text);
});

Deno.test("a question is not searched for the words of its time, but for its day", () => {
  const read = (text: string) => readQuestion(text, spokenTime(text, NOW));
  deepStrictEqual(matches(read("my parseHook talk about six months ago")), CASES.askedWords);
  deepStrictEqual(matches(read("the talk of 4 March 2026")), ['"talk"', '"2026ǀ03ǀ04ǃ"']);
  for (const text of ["yesterday", "what did I do yesterday?", "and what was it last week"]) {
    deepStrictEqual(matches(read(text)), [], text);
  }
  deepStrictEqual(matches(readQuestion("what did I do")).slice(0, 2), ['"what"', '"did"']);
});

Deno.test("a question tells whose words answer it", () => {
  const speakers = CASES.speakers;
  deepStrictEqual(
    Object.fromEntries(Object.keys(speakers).map((text) => [text, readQuestion(text).speaker])),
    speakers,
  );
});
