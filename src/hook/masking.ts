/** Masks the secrets in an event. It is loaded only for an event that may hold a secret, or is too large. */
import { redactText } from "../secrets/redact.ts";
import { redactValue } from "../secrets/redact_value.ts";
import { shortenJson, withoutOverlaps } from "../claude/shorten.ts";
import { identityOf, type Input, parseInput, toEvent, withPlainLetters } from "./protocol.ts";

/** The longest payload that is masked whole, in characters: masking this many, full of secrets, takes 0.5 s. */
const MAX_MASKED_CHARS = 131_072;

/**
 * Reads the event from an input, masks its secrets and drops its private text. Shortens an input that is too large to be
 * masked in time. @returns What `HookWork` has of it under the same names.
 */
export function maskInput(
  given: Input,
  { eventName, patterns, isClean }: {
    readonly eventName: string | undefined;
    readonly patterns: readonly RegExp[];
    readonly isClean: boolean;
  },
) {
  const input = isClean ? given : shortenInput(given);
  const fields = input.kind === "event" ? input.fields : {};
  const mask = (value: unknown, own: readonly RegExp[]) =>
    (isClean ? value : redactValue(value, { patterns: own })) as Record<string, unknown>;
  const masked = mask(fields, patterns);
  if (patterns.length > 0) Object.assign(masked, mask(identityOf(fields), []));
  if (input.cutBytes > 0) withoutOverlaps(masked);
  return {
    event: toEvent(masked, eventName && redactText(eventName, { patterns: [] })),
    maskedText: () => redactText(withPlainLetters(input.text), { patterns }),
    hide: (path: string | null) => path === null ? null : redactText(path, { patterns }),
    cutBytes: input.cutBytes,
  };
}

/** Shortens an input to a size that can be masked in time. */
export function shortenInput(input: Input): Input {
  if (input.text.length <= MAX_MASKED_CHARS) return input;
  const { text, cutBytes } = shortenJson(new TextEncoder().encode(input.text), MAX_MASKED_CHARS);
  return parseInput(text, input.cutBytes + cutBytes);
}
