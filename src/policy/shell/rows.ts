/** Tables about programs that stand in JSON: each row is for the programs in `names`. */

export interface Rows<Row> {
  readonly names: readonly string[];
  has(name: string): boolean;
  find(name: string): Row | undefined;
}

/** Reads a table. A text between slashes is a pattern; it is compiled when the row is first asked for. */
export function rowsByName<Row>(rows: readonly { readonly names: string }[]): Rows<Row> {
  const plain = new Map<string, unknown>(
    rows.flatMap(({ names, ...row }) => names.split(" ").map((name) => [name, row] as const)),
  );
  const compiled = new Map<string, Row>();
  return {
    names: [...plain.keys()],
    has: (name) => plain.has(name),
    find: (name) => {
      const found = compiled.get(name);
      if (found !== undefined || !plain.has(name)) return found;
      const row = withPatterns(plain.get(name)) as Row;
      compiled.set(name, row);
      return row;
    },
  };
}

/** A value with each text between slashes as a pattern. */
export function withPatterns(value: unknown): unknown {
  if (typeof value === "string") {
    const [, pattern] = /^\/(.+)\/$/s.exec(value) ?? [];
    return pattern === undefined ? value : new RegExp(pattern);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withPatterns);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withPatterns(inner)]),
  );
}
