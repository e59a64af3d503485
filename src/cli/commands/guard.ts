import { command, group, someText, wholeNumber } from "../command.ts";

const load = () => import("../actions/guard.ts");

const OF_SESSION = {
  kind: "parsed",
  parse: someText,
  optional: true,
  brief:
    "The session, by its id or the beginning of it; without it, the one that this runs in, or the only live one here",
  placeholder: "id",
} as const;

/** A day. */
const MAX_MINUTES = 1_440;

/** `conclaude guard …` */
export const guard = group({
  verbs: {
    list: command({
      load: async () => (await load()).listRules,
      parameters: { flags: {} },
      brief: "List the rules in force here, and what is lifted",
      about:
        "Lists every rule that is asked in this folder before a tool runs or Claude stops, and the sessions for which\n" +
        "a person has lifted them.",
      examples: ["conclaude guard list", "conclaude guard list --json"],
    }),
    pause: command({
      person: "guard pause",
      load: async () => (await load()).pauseGuards,
      parameters: {
        flags: {
          session: OF_SESSION,
          minutes: {
            kind: "parsed",
            parse: wholeNumber(1, MAX_MINUTES),
            default: "15",
            brief: "For how long, 1 to 1440",
            placeholder: "n",
          },
          reason: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief: "Why, for the audit trail",
            placeholder: "text",
          },
        },
      },
      brief: "Lift the rules for a session, for a while",
      about:
        "Lifts the rules for one session, for 15 minutes or as long as is said. What they would have forbidden is\n" +
        "noted in the audit trail all the same. An agent is kept from running this.",
      examples: [
        "conclaude guard pause --session 01980c5e",
        "conclaude guard pause --session 01980c5e --minutes 60 --reason 'moving the lock file'",
      ],
    }),
    resume: command({
      person: "guard resume",
      load: async () => (await load()).resumeGuards,
      parameters: { flags: { session: OF_SESSION } },
      brief: "Put the rules in force again",
      about: "Ends what `conclaude guard pause` began.",
      examples: ["conclaude guard resume --session 01980c5e"],
    }),
  },
  brief: "Rules that are asked before a tool runs",
  examples: ["conclaude guard list", "conclaude guard pause --session 01980c5e"],
});
