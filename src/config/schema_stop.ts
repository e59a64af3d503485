/** The sections about the end of a turn, about prompts and about notifications. */
import * as z from "zod/mini";
import { KNOWN_EVENTS } from "../settings/hooks.ts";
import {
  bool,
  globText,
  int,
  list,
  needed,
  optional,
  perhapsInt,
  regexText,
  rules,
  rulesByGlob,
  said,
  section,
  text,
} from "./schema_kit.ts";

/** More would only be cut off: Claude Code overrides a ninth block in a row. */
const MAX_BLOCKS = 8;

/** A line that is not empty, and no comment. */
const DOING = /^[^\S\n]*[^\s#]/m;

const RUN = needed(
  "text",
  z.string().check(
    z.minLength(1),
    z.check<string>(({ value, issues }) => {
      if (value === "" || DOING.test(value)) return;
      issues.push({ code: "custom", message: "no line of it runs anything", input: value });
    }),
  ),
  "What is run, by `bash` (`sh` where there is none). Every line has to succeed: the first that fails ends it. " +
    "Variables last from line to line, and `if`, loops, functions and here-documents may span lines.",
);

const TIMEOUT = perhapsInt(
  [1, 3600],
  "After how many seconds it is ended, with its process group, and counts as failed. What has left the group (`setsid`) " +
    "lives on.",
);

/** A command whose failure is told. */
const COMMAND = {
  run: RUN,
  message: said("What is said, beside which command failed, when it fails."),
  showStdout: bool(false, "Whether its standard output is told when it fails."),
  showStderr: bool(false, "Whether its error output is told when it fails."),
  maxOutputLines: perhapsInt(
    [1, 10_000],
    "How many lines of each output are told, the first ones.",
  ),
  timeout: TIMEOUT,
  showCommand: bool(true, "Whether the failing line is told."),
  notifyPerCommand: bool(
    false,
    "Whether its end is a desktop notification of its own, where `notifications` asks for any.",
  ),
};

/** A name that Claude Code does not know would never be heard of. */
const eventName = z.string().check(z.check<string>(({ value, issues }) => {
  if (value === "*" || KNOWN_EVENTS.some((name) => name === value)) return;
  issues.push({ code: "custom", message: "Claude Code has no such event", input: value });
}));

/** What `schema.ts` has beside its own sections. */
export const STOP_SECTIONS = {
  stop: section(
    "What must be true before Claude stops. It is judged at every stop, also at one that continues a stopped one.",
    {
      commands: rules(
        "Commands that have to succeed, run one after the other in the folder of the project's configuration file, " +
          "until one fails.",
        COMMAND,
        { item: "map of keys" },
      ),
      infinite: bool(false, "Whether Claude is told to go on although everything succeeded."),
      infiniteMessage: text("What it is told then. Without it: `continue working on the task`."),
      rounds: perhapsInt(
        [1, 10_000],
        "How many times Claude has to come to an end: with 3 it is told twice to go on, and stops the third time. " +
          "`stop.maxBlocks` bounds it.",
      ),
      maxBlocks: int(
        [1, MAX_BLOCKS],
        6,
        "How many stops in a row are held back. The next one is let through, and the person is told what is still open. " +
          "Where there are requirements, 8 counts as 7: Claude Code allows eight in all.",
      ),
      promptPrefixBlocking: section(
        "Messages that hold back the first stops of a session that began with a certain prompt.",
        {
          prefixes: list(
            "glob",
            globText(),
            "What the first prompt has to be like. Each glob is tried on its first 100 characters: `/review*`.",
          ),
          messages: rules(
            "What Claude is told at its stops, one message after the other.",
            {
              text: needed("text", z.string().check(z.minLength(1)), "The message."),
              times: int([1, 1000], 1, "For how many stops."),
            },
            { item: "map of keys" },
          ),
        },
      ),
    },
  ),
  subagentStop: section("What is run when a subagent stops. It never holds the subagent back.", {
    commands: rulesByGlob(
      "Commands by the type or the id of the subagent, as a glob. All that match are run, those of `*` first; a " +
        "failure is told to the person.",
      COMMAND,
    ),
  }),
  userPromptSubmit: section("What happens when a person sends a prompt.", {
    contextRules: rules(
      "What Claude is told beside prompts that a pattern matches.",
      {
        pattern: needed(
          "regular expression",
          regexText(),
          "A regular expression (JavaScript), found anywhere in the prompt.",
        ),
        prompt: needed(
          "text",
          z.string().check(z.minLength(1)),
          "What Claude is told. `@path` stands for the content of a file in the folder of the configuration file.",
        ),
        enabled: bool(true, "False leaves the rule out."),
        caseInsensitive: bool(false, "Whether upper and lower case are the same."),
      },
      { item: "map of keys" },
    ),
    commands: rules(
      "Commands that are run with every prompt. What they print is not looked at, and a failure is only noted in the " +
        "audit trail.",
      {
        run: RUN,
        pattern: optional(
          "regular expression",
          regexText(),
          "Only for prompts in which this regular expression (JavaScript) is found.",
        ),
        caseInsensitive: bool(false, "Whether upper and lower case are the same."),
        timeout: TIMEOUT,
      },
      { item: "map of keys" },
    ),
    slashCommands: section("What is run when a prompt begins with a slash command.", {
      commands: rulesByGlob(
        "Commands by the name of the slash command, as a glob. One that leaves with status 2 holds the prompt back; " +
          "any other failure is only noted in the audit trail.",
        COMMAND,
      ),
    }),
  }),
  notifications: section(
    "Notifications on the desktop, by the system's own means: `notify-send`, `osascript`, or PowerShell.",
    {
      enabled: bool(false, "Whether there are any."),
      hooks: list("hook event", eventName, "Which hook events are shown; `*` means all."),
      showErrors: bool(
        false,
        "Whether what was refused, held back or failed is shown, as urgent.",
      ),
      showSuccess: bool(false, "Whether what went well is shown."),
      showSystemEvents: bool(
        true,
        "Whether SessionStart, SessionEnd, UserPromptSubmit, SubagentStart, SubagentStop and PreCompact are shown.",
      ),
    },
  ),
};
