/** Takes out of an event what must not be kept: loaded where there may be such, or where it is too large. */
import { redactText } from "../secrets/redact.ts";
import { redactValue } from "../secrets/redact_value.ts";
import { shortenJson, withoutOverlaps } from "../claude/shorten.ts";
import {
  type HookEvent,
  identityOf,
  type Input,
  parseInput,
  toEvent,
  withPlainLetters,
} from "./protocol.ts";

/** A longer payload is shortened first: masking this many characters full of secrets takes 0.5 s. */
const MAX_MASKED_CHARS = 131_072;

/** An event with secrets masked and private text dropped: nothing after this has seen them. */
export interface Masked {
  readonly event: HookEvent;
  readonly maskedText: () => string;
  /** Does the same to a path that did not come with the event. */
  readonly hide: (path: string | null) => string | null;
  /** Bytes of the payload that are missing in the event. */
  readonly cutBytes: number;
}

/** The event that an input tells of, shortened where it is too large to be masked, and masked. */
export function maskInput(
  given: Input,
  { eventName, patterns, isClean }: {
    readonly eventName: string | undefined;
    readonly patterns: readonly RegExp[];
    readonly isClean: boolean;
  },
): Masked {
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
    hide: (path) => path === null ? null : redactText(path, { patterns }),
    cutBytes: input.cutBytes,
  };
}

/** The input, shortened to what can be masked in time. */
export function shortenInput(input: Input): Input {
  if (input.text.length <= MAX_MASKED_CHARS) return input;
  const { text, cutBytes } = shortenJson(new TextEncoder().encode(input.text), MAX_MASKED_CHARS);
  return parseInput(text, input.cutBytes + cutBytes);
}
