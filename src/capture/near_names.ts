/**
 * What looks like a secret and stands near the name of one, in whatever form: in a call, a sentence, a map, a command. The
 * rules for single forms know plainer values, too; here a secret has to look as nothing else does.
 */
import { MAX_GAP, type Run, secretRuns } from "./secret_runs.ts";
import { NO_ENTRY, OPEN_NAME, SAID_NAME, VALUE_MASK } from "./secret_names.ts";

/** Names of secrets and of what one is asked for, which alone would say too little. */
const NEAR_NAMES =
  "credential|cookie|licen[cs]e key|requirepass|masterauth|log(?:ged)? ?in|signin|x-api(?![\\w-])|(?<![a-z])(?:creds?|pass|pw)(?![a-z])";
/** What ends the line of a heading, to which the lines below belong. */
const HEADING = /[:={[(>,|\]][ \t]{0,40}$/;
/** What may stand before a run that has its line for itself, below the one that names it. */
const NOTHING = /^[\s>*`'"-]{0,12}(?:(?:new )?value:? {1,4})?["'`]?$/i;
/** A line that belongs to no other: blank, or the beginning of a block of code. */
const EMPTY = /^\s*(?:`{3}[\w+#-]{0,16}\s*)?$/;
/** A key that is called nothing else has its value right behind it. */
const BARE_KEY = new RegExp(
  String
    .raw`${NO_ENTRY}key[\w"'\x60\]\\]{0,8}(?: \d{1,2})?[ \t]{0,8}(?::=|=>|[:=,]|is )[ \t]{0,8}[("'\x60\\]{0,6}$`,
  "i",
);
/** The same in a sentence: `the key x1y2z3…`, `key for the weather: x1y2z3…`. Those of places and caches are no secrets. */
const SAID_KEY = new RegExp(
  String
    .raw`${NO_ENTRY}(?<!(?:index|query|session|message|public|host|redis|s3)[ _-]?)(?<![a-z])key(?: for [\w' .-]{1,40}?(?::| is))? ["'\x60(\\]{0,6}$`,
  "i",
);
const MIN_KEY = 16;
/** What stands in an address is told by what stands in it. */
const ADDRESS = /[a-z]:\/\/\S*$/i;
const MASK = /\[(?:redacted:[a-z\d-]+|private removed)\]/g;
const MAX_MASK = 40;
/** A longer one is a text of its own. */
const MAX_VALUE = 512;
/** Two entries of a map, of which the first is masked, up to the value of the second. */
const LAST_ENTRIES =
  /(?:^|[\r\n])([ \t]+)["']?([\w.@-]{1,60})["']?[ \t]*(?:=>|[:=])[ \t]*["']?\[redacted:secret\]["']?,?\r?\n([ \t]+)["']?[\w.@-]{1,60}["']?[ \t]*(?:=>|[:=])[ \t]*["']?$/;
/** What digits in hexadecimal are that are no key. */
const OF_HASH =
  /sha|hash|md5|commit|digest|checksum|etag|rev(?:ision)?\b|fingerprint|uuid|address|\bids?\b|_id\b|Id\b|\b(?:[Rr]evert|[Mm]erge|[Rr]ebase|cherry-pick)\b/;
/** As many digits has the hash of a commit. */
const COMMIT_LENGTH = 40;
/** What stands between a name and such a hash: `the token bug came with …`, and not `the token for x is …`. */
const OF_COMMIT =
  /^[\w./-]{0,24}[,;]? (?!(?:for|of|to|on|in|is|are|was|were|as|from|by|with|we|i|you|that|which|used|here|value|should|must|will)\b)[a-z]{2,}(?!.*(?:[:=]|\bis)[\s"'`*]{0,4}$)/i;
/** Who or what has its id right behind. */
const OWNER =
  /(?<![\w-])(?:user|tenant|account|customer|organi[sz]ation|org|workspace)(?: id)? ["'`]?$/i;
const LINE_END = /[\r\n]/;
/** Of these JSON makes six signs: the cheap look would not see so far. */
// deno-lint-ignore no-control-regex
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f]/;

/** The text with what looks like a secret masked where it stands near the name of one. */
export function maskNearNames(text: string): string {
  const runs = secretRuns(text);
  let masked = "";
  let done = 0;
  runs.forEach((run, at) => {
    const { start, end, gap } = run;
    const before = endOf(endOf(masked) + endOf(text.slice(done, start)));
    // Up to what may be masked itself: how far a name is away has to be the same when all this is done again.
    const after = text.slice(end, Math.min(end + gap, runs[at + 1]?.start ?? Infinity));
    const isNamed = run.kind === "hex"
      ? isKeyBehindName(before, run)
      : !isOfOwner(before, run) && (isNamedBefore(before, run) || isNamedBehind(after));
    if (!isNamed) return;
    masked += text.slice(done, start) + VALUE_MASK;
    done = end;
  });
  return masked + text.slice(done);
}

/** The same for a value and the name of its entry. */
export function maskBelow(name: string, value: string): string {
  if (name === "" || name.length > MAX_GAP || value.length > MAX_VALUE) return value;
  const head = `${name}: `;
  const masked = maskNearNames(head + value);
  return masked.startsWith(head) ? masked.slice(head.length) : value;
}

function endOf(text: string): string {
  return text.slice(-MAX_GAP - MAX_MASK);
}

/** Whether a name stands before a run on its line, or above it as a heading. */
function isNamedBefore(text: string, { start, end, gap, kind }: Run): boolean {
  const before = text.replace(MASK, blanks).slice(-gap).split(CONTROL).at(-1)!;
  const isLong = kind === "drawn" && end - start >= MIN_KEY;
  if (isLong && (BARE_KEY.test(before) || SAID_KEY.test(before))) return true;
  const [address] = ADDRESS.exec(before) ?? [];
  if (address !== undefined) return hasName(address);
  const lines = before.split(LINE_END);
  const own = lines.pop()!;
  const isAlone = kind === "drawn" && NOTHING.test(own);
  const above = isAlone ? lines.findLast((line) => !EMPTY.test(line)) ?? "" : "";
  return hasName(own) || hasName(above) ||
    lines.some((line) => HEADING.test(line) && hasName(line)) ||
    isBelowMasked(text);
}

/** Whether a run is the id of someone or something. */
function isOfOwner(before: string, { kind }: Run): boolean {
  return kind === "drawn" && OWNER.test(before);
}

/** Whether a name stands close before digits on their line, and nothing that says they are a hash. */
function isKeyBehindName(text: string, { start, end, gap }: Run): boolean {
  const line = text.replace(MASK, blanks).slice(-gap).split(CONTROL).at(-1)!.split(LINE_END).pop()!;
  if (!hasName(line) || OF_HASH.test(line)) return false;
  return end - start !== COMMIT_LENGTH || !OF_COMMIT.test(line.split(nameOf()).at(-1)!);
}

/** Whether the entry before, as far in and with a name that tells nothing, was masked for the sake of what it stands below. */
function isBelowMasked(before: string): boolean {
  const [, inset, name = "", below] = LAST_ENTRIES.exec(before) ?? [];
  return inset !== undefined && inset === below && !hasName(name);
}

/** Whether a name stands behind a run on its line, and no mask between. */
function isNamedBehind(text: string): boolean {
  return hasName(text.split("[redacted:", 1)[0]!.split(LINE_END, 1)[0]!.split(CONTROL, 1)[0]!);
}

function blanks(mask: string): string {
  return " ".repeat(mask.length);
}

function hasName(text: string): boolean {
  return nameOf().test(text);
}

function nameOf(): RegExp {
  return name ??= new RegExp(`${SAID_NAME}|${OPEN_NAME}(?![a-z])|${NEAR_NAMES}`, "i");
}
let name: RegExp | undefined;
