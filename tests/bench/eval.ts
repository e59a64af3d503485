import { join } from "node:path";
import { type EvalScores, evalSet, makeCorpus } from "../support/memory_corpus.ts";
import type { Bench } from "./bench.ts";
import { emptyWorkplace } from "./fixture.ts";

/** How well memory finds things, beside what SQLite finds by itself: the table of `docs/benchmarks.md`. */
export const evalScores: Bench = {
  name: "memory-eval",
  about: "memory eval of 20,000 documents and 500 questions: an answer among ten",
  budget: 0.85,
  isLeast: true,
  async measure({ folder, program }) {
    const place = await emptyWorkplace(folder);
    const file = join(folder, "set.jsonl");
    await Deno.writeTextFile(
      file,
      evalSet(makeCorpus(1, { documents: 20_000, questions: 500 })),
    );
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
