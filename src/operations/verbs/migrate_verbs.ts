import { optional, parsed, toggle } from "../flags.ts";
import { verb } from "../verb.ts";

export const migrate = verb({
  load: async () => (await import("../actions/migrate_coven.ts")).migrate,
  flags: {
    from: optional(
      parsed(String, "The project, or its `.coven`, instead of the nearest one upwards", "dir"),
    ),
    dryRun: toggle("Only say what would be brought over"),
    yes: toggle("Do not ask"),
    fresh: toggle("Bring nothing over, and be told of it no more"),
  },
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
