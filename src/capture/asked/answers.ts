/** Masks what a command printed that was asked for secrets. */
import type { Asked } from "./commands.ts";
import { isAboutSecret } from "../secret_maps.ts";
import { isScrambled } from "../secret_runs.ts";
import { isNoSecret, isRandom, isValueLike, VALUE_MASK } from "../secret_names.ts";

const MIN_CHARS = 4;
const MAX_CHARS = 4_096;
/** A word alone on its line, also in quotes or with the `-` behind it that stands for a file without a name. */
const ALONE = /^(\s*["']?)([^\s"'](?:\S*[^\s"'])?)(["']?(?:\s{1,2}-)?\s*)$/;
const LINE_BREAK = /(\r?\n)/;
/** A name and its value on one line, also between the lines of a table. */
const SETTING =
  /^([ \t│║|]{0,20}["']?([A-Za-z_][\w./-]{0,100})["']?(?:[ \t]{0,40}[:=│║|][ \t]{0,40}|[ \t]{2,80}|\t)["']?)([^\s"'│║|]{4,4096})(?=["']?[,;]?[ \t│║|]*$)/;
const PAIR_IN_JSON =
  /("([\w.\/-]{1,100})"\s{0,20}:\s{0,20}")((?:[^"\\\r\n]|\\[^\r\n]){1,4000})(?=")/g;
/** Under such a name a store holds a secret, also one that is a word. */
const HOLDS = /^(?:value|plaintext|.*(?:key|pin)\d?)$/i;
/** What else looks drawn by lot, and tells which version is meant. */
const VERSION = /(?:commit|sha|sha\d+|digest|fingerprint|checksum|etag|accessor|revision)$/i;
const WORD_IN_LINE = /[^\s"'`=:,;()[\]{}<>│║|]{6,4096}={0,2}/g;
/** A shorter word in a row of a table is a name. */
const MIN_CELL_CHARS = 16;

const DATE = /^\d{4}-\d\d-\d\d/;
const ADDRESS = /^[a-z][a-z\d+.-]{1,20}:\/\/|^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/i;
const PATH = /^(?:~|\.{1,2})?\/|^[a-z]+:[\\/]/i;

/** The output of a command with the secrets masked that it was asked for. */
export function withoutAnswer(output: string, asked: Asked): string {
  const shown = output.split(LINE_BREAK).filter((line) => isShown(line, asked));
  const values = asked.answers.filter((answer) => answer !== "said" && answer !== "words").length;
  const isOnly = asked.isAlone && shown.length <= values;
  const [first] = asked.answers.includes("entry") ? shown : [];
  return masked(output, asked, (line) => isOnly || line === first);
}

/** The same for what a command says beside its answer, or when it failed: only what looks like a secret is one. */
export function withoutAsides(output: string, asked: Asked): string {
  return masked(output, asked, () => false);
}

/** @param isSecret Whether a line that is one word is a secret, whatever it looks like. */
function masked(output: string, asked: Asked, isSecret: (line: string) => boolean): string {
  if (/^\s*[{[]/.test(output)) return withoutPairs(output);
  return output.split(LINE_BREAK)
    .map((line) => isShown(line, asked) ? withoutLine(line, asked, isSecret(line)) : line)
    .join("");
}

/** Whether a line is none of those that the script says itself. */
function isShown(line: string, { said }: Asked): boolean {
  return line.trim() !== "" && !said.has(line.trim());
}

function withoutLine(line: string, { answers, leads }: Asked, isSecret: boolean): string {
  const isSettings = answers.includes("settings");
  if (isSettings && SETTING.test(line)) return withoutSetting(line);
  if (leads.some((lead) => line.startsWith(lead))) return withoutDrawn(line, isSecretLike);
  const [, before = "", word, behind = ""] = ALONE.exec(line) ?? [];
  if (word === undefined) return isSettings ? withoutSetting(line) : line;
  const isMasked = isSecret
    ? isWord(word)
    : isSecretLike(word) && answers.some((it) => it !== "said");
  return isMasked ? before + VALUE_MASK + behind : line;
}

function withoutSetting(line: string): string {
  const [, kept, name = "", value = ""] = SETTING.exec(line) ?? [];
  if (kept === undefined) {
    return withoutDrawn(line, (word) => word.length >= MIN_CELL_CHARS && isMixed(word));
  }
  return isHeld(name, value) ? kept + VALUE_MASK + line.slice(kept.length + value.length) : line;
}

function withoutDrawn(line: string, isSecret: (word: string) => boolean): string {
  return line.replace(WORD_IN_LINE, (word) => isSecret(word) ? VALUE_MASK : word);
}

function withoutPairs(json: string): string {
  return json.replace(
    PAIR_IN_JSON,
    (whole, kept: string, name: string, value: string) =>
      isHeld(name, value) ? kept + VALUE_MASK : whole,
  );
}

/** Whether a store holds a secret under this name. */
function isHeld(name: string, value: string): boolean {
  if (HOLDS.test(name) && name.length > 3) return isWord(value);
  const isAbout = [name, name.toLowerCase()].some(isAboutSecret) || VERSION.test(name);
  return !isAbout && isSecretLike(value);
}

/** Whether a word can be a secret where nothing else is to be expected. */
function isWord(word: string): boolean {
  return word.length >= MIN_CHARS && word.length <= MAX_CHARS && !isNoSecret("", word) &&
    !word.startsWith("[redacted:");
}

/** Whether a word looks like a secret, also beside lines of other kinds. */
function isSecretLike(word: string): boolean {
  if (!isWord(word) || DATE.test(word) || ADDRESS.test(word)) return false;
  if (PATH.test(word) && !isScrambled(word)) return false;
  return isValueLike(word) || isMixed(word);
}

/** Letters of both kinds and digits, or letters that follow each other as in no word. */
function isMixed(word: string): boolean {
  if (word.includes("[redacted:") || word.length < 8) return false;
  return isRandom(word) ||
    /^[\w+\/-]{8,}={0,2}$/.test(word) && /\d/.test(word) && isScrambled(word);
}
