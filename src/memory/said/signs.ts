/** Lists that tell by a sign how far a thing is: `✅ parser`, `⏳ CI`, `❌ docs (not started)`. */

const SIGNED =
  /^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:(✅|☑|✔)|(⏳|⌛|🔲|⬜|☐|🚧)|❌|✗|✘)\uFE0F?[ \t]+(.*)$/u;
/** A cross says as well that something is wrong, or not to be done so: only with these it is left. */
const IS_LEFT =
  /\b(?:not (?:yet )?(?:started|begun|done|finished|complete|implemented|written|tested|covered|documented|there|possible)|missing|pending|to-?do|open|blocked|deferred)\b|n['’]t (?:started|done|implemented|tested) yet\b/i;
/** … or where it stands beside what is done, below a line that says what these are, or none, and says what is to be done. */
const OF_WORK =
  /^\s*$|^\W*(?:tasks|work)\W*$|\b(?:status|state|progress|steps|plan|checklist|to-?dos?|so far|stands?|milestones|phases)[\s:：*_]*$/i;
const IS_DEED =
  /^[*_]*(?:add|backfill|build|clean up|configure|convert|create|delete|deploy|document|drop|fix|implement|migrate|port|publish|refactor|release|remove|rename|replace|rotate|set up|test|translate|update|verify|wire)\b(?!.*[.!?]$)/i;
const MAX_TITLE_CHARS = 200;
const IS_DONE = /^(?:✅|☑|✔)/u;

/** What a line of such a list says behind its sign. */
export interface Signed {
  readonly said: string;
  readonly isLeft: boolean;
}

/** A line with a cross. */
interface Crossed {
  readonly at: number;
  readonly said: string;
}

/** What each line says behind its sign; null for one without, and for all where it stands on a single line. */
export function signedLines(lines: readonly string[]): readonly (Signed | null)[] {
  const signed: (Signed | null)[] = [];
  let title = "";
  let list: Crossed[] = [];
  let count = 0;
  let hasDone = false;
  const endList = () => {
    const areDeeds = hasDone && OF_WORK.test(title);
    for (const { at, said } of areDeeds ? list : []) {
      if (IS_DEED.test(said)) signed[at] = { said, isLeft: true };
    }
    [list, hasDone] = [[], false];
  };
  lines.forEach((line, at) => {
    const found = SIGNED.exec(line);
    signed.push(null);
    if (found === null) {
      if (line.trim() !== "") {
        endList();
        title = line.slice(-MAX_TITLE_CHARS);
      }
      return;
    }
    count++;
    const [, done, left, said = ""] = found;
    if (done !== undefined) hasDone = true;
    else if (left === undefined) list.push({ at, said });
    signed[at] = { said, isLeft: done === undefined && (left !== undefined || IS_LEFT.test(said)) };
  });
  endList();
  return count > 1 ? signed : lines.map(() => null);
}

/** Whether a thing on a list has the sign that it is done. */
export function isSignedDone(said: string): boolean {
  return IS_DONE.test(said);
}
