/** Finds words of the search index that hold a forgotten text: some come from rows with another form of the word. */
import type { DatabaseSync } from "node:sqlite";
import { scriptPattern } from "../../base/letters.ts";
import type { TextMatcher } from "../forget_text.ts";
import { hasLog } from "../../db/database.ts";
import { openToLook } from "../../db/database_identity.ts";
import { INDEX_DEFINITIONS } from "./memory_index_table.ts";
import { connect } from "../../db/connect.ts";
import { statement } from "../../db/statement.ts";

/** A word of the index, which has no accents and endings, and an observation that it comes from. */
export interface WordForm {
  readonly word: string;
  readonly observation: number;
  /** The spelling of the word in this observation. */
  readonly as: string;
}

/** How long a read waits for another process, in milliseconds. */
const LOOK_BUSY_MS = 500;
/** The most rows with a word that are read: one that has another form of it is enough. */
const MAX_ROWS = 5;
/** Matches a word as the tokenizer of the index does. */
const wordPattern = scriptPattern(String.raw`[\p{L}\p{N}\p{M}\p{Co}]+`, "gu");

const TOKENIZER = /tokenize = '([^']+)'/.exec(INDEX_DEFINITIONS.get("memory_index")!)![1]!;

/** The words of the index that hold a text. */
export interface IndexedWords {
  /** Words that come from rows without the text: indexing such a row gives the word. */
  readonly forms: readonly WordForm[];
  /** How many words come from no such row. */
  readonly unexplained: number;
}

/** Finds the words of the index that hold a text. @throws {Error} The error of SQLite. */
export function indexedWords(database: string, text: Pick<TextMatcher, "isIn">): IndexedWords {
  // Only temporary tables are written here.
  using db = connect(database, { timeout: LOOK_BUSY_MS, readOnly: hasLog(database) });
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
}

/** Returns the observation from which a word comes; empty when every row with the word also holds the text. */
function formOf(db: DatabaseSync, word: string, { isIn }: Pick<TextMatcher, "isIn">): WordForm[] {
  const rows = statement(db)`
    SELECT id, title || char(10) || text || char(10) || terms AS text
      FROM observations
     WHERE id IN (SELECT DISTINCT doc FROM places WHERE term = ? LIMIT ${MAX_ROWS})
     ORDER BY id`.all(word);
  const add = db.prepare("INSERT INTO own (word) VALUES (?)");
  const find = statement(db)`
    SELECT word FROM own WHERE rowid IN (SELECT doc FROM own_places WHERE term = ?)`;
  for (const { id, text } of rows) {
    db.exec("DELETE FROM own");
    for (const each of new Set(String(text).match(wordPattern()))) add.run(each);
    const as = find.all(word).map((row) => String(row["word"])).find((each) => !isIn(each));
    if (as !== undefined) return [{ word, observation: Number(id), as }];
  }
  return [];
}

/** Returns the tables and indexes that own some bytes of a database; `free pages` for bytes without an owner. */
export function pageOwners(database: string, places: readonly { readonly at: number }[]): string[] {
  using db = openToLook(database);
  const pageBytes = Number(db.prepare("PRAGMA page_size").get()?.["page_size"]);
  const pages = [...new Set(places.map(({ at }) => Math.floor(at / pageBytes) + 1))];
  const owners = statement(db)`
    SELECT DISTINCT coalesce(owner.name, 'free pages') AS name
      FROM json_each(?) AS page
      LEFT JOIN dbstat AS owner ON owner.pageno = page.value`.all(JSON.stringify(pages));
  return owners.map(({ name }) => String(name));
}
