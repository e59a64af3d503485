/** Secrets that the kind of what holds them gives away: a Secret of Kubernetes, a row of a table, a password made by Terraform. */
import { isNoSecret, isSecretName, isValueLike, VALUE_MASK } from "./secret_names.ts";

const QUOTE = String.raw`\\{0,7}["']`;
const GAP = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){0,40}`;
const LINE_BREAK = /(\r?\n|(?:\\{1,7}r)?\\{1,7}n)/;
/** What tools put in front of a line: its number, the sign of a diff. */
const BEFORE_LINE = String.raw`(?:[ \t]{0,8}\d{1,6}(?:→|\t|\\{1,7}t)|[+-](?=[ \w"'-]))?`;
const KIND_IN_YAML = /kind:[ \t]{1,4}["']?Secret["']?[ \t]*$/;
const KIND_IN_JSON = new RegExp(`${QUOTE}kind${QUOTE}${GAP}:${GAP}${QUOTE}Secret${QUOTE}`);
const DATA = new RegExp(`^${BEFORE_LINE}([ \\t]*)(?:data|stringData):[ \\t]*$`);
const ENTRY = new RegExp(
  String
    .raw`^(${BEFORE_LINE}([ \t]*)["']?[\w.-]{1,253}["']?:[ \t]{1,8}["']?)([^"'\r\n]*?)["']?[ \t]*(?:\\{0,7}["'][\]}, \t"'\\]{0,40})?$`,
);
const LINE = new RegExp(String.raw`^(${BEFORE_LINE}([ \t]*))(\S[^\r\n]*)$`);
const DATA_IN_JSON = new RegExp(
  `${QUOTE}(?:data|stringData)${QUOTE}${GAP}:${GAP}\\{([^{}]*)\\}`,
  "g",
);
const VALUE_IN_JSON = new RegExp(
  `(${QUOTE}${GAP}:${GAP}${QUOTE})([^"'\\\\]{1,100000})(?=${QUOTE})`,
  "g",
);

/** The text with the values below `data` of each Secret of Kubernetes masked. */
export function maskKubernetes(text: string): string {
  if (!text.includes("Secret") || !text.includes("kind")) return text;
  const masked = KIND_IN_JSON.test(text)
    ? text.replace(DATA_IN_JSON, (whole) =>
      whole.replace(
        VALUE_IN_JSON,
        (entry, kept: string, value: string) => isKept(value) ? entry : kept + VALUE_MASK,
      ))
    : text;
  const parts = masked.split(LINE_BREAK);
  let from = 0;
  // One step more: the end of the text ends a document, too.
  for (let index = 0; index <= parts.length + 1; index += 2) {
    const line = parts[index];
    if (line !== undefined && !/^[ \t\d→+]*---[ \t]*$/.test(line)) continue;
    const lines = parts.slice(from, index);
    if (lines.some((text, at) => at % 2 === 0 && KIND_IN_YAML.test(text))) {
      parts.splice(from, lines.length, ...withoutData(lines));
    }
    from = index + 2;
  }
  return parts.join("");
}

/** The lines of one document, every second of them a line break. */
function withoutData(lines: readonly string[]): string[] {
  const masked = [...lines];
  let above = -1;
  /** How far the lines of a value stand in that goes on over several. */
  let block = -1;
  for (let index = 0; index < masked.length; index += 2) {
    const line = masked[index]!;
    if (line.trim() === "") continue;
    const data = DATA.exec(line);
    const [, before = "", indent = "", rest = ""] = LINE.exec(line) ?? [];
    if (data !== null) above = data[1]!.length;
    else if (above >= 0 && indent.length <= above) above = -1;
    else if (above >= 0 && block >= 0 && indent.length > block) {
      if (!isKept(rest)) masked[index] = before + VALUE_MASK;
      continue;
    } else if (above >= 0) {
      const [, kept, depth = "", value = ""] = ENTRY.exec(line) ?? [];
      block = /^[|>][-+\d]{0,2}$/.test(value) ? depth.length : -1;
      if (kept !== undefined && block < 0 && !isKept(value)) {
        masked[index] = kept + VALUE_MASK + line.slice(kept.length + value.length);
      }
    }
    if (above < 0 || data !== null) block = -1;
  }
  return masked;
}

function isKept(value: string): boolean {
  return isNoSecret("", value) || /^(?:\[redacted:|\{\{|\$[{(\w])/.test(value);
}

const MADE = "random_password";
const RESULT = new RegExp(
  `${QUOTE}result${QUOTE}${GAP}:${GAP}${QUOTE}([^"'\\\\\\r\\n]{1,400})(?=${QUOTE})`,
  "g",
);

/** The text with the passwords that Terraform made masked in its state. */
export function maskMadePasswords(text: string): string {
  let from = text.indexOf(MADE);
  if (from === -1) return text;
  return text.replace(RESULT, (whole, value: string, at: number) => {
    // Between the kind and the result there are a few attributes.
    for (let next = from; next !== -1 && next < at; next = text.indexOf(MADE, next + 1)) {
      from = next;
    }
    const isMade = from < at && at - from < 3_000;
    return isMade && !isKept(value) ? whole.slice(0, -value.length) + VALUE_MASK : whole;
  });
}

const INSERT =
  /insert[ \t]{1,8}(?:ignore[ \t]{1,8})?into[ \t]{1,8}[\w."'`[\]\\]{1,120}[ \t\r\n]{0,8}\(([^()]{1,2000})\)(?:[ \t\r\n]|\\{1,7}[nrt]){0,20}values/gi;
/** The columns of settings: what each is called by, and what it holds. */
const NAMING =
  /^(?:(?:option|setting|config|param)_)?(?:name|key)$|^(?:option|setting|variable|property)$/i;
const HOLDING = /^(?:(?:option|setting|config|param)_)?val(?:ue)?$/i;
const NEXT_ROW = /(?:[ \t\r\n,]|\\{1,7}[nrt]){0,20}\(/y;
const NEXT_CELL =
  /(?:[ \t\r\n]|\\{1,7}[nrt]){0,20}(?:[NE]?\\{0,7}'((?:[^'\\\r\n]|''){0,400})\\{0,7}'|[^,()'"]{0,200}(?:\([^()]{0,200}\))?)[ \t\r\n]{0,8}([,)])/dy;

/** The text with what statements of SQL insert into the columns of secrets masked, and into those of settings below a secret name. */
export function maskInserts(text: string): string {
  INSERT.lastIndex = 0;
  let masked = "";
  let done = 0;
  for (let found = INSERT.exec(text); found !== null; found = INSERT.exec(text)) {
    const columns = found[1]!.split(",").map((name) => name.replace(/[\s"'`[\]\\]/g, ""));
    const secret = columns.map(isSecretName);
    const [name, value] = [NAMING, HOLDING].map((form) => columns.findIndex((it) => form.test(it)));
    if (!secret.includes(true) && (name === -1 || value === -1)) continue;
    NEXT_ROW.lastIndex = INSERT.lastIndex;
    while (NEXT_ROW.test(text)) {
      NEXT_CELL.lastIndex = NEXT_ROW.lastIndex;
      let isOpen = true;
      const cells: RegExpExecArray[] = [];
      while (isOpen) {
        const cell = NEXT_CELL.exec(text);
        if (cell === null) break;
        cells.push(cell);
        INSERT.lastIndex = NEXT_ROW.lastIndex = NEXT_CELL.lastIndex;
        isOpen = cell[2] === ",";
      }
      const isNamed = isSecretName(cells[name!]?.[1] ?? "");
      cells.forEach(({ 1: held = "", indices }, column) => {
        const span = indices![1];
        const isSecret = secret[column] || isNamed && column === value && isValueLike(held);
        if (!isSecret || span === undefined || isKept(held)) return;
        masked += text.slice(done, span[0]) + VALUE_MASK;
        done = span[1];
      });
      if (isOpen) break;
    }
  }
  return masked + text.slice(done);
}
