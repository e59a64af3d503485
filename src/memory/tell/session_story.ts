/** Tells what happened in a session: asked, done, failed, decided, left open. Summaries and `session show` use it. */
import { isSuperseded, type ObservationKind } from "../observe/observation.ts";
import { todosOf } from "../observe/observe_task.ts";
import type { Observation } from "../drain/observations_table.ts";
import { openFailures } from "./open_ends.ts";
import { COMPACTION } from "../../claude/transcript/spoken.ts";

/** The fields of a session's observation that the story needs. */
export type SummarizedPart = Omit<
  Observation,
  "uid" | "sessionId" | "project" | "author" | "createdAtMs"
>;

interface ChangedFile {
  readonly path: string;
  /** Lines that the session's edits added and removed. Edits that were taken back do not count. */
  readonly added: number;
  readonly removed: number;
}

/**
 * Makes the story of one session from its observations. Every list is in the order of time, unless its comment tells
 * another order. @param parts Oldest first.
 */
export function storyOf<Part extends SummarizedPart>(parts: readonly Part[]) {
  const standing = parts.filter((part) => !isSuperseded(part));
  const of = (kind: ObservationKind) => standing.filter((part) => part.kind === kind);
  const runs = of("test");
  const red = runs.filter(({ outcome }) => outcome === "failure");
  const todos = todosOf(parts);
  return {
    /** The prompts. Their titles tell what was asked. */
    asked: of("prompt"),
    /** The changed files; those with the most edits come first. */
    files: filesByCount(of("edit")),
    commits: of("commit"),
    fixes: of("fix"),
    /** Decisions, then notes. */
    decided: [...of("decision"), ...of("note")],
    /** All failures and failed runs of tests, mended or not. */
    failed: standing.filter(({ kind, outcome }) =>
      (kind === "failure" || kind === "test") && outcome === "failure"
    ),
    /** The number of test runs that passed, and of those that failed. */
    tests: { green: runs.length - red.length, red: red.length },
    todos,
    /** The titles of what {@linkcode openFailures} finds at the end of the session; then the open todos. */
    open: [
      ...openFailures(parts, parts.at(-1)?.updatedAtMs ?? 0).map(({ title }) => title),
      ...todos?.open ?? [],
    ],
    /** Claude's own last message; empty when there is none. */
    last: parts.findLast(isOwnMessage)?.text ?? "",
  };
}

/** Tells whether a message is Claude's own, and not of a sub-agent, of Claude Code, or about an error. */
function isOwnMessage({ kind, title, facts }: SummarizedPart): boolean {
  return kind === "message" && facts.tool === undefined && facts.isRelayed !== true &&
    facts.stopped === undefined && !title.startsWith(COMPACTION);
}

function filesByCount(edits: readonly SummarizedPart[]): ChangedFile[] {
  const files = new Map<string, ChangedFile & { readonly edits: number }>();
  for (const { files: paths, facts: { added = 0, removed = 0 } } of edits) {
    for (const path of paths) {
      const known = files.get(path) ?? { path, added: 0, removed: 0, edits: 0 };
      files.set(path, {
        path,
        added: known.added + added,
        removed: known.removed + removed,
        edits: known.edits + 1,
      });
    }
  }
  return [...files.values()].sort((one, other) => other.edits - one.edits)
    .map(({ edits: _, ...file }) => file);
}
