/** The section of the configuration about what is remembered. */
import { bool, int, section, text } from "../config/schema_kit.ts";
import type { SectionValues } from "../config/config_schema.ts";

export const MEMORY = section("What is made of captures, and what Claude is told of it.", {
  enabled: bool(true, "False works no captures into memory, and tells Claude nothing of it."),
  context: section("What a session is told when it starts.", {
    tokens: int(
      [0, 2_500],
      1_200,
      "The most tokens, of 3.5 characters each; 0 for nothing.",
    ),
    notice: bool(
      true,
      "Whether the person sees in one line what memory holds of the project and what is open.",
    ),
  }),
  recall: section("What Claude is told while it works, at most 250 tokens each time.", {
    prompts: bool(false, "Whether a prompt is answered with what is remembered about it."),
    edits: bool(false, "Whether an edit is preceded by what is remembered of the file."),
  }),
  retentionDays: int(
    [0, 36_500],
    0,
    "Days that an observation, and the count of a message's tokens, stays after it was last seen; 0 is for ever. Counts in the user's own file alone.",
  ),
  summarizer: section(
    "A command that rewrites summaries of sessions, outside of hooks. Counts in the user's own file alone, and a mistake " +
      "in it switches it off.",
    {
      command: text(
        "A shell command, such as `claude -p --model haiku`. Without it nothing is sent to a model.",
      ),
      maxRunsPerDay: int([0, 10_000], 50, "Runs in a day (UTC) at most."),
      maxTokensPerDay: int(
        [0, 100_000_000],
        100_000,
        "Tokens in and out in a day (UTC) at most, estimated.",
      ),
      timeoutSeconds: int([1, 600], 60, "Seconds after which it is ended."),
    },
  ),
});

export type MemorySettings = SectionValues<{ memory: typeof MEMORY }>["memory"];
