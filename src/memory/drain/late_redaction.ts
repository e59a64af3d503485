/** Masks what was captured before a pattern was configured: what is made of it goes by the patterns of now. */
import { mayMatchOwn } from "../../secrets/look.ts";

/** The payload of a capture without what the patterns find. @param text The same as JSON. */
export type LateRedaction = (
  payload: Readonly<Record<string, unknown>>,
  text: string,
) => Readonly<Record<string, unknown>>;

/** Returns a function that masks by these patterns; undefined without any: hooks have masked the rest. */
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
