/** Reads mappings from YAML by schemas, and explains faults to the person who wrote them. */
import * as z from "zod/mini";
import { nearestWords } from "../base/likeness.ts";
import type { Mapping } from "../base/mapping.ts";

/** Makes a field whose value is the fallback when it is absent or null. */
export function orElse<Value, Fallback>(schema: z.ZodMiniType<Value>, fallback: Fallback) {
  const read = (value: Value | null | undefined): Value | Fallback => value ?? fallback;
  return z.pipe(z.optional(z.nullable(schema)), z.transform(read));
}

function plainText(error: string) {
  return z.pipe(z.union([z.string(), z.number(), z.boolean()], { error }), z.transform(String));
}

/** Kinds of fields. An absent field is null; an absent `textMap` is empty. */
export const field = {
  any: orElse(z.unknown(), null),
  /** A text; accepts numbers and truth values in their written form. */
  text: orElse(plainText("must be a text"), null),
  truth: orElse(z.boolean({ error: "must be true or false" }), null),
  integer: orElse(z.int({ error: "must be a whole number" }), null),
  /** A duration above 0, in milliseconds. */
  duration: orElse(
    z.pipe(
      plainText('must be a duration as "90s" or "1h30m"').check(
        z.refine((text) => !!parseDuration(text), 'must be a duration as "90s" or "1h30m"'),
      ),
      z.transform((text) => parseDuration(text)!),
    ),
    null,
  ),
  /** A list of texts; a single text stands for a list of one. */
  texts: orElse(
    z.pipe(
      z.union([z.string(), z.array(z.string())], { error: "must be a list of texts" }),
      z.transform((value) => [value].flat()),
    ),
    null,
  ),
  textMap: orElse(
    z.record(
      z.string(),
      orElse(plainText("must be texts by name"), ""),
      { error: "must be texts by name" },
    ),
    {},
  ),
  choice: <const Choice extends string>(choices: readonly Choice[]) =>
    orElse(
      z.enum(choices, {
        error: choices.length === 1
          ? `must be "${choices[0]}"`
          : `must be one of: [${choices.join(" ")}]`,
      }),
      null,
    ),
};

/**
 * Reads a mapping by a schema of {@linkcode field}s.
 * @returns `fields`: null when one is wrong. `errors`: one for each wrong field. `unknown`: one for each unknown key.
 */
export function readFields<Shape extends Readonly<Record<string, z.ZodMiniType>>>(
  schema: z.ZodMiniObject<Shape>,
  value: Mapping,
) {
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(value).filter((key) => !known.includes(key)).map((key) => {
    const near = nearestWords(key, known).map((name) => `"${name}"`).join(" or ");
    return `unknown key "${key}"${near === "" ? "" : `; did you mean ${near}?`}`;
  });
  const { data, error } = z.safeParse(schema, value);
  const errors = (error?.issues ?? []).map(({ path, message }) => `${String(path[0])} ${message}`);
  return { fields: data ?? null, errors: [...new Set(errors)], unknown };
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/**
 * Reads a duration as Go does: numbers with the units `h`, `m`, `s` and `ms`, in any order.
 * @returns Whole milliseconds, 0 or more; null when the text is not a duration.
 */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[hms]))+$/.test(trimmed)) return null;
  let total = 0;
  for (const [, number, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g)) {
    total += Number(number) * UNITS[unit!]!;
  }
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : null;
}
