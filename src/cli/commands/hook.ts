import { command } from "../command.ts";

/** `conclaude hook [EVENT]`: `main.ts` sends it past the command line, except for its help. */
export const hook = command({
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
  },
  brief: "Handle one hook event of Claude Code: JSON on stdin, the answer on stdout",
  about:
    "What `install-hooks` makes Claude Code call. It always leaves with status 0; what goes wrong is in the log, " +
    "and `conclaude doctor` tells of it. A `--conclaude` at the end changes nothing: it tells `install-hooks` " +
    "whose command it is, where the program has another name.",
  examples: [
    "conclaude hook PostToolUse < payload.json",
    "conclaude hook --db /tmp/try.db < payload.json",
  ],
});
