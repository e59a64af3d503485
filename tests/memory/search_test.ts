import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type EvalDocument, takeInDocuments } from "../../src/memory/search/eval.ts";
import { readQuestion } from "../../src/memory/search/question.ts";
import { spokenTime } from "../../src/memory/search/spoken_time.ts";
import { askIndex } from "../../src/memory/search/candidates.ts";
import { answerMemory } from "../../src/memory/search/search.ts";
import { openDatabase } from "../../src/db/database.ts";
import { EVERYTHING } from "../../src/memory/search/memory_search_table.ts";
import { makeCorpus } from "../support/memory_corpus.ts";
import { runs } from "../support/lanes.ts";
import { removeFolder } from "../support/folders.ts";
import { searchTexts } from "../support/search_texts.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { it, rowsOf } from "../support/fixtures.ts";

const NOW = Date.UTC(2026, 6, 15, 10);
const PROJECT = "/work/app";

/** A database in a folder of its own that holds some documents. */
async function remembering(documents: readonly EvalDocument[]) {
  const folder = Deno.makeTempDirSync({ prefix: "conclaude-search-" });
  const db = await openDatabase(join(folder, "memory.db"), { busyTimeoutMs: 1_000 });
  takeInDocuments(db, documents);
  return {
    search: (text: string, limit = 10, project: string | null = null) =>
      answerMemory(db, text, {
        filter: { ...EVERYTHING, project },
        limit,
        nowMs: NOW,
        time: spokenTime(text, NOW),
      }).results,
    answer: (text: string) => answerMemory(db, text, { filter: EVERYTHING, limit: 10, nowMs: NOW }),
    asked: (text: string) => askIndex(db, readQuestion(text), null).terms,
    [Symbol.dispose]() {
      db.close();
      removeFolder(folder);
    },
  };
}

/** Texts that were said in sessions of their own, by a person unless they begin with "Claude: ". */
function said(...texts: readonly string[]): EvalDocument[] {
  return texts.map((text, at) => ({
    id: String(at),
    sessionId: `session-${at}`,
    projectDir: PROJECT,
    text: text.replace(/^Claude: /, ""),
    createdAtMs: NOW - (texts.length - at) * 86_400_000,
    role: text.startsWith("Claude: ") ? "assistant" : "user",
  }));
}

const OTHERS = Array.from(
  { length: 40 },
  (_, at) => `Please look at ticket ${at}: the button is ${at} pixels too wide on the first page.`,
);

it.sized("any text can be searched for without an error", async () => {
  using memory = await remembering(makeCorpus(7, { documents: 300, questions: 0 }).documents);
  const texts = searchTexts(runs(2_000));
  let found = 0;
  for (const [at, text] of texts.entries()) {
    try {
      const project = at % 3 === 0 ? "/home/ana/work/app1" : null;
      if (memory.search(text, 2, project).length > 0) found++;
    } catch (thrown) {
      throw new Error(JSON.stringify(text.slice(0, 2_000)), { cause: thrown });
    }
  }
  ok(found > texts.length / 10, `${found} found anything`);
});

Deno.test("a word that is half a word or has another ending is found all the same", async () => {
  using memory = await remembering(said(
    ...OTHERS,
    "The scheduler sleeps when the queue is empty.",
    "Die Datenbankverbindung bricht nach einer Stunde ab.",
    "Claude: 数据库的连接池太小。",
  ));
  for (const text of ["sched", "schedulers"]) {
    ok(memory.search(text)[0]?.title.includes("scheduler"), text);
  }
  for (const text of ["Datenbank", "Datenbanken", "datenbankverbindungen"]) {
    ok(memory.search(text)[0]?.title.startsWith("Die Datenbank"), text);
  }
  ok(memory.search("库")[0]?.title.includes("数据库"));
  deepStrictEqual(memory.search("gardening"), []);
});

it.slow("a pasted text is searched for by its rarest words, and finds its source", async () => {
  const { documents } = makeCorpus(3, { documents: 3_000, questions: 0 });
  using memory = await remembering(documents);
  const pasted = documents.filter(({ text }) => text.length > 60).slice(200, 220)
    .map(({ text }) => text).join(" ");
  const asked = memory.asked(pasted);
  ok(asked.length <= 14, `${asked.length} words`);
  const found = asked.reduce((sum, { count }) => sum + count, 0);
  ok(found <= 2_000, `${found} observations to look at`);
  ok(memory.search(pasted).some(({ title }) => pasted.includes(title)));
});

Deno.test("an emoji is found among words, and by itself", async () => {
  using memory = await remembering(said(
    ...OTHERS,
    "Ship it 🚀 when the gate is green ✅",
    "Ship it when the gate is green ❌",
    "Das Größte → fertig 👩‍🚒",
  ));
  const titles = (text: string) => memory.search(text).map(({ title }) => title.slice(0, 10));
  deepStrictEqual(titles("🚀"), ["Ship it 🚀"]);
  deepStrictEqual(titles("ship ❌")[0], "Ship it wh");
  deepStrictEqual(titles("👩"), ["Das Größte"]);
  deepStrictEqual(titles("🐙"), []);
});

Deno.test("a thing is found by its other name, and by its own name first", async () => {
  using memory = await remembering(said(
    ...OTHERS,
    "The repo needs a new folder for its docs.",
    "The repository is mirrored every night, so keep its history short and clean.",
  ));
  const titles = memory.search("repository").map(({ title }) => title);
  strictEqual(titles.length, 2);
  ok(titles[0]!.startsWith("The repository"));
});

Deno.test("a long answer with all words of a question comes before a short one with a rare word", async () => {
  const filler = Array.from({ length: 60 }, (_, at) => `Step ${at} went well and took a while.`);
  using memory = await remembering(said(
    ...OTHERS.map((text) => `${text} The invoice export is fine.`),
    "Umlauts again.",
    ["Claude: The invoice export writes umlauts as UTF-8 now.", ...filler].join(" "),
  ));
  ok(memory.search("invoice export umlauts")[0]?.title.startsWith("The invoice export writes"));
});

Deno.test("a word in four of ten observations hardly counts beside a name", async () => {
  const letters = "lmnprstvwz";
  const names = Array.from({ length: 40 }, (_, at) => `k${"aeio"[at % 4]}b${letters[at % 10]}u`)
    .map((name, at) => `${name}${at < 20 ? "ma" : "si"}`);
  const outputs = Array.from({ length: 480 }, (_, at) => {
    const [name, other] = [names[at % 40]!, names[(at * 7 + 3) % 40]!];
    const lines = [
      `rg -n ${name} src`,
      `src/${other}.ts:${at}`,
      ...Array.from({ length: 8 }, (_, line) => ` modified: src/part${at}_${line}.ts`),
    ];
    return (at % 5 < 2 ? [...lines, `worker started pid ${at}`] : lines).join("\n");
  });
  const notes = names.map((name) => `the cron job ${name} runs at 23:51 UTC because of the backup`);
  using memory = await remembering(said(...outputs, ...notes));
  for (const name of names) {
    const titles = memory.search(`when does ${name} start`).map(({ title }) => title);
    ok(titles.includes(`the cron job ${name} runs at 23:51 UTC because of the backup`), name);
  }
});

Deno.test("words that every text has form no phrase with a name, in any language", async () => {
  const nouns = "корзина заказ склад кэш очередь вход пароль письмо налог цена".split(" ");
  const facts = nouns.flatMap((one, at) =>
    nouns.slice(at + 1).flatMap((other, from) => {
      const third = nouns[(at + from + 5) % 10]!;
      return [`надо проверить: ${one}, ${other} и ${third} не совпадают`];
    })
  ).filter((text) => new Set(text.split(/[ ,]+/)).size === 8);
  using memory = await remembering(said(...facts));
  for (const fact of facts) {
    const [one, other, third] = fact.match(/: (.+), (.+) и (.+) не/u)!.slice(1);
    const [first] = memory.search(`почему ${third} и ${one} не совпадает с ${other}`);
    const words = new Set(first!.title.split(/[ ,:]+/));
    ok([one, other, third].every((word) => words.has(word!)), `${fact}: ${first!.title}`);
  }
});

Deno.test("a word that nothing holds does not change what the common words beside it find", async () => {
  using memory = await remembering(said(...OTHERS, "Still to do: the tests on staging."));
  const first = (text: string) => memory.search(text)[0]?.title;
  strictEqual(first("what is still to do"), "Still to do: the tests on staging.");
  strictEqual(first("what is still to do on mobile"), "Still to do: the tests on staging.");
  deepStrictEqual(memory.search("what is mobile"), []);
});

Deno.test("where nothing holds a quoted phrase, the search says so and ignores the quotes", async () => {
  using memory = await remembering(said(...OTHERS, "alpha beta gamma", "gamma alpha"));
  const answered = (text: string) => {
    const { results, quotedNowhere } = memory.answer(text);
    return [results.map(({ title }) => title), quotedNowhere];
  };
  deepStrictEqual(answered('"alpha beta"'), [["alpha beta gamma"], []]);
  deepStrictEqual(answered('"beta alpha"'), [["alpha beta gamma", "gamma alpha"], ["beta alpha"]]);
  deepStrictEqual(answered('"nowhereword" beta'), [["alpha beta gamma"], ["nowhereword"]]);
  deepStrictEqual(answered('"beta" alpha'), [["alpha beta gamma"], []]);
  deepStrictEqual(answered('"alpha beta" yesterday')[0], ["alpha beta gamma"]);
  deepStrictEqual(answered('"zzqx yyqx"'), [[], []]);
});

Deno.test("a repeated question finds its answer before itself", async () => {
  const asked = "why do uploads time out on staging?";
  const sessions = Array.from({ length: 7 }, (_, at) => [
    asked,
    `Claude: ${at === 2 ? "The proxy cut the line after 60 seconds." : `Looking, ${at}.`}`,
  ]);
  using memory = await remembering(
    sessions.flatMap((texts, at) =>
      said(...texts).map((one, n) => ({
        ...one,
        id: `${at}-${n}`,
        sessionId: `session-${at}`,
        createdAtMs: NOW - (10 - at) * 86_400_000 + n,
      }))
    ),
  );
  for (const text of [asked, "Why do uploads time out on staging"]) {
    const titles = memory.search(text).slice(0, 7).map(({ title }) => title);
    ok(titles.includes("The proxy cut the line after 60 seconds."), titles.join());
  }
});

Deno.test("a repeated prompt finds itself before similar prompts", async () => {
  const things = ["parser", "renderer", "session", "ledger", "socket", "digest"];
  const prompts = things.flatMap((one) =>
    things.map((other) => `add the ${one} in the ${other} so that the build passes`)
  );
  using memory = await remembering(prompts.map((text, at) => ({
    type: "document" as const,
    id: `p${at}`,
    sessionId: `s${at}`,
    projectDir: PROJECT,
    role: "user" as const,
    text,
    createdAtMs: NOW - (prompts.length - at) * 3_600_000,
  })));
  for (const text of prompts) strictEqual(memory.search(text)[0]?.title, text);
});

Deno.test("a question about Claude's advice finds Claude's words, one about a person's words finds the person's", async () => {
  using memory = await remembering(said(
    ...OTHERS,
    "I want a bicycle for the harbour road, a bicycle with a basket.",
    "Claude: For the harbour road take a bicycle with wide tyres.",
  ));
  const first = (text: string) => memory.search(text)[0]?.kind;
  strictEqual(first("which bicycle did you recommend for the harbour road"), "message");
  strictEqual(first("what did I tell you about my bicycle for the harbour road"), "prompt");
});

Deno.test("a text with all words of a question comes before texts of its date with fewer", async () => {
  const at = (day: string) => Date.parse(`${day}T20:00:00Z`);
  const texts = rowsOf<readonly [day: string, text: string]>(CASES.datedTexts);
  const others = Array.from({ length: 60 }, (_, i): readonly [string, string] => [
    `2026-0${1 + i % 6}-${10 + i % 19}`,
    `Upload ${i} waits for the ${i % 12 === 0 ? "ledger" : "button"} of page ${i}.`,
  ]);
  using memory = await remembering([...texts, ...others].map(([day, text], i) => ({
    id: String(i),
    sessionId: `session-${i}`,
    projectDir: PROJECT,
    text,
    createdAtMs: at(day),
    role: "user",
  })));
  const found = memory.search("upload ledger harbour 2026-03-18").map(({ title }) => title);
  deepStrictEqual(
    new Set(found.slice(0, 2)),
    new Set([texts[0]![1], texts[4]![1]]),
    "of that day, by its time and by its text",
  );
});

Deno.test("a question about a day finds what was said on it first, though other texts share more words", async () => {
  const at = (day: number) =>
    `2026-0${1 + Math.floor(day / 28)}-${String(1 + day % 28).padStart(2, "0")}`;
  const others = Array.from(
    { length: 30 },
    (_, i) => [at(i), `We decided on the colour of the header: variant ${i}.`] as const,
  );
  const right = "For the colour of the header we take the green one.";
  using memory = await remembering(saidOn([...others, [at(40), right]]));
  const first = (text: string) => memory.search(text)[0]?.title;
  strictEqual(first(`what did we decide about the colour of the header on ${at(40)}`), right);
  strictEqual(first("which colour of the header was decided on 13 February 2026"), right);
});

/** A day in the ways in which people write it. */
const WRITTEN = CASES.times;

/** Texts that a person said, each on a day. */
function saidOn(texts: readonly (readonly [day: string, text: string])[]): EvalDocument[] {
  return said(...texts.map(([, text]) => text)).map((document, at) => ({
    ...document,
    createdAtMs: Date.parse(`${texts[at]![0]}T20:00:00Z`),
  }));
}

Deno.test("a day is the same day however a question writes it", async () => {
  const text = "Upload of the ledger into the harbour";
  using memory = await remembering([
    ...saidOn([
      ["2025-11-11", `${text}, on page 18.`],
      ["2025-11-18", `${text}, by hand.`],
      ["2025-12-18", `${text}: 11 of 18 pages, 2025 in all.`],
      ["2026-06-20", `${text}, part 25 in November.`],
    ]),
    ...OTHERS.map((text, at) => ({
      ...said(text)[0]!,
      id: `other-${at}`,
      sessionId: `other-${at}`,
    })),
  ]);
  const asked = (day: string) =>
    memory.search(`upload of the ledger, harbour, ${day}`).map(({ title }) => title);
  strictEqual(asked(WRITTEN[0]!)[0], `${text}, by hand.`);
  for (const day of WRITTEN) deepStrictEqual(asked(day), asked(WRITTEN[0]!), day);
});

Deno.test("a search for a date alone finds text that names it, then work of that day", async () => {
  using memory = await remembering(saidOn([
    ["2025-11-18", "The mailer was emptied by hand."],
    ["2025-12-01", "We planned the release of 2025-11-18."],
    ["2025-12-02", "It is number 11 of 18 in 2025."],
  ]));
  for (const text of [...WRITTEN, "what did we do on 11/18/2025?"]) {
    deepStrictEqual(memory.search(text).map(({ title }) => title), [
      "We planned the release of 2025-11-18.",
      "The mailer was emptied by hand.",
    ], text);
  }
});

Deno.test("text that names a date comes before everything made on that day", async () => {
  const audit = "The audit of the kiosk took place 2025-11-18 in the office.";
  const rows = Array.from({ length: 30 }, (_, at) => `The cart reads row ${at} of the table.`);
  using memory = await remembering([
    ...saidOn([["2025-10-01", audit]]),
    ...saidOn(rows.map((text) => ["2025-11-18", text])).map((document) => ({
      ...document,
      id: `row ${document.id}`,
      sessionId: "rows",
    })),
  ]);
  for (const text of [...WRITTEN, "what happened on November 18, 2025", "audit 2025-11-18"]) {
    strictEqual(memory.search(text)[0]?.title, audit, text);
  }
  strictEqual(memory.search("2025-11-18", 20).length, 20);
});

Deno.test("small words and words of time decide between texts that are equal otherwise", async () => {
  const resembling = Array.from({ length: 300 }, (_, at) => [
    `docker compose up number ${at}`,
    `session table row ${at}`,
    `price engine rule ${at}`,
    `unique index ${at}`,
    `mailer on for letter ${at}`,
  ]).flat();
  const meant: Readonly<Record<string, string>> = {
    "docker compose down": "docker compose down resets it",
    "mailer off": "Turn the mailer off",
  };
  const texts = [...Object.values(meant), ...resembling];
  using memory = await remembering(
    said(...texts).map((document, at) => ({ ...document, createdAtMs: NOW - 1_000_000 + at })),
  );
  for (const [text, title] of Object.entries(meant)) {
    strictEqual(memory.search(text)[0]?.title, title, text);
  }
});

Deno.test("a snippet shows a match in writing without blanks", async () => {
  const filler = "and then there was more to be said about other things ".repeat(12);
  using memory = await remembering(said(
    ...OTHERS,
    `${filler} 企鹅的缓存坏了 ${filler}`,
  ));
  const shown = (text: string) => memory.search(text)[0]?.snippet ?? "";
  ok(shown("企鹅缓存").includes("企鹅的缓存"), shown("企鹅缓存"));
});

Deno.test("a search for a time alone finds the work of that time", async () => {
  using memory = await remembering(said(
    "The cache of the mailer was emptied.",
    "What did I say of the ledger? That it leaks.",
    "The upload was made to try again.",
  ));
  const [first] = memory.search("what did I do yesterday");
  strictEqual(first?.title, "The upload was made to try again.");
  deepStrictEqual(memory.search("yesterday").map(({ title }) => title), [
    "The upload was made to try again.",
  ]);
  for (const text of ["Tuesday", "gestern", "昨日"]) {
    strictEqual(memory.search(text)[0]?.title, "The upload was made to try again.", text);
  }
});

it.slow("work of a period is found by project, although thousands of observations came later and in no order", async () => {
  const DAY_MS = 86_400_000;
  const at = (day: number, text: string, projectDir = PROJECT) => ({
    id: text,
    sessionId: `session of ${day} in ${projectDir}`,
    projectDir,
    text,
    createdAtMs: NOW - day * DAY_MS,
    role: null,
  });
  using memory = await remembering([
    at(100, "The gutter leaks."),
    at(101, "The roof is new.", "/work/house"),
    ...Array.from(
      { length: 2_500 },
      (_, one) => at(1 + one % 40, `Ticket ${one + 3_000} was looked at.`),
    ),
    at(102, "The door sticks."),
  ]);
  const found = (project: string | null) =>
    memory.search("in April 2026", 10, project).map(({ title }) => title);
  deepStrictEqual(found(PROJECT), ["The gutter leaks.", "The door sticks."]);
  deepStrictEqual(found(null), ["The gutter leaks.", "The roof is new.", "The door sticks."]);
  deepStrictEqual(memory.search("2025-03-04"), []);
  strictEqual(memory.search("yesterday").length, 10);
});
