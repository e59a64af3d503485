/** What happened in a session: asked, done, failed, decided, left open. Its summary and `session show` are made of it. */
import { isSuperseded, type ObservationKind } from "../observe/observation.ts";
import { todosOf } from "../observe/observe_task.ts";
import type { Tellable } from "./context_text.ts";
import { newestOfEach, openEndRank } from "./open_ends.ts";
import { COMPACTION } from "../../claude/transcript/spoken.ts";

/** An observation of a session, as far as the story needs it. */
export type SummarizedPart = Omit<Tellable, "sessionId" | "repeats" | "stale" | "author"> & {
  readonly text: string;
};

interface ChangedFile {
  readonly path: string;
  /** Lines that its edits added and removed; an edit that was taken back does not count. */
  readonly added: number;
  readonly removed: number;
}

/** The story of a session. Every list is in the order of time, unless it says otherwise. */
export interface Story<Part extends SummarizedPart = SummarizedPart> {
  /** The prompts; what is asked stands in the title. */
  readonly asked: readonly Part[];
  /** The files with the most edits first. */
  readonly files: readonly ChangedFile[];
  readonly commits: readonly Part[];
  readonly fixes: readonly Part[];
  /** Decisions, then notes. */
  readonly decided: readonly Part[];
  /** Every failure and failed run of tests, mended or not. */
  readonly failed: readonly Part[];
  /** How many runs of tests passed and failed. */
  readonly tests: { readonly green: number; readonly red: number };
  readonly todos: ReturnType<typeof todosOf>;
  /** The open failures, the last one of each command, the newest first; then the open todos. */
  readonly open: readonly string[];
  /** Claude's last own message; empty where there is none. */
  readonly last: string;
}

/** Tells what observations of one session say. @param parts Oldest first. */
export function storyOf<Part extends SummarizedPart>(parts: readonly Part[]): Story<Part> {
  const standing = parts.filter((part) => !isSuperseded(part));
  const of = (kind: ObservationKind) => standing.filter((part) => part.kind === kind);
  const runs = of("test");
  const red = runs.filter(({ outcome }) => outcome === "failure");
  const todos = todosOf(parts);
  return {
    asked: of("prompt"),
    files: filesByCount(of("edit")),
    commits: of("commit"),
    fixes: of("fix"),
    decided: [...of("decision"), ...of("note")],
    failed: standing.filter(({ kind, outcome }) =>
      (kind === "failure" || kind === "test") && outcome === "failure"
    ),
    tests: { green: runs.length - red.length, red: red.length },
    todos,
    open: [...openTitles(parts), ...todos?.open ?? []],
    last: parts.findLast(isOwnMessage)?.text ?? "",
  };
}

/** Whether a message is Claude's own: not of a sub-agent, of Claude Code, or of an error. */
function isOwnMessage({ kind, title, facts }: SummarizedPart): boolean {
  return kind === "message" && facts.tool === undefined && facts.isRelayed !== true &&
    facts.stopped === undefined && !title.startsWith(COMPACTION);
}

function openTitles(parts: readonly SummarizedPart[]): string[] {
  return newestOfEach(parts.filter((part) => openEndRank(part) !== null))
    .map(({ title }) => title).reverse();
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
