/** Summarizes a session without a model: what was asked, done, decided and changed, and what failed last. */
import { count } from "../../base/counts.ts";
import type { Tellable } from "./context_text.ts";
import { isSuperseded, type ObservationKind, type ObservedFacts } from "../observe/observation.ts";
import { newestOfEach, openEndRank } from "./open_ends.ts";
import { COMPACTION } from "../../claude/transcript/spoken.ts";
import { shortened, titleLine } from "../text.ts";
import { todosOf } from "../observe/observe_task.ts";

/** An observation that a summary is made of. */
export type SummarizedPart = Omit<Tellable, "sessionId" | "repeats" | "stale"> & {
  readonly text: string;
};

/** A summary in words. */
export interface SessionSummary {
  /** The subject and how much was done; not what is open, since a later session may do it. */
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  /** Its lists of tasks, the tasks and failures that it left open, and its branches. */
  readonly facts: ObservedFacts & { readonly open: readonly string[] };
}

const MAX_ASKED = 4;
const MAX_LISTED = 8;
const MAX_FILES = 20;
const MAX_HEADING_CHARS = 110;
const MAX_MESSAGE_CHARS = 600;
/** A shorter prompt, in characters, says too little to name a session by it: `continue`, `ok, go on!`. */
const TELLING_CHARS = 11;
const IS_ASCII = /^[\x20-\x7e]*$/;
/** A prompt of at most so many characters may be small talk. */
const SHORT_PROMPT = 80;

/**
 * Summarizes a session.
 *
 * @param parts Its observations, oldest first. @param called Its title, for when no prompt is among them; null where
 * it has none. @returns Null when there is nothing to tell.
 */
export function summarizeSession(
  parts: readonly SummarizedPart[],
  called: string | null = null,
): SessionSummary | null {
  if (parts.length === 0) return null;
  const standing = parts.filter((part) => !isSuperseded(part));
  const of = (kind: ObservationKind, among = standing) =>
    among.filter((part) => part.kind === kind);
  const [commits, fixes] = [of("commit"), of("fix")];
  const done = [...commits, ...fixes].map(({ title }) => title);
  const todos = todosOf(parts);
  const open = [...openTitles(parts), ...todos?.open ?? []];
  const files = filesByCount(of("edit"));
  const message = parts.findLast(isOwnMessage);
  const last = message === undefined ? "" : shortened(message.text, MAX_MESSAGE_CHARS);
  const branches = [...new Set(parts.map(({ branch }) => branch))];
  const asked = of("prompt").map(askedIn);
  // What it was asked may wait still while what it did is worked in.
  const prompts = asked.length > 0 || called === null ? asked : [called];
  const about = done[0] ?? (files.length === 0 ? "" : last.replace(/\s+/g, " "));
  const heading = prompts.find(saysWhat) ??
    ([prompts[0] ?? "", about].filter((one) => one !== "").join(": ") || parts[0]!.title);
  const counts = [
    counted(commits.length, "commit"),
    counted(fixes.length, "fix", "fixes"),
    counted(files.length, "file"),
  ].filter((part) => part !== null).join(", ");
  return {
    title: titleLine(
      `Session: ${shortened(heading, MAX_HEADING_CHARS)}${counts === "" ? "" : ` (${counts})`}`,
    ),
    text: [
      ...section("Asked", firstAndLast(asked, MAX_ASKED)),
      ...section("Done", done.slice(-MAX_LISTED)),
      ...section(
        "Decided",
        [...of("decision"), ...of("note")].map(({ title }) => title).slice(-MAX_LISTED),
      ),
      ...section("Changed", files.slice(0, MAX_LISTED)),
      ...section("Open", open.slice(0, MAX_LISTED)),
      ...last === "" ? [] : [`Last: ${last}`],
    ].join("\n"),
    files: files.slice(0, MAX_FILES),
    facts: {
      open,
      ...todos === null ? {} : { todos },
      ...branches.length === 1 ? {} : { branches },
    },
  };
}

/** Whether nothing stands in a session but a few short words, of which nobody needs to hear. */
export function isSmallTalk(parts: readonly SummarizedPart[]): boolean {
  return parts.every(({ kind, text, facts }) =>
    kind === "prompt" ? text.length <= SHORT_PROMPT : kind === "message" && facts.tool === undefined
  );
}

/** Whether the session itself has said it: neither a sub-agent whose words came back, nor Claude Code, nor an error. */
function isOwnMessage({ kind, title, facts }: SummarizedPart): boolean {
  return kind === "message" && facts.tool === undefined && facts.isRelayed !== true &&
    facts.stopped === undefined && !title.startsWith(COMPACTION);
}

/** The title of a prompt, with the next line where it only leads to that: `Implement the following plan: Retries`. */
function askedIn({ title, text }: SummarizedPart): string {
  if (!title.endsWith(":")) return title;
  return `${title} ${titleLine(text.trim().replace(/^.*/, ""))}`.trim();
}

/** Whether a prompt is long enough to say what a session is about; where words are not apart, a few signs are. */
function saysWhat(prompt: string): boolean {
  return prompt.length >= TELLING_CHARS || !IS_ASCII.test(prompt) && prompt.length > 3;
}

/** Titles of the failures that nothing has mended, of a command the last one, the newest first. */
function openTitles(parts: readonly SummarizedPart[]): string[] {
  return newestOfEach(parts.filter((part) => openEndRank(part) !== null))
    .map(({ title }) => title).reverse();
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

/** The first line, which says what it is about, and the last ones, which say where it went. */
function firstAndLast(lines: readonly string[], limit: number): readonly string[] {
  return lines.length <= limit ? lines : [lines[0]!, ...lines.slice(1 - limit)];
}

function counted(n: number, one: string, many?: string): string | null {
  return n === 0 ? null : count(n, one, many);
}
