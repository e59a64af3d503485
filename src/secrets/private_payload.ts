/**
 * Hides private text that spans several strings of a payload: the lines of a patch, the blocks of an answer, the edits
 * of a file. `private_tags.ts` finds private text within one string.
 *
 * - All strings below an array are read as one text. An opening tag hides everything up to its closing tag, or up to
 *   the end of the array; a closing tag without an opening one hides everything before it in the array.
 * - The strings of an object are read one by one. A part that one string opens and a later one closes is hidden.
 * - A line of private text is hidden wherever the payload repeats it as a whole line.
 * - When an edit replaces private text, its new text is private too.
 */
import { withoutColours, withoutNuls } from "./colours.ts";
import {
  endsInTag,
  findPrivate,
  PRIVATE_MASK,
  type PrivateParts,
  type PrivateSpan,
} from "./private_tags.ts";

/** A string of a payload, and the object or array of the copy that holds it. */
interface Leaf {
  readonly holder: Holder;
  readonly key: string | number;
  readonly text: string;
  /** The string's position among all strings of the payload. */
  readonly index: number;
  readonly parts: PrivateParts;
}

/** A private part of a string. */
interface LeafPart extends PrivateSpan {
  readonly leaf: Leaf;
}

type Holder = Record<string | number, unknown>;
type Spans = PrivateParts["spans"];

/** Values of `type` in an answer's blocks; such a string is never hidden. */
const BLOCK_TYPES = new Set(["text", "image", "resource", "resource_link", "tool_result", "json"]);
/** Keys that tell where the payload comes from; their values stay. */
const PLACES = new Set<string | number>(["cwd", "transcript_path", "project_dir"]);
/** The keys of an edit: the old text, and the new one. */
const REPLACEMENTS = [["old_string", "new_string"], ["oldString", "newString"]] as const;

/** Returns a copy of parsed JSON without private text and NULs; the value itself if it has neither. Any depth. */
export function hidePrivate(value: unknown): unknown {
  const root: Holder = {};
  const { leaves, runs, objects, hasNul } = copyInto(root, value);
  const found = [
    ...leaves.flatMap((leaf) => leaf.parts.spans.map((span) => ({ leaf, ...span }))),
    ...runs.flatMap(hiddenOfRun),
    ...objects.flatMap((object) => hiddenBetween(object, leaves)),
  ];
  if (found.length === 0 && !hasNul) return value;
  const hidden = new Map<Leaf, string>();
  const texts = privateTexts();
  const lines = privateLines();
  const hide = (leaf: Leaf, spans: Spans) => {
    for (const { start, end } of spans) {
      const piece = withoutTags(leaf.text.slice(start, end));
      texts.add(piece);
      lines.add(piece);
    }
    hidden.set(leaf, withMasks(leaf.text, spans));
  };
  const hideWhole = (leaf: Leaf) => {
    if (leaf.text.trim() !== "" && !isBlockType(leaf)) hide(leaf, [wholeOf(leaf)]);
  };
  for (const [leaf, parts] of Map.groupBy(found, ({ leaf }) => leaf)) {
    const spans = joinOverlaps(
      parts.filter(({ start, end }) => leaf.text.slice(start, end).trim() !== ""),
    );
    if (spans.length > 0 && !isBlockType(leaf)) hide(leaf, spans);
  }
  for (const [old, replacement] of objects.flatMap(replacementsOf)) {
    const edited = texts.edit(old.text, replacement.text);
    edited?.forEach(lines.add);
    if (edited !== null || lines.holdsAll(old.text)) [old, replacement].forEach(hideWhole);
  }
  for (const leaf of leaves) {
    const shown = hidden.get(leaf) ?? leaf.text;
    leaf.holder[leaf.key] = PLACES.has(leaf.key) || isBlockType(leaf) ? shown : lines.mask(shown);
  }
  return root["value"];
}

function isBlockType({ key, text }: Leaf): boolean {
  return key === "type" && BLOCK_TYPES.has(text);
}

/** Returns the private parts of a run, joining its strings with line ends into one text. */
function hiddenOfRun(run: readonly Leaf[]): LeafPart[] {
  const isMarked = ({ parts, text }: Leaf) =>
    parts.spans.length > 0 || parts.mentionedAt !== null || endsInTag(text);
  if (!run.some(isMarked)) return [];
  const { spans } = findPrivate(run.map(({ text }) => text).join("\n"));
  const found: LeafPart[] = [];
  let at = 0;
  let next = 0;
  for (const leaf of run) {
    const length = leaf.text.length;
    for (; next < spans.length && spans[next]!.start < at + length; next++) {
      const { start, end } = spans[next]!;
      found.push({ leaf, start: Math.max(0, start - at), end: Math.min(length, end - at) });
      if (end > at + length) break;
    }
    at += length + 1;
  }
  return found;
}

/** Returns the strings between a string of an object that opens a private part and a later one that closes it. */
function hiddenBetween(object: readonly Leaf[], leaves: readonly Leaf[]): LeafPart[] {
  const found: LeafPart[] = [];
  let opened: Leaf | null = null;
  for (const leaf of object) {
    if (opened !== null && leaf.parts.closesAt > 0) {
      const { mentionedAt } = opened.parts;
      if (mentionedAt !== null) {
        found.push({ ...wholeOf(opened), leaf: opened, start: mentionedAt });
      }
      for (const between of leaves.slice(opened.index + 1, leaf.index)) {
        found.push({ ...wholeOf(between), leaf: between });
      }
      opened = null;
    }
    if (leaf.parts.isOpen || leaf.parts.mentionedAt !== null) opened ??= leaf;
  }
  return found;
}

/** Sorts the parts of one text and joins those that overlap. */
function joinOverlaps(parts: Spans): Spans {
  const spans: PrivateSpan[] = [];
  for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
    const last = spans.at(-1);
    if (last === undefined || start >= last.end) spans.push({ start, end });
    else if (end > last.end) spans[spans.length - 1] = { start: last.start, end };
  }
  return spans;
}

/** Returns the edits in an object whose old and new text have no private tags. */
function replacementsOf(object: readonly Leaf[]): (readonly [old: Leaf, replacement: Leaf])[] {
  return REPLACEMENTS.flatMap(([before, after]) => {
    const old = object.find(({ key }) => key === before);
    const replacement = object.find(({ key }) => key === after);
    const isPlain = old?.parts.spans.length === 0 && replacement?.parts.spans.length === 0;
    return isPlain ? [[old!, replacement!] as const] : [];
  });
}

function wholeOf({ text }: Leaf): PrivateSpan {
  return { start: 0, end: text.length };
}

function withMasks(text: string, spans: Spans): string {
  let masked = "";
  let done = 0;
  for (const { start, end } of spans) {
    masked += text.slice(done, start) + PRIVATE_MASK;
    done = end;
  }
  return masked + text.slice(done);
}

function withoutTags(text: string): string {
  return text.replace(/<[ /]?\s{0,8}private[^>]{0,500}>/gi, "\n");
}

/** An object or array while it is copied. */
interface Frame {
  readonly entries: Iterator<[string | number, unknown]>;
  readonly holder: Holder;
  /** The strings below the outermost array around it; null outside of arrays. */
  readonly run: Leaf[] | null;
  /** The strings of the object itself; null for an array. */
  readonly own: Leaf[] | null;
}

/** Copies a value to `holder.value`, without colours and NULs in its strings. */
function copyInto(holder: Holder, value: unknown) {
  const leaves: Leaf[] = [];
  const runs: Leaf[][] = [];
  const objects: Leaf[][] = [];
  let hasNul = false;
  const root: [string, unknown][] = [["value", value]];
  const frames: Frame[] = [{ entries: root.values(), holder, run: null, own: [] }];
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const next = frame.entries.next();
    if (next.done === true) {
      frames.pop();
      continue;
    }
    const [key, item] = next.value;
    if (typeof item === "string") {
      const text = withoutNuls(withoutColours(item));
      if (item.includes("\0")) hasNul = true;
      const parts = findPrivate(text);
      const leaf = { holder: frame.holder, key, text, index: leaves.length, parts };
      leaves.push(leaf);
      frame.run?.push(leaf);
      frame.own?.push(leaf);
      // Set now, so that the copy keeps the order of keys.
      frame.holder[key] = text;
    } else if (typeof item === "object" && item !== null) {
      const isArray = Array.isArray(item);
      const inside = (isArray ? [] : {}) as Holder;
      frame.holder[key] = inside;
      const own = isArray ? null : [];
      const run = frame.run ?? (isArray ? [] : null);
      if (own !== null) objects.push(own);
      if (run !== null && run !== frame.run) runs.push(run);
      const entries = isArray ? item.entries() : Object.entries(item).values();
      frames.push({ entries, holder: inside, run, own });
    } else frame.holder[key] = item;
  }
  return { leaves, runs, objects, hasNul };
}

/** The least length of a private line that is masked elsewhere; shorter lines are too common. */
const MIN_LINE_CHARS = 4;
/** A line end, also an escaped one in a JSON string. */
const LINE_BREAK = /(\r?\n|\r|\\{1,7}[nr])/;
/** The start of a line in a patch, a quotation, a numbered listing or a list of JSON. */
const BEFORE = /^(?:[\s"'`+>|*#-]|\d{1,7}[:→\t|-])*/;
const BEHIND = "\"'`,; \t\r\n\\|";

/** Collects the lines of private text. */
function privateLines() {
  const lines = new Set<string>();
  return {
    add(text: string) {
      for (const line of text.split(LINE_BREAK)) {
        const { start, end } = wordsOfLine(line);
        const words = line.slice(start, end);
        if (words.length >= MIN_LINE_CHARS && words !== PRIVATE_MASK) lines.add(words);
      }
    },
    /** Masks the collected lines in a text; indentation and the marks of a patch stay. */
    mask(text: string) {
      if (lines.size === 0) return text;
      return text.split(LINE_BREAK).map((line) => {
        const { start, end } = wordsOfLine(line);
        return lines.has(line.slice(start, end))
          ? line.slice(0, start) + PRIVATE_MASK + line.slice(end)
          : line;
      }).join("");
    },
    /** Whether a text has lines that count and all of them are private. */
    holdsAll(text: string) {
      const words = text.split(LINE_BREAK).map((line) => {
        const { start, end } = wordsOfLine(line);
        return line.slice(start, end);
      }).filter((line) => line.length >= MIN_LINE_CHARS);
      return words.length > 0 && words.every((line) => lines.has(line) || line === PRIVATE_MASK);
    },
  };
}

/** Returns where the words of a line begin and end, without indentation and marks. */
function wordsOfLine(line: string): { readonly start: number; readonly end: number } {
  const start = BEFORE.exec(line)?.[0].length ?? 0;
  let end = line.length;
  while (end > start && BEHIND.includes(line[end - 1]!)) end--;
  return { start, end };
}

/** Limits in characters on searching and on new text, since a payload may hold a million edits. */
const MAX_READ_CHARS = 40_000_000;
const MAX_MADE_CHARS = 200_000;

/** Collects private texts, and applies edits to them. */
function privateTexts() {
  const texts: string[] = [];
  const known = new Map<string, readonly string[]>();
  let chars = 0;
  let toRead = MAX_READ_CHARS;
  let toMake = MAX_MADE_CHARS;
  const add = (text: string) => {
    texts.push(text);
    chars += text.length;
  };
  return {
    add,
    /** Returns the new private lines that an edit makes; null if it changes no private line, [] beyond the limits. */
    edit(old: string, replacement: string): readonly string[] | null {
      if (old.trim() === "") return null;
      const key = `${old.length} ${old}${replacement}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      toRead -= chars;
      if (toRead < 0) return [];
      const holders = texts.filter((text) => text.includes(old));
      if (holders.length === 0) return null;
      const lines: string[] = [];
      for (const line of holders.flatMap((text) => linesAround(text, old))) {
        const count = line.split(old).length - 1;
        toMake -= 2 * (line.length + count * replacement.length);
        if (toMake < 0) break;
        // The edit may have replaced the first occurrence or all.
        lines.push(line.replace(old, () => replacement), line.replaceAll(old, () => replacement));
      }
      new Set(lines).forEach(add);
      known.set(key, lines);
      return lines;
    },
  };
}

/** Returns the lines around each occurrence of `part`, which may span several lines. */
function linesAround(text: string, part: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, end)) {
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const next = text.indexOf("\n", at + part.length);
    end = next === -1 ? text.length : next + 1;
    found.push(text.slice(at === 0 ? 0 : start, next === -1 ? end : next));
  }
  return found;
}
