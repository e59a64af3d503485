/** What a user's own patterns mask. */

/** Stands for a text as a whole when its masking does not come to rest or a user's pattern fails. */
export const TEXT_MASK = "[redacted:text]";

const MASK = String.raw`\[redacted:[a-z\d\-]+\]|\[private removed\]`;
const IS_MASK = new RegExp(`^(?:${MASK})$`);

/** The text with what the patterns match masked. The masks that stand there are the first alternative: they stay whole. */
export function maskOwn(text: string, patterns: readonly RegExp[]): string {
  return patterns.reduce((masked, { source, flags }) => {
    try {
      const guarded = new RegExp(`${MASK}|(?:${source})`, flags.replace(/[gy]/g, "") + "g");
      return masked.replace(
        guarded,
        (match) => match === "" || IS_MASK.test(match) ? match : "[redacted:custom]",
      );
    } catch {
      return TEXT_MASK; // too deep for the engine
    }
  }, text);
}
