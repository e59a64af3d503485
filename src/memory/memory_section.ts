/** The section about what is remembered. */
import { bool, int, section, text } from "../config/schema_kit.ts";
import type { SectionValues } from "../config/config_schema.ts";

/** `memory: …` */
export const MEMORY = section("What is made of captures, and what Claude is told of it.", {
  enabled: bool(
    true,
    "False tells Claude nothing of earlier sessions and works no captures into memory; they are kept all the same. A drain " +
      "works in those of all projects: where only a project's file says it, a drain of another one works in its captures, too.",
  ),
  context: section("What a session is told when it starts.", {
    tokens: int(
      [0, 2_500],
      1_200,
      "How much that may be, in tokens, estimated as 3.5 characters each. 0 tells nothing.",
    ),
  }),
  recall: section("What Claude is told while it works, at most 250 tokens each time.", {
    prompts: bool(false, "Whether a prompt is answered with what is remembered about it."),
    edits: bool(
      false,
      "Whether Claude is told, before it edits a file, what is remembered of that file.",
    ),
  }),
  retentionDays: int(
    [0, 36_500],
    0,
    "Days that an observation stays after it was last seen. 0 is for ever. Notes always stay. It counts in the user's own " +
      "file (`~/.conclaude/config.yaml`) alone.",
  ),
  summarizer: section(
    "A command that rewrites the summaries of sessions. Without `command` nothing is ever sent to a model. It never runs " +
      "within a hook: the daemon and `conclaude queue drain` start it, and when it fails the summary stays as it was. " +
      "It counts in the user's own file alone, since it is given what was done in all projects. A mistake in this section " +
      "switches it off: a limit that cannot be read is not replaced by a larger one.",
    {
      command: text(
        "A shell command, such as `claude -p --model haiku`. It is given the summary on its standard input, with what to " +
          "do with it, and answers with a shorter one. Only `~/.conclaude/config.yaml` can name it.",
      ),
      maxRunsPerDay: int(
        [0, 10_000],
        50,
        "How often it is run in a day (UTC) at most. 0 is never.",
      ),
      maxTokensPerDay: int(
        [0, 100_000_000],
        100_000,
        "How many tokens it may be given and may answer with in a day (UTC), estimated as 3.5 characters each. 0 is none.",
      ),
      timeoutSeconds: int([1, 600], 60, "When it is ended."),
    },
  ),
});

/** The values of the section. */
export type MemorySettings = SectionValues<{ memory: typeof MEMORY }>["memory"];
