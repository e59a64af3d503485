import { OBSERVATION_KINDS } from "../../memory/observation.ts";
import { command, group, someText, wholeNumber } from "../command.ts";
import { parseWhen, SESSION_FLAG, SINCE_FLAG } from "../flags.ts";
import type { EvalFlags } from "../actions/memory_eval.ts";
import type { RememberFlags } from "../actions/memory_remember.ts";
import type { SearchFlags } from "../actions/memory_search.ts";
import { forget, verify } from "./memory_forget_verbs.ts";

const load = () => import("../actions/memory_look.ts");
const loadSearch = () => import("../actions/memory_search.ts");
const loadEval = () => import("../actions/memory_eval.ts");
const loadRemember = () => import("../actions/memory_remember.ts");

const ID = {
  parse: someText,
  brief: "Number of an observation, or the beginning of its uid",
  placeholder: "id",
} as const;

/** The flags that limit a question to one project. */
const PROJECT_FLAGS = {
  project: {
    kind: "parsed",
    parse: someText,
    optional: true,
    brief: "Only of the project of this folder",
    placeholder: "dir",
  },
  here: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "Only of the project of the current folder",
  },
} as const;

function limitFlag(usual: number, most: number, brief: string) {
  return {
    kind: "parsed",
    parse: wholeNumber(1, most),
    default: String(usual),
    brief,
    placeholder: "n",
  } as const;
}

/** `conclaude memory …` */
export const memory = group({
  verbs: {
    search: command<SearchFlags, string[]>({
      load: async () => (await loadSearch()).search,
      parameters: {
        positional: {
          kind: "array",
          parameter: {
            parse: String,
            brief: "What to look for, in any words",
            placeholder: "query",
          },
          minimum: 1,
        },
        flags: {
          ...PROJECT_FLAGS,
          session: SESSION_FLAG,
          branch: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief: "Only of this branch",
            placeholder: "name",
          },
          file: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief: "Only what is about this file or folder: src/auth.ts, auth.ts, src",
            placeholder: "path",
          },
          kind: {
            kind: "enum",
            values: OBSERVATION_KINDS,
            optional: true,
            brief: "Only of this kind",
          },
          since: SINCE_FLAG,
          until: {
            kind: "parsed",
            parse: parseWhen,
            optional: true,
            brief: "Only before then, as --since",
            placeholder: "when",
          },
          limit: limitFlag(10, 20, "At most this many, 1 to 20"),
        },
      },
      brief: "Find what was done, said and decided",
      about: [
        "Searches everything that is remembered: edits, commands, failures and their fixes, tests, commits, prompts,",
        "decisions, notes and summaries of sessions. Any text may be typed: words, identifiers, paths, errors; a date",
        'or "last week" prefers that time. What stands in quotes must be there; where nothing has it, a line says so before',
        "the results without the quotes. Each result has a number that `memory show` opens, and its price in tokens.",
      ].join("\n"),
      examples: [
        "conclaude memory search why do uploads time out",
        "conclaude memory search parseHookEvent --kind fix --here",
        "conclaude memory search 'flaky test' --file src/auth.ts --since 2w --json",
      ],
    }),
    show: command({
      load: async () => (await load()).showObservation,
      parameters: { positional: { kind: "tuple", parameters: [ID] } },
      brief: "Show one observation with everything behind it",
      about:
        "Shows an observation whole: what it says, its facts and files, and the captures that it was made of.",
      examples: ["conclaude memory show 42", "conclaude memory show 42 --json"],
    }),
    timeline: command({
      load: async () => (await load()).showTimeline,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{
            parse: someText,
            brief: "Number of an observation, or a file or folder of the project",
            placeholder: "id|file",
          }],
        },
        flags: { ...PROJECT_FLAGS, limit: limitFlag(20, 100, "At most this many, 1 to 100") },
      },
      brief: "Show what came before and after, or what became of a file",
      about: [
        "With a number: what happened before and after that observation in its session. With a file or folder: what",
        "there is of it, the newest first.",
      ].join("\n"),
      examples: ["conclaude memory timeline 42", "conclaude memory timeline src/auth.ts --here"],
    }),
    remember: command<RememberFlags, string[]>({
      load: async () => (await loadRemember()).remember,
      parameters: {
        positional: {
          kind: "array",
          parameter: {
            parse: someText,
            brief: "What is to be remembered; - reads it from standard input",
            placeholder: "text",
          },
          minimum: 1,
        },
        flags: {
          session: { ...SESSION_FLAG, brief: "As a part of this session" },
          file: {
            kind: "parsed",
            parse: someText,
            variadic: true,
            optional: true,
            brief: "A file that it is about; may be given several times",
            placeholder: "path",
          },
          replaces: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief: "The note or decision that this one corrects, by its number or uid",
            placeholder: "id",
          },
        },
      },
      brief: "Keep a note for this project",
      about: [
        "Keeps a note for the project of the current folder. Later sessions of the project are told of it, and search",
        "finds it. Secrets in it are masked, and what stands in <private> tags is left out. What is replaced is told no more,",
        "and search lists it last.",
      ].join("\n"),
      examples: [
        'conclaude memory remember "Tests need the service on port 5433"',
        'conclaude memory remember "Never edit by hand: generated" --file src/schema.ts',
        'conclaude memory remember "The port is 5434 now" --replaces 42',
        "conclaude memory remember - < note.txt",
      ],
    }),
    eval: command<EvalFlags, [string | undefined]>({
      load: async () => (await loadEval()).evaluate,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{
            parse: someText,
            optional: true,
            brief: "JSON Lines with documents and questions; - is standard input",
            placeholder: "file",
          }],
        },
        flags: {
          self: {
            kind: "boolean",
            default: false,
            withNegated: false,
            brief:
              "Ask past prompts of your own memory: what was known then of the files edited next",
          },
          baseline: {
            kind: "boolean",
            default: false,
            withNegated: false,
            brief: "Ask the same of SQLite's plain bm25(), side by side",
          },
          perQuestion: {
            kind: "boolean",
            default: false,
            withNegated: false,
            brief: "Tell the rank of the first right answer of each question",
          },
        },
      },
      brief: "Measure how well memory finds things",
      about: [
        "Puts documents into a temporary database, on the way that real memory goes, asks the questions and tells recall",
        "at 1, 5, 10 and 20, the mean reciprocal rank and the time. A line is one of",
        '{"type":"document","id","sessionId","projectDir","text","createdAtMs","role"?} and',
        '{"type":"question","id","text","relevant":[ids],"projectDir"?,"asOfMs"?}.',
      ].join("\n"),
      examples: [
        "conclaude memory eval questions.jsonl --baseline",
        "conclaude memory eval --self --per-question --json",
      ],
    }),
    forget,
    verify,
    stats: command({
      load: async () => (await import("../actions/memory_stats.ts")).showStats,
      parameters: { flags: {} },
      brief: "Count what is remembered",
      about:
        "Counts observations by kind, sessions, projects, failures that are open, and captures that wait.",
      examples: ["conclaude memory stats", "conclaude memory stats --json"],
    }),
  },
  brief: "What was done, said and decided, over all sessions",
  examples: [
    "conclaude memory search why do uploads time out",
    'conclaude memory remember "Tests need the service on port 5433"',
  ],
});
