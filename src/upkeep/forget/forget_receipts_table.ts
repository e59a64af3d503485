/** Receipts: what was forgotten, without the text itself. */
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../../base/ids.ts";
import { transaction } from "../../db/transaction.ts";
import { normalizeForgotten } from "../../memory/forget_text.ts";
import type { ForgetFilter } from "../../memory/store.ts";
import { FORGET_KEY, keyedDigest, nameForgotten } from "./forgotten_names_table.ts";
import { forgottenCaptures, IS_DIGEST } from "./stay_away_table.ts";
import { copyReadable } from "../../db/table_copy.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";

/** What was forgotten, without the text itself. */
export interface Receipt {
  readonly id: string;
  /** What was asked for, by flag; a text or file as its digest. */
  readonly chosen: Readonly<Record<string, unknown>>;
  /** A key of its own, so that equal texts have unlike digests in two receipts. */
  readonly salt: string;
  readonly textDigest: string | null;
  /** Rows that were removed, or in which a text was replaced, by table; files by what they are. */
  readonly removed: Readonly<Record<string, number>>;
  /** Of the observations. */
  readonly digests: readonly string[];
  /** Where something was left, in words. */
  readonly remains: readonly string[];
  readonly createdAtMs: number;
  /** Null when it was stopped on the way, or could not be done to the end. */
  readonly finishedAtMs: number | null;
}

/** The digest of a text under a receipt's key; the same for all spellings that count as one text. */
export function forgottenDigest(salt: string, text: string): string {
  return keyedDigest(salt, normalizeForgotten(text));
}

/**
 * The receipt of the same choice that was stopped, or that has lost its key by damage: the next run goes on with it.
 *
 * @param chosenWith The choice, as a receipt with this salt holds it.
 */
export function stoppedReceipt(
  db: DatabaseSync,
  chosenWith: (salt: string) => Receipt["chosen"],
): Receipt | undefined {
  return [...unfinishedReceipts(db), ...receiptsWithoutKey(db)].find(({ chosen, salt }) =>
    JSON.stringify(chosen) === JSON.stringify(chosenWith(salt))
  );
}

/** Writes a receipt down before anything is removed, so that what is removed can name it. */
export function beginReceipt(
  db: DatabaseSync,
  { chosen, text, nowMs }: {
    readonly chosen: (salt: string) => Receipt["chosen"];
    readonly text: string | null;
    readonly nowMs: number;
  },
): Pick<Receipt, "id" | "salt"> {
  const { id, salt } = stoppedReceipt(db, chosen) ??
    { id: newId(nowMs), salt: crypto.randomUUID().replaceAll("-", "") };
  const textDigest = text === null ? null : forgottenDigest(salt, text);
  db.prepare(
    `INSERT INTO forget_receipts (id, chosen, salt, text_digest, created_at_ms)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET created_at_ms = excluded.created_at_ms, finished_at_ms = NULL`,
  ).run(id, JSON.stringify(chosen(salt)), salt, textDigest, nowMs);
  return { id, salt };
}

/**
 * Adds to a receipt what was removed, and what is left. Names whose key is lost go: they get new ones.
 *
 * @param done `isWhole`: whether the run came to its end; else `doctor` names it as stopped.
 */
export function finishReceipt(
  db: DatabaseSync,
  { id, salt }: Pick<Receipt, "id" | "salt">,
  { removed, digests, remains, atMs, isWhole }:
    & Pick<Receipt, "removed" | "digests" | "remains">
    & { readonly atMs: number; readonly isWhole: boolean },
): void {
  const [earlier] = findReceipts(db, id, 1);
  const all = { ...earlier?.removed };
  for (const [name, n] of Object.entries(removed)) all[name] = (all[name] ?? 0) + n;
  const known = [...new Set([...earlier?.digests ?? [], ...digests])];
  // Rows that stay have the same words: their digests cannot show that something came back.
  const same = sameAgain(db, { salt, digests: known, createdAtMs: atMs })
    .map(({ digest }) => digest);
  db.prepare(
    `UPDATE forget_receipts
        SET removed = ?2, digests = ?3, remains = ?4, finished_at_ms = ?5, created_at_ms = ?6
      WHERE id = ?1`,
  ).run(
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

/** Writes down rows that must not come in, and are not here: there is nothing else to do. */
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

/** The ids of all receipts, the oldest first. */
export function receiptIds(db: DatabaseSync): string[] {
  return db.prepare("SELECT id FROM forget_receipts ORDER BY id").all().map(({ id }) => String(id));
}

/** Receipts of what was stopped before it was done, the oldest first. */
export function unfinishedReceipts(db: DatabaseSync): Receipt[] {
  return receiptsWhere(db, "finished_at_ms IS NULL ORDER BY id");
}

/** Receipts whose ids begin like this, at most `limit`, the newest first. */
export function findReceipts(db: DatabaseSync, beginning: string, limit: number): Receipt[] {
  return receiptsWhere(
    db,
    "substr(id, 1, length(?1)) = ?1 ORDER BY id DESC LIMIT ?2",
    beginning,
    limit,
  );
}

/**
 * Receipts that have lost their key by damage, the newest first: the words and keys that they name are not recognised
 * when they come back. Once there is another key, `lost/` stands before such names.
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
  return db.prepare(
    `SELECT id, chosen, salt, text_digest AS textDigest, removed, digests, remains, created_at_ms AS createdAtMs,
            finished_at_ms AS finishedAtMs
       FROM forget_receipts
      WHERE ${condition}`,
  ).all(...values).map((row) => {
    const parsed = ["chosen", "removed", "digests", "remains"]
      .map((name) => [name, JSON.parse(String(row[name]))]);
    return { ...row, ...Object.fromEntries(parsed) } as Receipt;
  });
}

/** The name that says that what people wrote into a task was forgotten. */
export function taskName(id: string): string {
  return `task/${id}`;
}

/** Observations by number, captures and tasks by id that a receipt names and that are there: in a copy still, else again. */
export function namedIn(
  db: DatabaseSync,
  receiptId: string,
): NonNullable<ForgetFilter["ids"]> {
  const observations = db.prepare(
    `SELECT o.id AS id
       FROM forgotten AS f
       JOIN observations AS o ON o.uid = f.name
      WHERE f.receipt_id = ?`,
  ).all(receiptId).map(({ id }) => Number(id));
  const tasks = db.prepare(
    "SELECT id FROM tasks WHERE 'task/' || id IN (SELECT name FROM forgotten WHERE receipt_id = ?)",
  ).all(receiptId).map(({ id }) => String(id));
  return { observations, captures: forgottenCaptures(db, { among: null, receiptId }), tasks };
}

/**
 * The digest of an observation: with its session, since every session has a prompt such as `continue` and the output of
 * the same commands.
 */
export function digestOfRow(
  salt: string,
  { sessionId, title, text }: Readonly<Record<string, unknown>>,
): string {
  return forgottenDigest(salt, `${sessionId}\n${title}\n${text}`);
}

/** Observations from before a receipt that tell the same as one whose digest it holds, with that digest. */
export function sameAgain(
  db: DatabaseSync,
  { salt, digests, createdAtMs }: Pick<Receipt, "salt" | "digests" | "createdAtMs">,
): { readonly id: number; readonly digest: string }[] {
  if (digests.length === 0) return [];
  const known = new Set(digests);
  db.function(
    "digest_of",
    (sessionId, title, text) => digestOfRow(salt, { sessionId, title, text }),
  );
  // What a session does once more afterwards is new.
  return db.prepare(
    `SELECT id, digest_of(session_id, title, text) AS digest
       FROM observations
      WHERE created_at_ms <= ?
      ORDER BY id`,
  ).all(createdAtMs).map((row) => ({ id: Number(row["id"]), digest: String(row["digest"]) }))
    .filter(({ digest }) => known.has(digest));
}

/** Copies the receipts with their key into a copy of the database, so that the forgotten stays away from it, too. */
export function takeReceipts(from: DatabaseSync, to: DatabaseSync): void {
  for (const table of ["forget_receipts", "forgotten"]) copyReadable(from, to, table);
  const key = from.prepare("SELECT value FROM meta WHERE key = ?").get(FORGET_KEY);
  if (key === undefined) return;
  to.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(
    FORGET_KEY,
    key["value"]!,
  );
}

/** Placeholders for what no receipt holds. The command refuses them, so that a pasted command forgets nothing else. */
export const SAME_TEXT = "<the same text>";
export const SAME_FILE = "<the same file>";

/** The command that forgets a text again. */
export const TEXT_AGAIN = `conclaude memory forget --text ${quoteWord(SAME_TEXT)}`;

/**
 * The command that forgets again what a receipt is about. A receipt holds neither a text nor a file: a placeholder stands for
 * them, and the command asks before it does anything.
 */
export function commandAgain(chosen: Receipt["chosen"]): string {
  const { ids, session, project, file, text, sinceMs, untilMs } = chosen;
  const flag = (name: string, value: string | null) => value === null ? [] : [`--${name}`, value];
  const word = (value: unknown) => typeof value === "string" ? quoteWord(value) : null;
  const time = (value: unknown) => typeof value === "number" ? new Date(value).toISOString() : null;
  const folder = typeof project === "string" ? folderOfProject(project) : project;
  return [
    "conclaude memory forget",
    ...(Array.isArray(ids) ? ids.map((id) => quoteWord(String(id))) : []),
    ...flag("session", word(session)),
    ...flag("project", word(folder)),
    ...flag("file", file === undefined ? null : quoteWord(SAME_FILE)),
    ...flag("text", text === undefined ? null : quoteWord(SAME_TEXT)),
    ...flag("since", time(sinceMs)),
    ...flag("until", time(untilMs)),
    ...(file === undefined && text === undefined ? ["--yes"] : []),
  ].join(" ");
}
