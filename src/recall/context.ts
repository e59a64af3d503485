/** What a session is told when it starts, with a look at the files that it speaks of. */
import type { DatabaseSync } from "node:sqlite";
import { contextText, type Tellable } from "../memory/context_text.ts";
import { digestOf } from "../memory/fnv.ts";
import { joinPath } from "../paths.ts";
import {
  digestsOf,
  openTaskTitles,
  tellableOfBranch,
  tellableOfProject,
  type TellableRow,
} from "../store/memory_context.ts";

/** The session that is told. */
export interface ContextPlace {
  readonly sessionId: string;
  /** Common git directory, or project directory where there is none. */
  readonly project: string;
  readonly branch: string | null;
  /** The folder that paths are told from. */
  readonly root: string | null;
  /** How it starts: `startup`, `resume`, `compact`, …. */
  readonly source: string;
  /** When it showed life before, epoch milliseconds; null when it is new. */
  readonly seenAtMs: number | null;
  readonly nowMs: number;
  readonly home: string | null;
}

/** Rows that are looked at. */
const OF_BRANCH = 36;
const OF_PROJECT = 12;
/** Facts whose files are looked at, and the largest file whose content is compared. */
const MAX_LOOKED_AT = 8;
const MAX_COMPARED_BYTES = 65_536;
/** A file is written a moment before the hook tells of it, and formatters come a moment later. */
const SLACK_MS = 2_000;

/**
 * The context of a session.
 *
 * A session that is resumed has what it was told, so it hears only of what others did since; one that was compacted has
 * lost its own past as well.
 *
 * @param budget `tokens`: the configured budget; `room`: characters left. @returns Empty when there is nothing to tell.
 * @throws {Error} What SQLite says.
 */
export function sessionContext(
  db: DatabaseSync,
  place: ContextPlace,
  budget: { readonly tokens: number; readonly room: number },
): string {
  const { sessionId, project, branch, source, seenAtMs, nowMs } = place;
  const goesOn = (source === "resume" || source === "fork") && seenAtMs !== null;
  const isTold = (row: TellableRow) =>
    goesOn
      ? row.sessionId !== sessionId && row.updatedAtMs > seenAtMs
      : source === "compact" || row.sessionId !== sessionId;
  const ofBranch = tellableOfBranch(db, { project, branch }, OF_BRANCH).filter(isTold);
  const ofProject = tellableOfProject(db, project, OF_PROJECT).filter(isTold);
  const tasks = goesOn ? [] : openTaskTitles(db, project, 5);
  if (ofBranch.length + ofProject.length + tasks.length === 0) return "";
  const stale = staleOf(db, [...ofBranch, ...ofProject], place);
  const known = knownTexts([...ofBranch, ...ofProject], place);
  const tellable = (rows: readonly TellableRow[]) =>
    rows.filter(({ kind, title }) => kind !== "note" || !known.some((text) => text.includes(title)))
      .map((row): Tellable => ({
        ...row,
        files: JSON.parse(row.files),
        open: row.kind === "summary" ? JSON.parse(row.facts).open ?? [] : [],
        isStale: stale.has(row.id),
      }));
  return contextText(
    { ofBranch: tellable(ofBranch), ofProject: tellable(ofProject), tasks, branch, nowMs },
    budget,
  );
}

/** Facts one of whose files is not as it was: its content is another one, or it is gone. */
function staleOf(
  db: DatabaseSync,
  rows: readonly TellableRow[],
  { root }: ContextPlace,
): ReadonlySet<number> {
  const stale = new Set<number>();
  if (root === null) return stale;
  const withFiles = rows.filter(({ kind, files }) =>
    (kind === "edit" || kind === "fix") && files !== "[]"
  ).slice(0, MAX_LOOKED_AT);
  if (withFiles.length === 0) return stale;
  const digests = digestsOf(db, withFiles.map(({ id }) => id));
  for (const { id, updatedAtMs } of withFiles) {
    for (const [path, digest] of digests.get(id) ?? []) {
      if (hasChanged(joinPath(root, path), digest, updatedAtMs)) stale.add(id);
    }
  }
  return stale;
}

function hasChanged(path: string, digest: string, atMs: number): boolean {
  try {
    const { mtime, size } = Deno.statSync(path);
    if ((mtime?.getTime() ?? Infinity) <= atMs + SLACK_MS) return false;
    return size > MAX_COMPARED_BYTES || digestOf(Deno.readTextFileSync(path)) !== digest;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound;
  }
}

/** What Claude is told anyway: the files of its own memory. Read only where a note might stand in them. */
function knownTexts(rows: readonly TellableRow[], { root, home }: ContextPlace): string[] {
  if (!rows.some(({ kind }) => kind === "note")) return [];
  const slug = root?.replace(/[^A-Za-z0-9]/g, "-");
  const files = [
    ...root === null
      ? []
      : ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"].map((name) => joinPath(root, name)),
    ...home === null ? [] : [
      joinPath(home, ".claude/CLAUDE.md"),
      ...slug === undefined ? [] : [joinPath(home, `.claude/projects/${slug}/memory/MEMORY.md`)],
    ],
  ];
  return files.flatMap((file) => {
    try {
      return [Deno.readTextFileSync(file).replace(/\s+/g, " ")];
    } catch {
      return [];
    }
  });
}
