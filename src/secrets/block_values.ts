/** Values in a block that is called by what it holds: a Secret of Kubernetes, a map or list below `secrets:`. */
import { isOddWord, isPlain } from "./secret_names.ts";
import { type MaskedSpan, maskOf } from "./secret_form.ts";

const KIND = /kind["']?:[ \t]{0,4}["']?Secret["']?(?=[\s,}]|$)/g;
/** How far the values may stand from the kind: in YAML they come before or after it. */
const MAX_CHARS = 8_000;
const DATA = /(?<!\w)["']?(?:data|stringData)["']?:[ \t]{0,4}(?:\{\s{0,20}|[^\S\n]{0,4}\n)/g;
/** An entry; its group is the value, of one line. */
const ENTRY =
  /\s{0,20}["']?[\w.-]{1,80}["']?:[ \t]{1,4}(?:[|>][-+]?[ \t]{0,4}\n[ \t]{0,20})?["']?([^\s"',]{3,})["']?,?[ \t]{0,4}/y;

/** Where such values stand in a text. */
export function findBlockValues(text: string): MaskedSpan[] {
  return [...findKubernetesSecrets(text), ...findListed(text)];
}

/** The name of several secrets, and what opens its block: the lines below it, or a list in brackets. */
const LISTED =
  /(?<![a-z])(?:secrets|passwords|tokens|credentials|api_?keys)["']?\s{0,3}[:=]\s{0,3}(?:\[|\{|(?:\r?\n|\\n)(?=[-+\s]))/gi;
/** An item: with a key or a dash in lines that are indented, without them in a list; its group is the value. */
const ITEM =
  /[+]?[ \t]{0,40}(?:- )?(?:["']?[A-Za-z_][\w.-]{0,60}["']?:[ \t]{0,4})?(?:["']?([^\s"',{}[\]\\]{3,300})["']?)?,?[ \t]{0,8}(?:#[^\n]{0,200})?(?:\r?\n|\\n|$|(?=[\]}])|(?<=,[ \t]{0,8}))/y;
const MAX_ITEMS = 200;

function findListed(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  let done = 0;
  for (const { index, 0: head } of text.matchAll(LISTED)) {
    if (index < done) continue;
    const isBlock = /\n$/.test(head);
    ITEM.lastIndex = index + head.length;
    for (let count = 0; count < MAX_ITEMS; count++) {
      const from = ITEM.lastIndex;
      // A line that is not indented begins something else.
      if (isBlock && !/[-+ \t]/.test(text[from] ?? "")) break;
      const item = ITEM.exec(text);
      if (item === null || item[0] === "") break;
      const value = item[1] ?? "";
      if (!isOddWord(value) || /^[\w.-]{1,60}:$/.test(value)) continue;
      const start = from + item[0].lastIndexOf(value);
      spans.push({ start, end: start + value.length, mask: maskOf("secret") });
      done = ITEM.lastIndex;
    }
  }
  return spans;
}

function findKubernetesSecrets(text: string): MaskedSpan[] {
  if (!text.includes("Secret")) return [];
  const spans: MaskedSpan[] = [];
  let done = 0;
  for (const { index } of text.matchAll(KIND)) {
    const before = Math.max(done, text.lastIndexOf("\n---", index), index - MAX_CHARS);
    const next = text.indexOf("\n---", index);
    const end = Math.min(next === -1 ? text.length : next, index + MAX_CHARS);
    const part = text.slice(before, end);
    for (const found of part.matchAll(DATA)) {
      ENTRY.lastIndex = found.index + found[0].length;
      for (let entry = ENTRY.exec(part); entry !== null; entry = ENTRY.exec(part)) {
        const start = before + entry.index + entry[0].lastIndexOf(entry[1]!);
        if (isPlain(entry[1]!)) continue;
        spans.push({ start, end: start + entry[1]!.length, mask: maskOf("secret") });
      }
    }
    done = end;
  }
  return spans;
}
