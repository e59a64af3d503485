/** Lines of a repository's `config` that make git run something, or send commits elsewhere. */

import { withPatterns } from "../shell/rows.ts";
import ROWS from "./risky_settings.json" with { type: "json" };

/** Tried on `section.name.key=value` in small letters. */
export const RISKY_KEYS = withPatterns(ROWS) as readonly {
  readonly pattern: RegExp;
  readonly example: string;
  readonly counterexample: string;
}[];

/** The risky lines of a configuration, each once. */
export function riskyLines(text: string): string[] {
  let section = "";
  const found = new Set<string>();
  for (const line of text.split("\n").map((line) => line.trim())) {
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line);
    if (head !== null) section = head[2] === undefined ? head[1]! : `${head[1]}.${head[2]}`;
    const entry = /^([\w-]+)\s*(?:=\s*(.*))?$/.exec(head === null ? line : head[3]!);
    if (entry === null) continue;
    const full = `${section}.${entry[1]}=${entry[2] ?? "true"}`.toLowerCase();
    if (RISKY_KEYS.some(({ pattern }) => pattern.test(full))) found.add(full);
  }
  return [...found].sort();
}
