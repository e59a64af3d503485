/** Writes and finds receipts, which record what was forgotten without the text itself. */
import type { DatabaseSync } from "node:sqlite";
import { addCounts } from "../../base/counts.ts";
import { newId } from "../../base/ids.ts";
import { transaction } from "../../db/transaction.ts";
import { normalizeForgotten } from "../../memory/forget_text.ts";
import type { ForgetFilter } from "../../memory/store.ts";
import {
  FORGET_KEY,
  forgottenCaptures,
  IS_DIGEST,
  keyedDigest,
  nameForgotten,
} from "./stay_away_table.ts";
import { readMeta, statement, writeMeta } from "../../db/statement.ts";
import { copyReadable } from "../../db/table_copy.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";

export interface Receipt {
  readonly id: string;
  /** The chosen content, by flag; a digest replaces a text or file. */
  readonly chosen: Readonly<Record<string, unknown>>;
  /** The receipt's own key, so that equal texts have different digests in two receipts. */
  readonly salt: string;
  readonly textDigest: string | null;
  /** The number of removed or changed rows by table, and of files by kind. */
  readonly removed: Readonly<Record<string, number>>;
  readonly digests: readonly string[];
  /** Sentences that tell where something was left. */
  readonly remains: readonly string[];
  readonly createdAtMs: number;
  /** Null when the run was stopped or could not finish. */
  readonly finishedAtMs: number | null;
}

export type ReceiptKey = Pick<Receipt, "id" | "salt">;

/** Digests a text under a receipt's key; all spellings that count as one text have the same digest. */
export function forgottenDigest(salt: string, text: string): string {
  return keyedDigest(salt, normalizeForgotten(text));
}

/** Finds an unfinished receipt of the same choice, or one whose key damage destroyed; the next run continues it. */
export function stoppedReceipt(
  db: DatabaseSync,
  chosenWith: (salt: string) => Receipt["chosen"],
): Receipt | undefined {
  return [...unfinishedReceipts(db), ...receiptsWithoutKey(db)].find(({ chosen, salt }) =>
    JSON.stringify(chosen) === JSON.stringify(chosenWith(salt))
  );
}

/** Writes a receipt before anything is removed, so that names of removed rows can refer to it. */
export function beginReceipt(
  db: DatabaseSync,
  { chosen, text, nowMs }: {
    readonly chosen: (salt: string) => Receipt["chosen"];
    readonly text: string | null;
    readonly nowMs: number;
  },
): ReceiptKey {
  const { id, salt } = stoppedReceipt(db, chosen) ??
    { id: newId(nowMs), salt: crypto.randomUUID().replaceAll("-", "") };
  const textDigest = text === null ? null : forgottenDigest(salt, text);
  statement(db)`
    INSERT INTO forget_receipts (id, chosen, salt, text_digest, created_at_ms)
    VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET created_at_ms = excluded.created_at_ms, finished_at_ms = NULL`
    .run(id, JSON.stringify(chosen(salt)), salt, textDigest, nowMs);
  return { id, salt };
}

/**
 * Adds to a receipt what was removed and what is left. A run that is not whole counts as stopped; a whole one has
 * written new names, so those whose key is lost go.
 */
export function finishReceipt(
  db: DatabaseSync,
  { id, salt }: ReceiptKey,
  { removed, digests, remains, atMs, isWhole }:
    & Pick<Receipt, "removed" | "digests" | "remains">
    & { readonly atMs: number; readonly isWhole: boolean },
): void {
  const [earlier] = findReceipts(db, id, 1);
  const all = { ...earlier?.removed };
  addCounts(all, removed);
  const known = [...new Set([...earlier?.digests ?? [], ...digests])];
  // A digest that a staying row also has cannot show that something came back.
  const same = sameAgain(db, { salt, digests: known, createdAtMs: atMs })
    .map(({ digest }) => digest);
  statement(db)`
    UPDATE forget_receipts
       SET removed = ?2, digests = ?3, remains = ?4, finished_at_ms = ?5, created_at_ms = ?6
     WHERE id = ?1`.run(
    id,
    JSON.stringify(all),
    JSON.stringify(known.filter((digest) => !same.includes(digest))),
    JSON.stringify(remains),
    isWhole ? atMs : null,
    atMs,
  );
  if (!isWhole) return;
  db.prepare("DELETE FROM forgotten WHERE receipt_id = ? AND name GLOB 'lost/*'").run(id);
}

/** Records names of rows that must not come in. None of these rows is here, so nothing is removed. */
export function keepAway(
  db: DatabaseSync,
  names: readonly string[],
  { chosen, atMs }: { readonly chosen: Receipt["chosen"]; readonly atMs: number },
): void {
  transaction(db, () => {
    const receipt = beginReceipt(db, { chosen: () => chosen, text: null, nowMs: atMs });
    nameForgotten(db, receipt.id, names);
    finishReceipt(db, receipt, { removed: {}, digests: [], remains: [], atMs, isWhole: true });
  });
}

export function receiptIds(db: DatabaseSync): string[] {
  return db.prepare("SELECT id FROM forget_receipts ORDER BY id").all().map(({ id }) => String(id));
}

/** Returns the receipts of runs that did not finish, the oldest first. */
export function unfinishedReceipts(db: DatabaseSync): Receipt[] {
  return receiptsWhere(db, "finished_at_ms IS NULL ORDER BY id");
}

/** Returns receipts whose ids begin with `beginning`, the newest first. */
export function findReceipts(db: DatabaseSync, beginning: string, limit: number): Receipt[] {
  const begins = "substr(id, 1, length(?1)) = ?1 ORDER BY id DESC LIMIT ?2";
  return receiptsWhere(db, begins, beginning, limit);
}

/**
 * Returns receipts whose key damage destroyed, the newest first: the words and keys that they name are not recognised
 * when they come back. Once the database has a new key, the prefix `lost/` marks the old names.
 */
export function receiptsWithoutKey(db: DatabaseSync): Receipt[] {
  return receiptsWhere(
    db,
    `id IN (SELECT receipt_id
              FROM forgotten
             WHERE name GLOB 'lost/*'
                OR ${IS_DIGEST}
               AND NOT EXISTS (SELECT 1 FROM meta WHERE key = '${FORGET_KEY}'))
      ORDER BY id DESC`,
  );
}

function receiptsWhere(
  db: DatabaseSync,
  condition: string,
  ...values: readonly (string | number)[]
): Receipt[] {
  return statement(db)`
    SELECT id, chosen, salt, text_digest AS textDigest, removed, digests, remains, created_at_ms AS createdAtMs,
           finished_at_ms AS finishedAtMs
      FROM forget_receipts
     WHERE ${condition}`.all(...values).map((row) => {
    const parsed = ["chosen", "removed", "digests", "remains"]
      .map((name) => [name, JSON.parse(String(row[name]))]);
    return { ...row, ...Object.fromEntries(parsed) } as Receipt;
  });
}

export function taskName(id: string): string {
  return `task/${id}`;
}

/** Finds existing observations (by number), captures and tasks (by id) that a receipt names. */
export function namedIn(db: DatabaseSync, receiptId: string): NonNullable<ForgetFilter["ids"]> {
  const named = "IN (SELECT name FROM forgotten WHERE receipt_id = ?)";
  const idsIn = (table: string, name: string) =>
    db.prepare(`SELECT id FROM ${table} WHERE ${name} ${named}`).all(receiptId)
      .map(({ id }) => id);
  return {
    observations: idsIn("observations", "uid").map(Number),
    captures: forgottenCaptures(db, { among: null, receiptId }),
    tasks: idsIn("tasks", "'task/' || id").map(String),
  };
}

/** Digests an observation with its session, since many sessions share prompts such as `continue` and some output. */
export function digestOfRow(
  salt: string,
  { sessionId, title, text }: Readonly<Record<string, unknown>>,
): string {
  return forgottenDigest(salt, `${sessionId}\n${title}\n${text}`);
}

/** Finds observations from before a receipt that match one of its digests. */
export function sameAgain(
  db: DatabaseSync,
  { salt, digests, createdAtMs }: Pick<Receipt, "salt" | "digests" | "createdAtMs">,
): { readonly id: number; readonly digest: string }[] {
  if (digests.length === 0) return [];
  const known = new Set(digests);
  const digestOf = (sessionId: unknown, title: unknown, text: unknown) =>
    digestOfRow(salt, { sessionId, title, text });
  db.function("digest_of", digestOf);
  // Later observations are new, even if they tell the same.
  return statement(db)`
    SELECT id, digest_of(session_id, title, text) AS digest
      FROM observations
     WHERE created_at_ms <= ?
     ORDER BY id`.all(createdAtMs).map((row) => ({
    id: Number(row["id"]),
    digest: String(row["digest"]),
  }))
    .filter(({ digest }) => known.has(digest));
}

/** Copies the receipts and their key into a copy of the database, so that forgotten content stays away from it, too. */
export function takeReceipts(from: DatabaseSync, to: DatabaseSync): void {
  for (const table of ["forget_receipts", "forgotten"]) copyReadable(from, to, table);
  const key = readMeta(from, FORGET_KEY);
  if (key !== null) writeMeta(to, FORGET_KEY, key);
}

/** Placeholders for a text and a file. The command refuses them, so that a pasted command forgets nothing else. */
export const SAME_TEXT = "<the same text>";
export const SAME_FILE = "<the same file>";

/** The command that forgets a text again. */
export const TEXT_AGAIN = `conclaude memory forget --text ${quoteWord(SAME_TEXT)}`;

/**
 * Returns the command that repeats a receipt's run. Placeholders replace a text or a file, which a receipt does not
 * hold; without `--yes` the command asks before it does anything.
 */
export function commandAgain(chosen: Receipt["chosen"]): string {
  const { ids, session, project, file, text, sinceMs, untilMs } = chosen;
  const time = (value: unknown) => typeof value === "number" ? new Date(value).toISOString() : null;
  const flags = {
    session,
    project: typeof project === "string" ? folderOfProject(project) : null,
    file: file === undefined ? null : SAME_FILE,
    text: text === undefined ? null : SAME_TEXT,
    since: time(sinceMs),
    until: time(untilMs),
  };
  return [
    "conclaude memory forget",
    ...(Array.isArray(ids) ? ids.map((id) => quoteWord(String(id))) : []),
    ...Object.entries(flags).flatMap(([name, value]) =>
      typeof value === "string" ? [`--${name}`, quoteWord(value)] : []
    ),
    ...(file === undefined && text === undefined ? ["--yes"] : []),
  ].join(" ");
}
