import { count } from "../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { quoteWord } from "../settings/hooks.ts";
import { spooledFiles } from "../spool/drain.ts";
import { countAllWaiting } from "../store/queue_work.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";
import { unknownFilters, unknownText } from "./unknown_filter.ts";
import type { View } from "./view.ts";

/**
 * The answer of a search that found nothing. It names filters that match nothing at all.
 * @param asked `project` and `file`: what the flags mean; null where they are not given.
 */
export function nothingFound(
  db: DatabaseSync,
  context: CliContext,
  { flags, words, project, file, database }: {
    readonly database: string;
    readonly flags: {
      readonly project?: string;
      readonly branch?: string;
      readonly file?: string;
    };
    readonly words: readonly string[];
    readonly project: string | null;
    readonly file: string | null;
  },
): View {
  const unknown = unknownFilters(db, {
    project: flags.project === undefined || project === null
      ? null
      : { typed: flags.project, meant: project },
    branch: flags.branch ?? null,
    file: flags.file === undefined || file === null ? null : { typed: flags.file, meant: file },
  });
  const { globals } = context;
  const command = nextHere(`conclaude memory search ${quoteWord(words.join(" "))}`, globals);
  const waiting = countAllWaiting(db) + countSpooled(database, context);
  return {
    json: {
      results: [],
      quotedNowhere: [],
      ...unknown.length > 0 && { unknown },
      ...waiting > 0 && { waiting },
    },
    text: [
      "Nothing is remembered that matches.",
      ...unknownText(unknown, command),
      ...waiting === 0 ? [] : [waitingText(waiting, nextHere("conclaude queue drain", globals))],
    ].join("\n"),
  };
}

function countSpooled(database: string, { locations }: CliContext): number {
  return spooledFiles({ database, folders: locations.spoolFolders }).length;
}

function waitingText(waiting: number, next: string): string {
  return `${count(waiting, "capture is", "captures are")} not worked in yet: ${next}`;
}
