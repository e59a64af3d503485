import type { ListFlags } from "../actions/question.ts";
import { command, group, someText } from "../command.ts";
import type { ByFlag } from "../task_lookup.ts";
import { AGENT_FLAG, anyText, LIMIT_FLAG, switchFlag, textFlag } from "./task_flags.ts";

const load = () => import("../actions/question.ts");

const ID = { parse: someText, brief: "The question, by its id", placeholder: "id" } as const;

/** `conclaude question …` */
export const question = group({
  verbs: {
    list: command<ListFlags>({
      load: async () => (await load()).listAll,
      parameters: {
        flags: {
          all: switchFlag("Also those that are answered"),
          task: textFlag("Only of this task", "id"),
          limit: LIMIT_FLAG,
        },
      },
      brief: "List questions that wait for an answer",
      about:
        "Lists the questions of agents and sessions that wait for an answer, the oldest first.",
      examples: ["conclaude question list", "conclaude question list --all --json"],
    }),
    show: command<Readonly<Record<never, never>>, [id: string]>({
      load: async () => (await load()).showQuestion,
      parameters: { positional: { kind: "tuple", parameters: [ID] }, flags: {} },
      brief: "Show a question",
      about: "Shows a question with all of its text, who asked it, and its answer.",
      examples: ["conclaude question show q-20261121083000-1"],
    }),
    answer: command<ByFlag & { readonly stdin: boolean }, [id: string, said?: string]>({
      person: "question answer",
      load: async () => (await load()).answerOne,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [ID, {
            parse: anyText,
            brief: "The answer",
            placeholder: "text",
            optional: true,
          }],
        },
        flags: { stdin: switchFlag("Read the answer from stdin"), agentId: AGENT_FLAG },
      },
      brief: "Answer a question",
      about:
        "Answers a question, once. The step of a workflow that waits for it goes on in the session that asked. " +
        "What a session of Claude Code asks itself is recorded, and has to be answered where the session runs.",
      examples: [
        "conclaude question answer q-20261121083000-1 'Use the second one'",
        "conclaude question answer q-20261121083000-2 allow",
      ],
    }),
  },
  brief: "What agents and sessions want to know",
  examples: [
    "conclaude question list",
    "conclaude question answer q-20261121083000-1 'Use the second one'",
  ],
});
