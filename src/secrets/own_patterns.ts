/** What a user's own patterns mask. */

/** Stands for a text as a whole when its masking does not come to rest or a user's pattern fails. */
export const TEXT_MASK = "[redacted:text]";

/** The text with what the patterns match masked, and the masks that stand there already kept. */
export function maskOwn(text: string, patterns: readonly RegExp[]): string {
  return patterns.reduce(maskPattern, text);
}

/** The user's pattern, with the masks that stand already as its first alternative: they stay whole. */
function maskPattern(text: string, pattern: RegExp): string {
  const flags = pattern.flags.replace(/[gy]/g, "") + "g";
  try {
    const guarded = new RegExp(
      String.raw`\[redacted:[a-z\d\-]+\]|\[private removed\]|(?:${pattern.source})`,
      flags,
    );
    return text.replace(
      guarded,
      (match) => match === "" || isMask(match) ? match : "[redacted:custom]",
    );
  } catch {
    return TEXT_MASK; // too deep for the engine
  }
}

function isMask(text: string): boolean {
  return /^\[(?:redacted:[a-z\d-]+|private removed)\]$/.test(text);
}
