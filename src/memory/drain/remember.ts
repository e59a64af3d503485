/** Saves notes: what a person or Claude wants later sessions of a project to know. */
import type { DatabaseSync } from "node:sqlite";
import { compileRedactPatterns, redactText } from "../../secrets/redact.ts";
import { lookUpwards, repositoryAt } from "../../system/git/repository.ts";
import { newId } from "../../base/ids.ts";
import { digestOf } from "../../base/fnv.ts";
import { NO_SESSION, type ObservedFile } from "../observe/observation.ts";
import { observeText } from "../observe/observe_words.ts";
import { pathInProject } from "../project_paths.ts";
import { resolvePath, withoutLine } from "../../base/paths.ts";
import { indexedTerms } from "../search/terms.ts";
import { UserError } from "../../base/errors.ts";
import { transaction } from "../../db/transaction.ts";
import { withIndex } from "../search/memory_index_table.ts";
import { type Observation, readObservations, saveObservation } from "./observations_table.ts";
import { writeSummaryAgain } from "./summaries.ts";
import { resolveObservation } from "../tell/open_failures_table.ts";
import { digestOfFile } from "../tell/stale_files.ts";

/** The longest note, in characters. A longer one would lose its middle. */
const MAX_NOTE_CHARS = 64_000;

export interface NotePlace {
  /** The session of the note; null when no session wrote it. */
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  /** The folder to which paths of files are relative. */
  readonly root: string | null;
  /** The files that the note is about. The caller has masked secrets in this and all other fields. */
  readonly files: readonly ObservedFile[];
  readonly atMs: number;
  /** The number of the note or decision that this one corrects; null or missing when it corrects none. */
  readonly replaces?: number | null;
}

export type KeptNote = Readonly<{ id: number; isNew: boolean; replaces?: number }>;

/** Saves a note, or counts an equal note once more. @throws {UserError} When the text is empty or all private. */
export function rememberNote(
  db: DatabaseSync,
  text: string,
  { sessionId, project, branch, root, files, atMs, replaces = null }: NotePlace,
): KeptNote {
  if (text.length > MAX_NOTE_CHARS) {
    throw new UserError("Cannot remember this", {
      why: `it has ${text.length} characters, and a note has at most ${MAX_NOTE_CHARS}`,
      next: 'conclaude memory remember "What the service needs stands in docs/service.md"',
    });
  }
  const note = observeText("note", text.trim());
  if (note === null) {
    throw new UserError("Cannot remember this", {
      why: "there is no text, or all of it is private",
      next: 'conclaude memory remember "Tests need the service on port 5433"',
    });
  }
  const stored = files.map(({ path, digest }) => ({ path: pathInProject(path, root), digest }));
  const { sameAs, ...observed } = note;
  const save = () => {
    const wrong = replaces === null ? null : replaceable(db, replaces, project);
    const id = saveObservation(db, {
      ...observed,
      uid: newId(atMs),
      sessionId: sessionId ?? NO_SESSION,
      project,
      branch,
      terms: indexedTerms([text, ...stored.map(({ path }) => path)].join("\n"), project),
      files: stored,
      // Equal notes outside of sessions count as one only within a project.
      sameAs: sameAs === null ? null : digestOf(`${sameAs} ${project}`),
      atMs,
    });
    if (wrong?.id === id) {
      const next = `conclaude memory remember "What is right" --replaces ${id}`;
      throw cannotReplace(id, "it says the same", next);
    }
    if (wrong !== null) {
      resolveObservation(db, wrong.id, id);
      writeSummaryAgain(db, wrong.sessionId);
    }
    return id;
  };
  const id = withIndex(db, () => transaction(db, save));
  const isNew = readObservations(db, [id])[0]?.repeats === 1;
  return replaces === null ? { id, isNew } : { id, isNew, replaces };
}

/** Reads the note or decision with this number. @throws {UserError} When it cannot be replaced, with the reason. */
function replaceable(db: DatabaseSync, id: number, project: string | null): Observation {
  const refuse = (why: string, next: string) => cannotReplace(id, why, next);
  const [found] = readObservations(db, [id]);
  if (found === undefined) {
    throw refuse("no observation has this number", "conclaude memory search WORDS --kind note");
  }
  if (found.kind !== "note" && found.kind !== "decision") {
    const why = `it is of the kind ${found.kind}, and only notes and decisions are replaced`;
    throw refuse(why, 'conclaude memory remember "What is right"');
  }
  if (found.project !== project) {
    throw refuse("it is of another project", "remember it from the folder of that project");
  }
  const by = found.resolvedBy;
  if (by === 0) throw refuse("it is replaced already", "remember it without replacing anything");
  if (by !== null) throw refuse(`#${by} has replaced it already`, `replace #${by}`);
  return found;
}

function cannotReplace(id: number, why: string, next: string) {
  return new UserError(`Cannot replace #${id}`, { why, next });
}

/** Saves a note for the project around a folder, with its secrets masked. */
export function rememberHere(
  db: DatabaseSync,
  text: string,
  { folder, files, redactPatterns, ...note }:
    & Pick<NotePlace, "sessionId" | "atMs" | "replaces">
    & {
      readonly folder: string;
      /** Paths, absolute or relative to the project's folder. */
      readonly files: readonly string[];
      readonly redactPatterns: readonly string[];
    },
): KeptNote {
  const repository = repositoryAt(folder, { projectDir: folder, looks: lookUpwards(folder) });
  const root = repository?.root ?? folder;
  const rules = compileRedactPatterns(redactPatterns);
  const mask = (plain: string) => redactText(plain, rules);
  const masked = mask(text);
  const isAllPrivate =
    masked.replace(/\[(?:private removed|redacted:[a-z\d-]+)\]/g, "").trim() === "";
  return rememberNote(db, isAllPrivate ? "" : masked, {
    ...note,
    files: files.map((named) => fileOf(named, root))
      .map(({ path, digest }) => ({ path: mask(path), digest })),
    project: mask(repository?.commonDir ?? folder),
    branch: repository?.branch == null ? null : mask(repository.branch),
    root: mask(root),
  });
}

/** Digests a file that a person named. A line number after the path is removed, unless a file has that name. */
function fileOf(named: string, root: string): ObservedFile {
  const digest = digestOfFile(resolvePath(named, { folder: root }));
  const path = digest === null ? withoutLine(named) : named;
  return path === named
    ? { path, digest }
    : { path, digest: digestOfFile(resolvePath(path, { folder: root })) };
}

export function rememberedText({ id, isNew, replaces }: KeptNote): string {
  const instead = replaces === undefined ? "" : `, in the place of #${replaces}`;
  return isNew
    ? `Remembered as #${id}${instead}.`
    : `Already remembered as #${id}; counted once more${instead}.`;
}
