/** Names that code defines, found without parsing it: what a person would name a change by. */

/** Definitions as most languages write them; the name is the first group. */
const DEFINITIONS: readonly RegExp[] = [
  /\b(?:function\*?|def|fn|func|sub|proc|macro_rules!)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/g,
  /\b(?:class|interface|struct|enum|trait|impl|protocol|namespace|module|type|record|object)\s+([A-Z_$][\w$]*)/g,
  /\b(?:const|let|var|val)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]{0,80})?=\s*(?:async\s*)?(?:function\b|\([^)\n]{0,200}\)\s*(?::[^=\n]{0,80})?=>|[A-Za-z_$][\w$]*\s*=>)/g,
  /^[ \t]*(?:(?:public|private|protected|static|async|override|final)[ \t]+)+(?:[\w<>[\],.?]+[ \t]+)?([A-Za-z_$][\w$]*)\s*\(/gm,
  /\bCREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|VIEW|TRIGGER)\s+(?:IF\s+NOT\s+EXISTS\s+)?([A-Za-z_]\w*)/gi,
];
const MAX_SYMBOLS = 24;
/** What is looked through: a longer text names enough before. */
const MAX_CHARS = 40_000;

/** The names that a text of code defines, each once, in the order of the patterns; at most 24. */
export function definedSymbols(code: string): string[] {
  const text = code.slice(0, MAX_CHARS);
  const found = new Set<string>();
  for (const pattern of DEFINITIONS) {
    for (const [, name] of text.matchAll(pattern)) {
      if (name !== undefined && name.length > 1) found.add(name);
    }
  }
  return [...found].slice(0, MAX_SYMBOLS);
}
