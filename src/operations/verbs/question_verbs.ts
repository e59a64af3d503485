import { answer } from "../../work/engine/requests.ts";
import { checkBody } from "../../work/task_input.ts";
import { listQuestions, needQuestion, readTask, readWorkflow } from "../../work/store.ts";
import { isDaemonHere, START_DAEMON } from "../daemon_here.ts";
import { optional, parsed, proposing, SHARED, switchOn, text } from "../flags.ts";
import { askedText, withWanted } from "../open_here.ts";
import { lastingOf } from "../orchestration_here.ts";
import { titledFacts } from "../table.ts";
import { beginChange, knownTaskId } from "../work_lookup.ts";
import { readStdin } from "../task_text.ts";
import { nameOf, shortTaskId, valueText } from "../task_view.ts";
import { requireOneOfTwo } from "../usage.ts";
import { agoText, listVerb, readVerb } from "../list_and_show.ts";
import { group, verb } from "../verb.ts";

const ID = proposing("question", text("The question, by its id", "id"));

const list = listVerb({
  flags: {
    all: switchOn("Also those that are answered"),
    task: SHARED.ofTask,
    limit: SHARED.page,
  },
  name: "questions",
  rows: ({ db }, { all, task }, { limit }) =>
    withWanted(
      db,
      listQuestions(db, {
        statuses: all ? null : ["pending"],
        taskId: task === undefined ? null : knownTaskId(db, task),
        limit,
      }),
    ),
  columns: {
    ID: ({ id }) => id,
    TYPE: ({ type }) => type,
    STATUS: ({ status }) => status,
    TASK: ({ taskId }) => taskId === null ? null : shortTaskId(taskId),
    QUESTION: (question) => valueText(askedText(question)),
  },
  empty: ({ all }) => all ? "No questions." : "Nobody asks anything.",
});

const show = readVerb({
  args: [ID],
  run({ db }, _flags, id) {
    const question = needQuestion(db, id.trim());
    const task = readTask(db, question.taskId);
    const usual = question.type === "permission" ? ["allow", "deny"] : [];
    const options = question.options.length > 0 ? question.options : usual;
    const facts = titledFacts([
      ["id", question.id],
      ["type", question.type],
      ["status", question.status],
      ["wanted", withWanted(db, [question])[0]!.wanted],
      ["options", options.join(", ") || null],
      ["task", task === undefined ? question.taskId : nameOf(task)],
      ["step", question.stepKey],
      ["session", question.sessionId],
      ["asked", agoText(question.createdAtMs)],
      ["answer", question.answer],
      ["answered by", question.answeredBy],
      ["not delivered", question.deliveryError],
    ], 15);
    return { json: { question }, text: [...question.text.split("\n"), ...facts] };
  },
});

const answerVerb = verb({
  person: "question answer",
  args: [ID, optional(parsed(String, "The answer", "text"))],
  flags: { stdin: switchOn("Read the answer from stdin"), agentId: SHARED.agentId },
  async run(context, flags, id, typed) {
    requireOneOfTwo("what the answer is", {
      given: { "a text": typed !== undefined, "--stdin": flags.stdin },
      next: "conclaude question answer --help",
    });
    const raw = typed ?? readStdin(context);
    const { by, change, db, place, mask } = await beginChange(context, flags, "answer a question");
    const { workflowId } = needQuestion(db, id.trim());
    const project = readWorkflow(db, workflowId)?.projectDir ?? null;
    const text = checkBody(mask(raw));
    const lasting = lastingOf(context, place, project);
    const { question, delivered, deliveryError } = change(() =>
      answer(db, id.trim(), { ...lasting, text, by })
    );
    const daemonText = isDaemonHere(context, place) ? "" : ` The daemon runs it: ${START_DAEMON}`;
    const result = delivered
      ? `${question.stepKey} goes on with the answer.${daemonText}`
      : `The answer is recorded, and not delivered: ${deliveryError}`;
    return {
      json: { question, delivered, ...deliveryError === null ? {} : { deliveryError } },
      text: [result],
    };
  },
});

export const question = group({ list, show, answer: answerVerb });
