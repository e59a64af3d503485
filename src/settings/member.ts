/** Reading what a settings file holds, of which nothing is known yet. */

/** What a value holds under a key; undefined where it is no object or array, or has none. */
export function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
