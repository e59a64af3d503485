/** The branch that a task's work lies on. */

/** The folder of branches that belong to tasks. */
const PREFIX = "conclaude/";

/** Longest part after the folder: a file system takes 255 bytes for a name, and git adds `.lock`. */
const MAX_LENGTH = 100;

/**
 * The branch of a task: `conclaude/<id>`, and after the id what is left of the title in plain letters.
 *
 * What git refuses in a name (`git check-ref-format`) becomes `-`: white space, control characters, `..`, `@{` and
 * `~ ^ : ? * [ \`. The same id gives the same branch; the result is always a valid name.
 */
export function branchName(taskId: string, title = ""): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 40);
  const id = sanitise(taskId).slice(0, MAX_LENGTH - 41);
  const name = words === "" ? id : `${id}-${words}`;
  return PREFIX + tidyEnds(name);
}

function sanitise(id: string): string {
  return id
    // deno-lint-ignore no-control-regex
    .replace(/[\x00-\x20\x7f~^:?*[\]\\{}"'`$&;|<>()!#%]|\s|[^\x00-\x7f]/g, "-")
    .replace(/@\{/g, "-")
    .replace(/\.{2,}/g, "-")
    .replace(/\/+/g, "-");
}

/** No part of a ref begins with a dot or ends with a dot or `.lock`; a lone `@` means HEAD. */
function tidyEnds(name: string): string {
  let tidy = name.replace(/^[.-]+/, "");
  while (/(?:\.lock|[.-])$/.test(tidy)) tidy = tidy.replace(/(?:\.lock|[.-])$/, "");
  return tidy === "" || tidy === "@" ? "task" : tidy;
}
