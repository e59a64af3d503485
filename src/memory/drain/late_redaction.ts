/** Masks captures with patterns that were configured after the captures were stored. */
import { mayMatchOwn } from "../../secrets/look.ts";

/** Masks the payload of a capture. @param text The payload as JSON. */
export type LateRedaction = (
  payload: Readonly<Record<string, unknown>>,
  text: string,
) => Readonly<Record<string, unknown>>;

/** Returns a function that masks with these patterns; undefined without any. Hooks have masked all other secrets. */
export async function lateRedaction(
  sources: readonly string[],
): Promise<LateRedaction | undefined> {
  if (sources.length === 0) return undefined;
  const { compileRedactPatterns } = await import("../../secrets/redact.ts");
  const { redactValue } = await import("../../secrets/redact_value.ts");
  const { patterns } = compileRedactPatterns(sources);
  return (payload, text) =>
    mayMatchOwn(text, patterns)
      ? redactValue(payload, { patterns }) as Record<string, unknown>
      : payload;
}
