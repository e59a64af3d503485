import { ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type EvalScores, evalSet } from "../support/memory_corpus.ts";
import { type Corpus, makeCorpus } from "../support/memory_corpus.ts";
import { makeAgentCorpus } from "../support/agent_corpus.ts";
import { runProgram, tempHome } from "../support/program.ts";

async function evaluate(corpus: Corpus) {
  using home = tempHome();
  const file = join(home.path, "set.jsonl");
  Deno.writeTextFileSync(file, evalSet(corpus));
  const { code, stdout, stderr } = await runProgram(
    ["memory", "eval", file, "--baseline", "--json"],
    { env: { HOME: home.path } },
  );
  strictEqual(code, 0, stderr);
  const told: EvalScores & { readonly documents: number; readonly baseline: EvalScores } = JSON
    .parse(stdout);
  strictEqual(told.documents, corpus.documents.length);
  return { told, rows: rowsOf(told), plain: rowsOf(told.baseline) };
}

function rowsOf({ recall, mrr }: EvalScores): ReadonlyMap<string, number> {
  return new Map([
    ...Object.entries(recall).flatMap(([kind, depths]) =>
      Object.entries(depths).map(([depth, value]) => [`${kind}@${depth}`, value] as const)
    ),
    ["MRR", mrr] as const,
  ]);
}

function assertBetter(
  rows: ReadonlyMap<string, number>,
  { plain, by }: { readonly plain: ReadonlyMap<string, number>; readonly by: number },
): void {
  strictEqual(rows.size, 9);
  for (const [name, value] of rows) {
    ok(value > plain.get(name)! + by, `${name}: ${value}, bm25() ${plain.get(name)}`);
  }
}

Deno.test("of 10,000 documents memory finds an answer among ten for 95 of 100 questions, more than bm25() at every depth", async () => {
  const corpus = makeCorpus(1, { documents: 10_000, questions: 500 });
  ok(corpus.documents.length >= 10_000);
  ok(corpus.questions.length >= 500);
  for (const kind of ["paraphrase", "identifier", "path", "date", "negative"]) {
    ok(corpus.questions.some((question) => question.kind === kind), kind);
  }
  const { rows, plain } = await evaluate(corpus);
  ok(rows.get("any@10")! >= 0.95, `any@10 is ${rows.get("any@10")}`);
  ok(rows.get("MRR")! >= 0.85, `MRR is ${rows.get("MRR")}`);
  assertBetter(rows, { plain, by: 0.05 });
});

Deno.test("of what a coding agent and people said in five languages memory finds more than bm25() at every depth", async () => {
  const { rows, plain } = await evaluate(makeAgentCorpus(3, { documents: 4_000, questions: 250 }));
  ok(rows.get("any@10")! >= 0.82, `any@10 is ${rows.get("any@10")}`);
  assertBetter(rows, { plain, by: 0 });
});

Deno.test("what is private or secret in a document is not found, as in real memory", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4)}`;
  const document = {
    id: "a",
    sessionId: "s",
    projectDir: "/p",
    createdAtMs: Date.UTC(2026, 0, 5),
    role: null,
    text: `wombat burrows <private>pangolin</private> ${token}`,
  };
  const questions = ["pangolin", token, "wombat"].map((text, at) => ({
    id: `q${at}`,
    text,
    relevant: ["a"],
    projectDir: null,
    asOfMs: null,
    kind: "fact" as const,
  }));
  const { told } = await evaluate({ documents: [document], questions });
  strictEqual(told.recall.any["1"], 0.3333);
});

Deno.test("memory eval reads a set from standard input", async () => {
  using home = tempHome();
  const stdin = evalSet(makeCorpus(1, { documents: 50, questions: 5 }));
  const { code, stdout, stderr } = await runProgram(["memory", "eval", "-", "--json"], {
    env: { HOME: home.path },
    stdin,
  });
  strictEqual(code, 0, stderr);
  ok(JSON.parse(stdout).documents >= 50);
});
