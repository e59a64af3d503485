import { textFlag, toggle } from "../flags.ts";
import { verb } from "../verb.ts";

export const doctor = verb({
  load: async () => (await import("../actions/doctor.ts")).runDoctor,
  flags: {
    fix: toggle("Correct what can be corrected without losing anything"),
    settings: textFlag(
      "A settings file to look into as well, for `claude --settings FILE`",
      "file",
    ),
  },
  about:
    "Looks at everything that has to be right for events to be recorded: the program, folders, database,\n" +
    "spool, hooks, configuration, sessions. Changes nothing without --fix. Exit status 1 when a check fails.",
  examples: ["conclaude doctor", "conclaude doctor --fix", "conclaude doctor --json"],
});
