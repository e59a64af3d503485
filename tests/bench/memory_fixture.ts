/** A memory after months of use, made without the way through the queue: that would take minutes. */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { ObservationKind } from "../../src/memory/observe/observation.ts";
import { indexedTerms } from "../../src/memory/search/terms.ts";
import { checkpoint, openDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { saveObservation } from "../../src/memory/drain/observations_table.ts";
import { type CorpusQuestion, makeCorpus } from "../support/memory_corpus.ts";

/** As they come in ordinary work: most of it is edits, commands and what was looked at. */
const KINDS: readonly ObservationKind[] = [
  "prompt",
  "edit",
  "command",
  "message",
  "search",
  "edit",
  "command",
  "fix",
  "test",
  "commit",
  "failure",
  "summary",
];
/** So many files the edits are of. */
const EDITED_FILES = 300;
const FEATURES = 7;
const PART = 50_000;
const ROWS_AT_ONCE = 500;
const MINUTE_MS = 60_000;

/** Fills a database with observations of one project, the newest of now. @returns Questions about some of them. */
export async function fillMemory(
  path: string,
  count: number,
  project: string,
): Promise<readonly CorpusQuestion[]> {
  using db = await openDatabase(path, { busyTimeoutMs: 1_000 });
  const startMs = Date.now() - count * MINUTE_MS;
  let questions: readonly CorpusQuestion[] = [];
  for (let from = 0; from < count; from += PART) {
    const part = makeCorpus(from + 1, {
      documents: Math.min(PART, count - from),
      questions: from === 0 ? 300 : 0,
    });
    if (from === 0) questions = part.questions;
    // A history ends with a whole session, a few rows later.
    const told = part.documents.slice(0, Math.min(PART, count - from));
    for (let at = 0; at < told.length; at += ROWS_AT_ONCE) {
      const documents = told.slice(at, at + ROWS_AT_ONCE);
      transaction(db, () =>
        documents.forEach(({ text, sessionId }, n) =>
          saveDocument(db, {
            text,
            sessionId: `${from}-${sessionId}`,
            project,
            number: from + at + n,
            atMs: startMs + (from + at + n) * MINUTE_MS,
          })
        ));
    }
    checkpoint(db, "TRUNCATE");
  }
  return questions;
}

/** The project of {@linkcode fillMemory}: its branches, and the files that were edited, as they have been for long. */
export async function writeProject(project: string): Promise<void> {
  const longAgo = new Date(2026, 0, 1);
  await Deno.mkdir(join(project, "src"), { recursive: true });
  await Deno.mkdir(join(project, ".git", "refs", "heads", "feature"), { recursive: true });
  const features = Array.from({ length: FEATURES }, (_, number) => `feature/${number}`);
  for (const branch of ["main", ...features]) {
    await Deno.writeTextFile(join(project, ".git", "refs", "heads", branch), `${"0".repeat(40)}\n`);
  }
  for (let number = 0; number < EDITED_FILES; number++) {
    const path = join(project, "src", `file${number}.ts`);
    await Deno.writeTextFile(path, "export {};\n");
    await Deno.utime(path, longAgo, longAgo);
  }
}

function saveDocument(
  db: DatabaseSync,
  { text, sessionId, project, number, atMs }: {
    readonly text: string;
    readonly sessionId: string;
    readonly project: string;
    readonly number: number;
    readonly atMs: number;
  },
): void {
  const kind = KINDS[number % KINDS.length]!;
  saveObservation(db, {
    uid: String(number),
    sessionId,
    project,
    branch: number % 5 === 0 ? `feature/${number % FEATURES}` : "main",
    kind,
    outcome: kind === "failure" ? "failure" : null,
    title: text.slice(0, 160),
    text,
    terms: indexedTerms(text, project),
    files: kind === "edit" ? [{ path: `src/file${number % EDITED_FILES}.ts`, digest: "0" }] : [],
    facts: {},
    sameAs: null,
    atMs,
  });
}
