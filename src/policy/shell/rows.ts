/** Tables about programs that stand in JSON: each row is for the programs in `names`. */

export interface Rows<Row> {
  readonly names: readonly string[];
  has(name: string): boolean;
  find(name: string): Row | undefined;
}

/** Reads a table when it is first asked. A text between slashes is a pattern; it is compiled when its row is asked for. */
export function rowsByName<Row>(rows: readonly { readonly names: string }[]): Rows<Row> {
  let read: ReadonlyMap<string, unknown> | undefined;
  const plain = () =>
    read ??= new Map(
      rows.flatMap(({ names, ...row }) => names.split(" ").map((name) => [name, row] as const)),
    );
  const compiled = new Map<string, Row>();
  return {
    get names() {
      return [...plain().keys()];
    },
    has: (name) => plain().has(name),
    find: (name) => {
      const found = compiled.get(name);
      if (found !== undefined || !plain().has(name)) return found;
      const row = withPatterns(plain().get(name)) as Row;
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

/** Whether a text matches a pattern; a pattern is only tried on texts with its first words, for the engine compiles it then. */
export function matchesWithHead(pattern: RegExp, text: string): boolean {
  return text.startsWith(headOf(pattern)) && pattern.test(text);
}

/** The words with which every text begins that a pattern (without alternatives at its top) matches; empty where that is open. */
export function headOf({ source }: RegExp): string {
  return /^\^((?:\w+ )*\w+)(?![\w?*{|])/.exec(source)?.[1] ?? "";
}
