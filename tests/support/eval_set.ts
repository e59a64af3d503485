import type { Corpus } from "./memory_corpus.ts";

/** A corpus as `memory eval` takes it: a line of JSON for every document and question. */
export function evalSet({ documents, questions }: Corpus): string {
  return [
    ...documents.map((document) => ({ type: "document", ...document })),
    ...questions.map((question) => ({ type: "question", ...question })),
  ].map((line) => JSON.stringify(line)).join("\n");
}

/** What `memory eval --json` says of one way to search. */
export interface EvalScores {
  readonly recall: {
    readonly any: Readonly<Record<string, number>>;
    readonly fraction: Readonly<Record<string, number>>;
  };
  readonly mrr: number;
}
