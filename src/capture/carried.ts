/**
 * A secret that its name gives away in one string of a payload is masked wherever else it stands there: an edit of
 * `hunter2` alone beside the file with `DB_PASSWORD=hunter2`. What an edit puts in the place of a secret is one, too.
 */
import { type CarriedValues, carriedValues, withoutSpans } from "./carried_values.ts";
import { withoutColours } from "./colours.ts";
import { VALUE_MASK } from "./secret_names.ts";

/** A string of a payload before its secrets were masked, and where it stands in the copy without them. */
interface Leaf {
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
  readonly source: string;
  /** Whether it is an edit's, or the line of a patch: a word alone may be a password there. */
  readonly isEdit: boolean;
}

/** An edit: what it replaces, and by what. */
type Edit = readonly [old: Leaf, made: Leaf];

/** Who and where a session is, and what it does: without these nobody could tell whose the payload is. */
const PLACES = new Set<string | number>(
  ["cwd", "transcript_path", "project_dir", "session_id", "tool_name", "tool_use_id"]
    .concat(["hook_event_name", "permission_mode", "type"]),
);
/** How tools call what they replace, and what they put there. */
const REPLACEMENTS = [["old_string", "new_string"], ["oldString", "newString"]] as const;
const EDIT_KEYS = new Set<string | number>(REPLACEMENTS.flat());
const MASK = /\[redacted:([a-z\d-]+)\]|\[private removed\]/g;
/** A shorter part of a secret is replaced in too many texts that are none. */
const MIN_PART_CHARS = 3;
/** How many characters are looked through for such parts: a payload may tell of a million edits. */
const MAX_READ_CHARS = 40_000_000;

/**
 * Masks in a copy of a payload what was masked elsewhere in it, in place.
 *
 * @param redacted The copy, of the same shape.
 * @returns Whether anything changed: a mask can bring a new match about.
 */
export function maskCarried(source: unknown, redacted: { value: unknown }): boolean {
  const values = carriedValues();
  const { leaves, edits } = walk(source, redacted, values);
  if (values.size() === 0) return false;
  let hasChanged = maskLeaves(leaves, values);
  const known = values.size();
  const chars = leaves.reduce((sum, { source }) => sum + source.length, 0);
  let toRead = MAX_READ_CHARS;
  const isElsewhere = ([old, made]: Edit) => {
    toRead -= chars;
    return toRead > 0 &&
      leaves.some(({ holder, key, source }) =>
        source !== old.source && source !== made.source && String(holder[key]).includes(old.source)
      );
  };
  for (const edit of edits) {
    if (maskEdit(edit, values) || maskPart(edit, { values, isElsewhere })) hasChanged = true;
  }
  if (values.size() > known) maskLeaves(leaves, values);
  return hasChanged;
}

function maskLeaves(leaves: readonly Leaf[], values: CarriedValues): boolean {
  let hasChanged = false;
  for (const { holder, key, isEdit } of leaves) {
    const text = holder[key];
    if (typeof text !== "string" || PLACES.has(key)) continue;
    const spans = values.spansIn(text, isEdit);
    if (spans.length === 0) continue;
    holder[key] = withoutSpans(text, spans);
    hasChanged = true;
  }
  return hasChanged;
}

/** Every string of a payload and every edit; the values that were masked are learned. */
function walk(source: unknown, redacted: { value: unknown }, values: CarriedValues) {
  const leaves: Leaf[] = [];
  const edits: Edit[] = [];
  const pending: { readonly source: object; readonly copy: object }[] = [
    { source: { value: source }, copy: redacted },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const holder = next.copy as Leaf["holder"];
    const isList = Array.isArray(next.source);
    const copyKeys = Object.keys(next.copy);
    const own = new Map<string, Leaf>();
    Object.entries(next.source).forEach(([name, item], index) => {
      const key = isList ? index : copyKeys[index] ?? name;
      const copied = holder[key];
      if (typeof item === "string" && typeof copied === "string") {
        const isEdit = EDIT_KEYS.has(name) || isList && /^[-+ ]/.test(item);
        const leaf = { holder, key, source: item, isEdit };
        leaves.push(leaf);
        if (isEdit && !isList) own.set(name, leaf);
        learn(item, copied, values);
      } else if (typeof item === "number" && copied === VALUE_MASK) {
        values.add(String(item), "secret");
      } else if (isContainer(item) && isContainer(copied)) {
        pending.push({ source: item, copy: copied });
      }
    });
    for (const [before, after] of REPLACEMENTS) {
      const old = own.get(before);
      const made = own.get(after);
      if (old !== undefined && made !== undefined) edits.push([old, made]);
    }
  }
  return { leaves, edits };
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Takes what stands in a text where its copy has masks. */
function learn(source: string, redacted: string, values: CarriedValues): void {
  if (source === redacted) return;
  const masks = [...redacted.matchAll(MASK)];
  if (masks.length > 0 && !learnBetween(source, redacted, { masks, values })) {
    const plain = withoutColours(source);
    if (plain !== source) learnBetween(plain, redacted, { masks, values });
  }
}

function learnBetween(
  source: string,
  redacted: string,
  { masks, values }: { readonly masks: readonly RegExpExecArray[]; readonly values: CarriedValues },
): boolean {
  const first = redacted.slice(0, masks[0]!.index);
  if (!source.startsWith(first)) return false;
  let at = first.length;
  /** Where two masks stand side by side nobody can tell where the one secret ends. */
  let isUnclear = false;
  for (const [index, mask] of masks.entries()) {
    const start = mask.index + mask[0].length;
    const next = masks[index + 1]?.index;
    const kept = redacted.slice(start, next);
    if (kept === "" && next !== undefined) {
      isUnclear = true;
      continue;
    }
    const end = next === undefined ? source.length - kept.length : source.indexOf(kept, at + 1);
    if (end < at || !source.startsWith(kept, end)) return false;
    if (!isUnclear && mask[1] !== undefined) values.add(source.slice(at, end), mask[1]);
    isUnclear = false;
    at = end + kept.length;
  }
  return true;
}

/** Masks what an edit puts where a secret stood, line by line where it keeps their number. */
function maskEdit([old, made]: Edit, values: CarriedValues): boolean {
  if (values.spansIn(old.source, true).length === 0) return false;
  const before = old.source.split("\n");
  const after = made.source.split("\n");
  const pairs = before.length === after.length
    ? before.map((line, index) => [line, after[index]!] as const)
    : [[old.source, made.source] as const];
  const masked = pairs.map(([line, next]) => maskReplaced(line, next, values)).join("\n");
  if (masked === made.source) return false;
  made.holder[made.key] = masked;
  return true;
}

/** The new text of an edit without what is new in it, where a secret stood in the old one. */
function maskReplaced(old: string, made: string, values: CarriedValues): string {
  if (old === made) return made;
  const shorter = Math.min(old.length, made.length);
  let prefix = 0;
  while (prefix < shorter && old[prefix] === made[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && old.at(-1 - suffix) === made.at(-1 - suffix)) suffix++;
  const spans = values.spansIn(old, true)
    .filter(({ start, end }) => start <= old.length - suffix && end >= prefix);
  if (spans.length === 0) return made;
  const start = Math.min(prefix, spans[0]!.start);
  const end = made.length - Math.min(suffix, old.length - spans.at(-1)!.end);
  if (start >= end) return made;
  values.add(made.slice(start, end), "secret");
  return withoutSpans(made, [{ start, end }]);
}

/** Masks an edit of a part of a secret, where that part stands nowhere else. */
function maskPart(
  edit: Edit,
  { values, isElsewhere }: {
    readonly values: CarriedValues;
    readonly isElsewhere: (edit: Edit) => boolean;
  },
): boolean {
  const [old, made] = edit;
  if (old.source.trim().length < MIN_PART_CHARS) return false;
  const secrets = values.around(old.source);
  if (secrets.length === 0 || isElsewhere(edit)) return false;
  for (const secret of secrets) {
    values.add(secret.replace(old.source, () => made.source), "secret");
  }
  for (const { holder, key, source } of edit) if (source !== "") holder[key] = VALUE_MASK;
  return true;
}
