import { command } from "../command.ts";

/** `conclaude migrate` */
export const migrate = command<
  {
    readonly from?: string;
    readonly dryRun: boolean;
    readonly yes: boolean;
    readonly fresh: boolean;
  },
  []
>({
  load: async () => (await import("../actions/migrate.ts")).migrate,
  parameters: {
    flags: {
      from: {
        kind: "parsed",
        parse: String,
        optional: true,
        brief: "The project, or its `.coven`, instead of the nearest one upwards",
        placeholder: "dir",
      },
      dryRun: { kind: "boolean", default: false, brief: "Only say what would be brought over" },
      yes: { kind: "boolean", default: false, brief: "Do not ask" },
      fresh: {
        kind: "boolean",
        default: false,
        brief: "Bring nothing over, and be told of it no more",
      },
    },
  },
  brief: "Bring over tasks, workflows and settings from coven",
  about:
    "Brings over what the older daemon (coven) has in `.coven`: tasks, workflows, agents and questions into the\n" +
    "database; grimoires, spells and matchers into `.conclaude`; its configuration into `.conclaude.yaml`. It says first\n" +
    "what it will do. Nobody's claim is taken over: what was in work is open again, or blocked where its worktree is\n" +
    "still there; a merge that was not finished is blocked. Workflows, agents and questions are history: nothing of\n" +
    "them is started. A file of yours is never replaced, and what cannot be read is named.\n\n" +
    "The older files stay as they are, and it can be run again: what is there already is not brought over twice.",
  examples: [
    "conclaude migrate --dry-run",
    "conclaude migrate",
    "conclaude migrate --from ../app --yes --json",
    "conclaude migrate --fresh",
  ],
});
