/** What YAML holds below `secrets:` and its like: names that say nothing, with a secret each. */
import { isNoSecret, VALUE_MASK } from "./secret_names.ts";

const LINE_BREAK = /(\r?\n|(?:\\{1,7}r)?\\{1,7}n)/;
const HEAD =
  /^(?:.{0,200}["'])?([ \t]*)(?:- )?["']?(?:[\w.]{0,40}[_.-])?(?:secrets|passwords|credentials)["']?:[ \t]*$/i;
const QUOTE = String.raw`\\{0,7}["']`;
/** Group 1 stays, 2 is the name, and 3 is the value. */
const ENTRY = new RegExp(
  String
    .raw`^([ \t]*(?:- +)?(?:${QUOTE})?([\w./-]{1,100})(?:${QUOTE})?:[ \t]{1,8}(?:${QUOTE})?)` +
    String
      .raw`([^\s"'\\#][^\s"'\\]{5,255})(?:${QUOTE})?[ \t]*(?:#.*|${QUOTE}[\]}, \t"'\\]{0,40})?$`,
);
/** What is told of a secret: what it is called, and where it is kept. */
const ABOUT =
  /^(?:(?:.*[_-])?(?:name|file|path|id|type|kind|version|from|source|target|provider|environment|namespace|url|host|user|username|email|description|label|date|time|at|ref|region|arn|engine|mode|image|chart|schedule|interval|algorithm)|.*(?:Name|File|Path|Id|Type|Version|Ref|Url|At|Date|Time)|(?:(?:remote|object|vault)[_-]?)?[kK]ey)$/;

/** Whether what is called so is told of a secret: `username`, `createdAt`. */
export function isAboutSecret(name: string): boolean {
  return ABOUT.test(name);
}

/** Where a vault holds it: `vault:secret/db#password`. */
const ADDRESS = /^[a-z][\w+-]{1,20}:.*[/#]/;

/** The text with what looks like a secret below such a name masked. */
export function maskSecretMaps(text: string): string {
  if (!/(?:secret|password|credential)s["']?:/i.test(text)) return text;
  // Every second part is what ends a line.
  const parts = text.split(LINE_BREAK);
  /** How far the name stands in that the lines are below, or -1. */
  let above = -1;
  for (let index = 0; index < parts.length; index += 2) {
    const line = parts[index]!;
    if (line.trim() === "") continue;
    const indent = /^[ \t]*/.exec(line)![0].length;
    const isItem = indent === above && /^[ \t]*- /.test(line);
    if (indent <= above && !isItem) above = -1;
    if (above === -1) {
      const [, before] = HEAD.exec(line) ?? [];
      above = before?.length ?? -1;
      continue;
    }
    const [, kept, name = "", value = ""] = line.length < 600 ? ENTRY.exec(line) ?? [] : [];
    // Below the name of several, too, only what looks like a login's own word is one.
    if (kept === undefined || isAboutSecret(name) || isNoSecret("credentials", value)) continue;
    if (ADDRESS.test(value)) continue;
    parts[index] = kept + VALUE_MASK + line.slice(kept.length + value.length);
  }
  return parts.join("");
}
