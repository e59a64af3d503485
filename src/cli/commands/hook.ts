import { command } from "../command.ts";

/** `conclaude hook [EVENT]`: `main.ts` sends it past the command line, except for its help and for `--dry-run`. */
export const hook = command<
  { readonly dryRun: boolean; readonly conclaude: boolean },
  [event?: string]
>({
  load: async () => (await import("../actions/hook.ts")).runHookHere,
  parameters: {
    positional: {
      kind: "tuple",
      parameters: [{
        parse: String,
        brief: "Name of the event; without it the one in the payload counts",
        placeholder: "event",
        optional: true,
      }],
    },
    flags: {
      dryRun: {
        kind: "boolean",
        default: false,
        brief: "Show the answer and what every rule says, and change nothing",
      },
      conclaude: {
        kind: "boolean",
        default: false,
        brief: "Changes nothing: it tells `install-hooks` whose command it is",
      },
    },
  },
  brief: "Handle one hook event of Claude Code: JSON on stdin, the answer on stdout",
  about:
    "What `install-hooks` makes Claude Code call. It always leaves with status 0; what goes wrong is in the log, " +
    "and `conclaude doctor` tells of it. With --dry-run it says for a person what would be answered and why: nothing " +
    "is written, and with --json it prints the answer alone.",
  examples: [
    "conclaude hook PostToolUse < payload.json",
    "conclaude hook PreToolUse --dry-run < payload.json",
    "conclaude hook --db /tmp/try.db < payload.json",
  ],
});
