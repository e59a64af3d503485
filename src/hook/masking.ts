/** Takes out of an event what must not be kept. */
import { needsRedaction } from "../capture/triggers.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { type HookEvent, identityOf, type Input, toEvent, withPlainLetters } from "./protocol.ts";

/**
 * A longer payload, in characters, is shortened before it is masked: where it is full of secrets, masking this much takes
 * half a second.
 */
export const MAX_MASKED_CHARS = 131_072;

/** An event with secrets masked and private text dropped: nothing after this has seen them. */
export interface Masked {
  readonly event: HookEvent;
  readonly maskedText: () => string;
  /** Does the same to a path that did not come with the event. */
  readonly hide: (path: string | null) => string | null;
  /** Bytes of the payload that are missing in the event. */
  readonly cutBytes: number;
}

/** The event that stdin tells of, shortened where it is too large to be masked, and masked. */
export async function withoutSecrets(
  given: Input,
  around: {
    readonly eventName: string | undefined;
    readonly config: HookConfig;
    /** What is hidden that did not come with the event: the project, its repository, its branch. */
    readonly places: string;
  },
): Promise<Masked> {
  const patterns = around.config.redactPatterns.map((source) => new RegExp(source, "g"));
  const whole = withPlainLetters(given.text);
  const isClean = !needsRedaction(`${whole} ${around.places} ${around.eventName}`, patterns);
  // One look at everything that is kept of it: two would cost twice.
  if (isClean && given.cutBytes === 0) {
    return {
      event: toEvent(given.kind === "event" ? given.fields : {}, around.eventName),
      maskedText: () => whole,
      hide: (path) => path,
      cutBytes: 0,
    };
  }
  const large = whole.length > MAX_MASKED_CHARS || given.cutBytes > 0
    ? await import("./large.ts")
    : null;
  const input = isClean || large === null ? given : large.shortenInput(given, MAX_MASKED_CHARS);
  const fields = input.kind === "event" ? input.fields : {};
  const { redactText, redactValue } = await import("../capture/redact.ts");
  const mask = (value: unknown, own: readonly RegExp[]) =>
    (isClean ? value : redactValue(value, { patterns: own })) as Record<string, unknown>;
  const masked = mask(fields, patterns);
  if (patterns.length > 0) Object.assign(masked, mask(identityOf(fields), []));
  if (input.cutBytes > 0) large?.withoutOverlaps(masked);
  return {
    event: toEvent(masked, around.eventName && redactText(around.eventName, { patterns: [] })),
    maskedText: () => redactText(withPlainLetters(input.text), { patterns }),
    hide: (path) => path === null ? null : redactText(path, { patterns }),
    cutBytes: input.cutBytes,
  };
}

/** Texts that did not come with the event, masked. */
export async function maskTexts(
  texts: readonly string[],
  { redactPatterns }: HookConfig,
): Promise<readonly string[]> {
  const patterns = redactPatterns.map((source) => new RegExp(source, "g"));
  if (!needsRedaction(JSON.stringify(texts), patterns)) return texts;
  const { redactText } = await import("../capture/redact.ts");
  return texts.map((text) => redactText(text, { patterns }));
}
