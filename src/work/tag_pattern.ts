import picomatch from "picomatch";
import { messageOf } from "../base/errors.ts";
import { refusal } from "./refusal.ts";

/** Options for tags, which are no files: a leading dot, parentheses and `!` have no meaning. */
const OPTIONS = { dot: true, nonegate: true, noextglob: true, strictBrackets: true };

/** Lists the tags that match a glob: `*` stays within a part, `**` also crosses `/`. @throws {UserError} INVALID_TAG */
export function tagsLike(pattern: string, tags: readonly string[]): string[] {
  try {
    const isLike = picomatch(pattern, OPTIONS);
    // A second argument, such as an index, would change what picomatch returns.
    return tags.filter((tag) => isLike(tag));
  } catch (thrown) {
    throw refusal("INVALID_TAG", {
      what: `Cannot read the pattern "${pattern}"`,
      why: messageOf(thrown),
      next: "conclaude task list --tag-pattern 'area/**'",
    });
  }
}
