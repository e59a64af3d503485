/**
 * What looks like a secret by its letters alone: drawn by lot, as no word and no name in a program is, or chosen, as people
 * and generators of passphrases do.
 */

/** By the letters of the alphabet, those that follow each in most words and names of programs. */
const FOLLOWERS =
  ("bcdgilmnprstuy aeilorsuy aehiklortu acdeilorstu acdefgilmnopqrstvwxy aeilou eirs aeiot acdefglmnoprstvz " +
    "aou eis adeilostuy abeimops acdefgiknopstuv abcdfgklmnoprstuvw aeiloprstu u acdegikmnorstuvy " +
    "acehikopstuy acehilmoprstuy bdeilmnprst aei aehino pt nps eo").split(" ");

/** How many letters stand beside each other in a value, and how many of these pairs most words have. */
function pairsOf(value: string): { readonly pairs: number; readonly common: number } {
  const lowered = value.toLowerCase();
  let pairs = 0;
  let common = 0;
  for (let at = 1; at < lowered.length; at++) {
    const followers = FOLLOWERS[lowered.charCodeAt(at - 1) - 97];
    const code = lowered.charCodeAt(at);
    if (followers === undefined || code < 97 || code > 122) continue;
    pairs++;
    if (followers.includes(lowered[at]!)) common++;
  }
  return { pairs, common };
}

/** Fewer tell nothing: an abbreviation looks like that, too. */
const MIN_LETTERS = 10;
/** Of the names in programs one in a hundred has fewer such pairs, of random letters one in fifty has more. */
const MIN_SHARE = 0.65;

/** Whether most letters of a value follow each other as in no word, whatever else is in it. */
export function isScrambled(value: string): boolean {
  const { pairs, common } = pairsOf(value);
  return value.replace(/[^a-z]+/gi, "").length >= MIN_LETTERS && common < MIN_SHARE * pairs;
}

/** The words and numbers that a name in a program is made of. */
const WORDS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g;
/** Hashes in hexadecimal, ids of what is no secret, public keys, classes of characters, the alphabet. */
const NO_LOT =
  /^(?:[\da-f-]+$|0x[\da-f]+(?:u?l{0,2}|n)$|sha\d+-|AAAA[BCE]|LS0tLS|(?:(?:srv)?toolu|msg|req|call|resp|pk|cust?|usr|user|acct|org|tenant|team)_|chatcmpl-)|a-z|0-9|pbkdf2|hmac|sha\d{2,3}|aes\d{3}|abcdef|uvwxyz|12345/i;
/** A run whose signs are a part of it: of 16 at least, of letters in both cases and digits. */
const OF_SIGNS = /^(?=.*[a-z])(?=.*[A-Z])(?=.{16}).*[A-Za-z\d][!@#$^*+/]+[A-Za-z\d].*$/;
/** How paths begin, or a word between two slashes. */
const OF_PATH = /^[~.]{0,2}\/|(?:^|\/)[a-z][a-z_-]{2,}(?:\/|$)/;

/**
 * Whether a run of letters, digits and signs was drawn by lot: it has more short parts, more numbers and more pairs of
 * letters that are in no word than a name of its length. Of names with a digit one in eighty is taken for such a run; of
 * random runs of 16 one in sixteen, of 24 one in sixty is not.
 */
export function isDrawn(run: string): boolean {
  if (!/\d/.test(run) || NO_LOT.test(run) || OF_PATH.test(run)) return false;
  const pieces = OF_SIGNS.test(run) ? [run] : run.split(/[^A-Za-z\d]+/);
  const piece = pieces.reduce((longest, next) => next.length > longest.length ? next : longest);
  return piece.length >= 10 && !/^[\da-f]*$/i.test(piece) && hasSurplus(piece);
}

/** Of what no name has, more than of what words have. */
function hasSurplus(piece: string): boolean {
  let surplus = -1.4;
  for (const word of piece.match(WORDS) ?? []) {
    const { pairs, common } = pairsOf(word);
    surplus += (/\d/.test(word) ? 2 : 1) + pairs - 2 * common - word.length / 4.5;
  }
  return surplus > 0;
}

/** Three kinds of letters and a sign between two of them; no address, reference to a line, version or file. */
const SIGNED =
  /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?!.*(?:@[\w-]*\.|#(?:L?\d+|[A-Za-z]{4,})$|\.[a-z\d]{1,4}$|%[\dA-F]{2})).*[A-Za-z\d][!#%^*@$+][A-Za-z\d]/;
/** `Winter2024!`, `Harbor.3982umber*`, `Juniper5432velvet`: a word, a number, and a sign or another word. */
const WORD =
  /^(?:[A-Z][a-z]{3,24}\d{4,6}[a-z]{0,12}[!*#@]?|[A-Z]?[a-z]{4,24}[!#@_.*-]\d{4,6}(?:[a-z]{3,12}[!*#@]?|[!*#@])|[A-Z]?[a-z]{4,24}\d{2,6}[!#*@$]{1,3})$/;
/** `copper-bramble-97225`, as generators of passphrases make them; a year behind words is a name. */
const PHRASE = /^[a-z]{4,}(?:-[a-z]{4,}){1,3}-(?!(?:19|20)\d\d$)\d{4,6}$/;

/** Shorter than what counts as drawn by lot for any name. */
const MIXED = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{9,12}$/;

/** Whether a word is what people choose for a password, or what is made for them to remember. */
export function isChosen(word: string): boolean {
  if (SIGNED.test(word) || WORD.test(word) || PHRASE.test(word)) return true;
  return MIXED.test(word) && hasSurplus(word);
}

/** The longest run that counts. */
export const MAX_RUN = 256;
/** How far a run may stand from a name: what was drawn by lot, what somebody chose, and what may also be a hash. */
export const MAX_GAP = 200;
const CHOSEN_GAP = 64;
const HEX_GAP = 48;

/** A part of a text that looks like a secret where a name stands near. */
export interface Run {
  readonly start: number;
  readonly end: number;
  /** How many letters may stand between the name and it. */
  readonly gap: number;
  /** What it looks like: drawn by lot, chosen by somebody, or digits of a key that may also be a hash. */
  readonly kind: "drawn" | "chosen" | "hex";
}

/** What JSON or an address escapes, whose letters are none of the run behind it. */
const ESCAPED = String.raw`\\(?:u[\da-f]{4}|[bfnrt])|%[\da-f]{2}`;
const DRAWN = runOf(String.raw`\w+/~!@#$^*-`, `{12,${MAX_RUN}}`, "={0,2}");
/** Between slashes stand paths and base64. */
const CHOSEN = runOf(String.raw`\w!@#$%^*.~+-`, "{8,64}", "(?!/)");

/** Keys in hexadecimal, of 16 bytes at least. */
const HEX = new RegExp(
  String.raw`(?:${ESCAPED}|(?<![\w/+.#@-]))([\da-f]{32,128})(?![\w/+-])`,
  "gi",
);

/** All of these signs that stand together. */
function runOf(signs: string, length: string, tail: string): RegExp {
  const lead = `(?:${ESCAPED}|(?<![/${signs}]))`;
  return new RegExp(`${lead}([${signs}]${length}(?![${signs}])${tail})`, "gi");
}

/** What ends a comment, or is a folder. */
const CLOSING = /[-*/~]+$/;
/** What stands around a word in a sentence or in bold letters. */
const AROUND = /^[*.~+-]+|(?:\*\*|[.~+-])+$/g;
/** The host in front of a path, whose last part may be drawn by lot. */
const ADDRESS = /:\/\/[^\s"'<>]+$/;
/** Before a hash, and behind the name of a file or a host. */
const HASHED =
  /(?:(?:h1|sha\d{1,3}|md5):|(?:sha\d{1,3}|md5|(?<!pass\w{0,12})hash|integrity|checksum|digest|cursor|etag)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?)$/i;
const ENDING = /\.[a-z][a-z\d-]{0,20}(?![\w-])/iy;

/** The runs of a text that look like secrets and are no hash, file or host, in their order and apart. */
export function secretRuns(text: string): Run[] {
  const runs = [...drawnRuns(text), ...chosenRuns(text), ...hexRuns(text)]
    .sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return runs.filter((run) => {
    const isApart = run.start >= end;
    if (isApart) end = run.end;
    return isApart;
  });
}

function* drawnRuns(text: string): Generator<Run> {
  for (const { 0: whole, 1: found = "", index } of text.matchAll(DRAWN)) {
    if (!/\d/.test(found)) continue;
    const at = index + whole.length - found.length;
    const closed = found.replace(CLOSING, "");
    const isOfAddress = OF_PATH.test(closed) && ADDRESS.test(text.slice(Math.max(0, at - 99), at));
    const run = isOfAddress ? closed.slice(closed.lastIndexOf("/") + 1) : closed;
    const end = at + closed.length;
    const start = end - run.length;
    ENDING.lastIndex = end;
    if (run.length < 12 || !isDrawn(run) || ENDING.test(text)) continue;
    if (HASHED.test(text.slice(Math.max(0, start - 32), start))) continue;
    yield { start, end, gap: MAX_GAP, kind: "drawn" };
  }
}

function* chosenRuns(text: string): Generator<Run> {
  for (const { 0: whole, 1: found = "", index } of text.matchAll(CHOSEN)) {
    if (!/\d/.test(found)) continue;
    const word = found.replace(AROUND, "");
    if (word.length < 8 || NO_LOT.test(word) || !isChosen(word)) continue;
    const start = index + whole.length - found.length + found.indexOf(word);
    yield { start, end: start + word.length, gap: CHOSEN_GAP, kind: "chosen" };
  }
}

function* hexRuns(text: string): Generator<Run> {
  for (const { 0: whole, 1: run = "", index } of text.matchAll(HEX)) {
    const end = index + whole.length;
    yield { start: end - run.length, end, gap: HEX_GAP, kind: "hex" };
  }
}

/** How long a name is at most, and how far from a part of it a run may begin. */
const MAX_NAME = 64;
const REACH = 2 * MAX_GAP + MAX_NAME + MAX_RUN;
const CHUNK = 1_024;

/**
 * The runs that look like secrets, at least those around a place. Asked for one place behind the other, it reads each part of
 * the text once, however many names stand there.
 */
export function runsOf(text: string): (place: number) => readonly Run[] {
  let read = 0;
  const runs: Run[] = [];
  return (place) => {
    for (read = Math.max(read, place - REACH); read < place + REACH; read += CHUNK) {
      const begin = Math.max(0, read - MAX_RUN);
      const found = secretRuns(text.slice(begin, read + CHUNK + MAX_RUN));
      runs.push(
        ...found.map((run) => ({ ...run, start: begin + run.start, end: begin + run.end })),
      );
    }
    return runs;
  };
}

/** Whether a run may be near a name that has a part at this place, where each sign between is two in JSON. */
export function isNear({ start, end, gap }: Run, place: number): boolean {
  return start < place + 2 * gap + MAX_NAME && end > place - 2 * gap - MAX_NAME;
}
