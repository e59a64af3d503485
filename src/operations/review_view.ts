/** What a working tree has changed, for people and for programs. */
import { count } from "../base/counts.ts";
import { plain } from "../base/plain.ts";
import type { Review } from "../system/git/merge.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";
import type { View } from "./view.ts";

/** A longer diff is not printed unasked. */
const MAX_DIFF_CHARS = 10_000;

/** @param whole The command that prints all of the diff; null where it is to be printed. @param target What conflicts are with. */
export function reviewView(
  { globals }: CliContext,
  { files, diff, conflicts, ...review }: Review,
  { whole, target }: { readonly whole: string | null; readonly target: string },
): View {
  const added = files.reduce((total, file) => total + (file.added ?? 0), 0);
  const removed = files.reduce((total, file) => total + (file.removed ?? 0), 0);
  const summary = `${count(files.length, "file")} changed, +${added}/-${removed} lines`;
  return {
    json: { review: { ...review, summary, files, diff, conflicts } },
    quoted: true,
    text: [
      ...files.map(({ path, added, removed }) =>
        plain(`${added === null ? "binary" : `+${added}/-${removed}`}`.padEnd(12) + path)
      ),
      summary,
      ...conflicts.length === 0
        ? []
        : [plain(`Conflicts with ${target} in ${conflicts.join(", ")}`)],
      ...diff === "" ? [] : [
        "",
        whole === null || diff.length < MAX_DIFF_CHARS
          ? diff.trimEnd().split("\n").map(plainLine).join("\n")
          : `The diff has ${diff.length} characters: ${nextHere(whole, globals)}`,
      ],
    ].join("\n"),
  };
}

/** Replaces control characters in a line of a diff, except tabs. */
function plainLine(line: string): string {
  return line.split("\t").map(plain).join("\t");
}
