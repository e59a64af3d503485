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
    "Brings over what the older daemon (coven) has in `.coven`: tasks, grimoires, spells, matchers and configuration. It " +
    "first says what it takes, and what it leaves and why. A task in work is open again, or blocked while its worktree " +
    "or merge is there. No file is replaced, so it can run again.",
  examples: [
    "conclaude migrate --dry-run",
    "conclaude migrate",
    "conclaude migrate --from ../app --yes --json",
    "conclaude migrate --fresh",
  ],
});
