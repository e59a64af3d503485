import { count } from "../../counts.ts";
import { plain } from "../../capture/plain.ts";
import { messageOf, UserError } from "../../errors.ts";
import {
  EVAL_DEPTHS,
  type EvalAnswer,
  type EvalQuestion,
  type EvalScores,
  rankOf,
  readEvalSet,
  scoreAnswers,
} from "../../memory/eval_set.ts";
import { resolvePath } from "../../paths.ts";
import {
  answerQuestion,
  type AskOptions,
  type DocumentsByObservation,
  takeInDocuments,
} from "../../recall/eval.ts";
import { openNamelessDatabase } from "../../store/nameless_database.ts";
import { selfQuestions } from "../../recall/eval_self.ts";
import type { CliContext } from "../context.ts";
import { type ProgressLine, progressLine } from "../terminal.ts";
import { openStore } from "../store.ts";
import { tableText } from "../table.ts";
import { readStdin } from "../task_text.ts";
import { USAGE } from "../usage.ts";
import type { View } from "../view.ts";

/** What `memory eval` is asked. */
export type EvalFlags = {
  readonly self: boolean;
  readonly baseline: boolean;
  readonly perQuestion: boolean;
};

/** A set as it is asked: questions, and where they are asked. */
interface Asked {
  readonly documents: number;
  readonly questions: readonly EvalQuestion[];
  readonly ask: (question: EvalQuestion, ranking: AskOptions["ranking"]) => EvalAnswer;
}

/** `conclaude memory eval DATA.jsonl|-|--self` */
export async function evaluate(
  context: CliContext,
  flags: EvalFlags,
  file: string | undefined,
): Promise<View> {
  if (flags.self === (file !== undefined)) {
    throw new UserError("Cannot tell what to measure memory by", {
      why: flags.self ? "there is a file beside --self" : "there is neither a file nor --self",
      next: "conclaude memory eval --help",
      exitCode: USAGE,
    });
  }
  const progress = progressLine(context);
  try {
    const asked = file === undefined
      ? await ownHistory(context)
      : await takenIn(file, { context, progress });
    return report(asked, flags, { context, progress });
  } finally {
    progress.end();
  }
}

/** Questions from past prompts, asked of the memory that is here. */
async function ownHistory(context: CliContext): Promise<Asked> {
  const { db } = await openStore(context, "read");
  const { questions, observations } = selfQuestions(db);
  const documents = new Map(
    [...new Set(questions.flatMap(({ relevant }) => relevant))]
      .map((id) => [Number(id), [id]] as const),
  );
  return askIn(db, { questions, documents, count: observations, nowMs: Date.now() });
}

async function takenIn(
  file: string,
  { context, progress }: { readonly context: CliContext; readonly progress: ProgressLine },
): Promise<Asked> {
  const path = STDIN_NAMES.includes(file) ? "-" : resolvePath(file, {
    folder: context.cwd,
    home: context.locations.home ?? undefined,
  });
  const { documents, questions } = await readSet(context, path);
  const db = await openNamelessDatabase();
  const taken = takeInDocuments(
    db,
    documents,
    (done) =>
      progress.tell(`${done} of ${count(documents.length, "document")} worked into memory …`),
  );
  const nowMs = documents.reduce((last, { createdAtMs }) => Math.max(last, createdAtMs), 0) + 1;
  return askIn(db, { questions, documents: taken, count: documents.length, nowMs });
}

function askIn(
  db: AskTarget,
  { questions, documents, count, nowMs }: {
    readonly questions: readonly EvalQuestion[];
    readonly documents: DocumentsByObservation;
    readonly count: number;
    readonly nowMs: number;
  },
): Asked {
  return {
    documents: count,
    questions,
    ask: (question, ranking) => answerQuestion(db, question, { documents, ranking, nowMs }),
  };
}

type AskTarget = Parameters<typeof answerQuestion>[0];

/** The runtime lets nobody open the second one by its name. */
const STDIN_NAMES = ["-", "/dev/stdin"];

/**
 * Reads a set.
 *
 * @param path `-` is standard input.
 * @throws {UserError} At the first line that is none of a set, with its number.
 */
async function readSet(context: CliContext, path: string): Promise<ReturnType<typeof readEvalSet>> {
  const refuse = (why: string, cause: unknown) =>
    new UserError(`Cannot read the set "${path}"`, {
      why,
      next: "conclaude memory eval --help",
      cause,
    });
  let set: ReturnType<typeof readEvalSet>;
  try {
    set = readEvalSet(
      path === "-" ? readStdin(context) : await Deno.readTextFile(path),
    );
  } catch (thrown) {
    throw refuse(messageOf(thrown), thrown);
  }
  if (set.questions.length === 0) throw refuse("it has no question", undefined);
  return set;
}

function report(
  asked: Asked,
  flags: EvalFlags,
  { context, progress }: { readonly context: CliContext; readonly progress: ProgressLine },
): View {
  const { questions } = asked;
  if (questions.length === 0) {
    throw new UserError("There is nothing to measure memory by", {
      why: "no prompt was followed by edits of files that something was known of before",
      next: "conclaude memory stats",
    });
  }
  const answersOf = (ranking: AskOptions["ranking"]) =>
    questions.map((question, at) => {
      progress.tell(`${at} of ${count(questions.length, "question")} asked …`);
      return asked.ask(question, ranking);
    });
  // The first answers read the index from the disk.
  for (const question of questions.slice(0, 3)) asked.ask(question, "memory");
  const answers = answersOf("memory");
  const scores = scoreAnswers(answers);
  const baseline = flags.baseline ? scoreAnswers(answersOf("plain")) : null;
  progress.end();
  const each = flags.perQuestion
    ? answers.map((answer) => ({
      id: answer.question.id,
      text: answer.question.text,
      relevant: answer.question.relevant,
      rank: rankOf(answer),
      found: answer.found,
      latencyMs: Math.round(answer.latencyMs * 1_000) / 1_000,
    }))
    : null;
  const unanswerable = questions.filter(({ relevant }) => relevant.length === 0).length;
  return {
    json: {
      documents: asked.documents,
      questions: questions.length,
      unanswerable,
      ...scores,
      ...(baseline === null ? {} : { baseline }),
      ...(each === null ? {} : { perQuestion: each }),
    },
    text: [
      `${count(asked.documents, "document")}, ${count(questions.length, "question")}` +
      (unanswerable === 0 ? "" : `, ${unanswerable} of them without an answer`),
      "",
      scoreTable(scores, baseline, context.globals.color),
      ...each === null ? [] : [
        "",
        ...each.map(({ id, text, rank }) =>
          plain(`${String(rank ?? "-").padStart(4)}  ${id}  ${text}`)
        ),
      ],
    ].join("\n"),
  };
}

function scoreTable(scores: EvalScores, baseline: EvalScores | null, color: boolean): string {
  const rows: readonly (readonly [name: string, value: (of: EvalScores) => number])[] = [
    ...EVAL_DEPTHS.map((depth) =>
      [`recall@${depth}, any`, (of: EvalScores) => of.recall.any[`${depth}`]] as const
    ),
    ...EVAL_DEPTHS.map((depth) =>
      [`recall@${depth}, fraction`, (of: EvalScores) => of.recall.fraction[`${depth}`]] as const
    ),
    ["MRR", (of) => of.mrr],
    ["latency p50, ms", (of) => of.latencyMs.p50],
    ["latency p99, ms", (of) => of.latencyMs.p99],
  ];
  return tableText(rows, [
    { title: "", value: ([name]) => name },
    { title: "MEMORY", value: ([, value]) => value(scores).toFixed(3), align: "right" },
    ...baseline === null ? [] : [{
      title: "BM25()",
      value: ([, value]: typeof rows[number]) => value(baseline).toFixed(3),
      align: "right" as const,
    }],
  ], { empty: "", color });
}
