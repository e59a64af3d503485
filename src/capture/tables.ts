/** `id,name,password`: the secrets in the columns of a table that its head names, and in the rows of a list of names and values. */
import {
  isNoSecret,
  isSecretName,
  isTechnical,
  isValueLike,
  NAME,
  SUFFIX,
  VALUE_MASK,
} from "./secret_names.ts";

const LINE_BREAK = /(\r?\n|(?:\\{1,7}r)?\\{1,7}n)/;
/** `password    x1y2z3` and `password  | x1y2z3`, on a line of their own. */
const ROW = new RegExp(
  String
    .raw`^([ \t]{0,8}[\w.-]{0,40}?${NAME}${SUFFIX}(?:[ \t]{0,40}\|[ \t]{1,40}|[ \t]{2,40}|[ \t]*\t[ \t]*))([^\s|]{6,256})[ \t]*$`,
  "i",
);
const HEAD_CELL =
  /^\ufeff?[ \t]*(?:[A-Za-z_][\w .-]{0,40}|\\{0,7}"[A-Za-z_][\w .-]{0,40}\\{0,7}")$/;
/** A call or what is put in the place of one is none, nor is what has an end of a sentence. */
const NO_CELL =
  /^[\w$.]+\([\w$., ]*\)$|^(?:\$[\w({]|[<{[(].*[>}\])]$|--?[a-z])|^[~.]{0,2}\/|^[a-z]+:\/\/|^\[redacted:/i;
const MAX_HEAD_CHARS = 2_000;

/** How the cells of a table stand beside each other. */
interface Head {
  readonly sign: string;
  readonly width: number;
  readonly secret: ReadonlySet<number>;
}

/** The text with the secrets of its tables masked. */
export function maskTables(text: string): string {
  // Every second part is what ends a line.
  const parts = text.split(LINE_BREAK);
  let head: Head | undefined;
  let hasChanged = false;
  for (let index = 0; index < parts.length; index += 2) {
    const line = parts[index]!;
    if (line.trim() === "") head = undefined;
    if (head !== undefined) {
      if (head.sign === "|" && isRule(line)) continue;
      const masked = maskedRow(line, head);
      if (masked !== undefined) {
        hasChanged ||= masked !== line;
        parts[index] = masked;
        continue;
      }
      head = undefined;
    }
    head = headAt(line, parts[index + 2] ?? "");
    if (head !== undefined) continue;
    const [, kept, value] = line.length < 400 ? ROW.exec(line) ?? [] : [];
    if (kept === undefined || !isValueLike(value!) || /auth(?:orization)?\s/i.test(kept)) continue;
    parts[index] = kept + VALUE_MASK;
    hasChanged = true;
  }
  return hasChanged ? parts.join("") : text;
}

/** A rule below the head: `----+----`, `|---|---|`. */
function isRule(line: string): boolean {
  return line.includes("--") && /^[-+|: \t]*$/.test(line);
}

/** The head of a table, when one of its cells is a secret's name. */
function headAt(line: string, next: string): Head | undefined {
  if (line.length > MAX_HEAD_CHARS) return undefined;
  const sign = ["|", ",", "\t", "\\t"].find((sign) => line.includes(sign)) ?? "";
  if (sign === "") return undefined;
  // The first line of a table within a string of JSON stands behind the name of that string.
  const row = sign === "|" ? line.slice(line.lastIndexOf('"') + 1) : line;
  const cells = cellsOf(row, sign).map(({ text }) => text);
  // Without a rule only as sqlite3 prints it: no blanks, and a row of as many cells below.
  const isRow = /^[\w|]+$/.test(row) && !/ \||\| /.test(next) &&
    cellsOf(next, sign).length === cells.length;
  if (sign === "|" && !isRule(next) && !isRow) return undefined;
  // Of what stands between commas, only a head has neither blanks nor a line below with fewer of them.
  if (
    sign === "," &&
    (/,[ \t]|[ \t](?:,|$)/.test(line) || cellsOf(next, sign).length !== cells.length)
  ) {
    return undefined;
  }
  const names = sign === "|" ? cells.filter((cell) => cell.trim() !== "") : cells;
  if (cells.length < 2 || !names.every((cell) => HEAD_CELL.test(cell))) return undefined;
  const secret = new Set(
    cells.flatMap((cell, index) =>
      isSecretName(nameOf(cell)) && !/^auth$/i.test(nameOf(cell)) ? [index] : []
    ),
  );
  return secret.size === 0 ? undefined : { sign, width: cells.length, secret };
}

/** The name in a cell, as a program would write it. */
function nameOf(cell: string): string {
  return cell.replace(/[\ufeff"\\]/g, "").trim().replaceAll(" ", "_");
}

/** Whether a cell below a secret name holds one: also with signs of a program, or of several words with digits each. */
function isCellSecret(value: string): boolean {
  if (isValueLike(value)) return true;
  const words = value.split(" ");
  return value.length >= 6 && value.length <= 256 && !isNoSecret("", value) &&
    !NO_CELL.test(value) &&
    /[A-Za-z]/.test(value) &&
    words.every((word) => /\d/.test(word) && !isTechnical(word));
}

/** A line of a table with its secrets masked; nothing where it is none of the table's. */
function maskedRow(line: string, { sign, width, secret }: Head): string | undefined {
  const cells = cellsOf(line, sign);
  if (cells.length !== width) return undefined;
  let masked = "";
  let done = 0;
  for (const index of secret) {
    const { start, text } = cells[index]!;
    const value = text.replace(/^[\s"'`\\]+|[\s"'`\\]+(?:[}\]][}\]\s"'`\\]*)?$/g, "");
    const isKept = sign === ","
      ? isNoSecret("", value) || /^[\w$]{1,5}$/.test(value)
      : !isCellSecret(value);
    if (isKept || value.startsWith("[redacted:") || /^\$[\w{(]/.test(value)) continue;
    const from = start + text.indexOf(value);
    masked += line.slice(done, from) + VALUE_MASK;
    done = from + value.length;
  }
  return masked + line.slice(done);
}

/** The cells of a line; a sign within quotes parts none. */
function cellsOf(line: string, sign: string): { readonly start: number; readonly text: string }[] {
  const cells: { start: number; text: string }[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    const isEnd = at === line.length || line.startsWith(sign, at) && !(isQuoted && sign === ",");
    if (!isEnd) continue;
    cells.push({ start, text: line.slice(start, at) });
    start = at + sign.length;
  }
  return cells;
}
