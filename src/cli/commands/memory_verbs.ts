import { OBSERVATION_KINDS } from "../../memory/observation.ts";
import {
  number,
  oneOf,
  optional,
  parsed,
  SESSION_FLAG,
  several,
  SINCE_FLAG,
  switchOn,
  text,
  textFlag,
  timeFlag,
  usually,
} from "../flags.ts";
import { group, many, verb } from "../verb.ts";
import { forget, verify } from "./memory_forget_verbs.ts";

const load = () => import("../actions/memory_look.ts");
const loadSearch = () => import("../actions/memory_search.ts");
const loadEval = () => import("../actions/memory_eval.ts");
const loadRemember = () => import("../actions/memory_remember.ts");
const ID = text("Number of an observation, or the beginning of its uid", "id");

const PROJECT_FLAGS = {
  project: textFlag("Only of the project of this folder", "dir"),
  here: switchOn("Only of the project of the current folder"),
} as const;

export const memory = group({
  verbs: {
    search: verb({
      load: async () => (await loadSearch()).search,
      args: many(parsed(String, "What to look for, in any words", "query"), 1),
      flags: {
        ...PROJECT_FLAGS,
        session: SESSION_FLAG,
        branch: textFlag("Only of this branch", "name"),
        file: textFlag("Only what is about this file or folder: src/auth.ts, auth.ts, src", "path"),
        kind: optional(oneOf(OBSERVATION_KINDS, "Only of this kind")),
        since: SINCE_FLAG,
        until: timeFlag("Only before then, as --since"),
        limit: usually("10", number(1, 20, "At most this many, 1 to 20")),
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
    show: verb({
      load: async () => (await load()).showObservation,
      args: [ID],
      brief: "Show one observation with everything behind it",
      about:
        "Shows an observation whole: what it says, its facts and files, and the captures that it was made of.",
      examples: ["conclaude memory show 42", "conclaude memory show 42 --json"],
    }),
    timeline: verb({
      load: async () => (await load()).showTimeline,
      args: [text("Number of an observation, or a file or folder of the project", "id|file")],
      flags: {
        ...PROJECT_FLAGS,
        limit: usually("20", number(1, 100, "At most this many, 1 to 100")),
      },
      brief: "Show what came before and after, or what became of a file",
      about: [
        "With a number: what happened before and after that observation in its session. With a file or folder: what",
        "there is of it, the newest first.",
      ].join("\n"),
      examples: ["conclaude memory timeline 42", "conclaude memory timeline src/auth.ts --here"],
    }),
    remember: verb({
      load: async () => (await loadRemember()).remember,
      args: many(text("What is to be remembered; - reads it from standard input", "text"), 1),
      flags: {
        session: { ...SESSION_FLAG, brief: "As a part of this session" },
        file: several(text("A file that it is about; may be given several times", "path")),
        replaces: optional(
          text("The note or decision that this one corrects, by its number or uid", "id"),
        ),
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
    eval: verb({
      load: async () => (await loadEval()).evaluate,
      args: [
        optional(text("JSON Lines with documents and questions; - is standard input", "file")),
      ],
      flags: {
        self: switchOn(
          "Ask past prompts of your own memory: what was known then of the files edited next",
        ),
        baseline: switchOn("Ask the same of SQLite's plain bm25(), side by side"),
        perQuestion: switchOn("Tell the rank of the first right answer of each question"),
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
    stats: verb({
      load: async () => (await import("../actions/memory_stats.ts")).showStats,
      brief: "Count what is remembered",
      about:
        "Counts observations by kind, sessions, projects, failures that are open, and captures that wait.",
      examples: ["conclaude memory stats", "conclaude memory stats --json"],
    }),
  },
  examples: [
    "conclaude memory search why do uploads time out",
    'conclaude memory remember "Tests need the service on port 5433"',
  ],
});
