import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import {
  answerQuestion,
  type AskOptions,
  EVAL_DEPTHS,
  type EvalScores,
  rankOf,
  readEvalSet,
  scoreAnswers,
  selfQuestions,
  takeInDocuments,
} from "../../memory/search/eval.ts";
import { type CliContext, typedPath } from "../context.ts";
import { switchOn, textFlag } from "../flags.ts";
import { type ProgressLine, progressLine } from "../terminal.ts";
import { openDatabase } from "../../db/database.ts";
import { openStore } from "../open_store.ts";
import { linesOf, tableText } from "../table.ts";
import { readStdin } from "../task_text.ts";
import { requireOneOfTwo } from "../usage.ts";
import { verb } from "../verb.ts";
import { readTextFile } from "../../system/files.ts";

export const evaluate = verb({
  args: [textFlag("JSON Lines with documents and questions; - is standard input", "file")],
  flags: {
    self: switchOn(
      "Ask past prompts of your own memory: what was known then of the files edited next",
    ),
    baseline: switchOn("Ask the same of SQLite's plain bm25(), side by side"),
    perQuestion: switchOn("Tell the rank of the first right answer of each question"),
  },
  async run(context, flags, file) {
    requireOneOfTwo("what to measure memory by", {
      given: { "a file": file !== undefined, "--self": flags.self },
      next: "conclaude memory eval --help",
    });
    using progress = progressLine(context);
    const { db, questions, documents, size, nowMs } = file === undefined
      ? await fromHistory(context)
      : await fromSet(context, file, progress);
    if (questions.length === 0) {
      const why = "no prompt was followed by edits of files that something was known of before";
      const next = "conclaude memory stats";
      throw new UserError("There is nothing to measure memory by", { why, next });
    }
    const answersOf = (ranking: AskOptions["ranking"], some = questions) =>
      some.map((question, at) => {
        progress.tell("Asking questions", { done: at, of: questions.length });
        return answerQuestion(db, question, { documents, ranking, nowMs });
      });
    // These answers warm up: the first ones are slower, since they read the index from the disk.
    answersOf("memory", questions.slice(0, 3));
    const answers = answersOf("memory");
    const scores = scoreAnswers(answers);
    const baseline = flags.baseline ? scoreAnswers(answersOf("plain")) : null;
    const each = !flags.perQuestion ? null : answers.map((answer) => {
      const { question: { id, text, relevant }, found } = answer;
      const latencyMs = Math.round(answer.latencyMs * 1_000) / 1_000;
      return { id, text, relevant, rank: rankOf(answer), found, latencyMs };
    });
    const unanswerable = questions.filter(({ relevant }) => relevant.length === 0).length;
    return {
      json: {
        documents: size,
        questions: questions.length,
        unanswerable,
        ...scores,
        ...baseline !== null && { baseline },
        ...each !== null && { perQuestion: each },
      },
      text: linesOf([
        `${count(size, "document")}, ${count(questions.length, "question")}` +
        (unanswerable === 0 ? "" : `, ${unanswerable} of them without an answer`),
        "",
        scoreTable(context, scores, baseline),
        each !== null && "",
        each?.map(({ id, text, rank }) =>
          plain(`${String(rank ?? "-").padStart(4)}  ${id}  ${text}`)
        ),
      ]).join("\n"),
    };
  },
});

async function fromHistory(context: CliContext) {
  const { db } = await openStore(context, "read");
  const { questions, observations: size } = selfQuestions(db);
  const relevant = new Set(questions.flatMap(({ relevant }) => relevant));
  const documents = new Map([...relevant].map((id) => [Number(id), [id]]));
  return { db, questions, documents, size, nowMs: Date.now() };
}

/** Works the documents of a set into an in-memory database that answers its questions. @param file `-` is stdin. */
async function fromSet(context: CliContext, file: string, progress: ProgressLine) {
  const { documents, questions } = await readSet(context, file);
  const db = await openDatabase(":memory:", { busyTimeoutMs: 0 });
  const size = documents.length;
  const taken = takeInDocuments(
    db,
    documents,
    (done) => progress.tell("Working documents into memory", { done, of: size }),
  );
  const nowMs = documents.reduce((last, { createdAtMs }) => Math.max(last, createdAtMs), 0) + 1;
  return { db, questions, documents: taken, size, nowMs };
}

async function readSet(context: CliContext, file: string) {
  const path = file === "-" ? file : typedPath(context, file);
  try {
    const set = readEvalSet(file === "-" ? readStdin(context) : await readTextFile(path));
    if (set.questions.length === 0) throw new Error("it has no question");
    return set;
  } catch (thrown) {
    throw new UserError(`Cannot read the set "${path}"`, {
      why: messageOf(thrown),
      next: "conclaude memory eval --help",
      cause: thrown,
    });
  }
}

function scoreTable(context: CliContext, scores: EvalScores, baseline: EvalScores | null): string {
  const rowsOf = ({ recall, mrr, latencyMs }: EvalScores): Readonly<Record<string, number>> => ({
    ...Object.fromEntries(
      (["any", "fraction"] as const).flatMap((kind) =>
        EVAL_DEPTHS.map((depth) => [`recall@${depth}, ${kind}`, recall[kind][`${depth}`]])
      ),
    ),
    MRR: mrr,
    "latency p50, ms": latencyMs.p50,
    "latency p99, ms": latencyMs.p99,
  });
  const plainRows = baseline && rowsOf(baseline);
  return tableText(context, Object.entries(rowsOf(scores)), {
    "": ([name]) => name,
    MEMORY: [([, value]) => value.toFixed(3)],
    "BM25()": [([name]) => plainRows && plainRows[name]!.toFixed(3)],
  }, "");
}
