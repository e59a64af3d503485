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
    "Checks all that recording needs: program, folders, database, spool, hooks, configuration, sessions. It changes " +
    "nothing without --fix. Exit status 1 when a check fails.",
  examples: ["conclaude doctor", "conclaude doctor --fix", "conclaude doctor --json"],
});
