import { join } from "node:path";
import { takeInDocuments } from "../../src/memory/search/eval.ts";
import { answerMemory } from "../../src/memory/search/search.ts";
import { openDatabase } from "../../src/db/database.ts";
import { EVERYTHING } from "../../src/memory/search/memory_search_table.ts";
import { type EvalScores, evalSet, makeCorpus } from "../support/memory_corpus.ts";
import { tempFolder } from "../support/folders.ts";
import { searchTexts } from "../support/search_texts.ts";
import type { Bench } from "./bench.ts";
import { emptyWorkplace } from "./fixture.ts";

const DOCUMENTS = 20_000;
const TEXTS = 1_000;
/** A search that was slow is made again: another program may have had the processor. */
const AGAIN = 5;

/** Questions of nothing but a time, in which little, much or nothing was done. */
const TIMES = ["3/4/2025", "2025-11-04", "in 2025", "in 2023", "last year", "q3", "last month"];

/** That nothing a person can type takes long: the slowest of many odd texts beside a usual question. */
export const oddSearch: Bench = {
  name: "search-odd",
  about: "slowest search of 1,000 odd texts / median of questions, 20,000 observations",
  budget: 5,
  async measure() {
    using folder = tempFolder();

    const db = await openDatabase(join(folder.path, "memory.db"), { busyTimeoutMs: 1_000 });
    const { documents, questions } = makeCorpus(1, { documents: DOCUMENTS, questions: 200 });
    takeInDocuments(db, documents);
    const timed = (text: string) => {
      const start = performance.now();
      answerMemory(db, text, { filter: EVERYTHING, limit: 10, nowMs: Date.UTC(2026, 0, 1) })
        .results;
      return performance.now() - start;
    };
    const usual = questions.map(({ text }) => timed(text)).sort((a, b) => a - b);
    const median = usual[usual.length >> 1]!;
    const slowest = [...searchTexts(TEXTS), ...TIMES].map((text) => ({ text, ms: timed(text) }))
      .sort((one, other) => other.ms - one.ms).slice(0, 20)
      .map(({ text, ms }) => Math.min(ms, ...Array.from({ length: AGAIN }, () => timed(text))));
    db.close();
    const worst = Math.max(...slowest);
    return {
      value: worst / median,
      detail: `${worst.toFixed(1)} ms / ${median.toFixed(1)} ms`,
    };
  },
};

/** How well memory finds things, beside what SQLite finds by itself: the table of `docs/benchmarks.md`. */
export const evalScores: Bench = {
  name: "memory-eval",
  about: "memory eval of 20,000 documents and 500 questions: an answer among ten",
  budget: 0.85,
  isLeast: true,
  async measure({ folder, program }) {
    const place = await emptyWorkplace(folder);
    const file = join(folder, "set.jsonl");
    await Deno.writeTextFile(file, evalSet(makeCorpus(1, { documents: 20_000, questions: 500 })));
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args: ["memory", "eval", file, "--baseline", "--json"],
      clearEnv: true,
      env: { ...place.env },
      cwd: place.project,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const told: EvalScores & { readonly baseline: EvalScores } = JSON.parse(
      new TextDecoder().decode(stdout),
    );
    return {
      value: told.recall.any["10"]!,
      detail: `${rowOf(told)}; bm25() ${rowOf(told.baseline)}`,
    };
  },
};

function rowOf({ recall, mrr }: EvalScores): string {
  const depths = ["1", "5", "10", "20"].map((depth) => recall.any[depth]!.toFixed(3));
  return `${depths.join(" ")} (1, 5, 10, 20), MRR ${mrr.toFixed(3)}`;
}
