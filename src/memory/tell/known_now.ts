/** Collects facts of a project that still hold: fixes, decisions, notes, and work that the branch's log does not show. */
import type { DatabaseSync } from "node:sqlite";
import { loggedCommits } from "../../system/git/reflogs.ts";
import { type Tellable, type ToldLine, withState } from "./context_text.ts";
import { liesOutside } from "../drain/describe_fix.ts";
import { keptJson, type ObservationKind } from "../observe/observation.ts";
import { editsOfBranch, keepAnswer, keptAnswer, triesOf } from "./memory_context_table.ts";
import { MAX_BYTES, putBackAmong, withStale } from "./stale_files.ts";
import { type ContextPlace, isToldTo, newestFirst } from "./told_rows.ts";
import type { Environment } from "../../system/environment.ts";
import { commitsElsewhere, refsState } from "../../system/git/branches.ts";
import { joinPath, parentOf, withParents } from "../../base/paths.ts";
import { readDirSync } from "../../system/files.ts";
import { readText } from "../../system/on_disk.ts";

const MAX_FIXES = 6;
const MAX_KEPT = 40;
const MAX_COMMITS = 6;
const MAX_EDITS = 6;
/** The most edits that are read, the newest. */
const OF_EDITS = 12;
/** The failures from which on a fix is worth telling. */
const MIN_TRIES = 2;

/**
 * Fixes that took more than one try, or whose cause lay outside of the code: of each command the newest. A fix whose files
 * were put back is left out.
 */
export function fixes(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace,
): ToldLine[] {
  const all = newestFirst(rows.filter(({ kind }) => kind === "fix"));
  const tries = triesOf(db, all.flatMap(({ facts }) => facts.mended ?? []));
  const isOutside = ({ files, facts }: Tellable) =>
    files.length === 0 || liesOutside(facts.error ?? "");
  const worth = newestBy(
    all.filter((one) => isOutside(one) || (tries.get(one.facts.mended ?? 0) ?? 0) >= MIN_TRIES),
    ({ sessionId, facts }) => `${sessionId} ${facts.command}`,
  );
  const back = putBackAmong(db, worth, place.root);
  const told = worth.filter(({ id }) => !back.has(id)).slice(0, MAX_FIXES);
  return withStale(db, told, place).map((one) => withState(one, "fix"));
}

/** Decisions and notes, without those that stand in files which Claude Code reads anyway. */
export function keptFacts(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace,
): ToldLine[] {
  const all = newestBy(
    newestFirst(rows.filter(({ kind }) => kind === "decision" || kind === "note")),
    ({ title }) => title,
  );
  const isKnown = knownFromFiles(all, {
    ...place,
    configDir: place.environment.variable("CLAUDE_CONFIG_DIR"),
  });
  const told = all.filter((one) => !isKnown(one)).slice(0, MAX_KEPT);
  return withStale(db, told, place).map((one) => withState(one, one.kind));
}

/** Commits that another branch has, and this one has not. */
export async function commits(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace,
): Promise<ToldLine[]> {
  const made = newestFirst(
    rows.filter(({ kind, branch, facts }) =>
      kind === "commit" && branch !== place.branch && facts.commit?.hash != null
    ),
  ).slice(0, 2 * MAX_COMMITS);
  const isUnlogged = await unloggedCommits(db, place, made.map(({ facts }) => facts.commit!.hash!));
  return made.flatMap((one): ToldLine[] => {
    const found = isUnlogged(one.facts.commit!.hash!);
    if (found === "no") return [];
    return [{ ...withState(one, "commit"), note: found === "unknown" ? " (not checked)" : "" }];
  }).slice(0, MAX_COMMITS);
}

/** Edits since the last commit on this branch that were not put back: of each file the last one. */
export function edits(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace & { readonly since: number | null },
): ToldLine[] {
  if (place.root === null) return [];
  const committedMs = committedAtMs(rows, place);
  const made = editsOfBranch(db, place, OF_EDITS)
    .filter((row) => isToldTo(row, place, place.since) && row.updatedAtMs > committedMs)
    .map((row): Tellable => ({
      ...row,
      files: keptJson<string[]>(row.files, []),
      facts: {},
      stale: null,
    }));
  const last = newestBy(made, ({ files }) => files.join());
  const back = putBackAmong(db, last, place.root);
  const told = last.filter(({ id }) => !back.has(id)).slice(0, MAX_EDITS);
  return withStale(db, told, place).map((one) => withState(one, "edit"));
}

/** When the last commit was made on this branch. Git tells the second; within it, what was seen of the commit tells more. */
function committedAtMs(
  rows: readonly Tellable[],
  { project, branch }: Pick<ContextPlace, "project" | "branch">,
): number {
  if (branch === null) return -Infinity;
  const atMs = loggedCommits({ commonDir: project }, branch).at(-1)?.atMs ?? -Infinity;
  const seen = rows.filter((one) => one.kind === "commit" && one.branch === branch)
    .map(({ updatedAtMs }) => Math.min(updatedAtMs, atMs + 999));
  return Math.max(atMs, ...seen);
}

/** The first row of each key. */
function newestBy(rows: readonly Tellable[], keyOf: (row: Tellable) => string): Tellable[] {
  const seen = new Set<string>();
  return rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
}

/** How long git may take to answer, in milliseconds. */
const GIT_MS = 8;

/** Whether a commit stands only on another branch; `unknown` when git did not answer in time. */
type Unlogged = "elsewhere" | "no" | "unknown";

interface Answer {
  readonly state?: string;
  readonly asked?: readonly string[];
  readonly elsewhere?: readonly string[];
}

/**
 * Returns a function that tells of commits whether they stand only on another branch. A commit that was amended, rebased or
 * reset away stands on none. @param ids Whole ids, or their beginnings.
 */
export async function unloggedCommits(
  db: DatabaseSync,
  { project, root, environment }: {
    /** The common git directory. */
    readonly project: string;
    readonly root: string | null;
    readonly environment: Environment;
  },
  ids: readonly string[],
): Promise<(id: string) => Unlogged> {
  if (ids.length === 0 || root === null) return () => "no";
  const state = refsState({ root, commonDir: project });
  if (state === null) return () => "unknown";
  const kept = keptJson<Answer>(keptAnswer(db, project) ?? "{}", {});
  if (kept.state === state && ids.every((id) => kept.asked?.includes(id))) {
    return (id) => kept.elsewhere?.includes(id) === true ? "elsewhere" : "no";
  }
  const found = await commitsElsewhere(root, { timeoutMs: GIT_MS, environment });
  if (found === null) return () => "unknown";
  const elsewhere = ids.filter((id) => found.some((one) => one.startsWith(id)));
  const answer: Answer = { state, asked: ids, elsewhere };
  try {
    keepAnswer(db, project, JSON.stringify(answer));
  } catch {
    // Another process writes; the next session asks git again.
  }
  return (id) => elsewhere.includes(id) ? "elsewhere" : "no";
}

/** The most included files that are read, and the depth of folders with rules. */
const MAX_FILES = 32;
const MAX_DEPTH = 4;
/** Folders that are looked into, the project's own and those around it. */
const MAX_FOLDERS = 12;
/** The files that Claude Code reads in each of them. */
const NAMES = ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"];
/** Code blocks and code in a line: files that they name are not included. */
const CODE = /^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|(?![\s\S]))|`[^`\n]+`/gm;
/** A file that another one includes. */
const INCLUDED = /(?:^|\s)@([\w./~-]+)/g;
/** Marks of bold text and code. */
const MARKS = /[*_`~]+/g;
/** Splits Markdown into sentences: after a sentence, at a paragraph, at an item of a list. */
const SENTENCES = /(?<=[.!?])\s+|\n\s*\n|\n(?=[ \t]*(?:[-+>#•]+|\d{1,3}[.)])[ \t])/;
const LIST_MARK = /^(?:[-+>#•]+|\d{1,3}[.)]) /;
/** Ends the rule in a sentence: a reason or a rewording follows. */
const REASON = /\s*[,;:(–—]|\s-\s/;

/** Plans and answers to questions: decisions that are no rules. */
const NO_RULE = /^Plan(?: refused)?: | → /;
/** Words that introduce a rule and do not change it. */
const FRAME =
  /^(?:(?:from now on|going forward|you (?:must|should)|remember|we|please|always)\b[,:]?\s*)*/;

interface KnownPlace {
  readonly root: string | null;
  readonly home: string | null;
  /** Claude Code's own folder, where it is not the usual one. */
  readonly configDir?: string | undefined;
}

/** Returns a function that tells whether a note or rule stands in a file that Claude Code reads. */
function knownFromFiles(
  facts: readonly KnownFact[],
  place: KnownPlace,
): (fact: KnownFact) => boolean {
  if (!facts.some(mayBeKnown)) return () => false;
  const texts = knownTexts(place).map((text) => text.replace(MARKS, ""));
  const whole = texts.map(onOneLine).join("\n");
  let rules: ReadonlySet<string> | undefined;
  return (fact) => {
    if (texts.length === 0 || !mayBeKnown(fact)) return false;
    const isCut = fact.title.endsWith("…");
    const title = onOneLine((isCut ? fact.title.slice(0, -1) : fact.title).replace(MARKS, ""))
      .trim();
    return fact.kind === "note" || isCut
      ? whole.includes(title)
      : (rules ??= new Set(texts.flatMap(rulesOf))).has(bareRule(title));
  };
}

type KnownFact = { readonly kind: ObservationKind; readonly title: string };

function mayBeKnown({ kind, title }: KnownFact): boolean {
  return kind === "note" || kind === "decision" && !NO_RULE.test(title);
}

/** The sentences of a text for the comparison, each also without its reason. */
function rulesOf(text: string): string[] {
  return text.split(SENTENCES)
    .flatMap((sentence) => [sentence, sentence.split(REASON, 1)[0]!]).map(bareRule);
}

function bareRule(sentence: string): string {
  const plain = onOneLine(sentence).trim().toLowerCase();
  return plain.replace(LIST_MARK, "").replace(/[.!]+$/, "").replace(FRAME, "");
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

function knownTexts(
  { root, home, configDir }: KnownPlace,
): string[] {
  const slug = root?.replace(/[^A-Za-z0-9]/g, "-");
  const folders = root === null ? [] : withParents(root).slice(0, MAX_FOLDERS);
  const own = configDir ??
    (home === null ? null : joinPath(home, ".claude"));
  const files = [
    ...folders.flatMap((folder) => NAMES.map((name) => joinPath(folder, name))),
    ...own === null ? [] : [
      joinPath(own, "CLAUDE.md"),
      ...slug === undefined ? [] : [joinPath(own, `projects/${slug}/memory/MEMORY.md`)],
    ],
  ];
  const texts: string[] = [];
  const more = new Set([
    ...folders.map((folder) => joinPath(folder, ".claude")),
    ...own === null ? [] : [own],
  ].flatMap((folder) => rulesIn(joinPath(folder, "rules"), MAX_DEPTH)));
  for (const file of files) {
    const text = readText(file, MAX_BYTES);
    if (text === null) continue;
    texts.push(text);
    for (const [, name] of text.replace(CODE, "").matchAll(INCLUDED)) {
      if (name!.startsWith("~/")) {
        if (home !== null) more.add(joinPath(home, name!.slice(2)));
      } else more.add(name!.startsWith("/") ? name! : joinPath(parentOf(file), name!));
    }
  }
  return [
    ...texts,
    ...[...more].slice(0, MAX_FILES).flatMap((file) => readText(file, MAX_BYTES) ?? []),
  ];
}

/** The Markdown files in a folder and below it. */
function rulesIn(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  try {
    return Array.from(readDirSync(folder))
      .sort((one, other) => one.name < other.name ? -1 : 1)
      .flatMap(({ name, isDirectory }) =>
        isDirectory
          ? rulesIn(joinPath(folder, name), depth - 1)
          : name.endsWith(".md")
          ? [joinPath(folder, name)]
          : []
      );
  } catch {
    return [];
  }
}
