/** Reads JSON tables about programs, in which each row is about the programs in `names`. */

/** Reads a table at its first use. A text between slashes is a pattern, compiled when its row is first found. */
export function rowsByName<Row>(rows: readonly { readonly names: string }[]) {
  let read: Map<string, { readonly row: unknown; compiled?: Row }> | undefined;
  const byName = () => {
    if (read !== undefined) return read;
    read = new Map();
    for (const row of rows) {
      const found = { row };
      for (const name of row.names.split(" ")) read.set(name, found);
    }
    return read;
  };
  return {
    get names() {
      return [...byName().keys()];
    },
    find(name: string): Row | undefined {
      const found = byName().get(name);
      return found && (found.compiled ??= withPatterns(found.row) as Row);
    },
  };
}

/** Copies a value, with each text between slashes compiled to a pattern. */
export function withPatterns(value: unknown): unknown {
  if (typeof value === "string") {
    const isPattern = value.length > 2 && value.startsWith("/") && value.endsWith("/");
    return isPattern ? new RegExp(value.slice(1, -1)) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withPatterns);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withPatterns(inner)]),
  );
}

/** Tells whether a text matches a pattern. Compares the pattern's first words first, to save compiling it. */
export function matchesWithHead(pattern: RegExp, text: string): boolean {
  return text.startsWith(headOf(pattern)) && pattern.test(text);
}

/** Returns the words with which every match of a pattern without top-level alternatives begins; empty if unknown. */
export function headOf({ source }: RegExp): string {
  return /^\^((?:\w+ )*\w+)(?![\w?*{|])/.exec(source)?.[1] ?? "";
}
