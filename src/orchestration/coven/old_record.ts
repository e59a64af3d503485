/** One object of the older daemon's JSON, read for what it means: fields have more than one name there. */
import type { Mapping } from "../field_reader.ts";

/** Reads fields under any of their names, and knows which ones nobody asked for. */
export class OldRecord {
  readonly #fields: Mapping;
  readonly #asked = new Set<string>();

  constructor(fields: Mapping) {
    this.#fields = fields;
  }

  /** The first of these fields that holds something; null when none does. */
  value(...names: readonly string[]): unknown {
    for (const name of names) this.#asked.add(name);
    const name = names.find((name) =>
      Object.hasOwn(this.#fields, name) && this.#fields[name] !== null && this.#fields[name] !== ""
    );
    return name === undefined ? null : this.#fields[name];
  }

  /** A text, or a number as a text; null for anything else. */
  text(...names: readonly string[]): string | null {
    const value = this.value(...names);
    if (typeof value === "number") return String(value);
    return typeof value === "string" ? value.toWellFormed() : null;
  }

  /** The texts of a list, or the names of what a mapping has switched on. */
  texts(...names: readonly string[]): string[] {
    const value = this.value(...names);
    const list = Array.isArray(value) ? value : value === null ? [] : [value];
    return list.flatMap((one) =>
      typeof one === "string" && one !== ""
        ? [one.toWellFormed()]
        : typeof one === "number"
        ? [String(one)]
        : []
    );
  }

  /** A whole number; null for anything else. */
  integer(...names: readonly string[]): number | null {
    const value = this.value(...names);
    return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
  }

  /** Whether a field is true. */
  truth(...names: readonly string[]): boolean | null {
    const value = this.value(...names);
    return typeof value === "boolean" ? value : null;
  }

  /** A moment in epoch milliseconds; null when there is none, Go's zero time (the year 1) included. */
  time(...names: readonly string[]): number | null {
    const value = this.value(...names);
    const ms = typeof value === "string"
      ? Date.parse(value)
      : typeof value === "number"
      ? value < SMALLEST_MS ? value * 1000 : value
      : NaN;
    return Number.isFinite(ms) && ms > 0 && ms < LARGEST_MS ? Math.floor(ms) : null;
  }

  /** The fields that hold something and that nobody asked for. */
  unknown(): string[] {
    return Object.keys(this.#fields).filter((name) =>
      !this.#asked.has(name) && this.#fields[name] !== null && this.#fields[name] !== ""
    );
  }
}

/** A smaller number of a moment counts seconds. */
const SMALLEST_MS = 1e11;

/** What a UUIDv7 has room for. */
const LARGEST_MS = 2 ** 48;
