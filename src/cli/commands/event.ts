import type { EventFlags, Since } from "../actions/event.ts";
import { command, group, someText, wholeNumber } from "../command.ts";
import { parseSince } from "../since.ts";

const load = () => import("../actions/event.ts");

/** Most events that are asked for at once. */
const MAX_EVENTS = 10_000;

/** `conclaude event …` */
export const event = group({
  verbs: {
    list: command<EventFlags>({
      load: async () => (await load()).listAll,
      parameters: {
        flags: {
          since: {
            kind: "parsed",
            parse: sinceOf,
            optional: true,
            brief:
              "Only after this event, by its number, or since then: an age (30m, 2h, 3d, 1w) or a date",
            placeholder: "when",
          },
          type: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief: "Only of this type; `*` is any text: task.*",
            placeholder: "type",
          },
          entity: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief:
              "Only of this task, agent, workflow or question, by its id, or 4 or more characters of its beginning or end",
            placeholder: "id",
          },
          limit: {
            kind: "parsed",
            parse: wholeNumber(1, MAX_EVENTS),
            optional: true,
            brief: "How many at most; without it 100, or with --follow no end",
            placeholder: "n",
          },
          follow: {
            kind: "boolean",
            default: false,
            withNegated: false,
            brief: "Go on printing what comes, a line each",
          },
        },
      },
      brief: "List what changed",
      about:
        "Lists what changed of tasks, agents, workflows and questions, oldest first: without --since the newest " +
        "100. With --follow it prints every new event as it comes, from now or from --since on, until it is " +
        "ended; with --json each is one line of JSON.",
      examples: [
        "conclaude event list --since 1h --type 'task.*'",
        "conclaude event list --since 120 --json",
        "conclaude event list --follow --json",
      ],
    }),
  },
  brief: "What changed of tasks, agents and workflows",
  examples: ["conclaude event list --since 1h", "conclaude event list --follow"],
});

/** A whole number is that of an event, anything else a time. */
async function sinceOf(text: string): Promise<Since> {
  return /^\d{1,15}$/.test(text.trim())
    ? { afterId: Number(text) }
    : { sinceMs: await parseSince(text, Date.now()) };
}
