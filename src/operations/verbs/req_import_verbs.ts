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
  about: "Takes over what the older requirements framework has of this project and its user:\n\n" +
    "- `.claude/requirements.yaml` of the project, into `.conclaude.yaml`, which the team shares;\n" +
    "- `~/.claude/requirements.yaml` and `.claude/requirements.local.yaml`, into `.conclaude.local.yaml`, which is not\n" +
    "  committed: only what they say beyond the project's own file. So nothing of yours is shared, no other project\n" +
    "  changes, and for you the requirements here are what they were (`inherit: false` is minded);\n" +
    "- what is satisfied on which branch, from `requirements/*.json` in the git directory, with its original time.\n" +
    "  `~/.claude/sessions.json` only helps to tell which session a short id means.\n\n" +
    "A requirement that was not switched on there is written as switched off; in messages, `req satisfy` becomes\n" +
    "`conclaude req satisfy`. What the configuration here has already stays, newer satisfactions too; what cannot be\n" +
    "taken over is named, with the reason. That a requirement was triggered is not taken over: it belongs to sessions\n" +
    "that are over. The older files stay as they are. It can be run again; what was cleared or used up since comes back\n" +
    "then. An agent is kept from running this.",
  examples: [
    "conclaude req import --dry-run",
    "conclaude req import",
    "conclaude req import --local --json",
  ],
});
