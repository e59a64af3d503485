import { command, group, someText, wholeNumber } from "../command.ts";
import { SESSION_FLAG } from "../flags.ts";

const load = () => import("../actions/counter.ts");

const MAX_STEP = 1_000_000_000;

type Owner = { readonly session: string };

const OWNER_FLAG = {
  kind: "parsed",
  parse: someText,
  brief:
    "The session, by its id or the beginning of it; one that no hook has seen is taken as it is",
  placeholder: "id",
} as const;

const TYPE = {
  parse: someText,
  brief: "What is counted, for example edits",
  placeholder: "type",
} as const;

/** `conclaude counter …` */
export const counter = group({
  verbs: {
    list: command({
      load: async () => (await load()).listAll,
      parameters: { flags: { session: SESSION_FLAG } },
      brief: "List counters",
      about: "Lists the counters of all sessions, or of one.",
      examples: ["conclaude counter list", "conclaude counter list --session 01980c5e --json"],
    }),
    get: command<Owner, [type: string]>({
      load: async () => (await load()).getCounter,
      parameters: {
        positional: { kind: "tuple", parameters: [TYPE] },
        flags: { session: OWNER_FLAG },
      },
      brief: "Print the value of a counter",
      about: "Prints the value of a counter of a session: 0 when it was never raised.",
      examples: ["conclaude counter get edits --session 01980c5e"],
    }),
    increment: command<Owner & { readonly by: number }, [type: string]>({
      person: "counter increment",
      load: async () => (await load()).raiseCounter,
      parameters: {
        positional: { kind: "tuple", parameters: [TYPE] },
        flags: {
          session: OWNER_FLAG,
          by: {
            kind: "parsed",
            parse: wholeNumber(-MAX_STEP, MAX_STEP),
            default: "1",
            brief: "How much to add; write --by=-1 to take away",
            placeholder: "n",
          },
        },
      },
      brief: "Raise a counter and print its new value",
      about:
        "Raises a counter of a session and prints its new value. Processes at the same time do not lose a step.",
      examples: [
        "conclaude counter increment retries --session 01980c5e",
        "conclaude counter increment retries --session 01980c5e --by=-1 --json",
      ],
    }),
    reset: command<Owner & { readonly all: boolean }, [type?: string]>({
      person: "counter reset",
      load: async () => (await load()).resetCounter,
      parameters: {
        positional: { kind: "tuple", parameters: [{ ...TYPE, optional: true }] },
        flags: {
          session: OWNER_FLAG,
          all: { kind: "boolean", default: false, brief: "All counters of the session" },
        },
      },
      brief: "Set counters back to 0",
      about: "Sets one counter of a session back to 0, or all of them with --all.",
      examples: [
        "conclaude counter reset edits --session 01980c5e",
        "conclaude counter reset --all --session 01980c5e",
      ],
    }),
  },
  brief: "Numbers that sessions count",
  examples: [
    "conclaude counter list",
    "conclaude counter increment retries --session 01980c5e",
  ],
});
