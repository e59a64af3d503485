import type { DatabaseSync } from "node:sqlite";
import { quoteWord } from "../settings/hooks.ts";
import type { SearchFlags } from "./actions/memory_search.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";
import { unknownFilters, unknownText } from "./unknown_filter.ts";
import type { View } from "./view.ts";

/**
 * What a search says that has found nothing, with the filters of which nothing at all is known.
 *
 * @param asked `project` and `file`: what the flags mean, null where they are not given.
 */
export function nothingFound(
  db: DatabaseSync,
  { globals }: CliContext,
  { flags, words, project, file }: {
    readonly flags: SearchFlags;
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
  const command = nextHere(`conclaude memory search ${quoteWord(words.join(" "))}`, globals);
  return {
    json: { results: [], quotedNowhere: [], ...unknown.length > 0 && { unknown } },
    text: ["Nothing is remembered that matches.", ...unknownText(unknown, command)].join("\n"),
  };
}
