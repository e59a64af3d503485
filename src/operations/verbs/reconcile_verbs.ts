/** `conclaude reconcile` and `import transcripts`: compare transcripts with the database, and fill the gaps. */
import { count, sumOf } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { shortSessionId } from "../../base/ids.ts";
import { joinPath } from "../../base/paths.ts";
import { plain } from "../../base/plain.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { findTranscripts, type TranscriptFile } from "../../claude/transcript/find_transcripts.ts";
import { ITEM_KINDS, type ItemKind } from "../../claude/transcript/transcript_reader.ts";
import { MIN_ID_BEGINNING } from "../../db/sessions.ts";
import { isNotFound } from "../../system/files.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isThere } from "../../system/on_disk.ts";
import type { ComparedSession, NotHere } from "../../upkeep/transfer/compared_session.ts";
import { type CompareOptions, compareTranscripts } from "../../upkeep/transfer/transcript_gaps.ts";
import { workCaptures } from "../capture_work.ts";
import { type CliContext, typedPath } from "../context.ts";
import { SHARED, text, textFlag, toggle } from "../flags.ts";
import { isBareName, isCalled } from "../memory_filter.ts";
import { flagsAgain, nextHere } from "../next_command.ts";
import { openStore, placeOf } from "../open_store.ts";
import { onlySession } from "../session_lookup.ts";
import { takeInSpool } from "../spool_drain.ts";
import { type Columns, factLines, type Lines, linesOf, tableText } from "../table.ts";
import { tellLostForgetKey } from "../take_over.ts";
import { progressLine } from "../terminal.ts";
import { verb, type View } from "../verb.ts";

const NAME_THE_FOLDER = "Use `--transcripts DIR` to name the folder";

export const reconcile = verb({
  flags: {
    session: SHARED.session,
    project: textFlag(
      "Only sessions that began in this folder, below it, or in the same repository",
      "dir",
    ),
    since: SHARED.since,
    transcripts: textFlag("Where the transcripts are, instead of ~/.claude/projects", "dir"),
    backfill: toggle("Fill in what is missing"),
  },
  async run(context, { backfill, ...flags }) {
    const { session, project, since } = flags;
    const key = session === undefined ? null : idOf(session.trim());
    if (key !== null && key.length < MIN_ID_BEGINNING) {
      throw new UserError(`Cannot find the session "${session}"`, {
        why: `the beginning of an id must have at least ${MIN_ID_BEGINNING} characters`,
        next: "conclaude session list",
      });
    }
    const outcome = await runTranscripts(context, {
      root: transcriptsFolder(context, flags.transcripts),
      fills: backfill,
      what: backfill ? "fill in what is missing" : "compare transcripts",
      next: NAME_THE_FOLDER,
      needs: flags.transcripts === undefined ? "nothing" : "folder",
      isWhole: key === null && project === undefined && since === undefined,
      sinceMs: since ?? 0,
      wantedFile: ({ path }) =>
        key === null || path.split(/[\\/]/).some((part) => idOf(part).startsWith(key)),
      wanted: wantedOf(context, key, project),
    });
    const { sessions, transcripts } = outcome;
    const isUnknown = project !== undefined && session === undefined && sessions.length === 0;
    const isNoFolder = isUnknown && since === undefined && !isThere(typedPath(context, project));
    if (isNoFolder || session !== undefined && sessions.length === 0) {
      const noun = isNoFolder ? `project "${project}"` : `session "${session}"`;
      const none = `of ${count(transcripts, "transcript")} none is of it`;
      throw new UserError(`Cannot find a transcript of the ${noun}`, {
        why: isNoFolder ? `there is no such folder, and ${none}` : none,
        next: "conclaude reconcile",
      });
    }
    if (session !== undefined) {
      onlySession(session, sessions, ({ sessionId }) => sessionId, "reconcile --session");
    }
    return transcriptsView(context, outcome, {
      label: "filled",
      again: `conclaude reconcile${flagsAgain(flags)} --backfill`,
      // A filled gap is no gap any more.
      names: session !== undefined ? "gaps" : backfill ? "nothing" : "sessions",
      first: isUnknown && `project     no transcript that was looked at is of "${plain(project)}"`,
    });
  },
});

export const importTranscripts = verb({
  person: "import transcripts",
  args: [text("A folder with transcripts, at any depth, or one of them", "dir")],
  flags: { dryRun: toggle("Only say what would be taken over") },
  async run(context, { dryRun }, dir) {
    const outcome = await runTranscripts(context, {
      root: typedPath(context, dir),
      fills: !dryRun,
      what: "import transcripts",
      next: "Name a folder that has transcripts of Claude Code (*.jsonl)",
      needs: "session",
      isWhole: false,
      sinceMs: 0,
      wanted: () => true,
    });
    return transcriptsView(context, outcome, {
      label: "imported",
      again: `conclaude import transcripts ${quoteWord(dir)}`,
      // After the import the sessions have no gaps.
      names: dryRun ? "sessions" : "nothing",
    });
  },
});

function transcriptsFolder(context: CliContext, named: string | undefined): string {
  if (named !== undefined) return typedPath(context, named);
  const { home } = context.locations;
  const folder = context.environment.variable("CLAUDE_CONFIG_DIR") ??
    (home && joinPath(home, ".claude"));
  if (folder) return joinPath(typedPath(context, folder), "projects");
  throw new UserError("Cannot find the transcripts of Claude Code", {
    why: "neither CLAUDE_CONFIG_DIR nor HOME is set",
    next: NAME_THE_FOLDER,
  });
}

function wantedOf(
  context: CliContext,
  key: string | null,
  project: string | undefined,
): CompareOptions["wanted"] {
  const dir = project === undefined ? null : typedPath(context, project);
  const isFolder = dir !== null && isThere(dir);
  const repository = isFolder ? findRepository(lookUpwards(dir))?.commonDir : undefined;
  // A bare word that is not a folder is the name of a project.
  const name = project !== undefined && !isFolder && isBareName(project) ? project : null;
  return (sessionId, of) =>
    (key === null || idOf(sessionId).startsWith(key)) &&
    (dir === null || `${of.dir}/`.startsWith(`${dir}/`) ||
      (repository !== undefined && of.repository === repository) ||
      (name !== null && isCalled(of.repository ?? of.dir ?? "", name)));
}

function idOf(text: string): string {
  return text.replaceAll("-", "").toLowerCase();
}

interface TranscriptWork extends Pick<CompareOptions, "fills" | "isWhole" | "sinceMs" | "wanted"> {
  readonly root: string;
  /** Names the work in an error: `compare transcripts`. */
  readonly what: string;
  readonly next: string;
  /** What must exist: nothing, the folder, or at least one session in it. */
  readonly needs: "nothing" | "folder" | "session";
  /** Tells whether a file may hold wanted sessions; without it, each may. */
  readonly wantedFile?: (file: TranscriptFile) => boolean;
}

/** Does the work and shows its progress. @throws {UserError} If it finds nothing to read or no place to write. */
async function runTranscripts(context: CliContext, work: TranscriptWork) {
  const { what, next, root, needs, fills, sinceMs, wantedFile = () => true } = work;
  const { files, unreadable } = transcriptsIn(work);
  const chosen = files.filter((file) => file.changedMs >= sinceMs && wantedFile(file));
  const { database } = await placeOf(context);
  // Opening a switched-off database to write throws; compared with it, everything would be a gap.
  const { db, place } = fills || database === ":memory:"
    ? await openStore(context, "write", what)
    : await openStore(context, "read");
  using _open = db;
  using progress = progressLine(context);
  // Records that wait in the spool are no gaps.
  takeInSpool(db, { database, folders: context.locations.spoolFolders });
  const compared = await compareTranscripts(db, chosen, {
    ...work,
    database,
    locations: context.locations,
    nowMs: Date.now(),
    onProgress: (done) => progress.tell("Reading transcripts", { done, of: chosen.length }),
  });
  if (needs === "session" && compared.read === 0) {
    const files = count(chosen.length, "file was", "files were");
    const why = `0 transcripts in "${root}": ${files} read, and no line there tells of a session`;
    throw new UserError(`Cannot ${what}`, { why, next });
  }
  const isNew = (compared.filled?.written ?? 0) > 0 && place.config.memoryEnabled;
  const drained = isNew ? await workCaptures(context, { db, place, progress }) : null;
  if (fills) tellLostForgetKey(context, db);
  const unread = unreadable.map((path) => ({ path, line: null, reason: "it cannot be read" }));
  return {
    ...compared,
    damaged: [...unread, ...compared.damaged],
    database,
    transcripts: chosen.length,
    /** How many captures were worked into memory; null if none were to be. */
    worked: drained?.worked ?? null,
  };
}

type Outcome = Awaited<ReturnType<typeof runTranscripts>>;

function transcriptsIn({ root, what, next, needs }: TranscriptWork) {
  try {
    return findTranscripts(root);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    if (needs === "nothing") return { files: [], unreadable: [] };
    throw new UserError(`Cannot ${what}`, { why: `there is no folder "${root}"`, next });
  }
}

const NAMED_SESSIONS = 10;

const KIND_NAMES: Readonly<Record<ItemKind, string>> = {
  toolUse: "tool use",
  prompt: "prompt",
  lastMessage: "last message",
  compaction: "compaction",
};

/**
 * Shows what was found and written: to people in a text, to programs with each gap. @param how `again`: the command
 * that fills the gaps. `names`: what a text lists. `first`: its first lines.
 */
function transcriptsView(
  context: CliContext,
  outcome: Outcome,
  { label, again: fillCommand, names, first }: {
    readonly label: "filled" | "imported";
    readonly again: string;
    readonly names: "sessions" | "gaps" | "nothing";
    readonly first?: Lines;
  },
): View {
  const { database, transcripts, sessions, withoutTranscript, damaged, filled, worked } = outcome;
  const sum = (of: (one: ComparedSession) => number) =>
    sessions.reduce((total, one) => total + of(one), 0);
  const withGaps = sessions.filter(({ missing }) => missing.length > 0);
  const gaps = sum(({ missing }) => missing.length);
  const rows = sum(({ lacksRow }) => Number(lacksRow));
  const left = filled === null ? gaps + rows : 0;
  const isUnworked = filled !== null && filled.written > (worked ?? 0);
  const next = left > 0 ? fillCommand : isUnworked ? "conclaude queue drain" : null;
  const isCheck = label === "filled";
  const eachGap = isCheck && names === "sessions" ? "; --session ID names each" : "";
  const inSessions = `${gaps} in ${count(withGaps.length, "session")}${eachGap}`;
  const keys = new Set(sessions.flatMap((one) => Object.keys(one.excluded)));
  const extra = sum((one) => one.extra) + withoutTranscript;
  const counted = (n: number, what: string) => n > 0 && `${n} ${what}`;
  const again = filled === null ? "" : ", made again";
  const facts = factLines([
    ["transcripts", `${transcripts}, of ${count(sessions.length, "session")}`],
    ["gaps", (isCheck || names !== "nothing") && (gaps === 0 ? "none" : inSessions)],
    ["sessions", counted(rows, `of which only captures were left${again}`)],
    ["excluded", counted(sum((one) => sumOf(one.excluded)), `kept out (${[...keys].join(", ")})`)],
    ["forgotten", counted(sum((one) => one.forgotten), "that stay away")],
    ["recent", counted(sum((one) => one.recent), "of the last minute, left to the hooks")],
    ["extra", extra > 0 && `${count(extra, "capture")} that no transcript here has`],
    ...sessions.filter((one) => one.notHere !== null)
      .map((one) => ["not here", notHereText(one)] as const),
    ...damageTexts(damaged).map((text) => ["damaged", text] as const),
    [
      label,
      filled && `${count(filled.written, "capture")} of ${count(filled.sessions, "session")}`,
    ],
    ["memory", worked !== null && `${count(worked, "capture")} worked in`],
    ["next", next && nextHere(next, context.globals)],
  ], 12);
  const shown = names === "nothing" ? [] : withGaps.slice(0, NAMED_SESSIONS);
  const more = withGaps.length - shown.length;
  const named = shown.length > 0 && [
    tableText(context, shown, SESSION_COLUMNS, ""),
    names === "gaps" && shown.flatMap(gapLines),
    more > 0 && `… and ${more} more: --json names all`,
    "",
  ];
  return {
    json: {
      database,
      transcripts,
      gaps,
      left,
      withoutTranscript,
      sessions: sessions.map(sessionJson),
      damaged,
      filled,
      worked,
      next,
    },
    text: linesOf([first, named, facts]).join("\n"),
    exitCode: left > 0 && isCheck ? 1 : 0,
  };
}

function sessionJson(session: ComparedSession) {
  const { sessionId, project, transcript, missing, notHere } = session;
  const { found, forgotten, isUnknown, lacksRow, extra, excluded, recent } = session;
  return {
    sessionId,
    projectDir: project.hide(project.dir),
    transcript,
    state: notHere ?? "compared",
    ...notHere === "elsewhere" && { keptIn: project.database },
    found,
    isUnknown,
    lacksRow,
    missing: Object.fromEntries(ITEM_KINDS.map((kind) => [kind, countOf(session, kind)])),
    gaps: missing,
    forgotten,
    extra,
    excluded,
    recent,
  };
}

/** Describes unreadable transcripts, in one text for each file and reason. */
function damageTexts(damaged: Outcome["damaged"]): string[] {
  const alike = Map.groupBy(damaged, ({ path, reason }) => JSON.stringify([path, reason]));
  return [...alike.values()].map(([first, ...others]) => {
    const { path, line, reason } = first!;
    const lines = others.length === 0
      ? `, line ${line}`
      : `, ${others.length + 1} lines, the first at ${line}`;
    return `${path}${line === null ? "" : lines}: ${reason}`;
  });
}

const SESSION_COLUMNS: Columns<ComparedSession> = {
  SESSION: ({ sessionId }) => shortSessionId(sessionId),
  MISSING: [({ missing, found }) => `${missing.length} of ${found}`],
  WHAT: (session) =>
    ITEM_KINDS.flatMap((kind) => {
      const missed = countOf(session, kind);
      return missed === 0 ? [] : [count(missed, KIND_NAMES[kind])];
    }).join(", ") + (session.isUnknown ? "; nothing of it is kept" : ""),
  PROJECT: ({ project }) => project.hide(project.dir),
};

function gapLines({ missing }: ComparedSession): string[] {
  return missing.map(({ atMs, name, toolUseId }) =>
    plain(`  ${new Date(atMs).toISOString().slice(0, 19)}Z  ${name}  ${toolUseId ?? ""}`.trimEnd())
  );
}

function notHereText({ sessionId, project, notHere }: ComparedSession): string {
  const reasons: Readonly<Record<NotHere, string>> = {
    elsewhere: `its project keeps it in ${project.database}`,
    off: "its project keeps no database",
    removed: "worked into memory; its captures were removed when they were too old",
  };
  return `${shortSessionId(sessionId)}: ${reasons[notHere!]}`;
}

function countOf({ missing }: ComparedSession, kind: ItemKind): number {
  return missing.filter((gap) => gap.kind === kind).length;
}
