/** Defines the section of the configuration about a team. */
import { list, section, text } from "../config/schema_kit.ts";
import { sharedAddressFault } from "./address.ts";
import * as z from "zod/mini";

/** What a team can share: kinds of observations, requirements and tasks. By default all but prompts are shared. */
export const SHARED_ROWS = [
  "note",
  "decision",
  "fix",
  "failure",
  "commit",
  "summary",
  "task",
  "requirement",
  "prompt",
] as const;

export const TEAM = section("Memory and tasks that a team shares: `conclaude team`.", {
  address: text(
    "The team's server, for `conclaude team join --login LOGIN`, which a person runs: postgres://db.example.org/team. " +
      "No login and no password.",
    { faultOf: sharedAddressFault },
  ),
  share: list(
    "kind",
    z.enum(SHARED_ROWS),
    `What is sent: ${
      SHARED_ROWS.join(", ")
    }. Empty for all but prompts. Counts in the user's own file alone.`,
  ),
});
