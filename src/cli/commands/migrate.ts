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
    "Brings over what the older daemon (coven) has in `.coven`: tasks into the database; grimoires, spells and matchers\n" +
    "into `.conclaude`; its configuration into `.conclaude.yaml`. It says first what it will do, and what it leaves and\n" +
    "why: workflows, familiars and questions stay there, since nothing goes on with them. Nobody's claim is taken over:\n" +
    "what was in work is open again, or blocked where its worktree is still there; a merge that was not finished is\n" +
    "blocked. A file of yours is never replaced, and what cannot be read is named.\n\n" +
    "The older files stay as they are, and it can be run again: what is there already is not brought over twice.",
  examples: [
    "conclaude migrate --dry-run",
    "conclaude migrate",
    "conclaude migrate --from ../app --yes --json",
    "conclaude migrate --fresh",
  ],
});
