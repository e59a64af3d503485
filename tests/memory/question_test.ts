import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readQuestion } from "../../src/memory/search/question.ts";
import { spokenTime } from "../../src/memory/search/spoken_time.ts";

/** A Wednesday. */
const NOW = Date.UTC(2026, 6, 15, 10);

/** The first and the last day of a spoken time. */
function daysOf(text: string): string | null {
  const time = spokenTime(text, NOW);
  if (time === null) return null;
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return `${day(time.fromMs)} ${day(time.untilMs - 1)}`;
}

const SPOKEN: Readonly<Record<string, string>> = {
  "what broke on 2026-03-04": "2026-03-04 2026-03-04",
  "2026/3/4: build": "2026-03-04 2026-03-04",
  "what broke on 2026-03-04T10:00:00.123+01:00": "2026-03-04 2026-03-04",
  "3/4/2026: build": "2026-03-04 2026-03-04",
  "18-3-2026: build": "2026-03-18 2026-03-18",
  "the build of 3/14/26?": "2026-03-14 2026-03-14",
  "between 3/4/2026 and 3/9/2026": "2026-03-04 2026-03-09",
  "Was war am 4.3.2026?": "2026-03-04 2026-03-04",
  "the fair of 4-Mar-2026": "2026-03-04 2026-03-04",
  "Was war am 4. März?": "2026-03-04 2026-03-04",
  "3月4日 的部署": "2026-03-04 2026-03-04",
  "what did we do on March 4th, 2025?": "2025-03-04 2025-03-04",
  "the talk of the 4th of december": "2025-12-04 2025-12-04",
  "what was decided in march": "2026-03-01 2026-03-31",
  "what was decided last September": "2025-09-01 2025-09-30",
  "since March": "2026-03-01 2026-07-15",
  "since 2026-07-01": "2026-07-01 2026-07-15",
  "from 3 march to 9 march": "2026-03-03 2026-03-09",
  "in Q1 2026": "2026-01-01 2026-03-31",
  "in 2025": "2025-01-01 2025-12-31",
  "2026-03": "2026-03-01 2026-03-31",
  "yesterday morning": "2026-07-14 2026-07-14",
  "gestern": "2026-07-14 2026-07-14",
  "昨天的错误": "2026-07-14 2026-07-14",
  "the day before yesterday": "2026-07-13 2026-07-13",
  "last friday": "2026-07-10 2026-07-10",
  "three days ago": "2026-07-12 2026-07-12",
  "a couple weeks ago": "2026-06-27 2026-07-05",
  "vor drei Wochen": "2026-06-20 2026-06-28",
  "il y a deux jours": "2026-07-13 2026-07-13",
  "in the past two weeks": "2026-07-01 2026-07-15",
};

const matches = ({ terms }: ReturnType<typeof readQuestion>) => terms.map(({ match }) => match);

Deno.test("spokenTime() understands how people speak of days, weeks and months", () => {
  const understood = Object.fromEntries(
    Object.keys(SPOKEN).map((text) => [text, daysOf(text)]),
  );
  deepStrictEqual(understood, SPOKEN);
});

Deno.test("spokenTime() takes neither versions nor verbs for a time", () => {
  for (
    const text of [
      "upgrade to 1.2.3, 1.10.25 or 24.04.01",
      "order 20251356 of a20251118",
      "what is in a/3/4/2026/b",
      "3/4/5/6 of them, 13/13/2026, 2/30/2026",
      "1/2 of it",
      "this may break the build",
      "march on with the plan",
      "error E2026-0304x of the parser",
      "who owns the cache",
      "192.168.20.11 refuses",
      "the last release",
      "",
    ]
  ) strictEqual(daysOf(text), null, text);
});

Deno.test("a question is not searched for the words of its time, but for its day", () => {
  const read = (text: string) => readQuestion(text, spokenTime(text, NOW));
  deepStrictEqual(matches(read("my parseHook talk about six months ago")), [
    '"parsehookǃ"',
    '"parsehook"',
    '"talk"',
    '"parsehooktalkǃ"',
    '"parse"',
    '"hook"',
    '"parsehook talk"',
  ]);
  deepStrictEqual(matches(read("the talk of 4 March 2026")), ['"talk"', '"2026ǀ03ǀ04ǃ"']);
  for (const text of ["yesterday", "what did I do yesterday?", "and what was it last week"]) {
    deepStrictEqual(matches(read(text)), [], text);
  }
  deepStrictEqual(matches(readQuestion("what did I do")).slice(0, 2), ['"what"', '"did"']);
});

Deno.test("a question tells whose words answer it", () => {
  const speakers = {
    "what did I do in auth/batch.go": null,
    "which file did you change, src/a.ts?": "claude",
    "which library did you suggest?": "claude",
    "what was your advice about the index": "claude",
    "what breed is my dog": "person",
    "what did I tell you about the trip": "person",
    "why does the cache fail": null,
    "import of the ledger": null,
  };
  deepStrictEqual(
    Object.fromEntries(
      Object.keys(speakers).map((text) => [text, readQuestion(text).speaker]),
    ),
    speakers,
  );
});
