/** What a session comes to, told without any model: what was asked, done, changed, and left open. */
import { count } from "../counts.ts";
import { isSuperseded, type ObservationKind, type ObservedFacts } from "./observation.ts";
import { newestOfEach, openEndRank } from "./open_ends.ts";
import { answeredIn, underWayIn } from "./cut_off.ts";
import { leftBy } from "./left/by.ts";
import { passedSinceIn } from "./left/failing.ts";
import { GOES_ON } from "./prompt_asks.ts";
import { deedsOf, sessionDeeds } from "./said/done.ts";
import { leftOpenIn, tellingMessage } from "./said/open.ts";
import { shortened, titleLine } from "./text.ts";
import { todosOf } from "./todos.ts";
import { type TurnPart, turnsOf } from "./turns.ts";

/** What a summary needs to know of an observation. */
export interface SummarizedPart extends TurnPart {
  readonly id: number;
  readonly branch: string | null;
  readonly resolvedBy: number | null;
}

/** A summary in words. */
export interface SessionSummary {
  /** What it was about and how much was done; not what is open, which a later session may do. */
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  /** What is told of it later: what was left (failures that nothing has mended, tasks that are not done), and where. */
  readonly facts: ObservedFacts & { readonly open: readonly string[] };
}

const MAX_ASKED = 4;
const MAX_LISTED = 8;
const MAX_FILES = 20;
const MAX_MESSAGE_CHARS = 600;
const SHORT_PROMPT = 80;
/** Turns that are looked at, the newest: what was left before them, and never spoken of again, is over. */
const MAX_TURNS = 12;
/** Nothing is done by these alone. */
const TALK: ReadonlySet<ObservationKind> = new Set(["prompt", "message", "note"]);

/**
 * Tells a session by its observations.
 *
 * @param parts Oldest first. @param commands Those that went well, as far as is known: what they have done is known by them.
 * @param options `isUnderWay`: its last turn has not ended. `called`: its own title, for where no prompt is among the
 *   observations; null where it has none. @returns Null when there is nothing to tell.
 */
export function summarizeSession(
  parts: readonly SummarizedPart[],
  commands: readonly SummarizedPart[] = [],
  { isUnderWay = false, called = null }: {
    readonly isUnderWay?: boolean;
    readonly called?: string | null;
  } = {},
): SessionSummary | null {
  const standing = parts.filter((part) => !isSuperseded(part));
  const of = (kind: ObservationKind, among = parts) => among.filter((part) => part.kind === kind);
  const commits = of("commit", standing);
  const fixes = of("fix", standing);
  const prompts = of("prompt");
  const edits = of("edit", standing);
  const done = [...commits, ...fixes].map(({ title }) => title);
  const todos = todosOf(parts);
  const open = [...openFailures(parts), ...todos?.open ?? []];
  const files = filesByCount(edits);
  const message = tellingMessage(parts);
  const last = message === undefined ? "" : shortened(message.text, MAX_MESSAGE_CHARS);
  // What was taken back has done nothing of what was left.
  const there = parts.filter((part) => part.kind === "decision" || !isSuperseded(part));
  const seen = [...there, ...commands];
  const turns = turnsOf(seen).slice(-MAX_TURNS);
  const deeds = turns.map(deedsOf);
  const left = leftBy(turns, deeds, { hasPassed: passedSinceIn(seen) });
  const did = sessionDeeds(turns, deeds);
  const answered = firstAndLast(answeredIn(turns), MAX_LISTED);
  const underWay = isUnderWay ? underWayIn(prompts) : null;
  const workedAtMs = Math.max(
    ...parts.filter(({ kind }) => !TALK.has(kind)).map(({ updatedAtMs }) => updatedAtMs),
  );
  const branches = [...new Set(parts.map(({ branch }) => branch))];
  if (parts.length === 0) return null;
  const asked = prompts.map(({ title }) => title);
  // What it was asked may wait still while what it did is worked in.
  const first = asked.length > 0 || called === null ? asked : [called];
  // A rule that is over by its end would be read as one that holds.
  const over = new Set(
    of("decision").filter(isSuperseded).map(({ title }) => title),
  );
  const about = done[0] ?? (files.length === 0 ? "" : last.replace(/\s+/g, " "));
  const heading = first.find((one) => !GOES_ON.test(one) && !over.has(one)) ??
    goneOn(first[0], about) ?? parts[0]!.title;
  const counts = [
    counted(commits.length, "commit"),
    counted(fixes.length, "fix", "fixes"),
    counted(files.length, "file"),
  ].filter((part) => part !== null).join(", ");
  return {
    title: titleLine(`Session: ${shortened(heading, 110)}${counts === "" ? "" : ` (${counts})`}`),
    text: [
      ...section("Asked", firstAndLast(asked, MAX_ASKED)),
      ...section("Done", done.slice(-MAX_LISTED)),
      ...section(
        "Decided",
        [...of("decision", standing), ...of("note")].map(({ title }) => title).slice(-MAX_LISTED),
      ),
      ...section("Changed", files.slice(0, MAX_LISTED)),
      // What the last message says of it stands there.
      ...section(
        "Open",
        [...open, ...left.map(({ text }) => text).filter((text) => !last.includes(text))]
          .slice(0, MAX_LISTED),
      ),
      ...last === "" ? [] : [`Last: ${last}`],
    ].join("\n"),
    files: files.slice(0, MAX_FILES),
    facts: {
      open,
      ...todos === null ? {} : { todos },
      ...left.length === 0 ? {} : { left },
      ...did.length === 0 ? {} : { did },
      ...answered.length === 0 ? {} : { answered },
      ...underWay === null ? {} : { underWay },
      ...Number.isFinite(workedAtMs) ? { workedAtMs } : {},
      ...branches.length === 1 ? {} : { branches },
    },
  };
}

/** What a session that was only told to go on has gone on with: `continue: Commit 1a2b3c4: Retries`. */
function goneOn(asked: string | undefined, about: string): string | undefined {
  const isAlone = about === "" || asked !== undefined && !GOES_ON.test(asked);
  return isAlone ? asked : [asked, about].filter((one) => one !== undefined).join(": ");
}

/** Whether nothing stands in a session but a few short words, of which nobody needs to hear. */
export function isSmallTalk(parts: readonly SummarizedPart[]): boolean {
  return parts.every(({ kind, text, facts }) =>
    kind === "prompt"
      ? text.length <= SHORT_PROMPT
      : kind === "message" && facts.tool === undefined && leftOpenIn(text).length === 0
  );
}

/** Titles of the failures that nothing has mended, of a command the last one, the newest first. */
function openFailures(parts: readonly SummarizedPart[]): string[] {
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

/** What was asked first says what it is about, what was asked last where it went. */
function firstAndLast(lines: readonly string[], limit: number): readonly string[] {
  return lines.length <= limit ? lines : [lines[0]!, ...lines.slice(1 - limit)];
}

function counted(n: number, one: string, many?: string): string | null {
  return n === 0 ? null : count(n, one, many);
}
