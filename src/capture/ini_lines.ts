/**
 * `password = word` in a my.cnf, an ini or a properties file: letters alone between blanks, which in a program would be a
 * variable. So they count only where the lines around them are those of such a file.
 */
import { isNoSecret, VALUE_MASK } from "./secret_names.ts";

const LINE_BREAK = /(\r?\n|(?:\\{1,7}r)?\\{1,7}n)/;
const INDENT = String.raw`(?:[ \t]|\\{1,7}t){0,8}`;
const NAME = String
  .raw`(?:[a-z][A-Za-z\d]{0,40}[_.-]){0,6}(?:smtp)?(?:[pP]ass(?:word|wd|phrase)?|pwd)`;
/** Whether a text has such a line at all. */
const HINT = /(?:pass(?:word|wd|phrase)?|pwd)[ \t]{1,20}=[ \t]{1,20}[a-z]{4}/i;
/** What ends the last line in a string of JSON. */
const END = String.raw`[ \t]{0,20}(?:\\{0,7}["'][\]}, \t"'\\]{0,40})?$`;
const SECRET = new RegExp(
  String.raw`^(${INDENT}${NAME}[ \t]{1,20}=[ \t]{1,20})([A-Za-z]{4,64})(?=${END})`,
);
/** Also behind what stands in front of the first line in a string of JSON. */
const SECTION = /^(?:.{0,200}["'])?[ \t]{0,8}\[[A-Za-z][\w .:/-]{0,60}\][ \t]*$/;
/** What begins a string of JSON. */
const OPENING = /[:,[][ \t]{0,4}\\{0,7}"$/;
/** A comment, nothing, an option without a value, what ends a string of JSON. */
const BESIDE = /^[ \t]*(?:[#;!].*|[a-z][a-z-]{2,40}|\\{0,7}["'][\]}, \t"'\\]{0,40})?$/;
const ENTRY = new RegExp(
  String.raw`^${INDENT}([A-Za-z_][\w./:-]{0,80})[ \t]{0,20}=[ \t]{0,20}` +
    String.raw`((?:\[redacted:[a-z\d-]+\]|[^"'();{}<>[\]\x60=,|\\]){0,200})${END}`,
);
/** What is no name of a program: a path, an address, a host, a word with dashes, a switch, the name of a well-known user. */
const TOLD =
  /^(?:~?\/\S*|[a-z][\w+.-]{1,20}:\S+|[\w.-]+@[\w.-]+|\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|local)|[a-z]+(?:-[a-z\d]+)+|localhost|root|postgres|yes|no|on|off)$/;
/** The beginning of a key of a properties file, which has more parts than the members of most objects. */
const PATH =
  /^(?!(?:self|this|app|config|settings|args|opts|options|req|request|ctx|context)\.)[a-z][\w-]*(?:\.[\w-]+){2}/;
/** What a variable is called by that holds one. */
const VARIABLE = /(?:pass(?:word|wd|phrase)?|pwd|pw|secret|value|input|param|arg)s?$/i;

/** Lines one below the other that may all be of such a file: where each stands among the parts of the text. */
interface Block {
  readonly secrets: number[];
  /** How many entries it has, the secrets with them. */
  entries: number;
  /** Whether it stands below the head of a section. */
  hasSection: boolean;
  /** Whether another line shows that it is no program. */
  isTold: boolean;
  /** Whether a line of something else touches it. */
  isTouched: boolean;
}

/** The text with those secrets masked. */
export function maskIniLines(text: string): string {
  if (!HINT.test(text)) return text;
  // Every second part is what ends a line.
  const parts = text.split(LINE_BREAK);
  let hasChanged = false;
  let block = newBlock(false);
  const close = () => {
    for (const index of secretsOf(block, parts)) {
      parts[index] = parts[index]!.replace(SECRET, (_, kept: string) => kept + VALUE_MASK);
      hasChanged = true;
    }
  };
  for (let index = 0; index < parts.length; index += 2) {
    const line = parts[index]!;
    if (line.length < 400 && BESIDE.test(line)) continue;
    const [, key = "", value = ""] = line.length < 400 ? ENTRY.exec(line) ?? [] : [];
    const isSection = key === "" && SECTION.test(line.slice(-280));
    if (key === "" && !isSection) block.isTouched ||= parts[index - 2]?.trim() !== "";
    if (key === "") {
      close();
      block = newBlock(!isSection && parts[index + 2]?.trim() !== "" && !OPENING.test(line));
      block.hasSection = isSection;
      continue;
    }
    block.entries++;
    if (SECRET.test(line)) block.secrets.push(index);
    else block.isTold ||= TOLD.test(value.trim()) || PATH.test(key);
  }
  close();
  return hasChanged ? parts.join("") : text;
}

function newBlock(isTouched: boolean): Block {
  return { secrets: [], entries: 0, hasSection: false, isTold: false, isTouched };
}

/** Those of a block that are secrets. */
function secretsOf(block: Block, parts: readonly string[]): readonly number[] {
  const isFile = block.hasSection || block.isTold && !block.isTouched && block.entries > 1;
  if (!isFile) return [];
  return block.secrets.filter((index) => {
    const [, kept = "", value = ""] = SECRET.exec(parts[index]!) ?? [];
    // A blank in front may be the sign of a diff; more are those of a program.
    const isBare = /^[ ]?\S/.test(kept) && !VARIABLE.test(value);
    return !isNoSecret("", value) && (block.hasSection || isBare);
  });
}
