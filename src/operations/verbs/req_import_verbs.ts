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
    "Takes over what the older requirements framework has: `.claude/requirements.yaml` into `.conclaude.yaml`, the user's " +
    "own files into `.conclaude.local.yaml`, and satisfactions with their times. What is here stays, and what cannot be " +
    "taken over is named. It can run again. Agents cannot run this.",
  examples: [
    "conclaude req import --dry-run",
    "conclaude req import",
    "conclaude req import --local --json",
  ],
});
