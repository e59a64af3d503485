import { command, group, someText, wholeNumber } from "../command.ts";
import { importCommand } from "./req_import.ts";

const look = () => import("../actions/req.ts");
const state = () => import("../actions/req_state.ts");
const files = () => import("../actions/req_files.ts");

const OF_SESSION = {
  kind: "parsed",
  parse: someText,
  optional: true,
  brief: "The session, by its id or the beginning of it; without it, the one that this runs in",
  placeholder: "id",
} as const;

const OF_BRANCH = {
  kind: "parsed",
  parse: someText,
  optional: true,
  brief: "The branch; without it, the one that is checked out",
  placeholder: "name",
} as const;

const NAMES = {
  kind: "array",
  parameter: { parse: someText, brief: "Names of requirements", placeholder: "name" },
} as const;

const ONE_NAME = {
  kind: "tuple",
  parameters: [{ parse: someText, brief: "The requirement", placeholder: "name" }],
} as const;

const SECONDS_A_YEAR = 31_536_000;
const MINUTES_A_WEEK = 10_080;

const satisfyParameters = {
  positional: { ...NAMES, minimum: 1 },
  flags: {
    session: OF_SESSION,
    branch: {
      ...OF_BRANCH,
      brief: "For every session of this branch, also later ones; with --session for that one alone",
    },
    ttl: {
      kind: "parsed",
      parse: wholeNumber(1, SECONDS_A_YEAR),
      optional: true,
      brief: "For how many seconds",
      placeholder: "n",
    },
    metadata: {
      kind: "parsed",
      parse: someText,
      optional: true,
      brief: "A JSON object that is kept with it",
      placeholder: "json",
    },
  },
} as const;

type SatisfyFlags = {
  readonly session?: string;
  readonly branch?: string;
  readonly ttl?: number;
  readonly metadata?: string;
};

const satisfyExamples = (verb: string) => [
  `conclaude req ${verb} commit_plan --session 01980c5e`,
  `conclaude req ${verb} branch_size_limit --ttl 3600`,
  `conclaude req ${verb} security_review --branch feature/auth --metadata '{"ticket":"S-12"}'`,
];

/** `conclaude req …` */
export const req = group({
  verbs: {
    status: command<{ readonly session?: string; readonly branch?: string }, []>({
      load: async () => (await look()).showStatus,
      parameters: { flags: { session: OF_SESSION, branch: OF_BRANCH } },
      brief: "Show which requirements are satisfied",
      about:
        "Shows every requirement that is switched on here, and how it stands for this branch and session.\n" +
        "It leaves with status 0 also when some are open.",
      examples: ["conclaude req status", "conclaude req status --session 01980c5e --json"],
    }),
    satisfy: command<SatisfyFlags, string[]>({
      person: "req satisfy",
      load: async () => (await state()).satisfyRequirements,
      parameters: satisfyParameters,
      brief: "Say that requirements are satisfied",
      about:
        "Records that requirements are satisfied, by whom (the command line) and until when. An unknown name is\n" +
        "refused, and nothing is recorded then. An agent is kept from running this.",
      examples: satisfyExamples("satisfy"),
    }),
    approve: command<SatisfyFlags, string[]>({
      person: "req approve",
      load: async () => (await state()).satisfyRequirements,
      parameters: satisfyParameters,
      brief: "The same, as one says it of a value: approve its size",
      about:
        "The same as `conclaude req satisfy`. Of a calculated requirement it is an approval, which lasts for a while.",
      examples: satisfyExamples("approve"),
    }),
    clear: command<
      { readonly all: boolean; readonly session?: string; readonly branch?: string },
      string[]
    >({
      person: "req clear",
      load: async () => (await state()).clearRequirements,
      parameters: {
        positional: NAMES,
        flags: {
          all: { kind: "boolean", default: false, brief: "Every requirement" },
          session: {
            ...OF_SESSION,
            brief: "Only of this session; without it, of all sessions and of the branch",
          },
          branch: OF_BRANCH,
        },
      },
      brief: "Take back that requirements are satisfied",
      about:
        "Forgets what was recorded of requirements on a branch. An agent is kept from running this.",
      examples: [
        "conclaude req clear commit_plan",
        "conclaude req clear --all --branch feature/auth",
      ],
    }),
    pause: command<
      { readonly session?: string; readonly reason?: string; readonly minutes?: number },
      []
    >({
      person: "req pause",
      load: async () => (await state()).pauseRequirements,
      parameters: {
        flags: {
          session: OF_SESSION,
          reason: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief: "Why; the next start of the session shows it",
            placeholder: "text",
          },
          minutes: {
            kind: "parsed",
            parse: wholeNumber(1, MINUTES_A_WEEK),
            optional: true,
            brief: "For how long; without it until the session ends",
            placeholder: "n",
          },
        },
      },
      brief: "Lift all requirements for a session",
      about:
        "Lifts all requirements for one session, until it ends or as long as is said. An agent is kept from\n" +
        "running this.",
      examples: ["conclaude req pause --session 01980c5e --reason 'moving files only'"],
    }),
    resume: command<{ readonly session?: string }, []>({
      load: async () => (await state()).resumeRequirements,
      parameters: { flags: { session: OF_SESSION } },
      brief: "Put the requirements in force again",
      about: "Ends what `conclaude req pause` began.",
      examples: ["conclaude req resume --session 01980c5e"],
    }),
    list: command({
      load: async () => (await look()).listState,
      parameters: { flags: {} },
      brief: "List the branches that something is recorded of",
      about: "Lists the branches of this repository of which something is recorded, and how much.",
      examples: ["conclaude req list", "conclaude req list --json"],
    }),
    prune: command<{ readonly dryRun: boolean }, []>({
      person: "req prune",
      load: async () => (await state()).pruneBranches,
      parameters: {
        flags: {
          dryRun: { kind: "boolean", default: false, brief: "Only say what would be forgotten" },
        },
      },
      brief: "Forget what was recorded of branches that are gone",
      about:
        "Forgets what was recorded of branches that git does not know any more. When git names no branch at all,\n" +
        "nothing is removed.",
      examples: ["conclaude req prune --dry-run", "conclaude req prune"],
    }),
    sessions: command<{ readonly project: boolean }, []>({
      load: async () => (await look()).listLive,
      parameters: {
        flags: {
          project: { kind: "boolean", default: false, brief: "Only of the project in this folder" },
        },
      },
      brief: "List the sessions that are active",
      about:
        "Lists the sessions that are active, with their branches and processes. One whose process is gone is left out.",
      examples: ["conclaude req sessions --project", "conclaude req sessions --json"],
    }),
    show: command<Readonly<Record<never, never>>, [name: string]>({
      load: async () => (await look()).showRequirement,
      parameters: { positional: ONE_NAME },
      brief: "Show a requirement as it is configured",
      about: "Shows one requirement: what it asks, when, and what satisfies it.",
      examples: ["conclaude req show commit_plan", "conclaude req show commit_plan --json"],
    }),
    explain: command<{ readonly session?: string; readonly branch?: string }, [name: string]>({
      load: async () => (await look()).explainRequirement,
      parameters: { positional: ONE_NAME, flags: { session: OF_SESSION, branch: OF_BRANCH } },
      brief: "Explain why a requirement is open or satisfied here",
      about:
        "Says of one requirement when it is asked, how it stands here, why, and what would change that.",
      examples: ["conclaude req explain commit_plan --session 01980c5e"],
    }),
    enable: command<{ readonly all: boolean }, string[]>({
      person: "req enable",
      load: async () => (await files()).enableRequirements,
      parameters: {
        positional: NAMES,
        flags: { all: { kind: "boolean", default: false, brief: "Every requirement" } },
      },
      brief: "Switch requirements on, in your own file",
      about:
        "Switches requirements on in `.conclaude.local.yaml`, which is not committed; comments in it stay.",
      examples: ["conclaude req enable adr_reviewed"],
    }),
    disable: command<{ readonly all: boolean }, string[]>({
      person: "req disable",
      load: async () => (await files()).disableRequirements,
      parameters: {
        positional: NAMES,
        flags: { all: { kind: "boolean", default: false, brief: "Every requirement" } },
      },
      brief: "Switch requirements off, in your own file",
      about:
        "Switches requirements off in `.conclaude.local.yaml`, which is not committed; comments in it stay. An\n" +
        "agent is kept from running this.",
      examples: ["conclaude req disable adr_reviewed", "conclaude req disable --all"],
    }),
    init: command<
      {
        readonly preset: "strict" | "relaxed" | "minimal" | "advanced";
        readonly local: boolean;
        readonly force: boolean;
        readonly preview: boolean;
      },
      []
    >({
      person: "req init",
      load: async () => (await files()).initRequirements,
      parameters: {
        flags: {
          preset: {
            kind: "enum",
            values: ["strict", "relaxed", "minimal", "advanced"],
            default: "relaxed",
            brief:
              "strict: a plan and protected branches; relaxed: a plan; minimal: none; advanced: all",
          },
          local: {
            kind: "boolean",
            default: false,
            brief: "Into `.conclaude.local.yaml`, which is not committed",
          },
          force: {
            kind: "boolean",
            default: false,
            brief: "Replace the requirements that the file has",
          },
          preview: { kind: "boolean", default: false, brief: "Only show what would be written" },
        },
      },
      brief: "Begin with a set of requirements",
      about:
        "Writes requirements into the project's configuration file, with every one explained. What else is in the\n" +
        "file stays as it is.",
      examples: [
        "conclaude req init --preview",
        "conclaude req init --preset strict",
      ],
    }),
    import: importCommand,
  },
  brief: "Requirements: what has to be true before Claude edits, commits or stops",
  examples: [
    "conclaude req status",
    "conclaude req satisfy commit_plan --session 01980c5e",
    "conclaude req init --preset strict",
  ],
});
