/** What a hook tells of a database that it could not use: what `doctor` says of it, in a sentence. */
import { messageOf } from "../../errors.ts";
import type { Mending } from "../../guard/lift.ts";
import { identifyDatabase } from "../../store/identity.ts";
import { judgeDatabase, lockedBy } from "./database.ts";
import type { DatabasePlace } from "./place.ts";

/** @param fault What the hook was told when it tried. */
export function mendingOf(place: DatabasePlace, fault: unknown): Mending {
  const { database } = place;
  const why = messageOf(fault);
  const { kind } = identifyDatabase(database);
  // A hook that has waited for another process has no time left to look through a large file.
  const isHeld = /locked|busy/i.test(why) && (kind === "ours" || kind === "older");
  const found = isHeld ? lockedBy(database) : judgeDatabase(place);
  if (found.status !== "fail" || found.next === null) {
    return {
      trouble: `${database} cannot be used: ${why.split("\n", 1)[0]}`,
      remedy: "what `conclaude doctor` says",
    };
  }
  return {
    trouble: found.message,
    remedy: found.repair === undefined ? remedyOf(found.next) : "`conclaude doctor --fix`",
  };
}

/** A way out within a sentence. What a variable chooses has to be chosen for hooks and for commands. */
function remedyOf(next: string): string {
  const isCommand = /^[a-z]/.test(next);
  const text = isCommand ? `\`${next}\`` : next[0]!.toLowerCase() + next.slice(1);
  if (next.startsWith("fuser ")) return `end the process that ${text} shows`;
  return /\bCONCLAUDE_DB_PATH\b/.test(next)
    ? `${text} (in the shell that starts Claude Code, which has to be started again, and in that of further commands)`
    : text;
}
