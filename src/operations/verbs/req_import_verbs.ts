import { toggle } from "../flags.ts";
import { verb } from "../verb.ts";

export const reqImport = verb({
  person: "req import",
  load: async () => (await import("../actions/req_import.ts")).importRequirements,
  flags: {
    dryRun: toggle("Only say what would be taken over"),
    local: toggle("Everything into `.conclaude.local.yaml`, which is not committed"),
    force: toggle("Also replace what the configuration here has of the same name"),
  },
  about:
    "Takes over what the older requirements framework has: `.claude/requirements.yaml` into `.conclaude.yaml`, what " +
    "the user's own files say beyond it into `.conclaude.local.yaml`, and satisfactions with their times. What was " +
    "not switched on is written as switched off. What is here already stays, what cannot be taken over is named, " +
    "and the older files stay, so it can run again. Agents cannot run this.",
  examples: [
    "conclaude req import --dry-run",
    "conclaude req import",
    "conclaude req import --local --json",
  ],
});
