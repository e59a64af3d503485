/** What a session comes to, told without any model: what was asked, done, changed, and left open. */
import type { ObservationKind, ObservedFacts } from "./observation.ts";
import { shortened, titleLine } from "./text.ts";

/** What a summary needs to know of an observation. */
export interface SummarizedPart {
  readonly id: number;
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly facts: ObservedFacts;
  readonly resolvedBy: number | null;
}

/** A summary in words. */
export interface SessionSummary {
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  /** What was left: failures that nothing has mended, tasks that are not done. */
  readonly open: readonly string[];
}

const MAX_ASKED = 4;
const MAX_LISTED = 8;
const MAX_FILES = 20;
const MAX_MESSAGE_CHARS = 600;

/**
 * Tells a session by its observations.
 *
 * @param parts Oldest first. @returns Null when there is nothing to tell.
 */
export function summarizeSession(parts: readonly SummarizedPart[]): SessionSummary | null {
  const of = (kind: ObservationKind) => parts.filter((part) => part.kind === kind);
  const prompts = of("prompt");
  const edits = of("edit");
  const done = [...of("commit"), ...of("fix")].map(({ title }) => title);
  const open = openEnds(parts);
  const files = filesByCount(edits);
  const message = of("message").at(-1);
  if (parts.length === 0) return null;
  const asked = prompts.map(({ title }) => title);
  const heading = asked[0] ?? done[0] ?? parts[0]!.title;
  const counts = [
    count(of("commit").length, "commit"),
    count(of("fix").length, "fix", "fixes"),
    count(files.length, "file"),
    open.length === 0 ? null : `${open.length} open`,
  ].filter((part) => part !== null).join(", ");
  return {
    title: titleLine(`Session: ${shortened(heading, 110)}${counts === "" ? "" : ` (${counts})`}`),
    text: [
      ...section("Asked", firstAndLast(asked, MAX_ASKED)),
      ...section("Done", done.slice(-MAX_LISTED)),
      ...section(
        "Decided",
        [...of("decision"), ...of("note")].map(({ title }) => title).slice(-MAX_LISTED),
      ),
      ...section("Changed", files.slice(0, MAX_LISTED)),
      ...section("Open", open.slice(0, MAX_LISTED)),
      ...message === undefined ? [] : [`Last: ${shortened(message.text, MAX_MESSAGE_CHARS)}`],
    ].join("\n"),
    files: files.slice(0, MAX_FILES),
    open,
  };
}

/** What is left of a session: failures that nothing has mended, the newest first, then tasks that are not done. */
export function openEnds(parts: readonly SummarizedPart[]): string[] {
  const failures = parts.filter(({ outcome, resolvedBy, kind }) =>
    outcome === "failure" && resolvedBy === null && (kind === "failure" || kind === "test")
  ).reverse();
  const closed = new Set(
    parts.flatMap(({ kind, title }) => {
      const [, number] = /^Task (\S+): (?:completed|deleted)$/.exec(title) ?? [];
      return kind === "task" && number !== undefined ? [number] : [];
    }),
  );
  const tasks = parts.filter(({ kind, title }) =>
    kind === "task" && !closed.has(/^Task (\S+?):/.exec(title)?.[1] ?? "")
  ).flatMap(({ facts }) => facts.open ?? []);
  return [...failures.map(({ title }) => title), ...new Set(tasks)];
}

/** The files that were changed, the ones with the most changes first. */
function filesByCount(edits: readonly SummarizedPart[]): string[] {
  const counts = new Map<string, number>();
  for (const { files } of edits) {
    for (const file of files) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([file]) => file);
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${name}:`, ...lines.map((line) => `- ${line}`)];
}

/** What was asked first says what it is about, what was asked last where it went. */
function firstAndLast(lines: readonly string[], limit: number): readonly string[] {
  return lines.length <= limit ? lines : [lines[0]!, ...lines.slice(1 - limit)];
}

function count(n: number, one: string, many = `${one}s`): string | null {
  return n === 0 ? null : `${n} ${n === 1 ? one : many}`;
}
