/** Lists that tell by a sign how far a thing is: `✅ parser`, `⏳ CI`, `❌ docs (not started)`. */

const SIGNED =
  /^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:(✅|☑|✔)|(⏳|⌛|🔲|⬜|☐|🚧)|❌|✗|✘)\uFE0F?[ \t]+(.*)$/u;
/** A cross says as well that something is wrong, or not to be done so: only with these it is left. */
const IS_LEFT =
  /\b(?:not (?:yet )?(?:started|begun|done|finished|complete|implemented|written|tested|covered|documented|there|possible)|missing|pending|to-?do|open|blocked|deferred)\b|n['’]t (?:started|done|implemented|tested) yet\b/i;
const IS_DONE = /^(?:✅|☑|✔)/u;

/** What a line of such a list says behind its sign. */
export interface Signed {
  readonly said: string;
  readonly isLeft: boolean;
}

/** What each line says behind its sign; null for one without, and for all where it stands on a single line. */
export function signedLines(lines: readonly string[]): readonly (Signed | null)[] {
  const signed = lines.map((line) => {
    const found = SIGNED.exec(line);
    if (found === null) return null;
    const [, done, left, said = ""] = found;
    return { said, isLeft: done === undefined && (left !== undefined || IS_LEFT.test(said)) };
  });
  return signed.filter((one) => one !== null).length > 1 ? signed : lines.map(() => null);
}

/** Whether a thing on a list has the sign that it is done. */
export function isSignedDone(said: string): boolean {
  return IS_DONE.test(said);
}
