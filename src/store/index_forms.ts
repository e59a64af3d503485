/** Words of the search index in which a text stands, though no row has it: rows have it in another form. */
import { DatabaseSync } from "node:sqlite";
import { scriptPattern } from "../letters.ts";
import type { TextMatcher } from "../memory/forget_text.ts";
import { hasLog } from "./database.ts";
import { INDEX_DEFINITIONS } from "./index_made.ts";

/** A word as the index has it, without its accents and its ending, and where it comes from. */
export interface WordForm {
  readonly word: string;
  readonly observation: number;
  /** The same as this observation has it. */
  readonly as: string;
}

/** How long a look waits for another process. */
const LOOK_BUSY_MS = 500;
/** Rows of a word that are looked at: any that has it will do. */
const MAX_ROWS = 5;
/** What the tokenizer of the index takes for a word. */
const wordPattern = scriptPattern(String.raw`[\p{L}\p{N}\p{M}\p{Co}]+`, "gu");

const TOKENIZER = /tokenize = '([^']+)'/.exec(INDEX_DEFINITIONS.get("memory_index")!)![1]!;

/** The words of the index in which a text stands. */
export interface IndexedWords {
  /** Those of a row that does not have the text: made into words once more, it gives the same. */
  readonly forms: readonly WordForm[];
  /** How many no such row gives. */
  readonly unexplained: number;
}

/** Looks for the words of the index in which a text stands. @throws {Error} What SQLite says. */
export function indexedWords(database: string, text: Pick<TextMatcher, "isIn">): IndexedWords {
  // Only what is temporary is written.
  const db = new DatabaseSync(database, { timeout: LOOK_BUSY_MS, readOnly: hasLog(database) });
  try {
    db.exec(
      `PRAGMA temp_store = MEMORY;
       CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, memory_index, row);
       CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, memory_index, instance);
       CREATE VIRTUAL TABLE temp.own USING fts5 (word, tokenize = '${TOKENIZER}');
       CREATE VIRTUAL TABLE temp.own_places USING fts5vocab(temp, own, instance)`,
    );
    const words = db.prepare("SELECT term FROM terms").all()
      .map(({ term }) => String(term))
      .filter(text.isIn);
    const forms = words.flatMap((word) => formOf(db, word, text));
    return { forms, unexplained: words.length - forms.length };
  } finally {
    db.close();
  }
}

/** Where a word comes from; empty when no row has it in a form without the text. */
function formOf(db: DatabaseSync, word: string, { isIn }: Pick<TextMatcher, "isIn">): WordForm[] {
  const rows = db.prepare(
    `SELECT id, title || char(10) || text || char(10) || terms AS text
       FROM observations
      WHERE id IN (SELECT DISTINCT doc FROM places WHERE term = ? LIMIT ${MAX_ROWS})
      ORDER BY id`,
  ).all(word);
  const add = db.prepare("INSERT INTO own (word) VALUES (?)");
  const find = db.prepare(
    "SELECT word FROM own WHERE rowid IN (SELECT doc FROM own_places WHERE term = ?)",
  );
  for (const { id, text } of rows) {
    db.exec("DELETE FROM own");
    for (const each of new Set(String(text).match(wordPattern()))) add.run(each);
    const as = find.all(word).map((row) => String(row["word"])).find((each) => !isIn(each));
    if (as !== undefined) return [{ word, observation: Number(id), as }];
  }
  return [];
}

/** Before each word of the index, of those that are no beginnings of others. */
const MAIN = "0";
/** Of a record's head, behind the kind of the word: the kind of the page's number, and the number of the part. */
const IDX_GAPS = [1, 2, 3, 4, 5];

/** How a word stands in the bytes of each table of the index: what is before it, and all or a part of it. */
const STORED: Readonly<Record<string, (stored: string) => readonly Stored[]>> = {
  // What a word has in common with the one before it is left out; how long the rest is stands before it.
  memory_index_data: (stored) =>
    Array.from(stored, (_, from) => stored.slice(from)).map((part) => ({
      before: lengthBefore(part.length),
      gap: 0,
      part,
    })),
  // So much of a word as tells a page from the one before it; its length is in the head of the record.
  memory_index_idx: (stored) =>
    Array.from(stored, (_, end) => stored.slice(0, end + 1)).flatMap((part) =>
      IDX_GAPS.map((gap) => ({ before: lengthBefore(12 + 2 * part.length), gap, part }))
    ),
};

interface Stored {
  readonly before: string;
  /** Bytes between the two. */
  readonly gap: number;
  readonly part: string;
}

function lengthBefore(length: number): string {
  return length < 128
    ? String.fromCharCode(length)
    : String.fromCharCode(128 + (length >> 7), length & 127);
}

/**
 * Whether bytes of a table of the index are those of one of the words.
 *
 * @param bytes As Latin-1, with what stands around them.
 */
export function isOfWords(
  table: string,
  forms: readonly WordForm[],
  { bytes, from, to }: { readonly bytes: string; readonly from: number; readonly to: number },
): boolean {
  const storedIn = STORED[table];
  return storedIn !== undefined &&
    forms.some(({ word }) =>
      storedIn(latin1Of(MAIN + word)).some(({ before, gap, part }) => {
        if (part.length < to - from) return false;
        for (let at = to - part.length; at <= from; at++) {
          const head = at - gap - before.length;
          if (bytes.startsWith(part, at) && bytes.startsWith(before, head)) return true;
        }
        return false;
      })
    );
}

function latin1Of(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}
