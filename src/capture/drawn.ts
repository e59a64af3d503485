/** What was drawn by lot: letters, digits and signs as no word and no name in a program has them. */

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
/** Hashes in hexadecimal, numbers of what is no secret, public keys, classes of characters, the alphabet. */
const NO_LOT =
  /^(?:[\da-f-]+$|0x|sha\d+-|AAAA[BCE]|LS0tLS|(?:(?:srv)?toolu|msg|req|call|resp|pk)_|chatcmpl-)|a-z|0-9|abcdef|uvwxyz|12345/i;
/** A run whose signs are a part of it: of 16 at least, of letters in both cases and digits. */
const OF_SIGNS = /^(?=.*[a-z])(?=.*[A-Z])(?=.{16}).*[A-Za-z\d][!@#$^*+/]+[A-Za-z\d].*$/;
/** How paths begin, or a word between two slashes. */
const OF_PATH = /^[~.]{0,2}\/|(?:^|\/)[a-z][a-z_-]{2,}(?:\/|$)/;

/**
 * Whether a run of letters, digits and signs was drawn by lot: it has more short parts, more numbers and more pairs of
 * letters that are in no word than a name of its length. Of names with a digit one in fifty is taken for such a run; of
 * random runs of 16 one in thirty is not.
 */
export function isDrawn(run: string): boolean {
  if (!/\d/.test(run) || NO_LOT.test(run) || OF_PATH.test(run)) return false;
  const pieces = OF_SIGNS.test(run) ? [run] : run.split(/[^A-Za-z\d]+/);
  const piece = pieces.reduce((longest, next) => next.length > longest.length ? next : longest);
  if (piece.length < 10 || /^[\da-f]*$/i.test(piece)) return false;
  let surplus = -1.4;
  for (const word of piece.match(WORDS) ?? []) {
    const { pairs, common } = pairsOf(word);
    surplus += (/\d/.test(word) ? 2 : 1) + pairs - 2 * common - word.length / 4.5;
  }
  return surplus > 0;
}

/** The longest run that counts, and how far it may stand from a name. */
export const MAX_RUN = 256;
export const MAX_GAP = 200;
/** Behind what JSON or an address escapes, whose letters are none of the run. */
const RUN =
  /(?:\\(?:u[\da-f]{4}|[bfnrt])|%[\da-f]{2}|(?<![\w+/~!@#$^*-]))([\w+/~!@#$^*-]{12,256}(?![\w+/~!@#$^*-])={0,2})/gi;
/** What ends a comment, or is a folder. */
const CLOSING = /[-*/~]+$/;
/** The host in front of a path, whose last part may be drawn by lot. */
const ADDRESS = /:\/\/[^\s"'<>]+$/;
/** Before a hash, and behind the name of a file or a host. */
const HASHED = /(?:h1|sha\d{1,3}|md5):$/i;
const ENDING = /\.[a-z][a-z\d-]{0,20}(?![\w-])/iy;

/** The runs of a text that were drawn by lot and are no hash, file or host, in their order. */
export function* drawnRuns(text: string): Generator<{ start: number; end: number }> {
  for (const { 0: whole, 1: found = "", index } of text.matchAll(RUN)) {
    const at = index + whole.length - found.length;
    const closed = found.replace(CLOSING, "");
    const isOfAddress = OF_PATH.test(closed) && ADDRESS.test(text.slice(Math.max(0, at - 99), at));
    const run = isOfAddress ? closed.slice(closed.lastIndexOf("/") + 1) : closed;
    const end = at + closed.length;
    const start = end - run.length;
    ENDING.lastIndex = end;
    if (run.length < 12 || !isDrawn(run) || ENDING.test(text)) continue;
    if (!HASHED.test(text.slice(Math.max(0, start - 8), start))) yield { start, end };
  }
}
