import { command, filled } from "../command.ts";

/** `conclaude doctor` */
export const doctor = command({
  load: async () => (await import("../actions/doctor.ts")).runDoctor,
  parameters: {
    flags: {
      fix: {
        kind: "boolean",
        default: false,
        brief: "Correct what can be corrected without losing anything",
      },
      settings: {
        kind: "parsed",
        parse: filled,
        optional: true,
        brief: "A settings file to look into as well, for `claude --settings FILE`",
        placeholder: "file",
      },
    },
  },
  brief: "Find out what is wrong, and what to do",
  about:
    "Looks at everything that has to be right for events to be recorded: the program, folders, database,\n" +
    "spool, hooks, configuration, sessions. Changes nothing without --fix. Exit status 1 when a check fails.",
  examples: ["conclaude doctor", "conclaude doctor --fix", "conclaude doctor --json"],
});
