/** Reads the fields of a mapping that a person wrote, and collects the errors in it. */
import { editDistance } from "../likeness.ts";

/** A mapping of a parsed YAML file. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Whether a value is a mapping. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name that was probably meant by one that is not known; null when none is near. */
export function nearest(unknown: string, known: readonly string[]): string | null {
  const [best] = known
    .map((name) => ({ name, distance: editDistance(unknown.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= 3 && distance < name.length - 1)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.name ?? null;
}

/**
 * One mapping. A field that is absent or null is null; one of a wrong type is told, and null too. `finish` tells the
 * fields that nobody asked for.
 */
export class FieldReader {
  readonly #fields: Mapping;
  readonly #asked = new Set<string>();
  readonly #tell: (error: string) => void;

  /** @param tell Is given each error, without the name of what is read. */
  constructor(fields: Mapping, tell: (error: string) => void) {
    this.#fields = fields;
    this.#tell = tell;
  }

  /** A value as it is, whatever it is. */
  value(key: string): unknown {
    this.#asked.add(key);
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] ?? null : null;
  }

  /** A text; numbers and truth values are taken as they are written. */
  text(key: string): string | null {
    const value = this.value(key);
    if (value === null || typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    return this.#wrong(key, "a text");
  }

  truth(key: string): boolean | null {
    const value = this.value(key);
    if (value === null || typeof value === "boolean") return value;
    return this.#wrong(key, "true or false");
  }

  /** A whole number; its range is for the caller to judge. */
  integer(key: string): number | null {
    const value = this.value(key);
    if (value === null || Number.isSafeInteger(value)) return value as number | null;
    return this.#wrong(key, "a whole number");
  }

  /** One of some words. */
  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | null {
    const value = this.value(key);
    if (value === null) return null;
    const found = choices.find((one) => one === value);
    return found ??
      this.#wrong(key, choices.length === 1 ? `"${choices[0]}"` : `one of: [${choices.join(" ")}]`);
  }

  /** A duration longer than nothing, in milliseconds. */
  duration(key: string): number | null {
    const text = this.text(key);
    if (text === null) return null;
    return parseDuration(text) || this.#wrong(key, 'a duration as "90s" or "1h30m"');
  }

  /** Texts; a single one stands for a list of it. */
  texts(key: string): string[] | null {
    const value = this.value(key);
    if (value === null) return null;
    const list = Array.isArray(value) ? value : [value];
    return list.every((one) => typeof one === "string")
      ? list
      : this.#wrong(key, "a list of texts");
  }

  /** Texts by name. */
  textMap(key: string): Record<string, string> | null {
    const value = this.value(key);
    if (value === null) return null;
    if (!isMapping(value)) return this.#wrong(key, "texts by name");
    const map: Record<string, string> = {};
    for (const [name, text] of Object.entries(value)) {
      if (text !== null && typeof text === "object") return this.#wrong(key, "texts by name");
      map[name] = String(text ?? "");
    }
    return map;
  }

  /** What to say of every field that was not asked for. */
  unknown(): string[] {
    const known = [...this.#asked];
    return Object.keys(this.#fields).filter((key) => !this.#asked.has(key)).map((key) => {
      const meant = nearest(key, known);
      return `unknown key "${key}"${meant === null ? "" : `; did you mean "${meant}"?`}`;
    });
  }

  /** Tells every field that was not asked for. */
  finish(): void {
    for (const error of this.unknown()) this.#tell(error);
  }

  #wrong(key: string, expected: string): null {
    this.#tell(`${key} must be ${expected}`);
    return null;
  }
}

/** Milliseconds of each unit. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/**
 * The milliseconds that a text means: numbers with the units `h`, `m`, `s` and `ms`, in any order, as Go reads them.
 * A plain `0` is no time at all.
 *
 * @returns Whole milliseconds, 0 and up; null when the text is no duration.
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
