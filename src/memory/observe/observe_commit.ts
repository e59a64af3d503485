/** The commits that a command has made, as observations. */
import type { Observed } from "../observation.ts";
import { headAndTail, shortened, titleLine } from "../text.ts";
import { chained } from "./chained.ts";
import { KEPT_OUTPUT, textOf } from "./command_text.ts";
import { committedFiles } from "./committed_files.ts";
import { type MadeCommit, madeCommits } from "./commits.ts";
import type { EndedCommand } from "./ended_command.ts";
import { MAX_COMMAND_CHARS } from "./shown_command.ts";

/** What a command has committed: the first, with the others as what it tells besides. */
export function commitOf(run: EndedCommand): Observed | null {
  const made = madeCommits({ ...run, surroundings: run });
  // Of several nobody knows which files are whose.
  const files = made.length === 1 ? committedFiles(run.output) : [];
  return chained(made.map((commit) => ({
    ...observedCommit(run, commit),
    files: files.map((path) => ({ path, digest: null })),
  })));
}

function observedCommit({ command, output }: EndedCommand, commit: MadeCommit): Observed {
  const { hash, subject, branch, origin, isAmended } = commit;
  const name = `${hash === null ? "" : ` ${hash.slice(0, 7)}`}${
    branch === null ? "" : ` on ${branch}`
  }${isAmended && origin !== "amended" ? ", amended" : ""}`;
  return {
    kind: "commit",
    outcome: "success",
    title: titleLine(`Commit${name}${subject === null ? ` ${origin}` : `: ${subject}`}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT)),
    files: [],
    facts: {
      command: shortened(command, MAX_COMMAND_CHARS),
      commit: { hash, subject, ...(isAmended ? { amended: true } : {}) },
    },
    sameAs: hash === null && subject === null ? null : `commit ${hash ?? subject}`,
  };
}
