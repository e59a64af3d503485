/** Says in few words why something was denied, for places that have one line for it. */

/** Matches the words with which reasons begin, and the file, command or tool at the end, which is shown elsewhere. */
const AROUND =
  /^(?:Blocked(?: \S+){0,2}: (?:file matches )?|Tool usage blocked(?: by|:) )|\. (?:File|Command|Tool): [^]*$/g;

/** Returns the rule and what it says: `preToolUse.uneditableFiles '*.lock'`. @param rules Those that denied. */
export function briefDenial(reason: string, rules: unknown): string {
  const [rule = ""] = Array.isArray(rules) ? rules.map(String) : [];
  const what = reason.replace(AROUND, "");
  const key = rule.replace(/\[\d+\]$/, "");
  if (!what.startsWith(key)) return `${rule}: ${what}`;
  return key + what.slice(key.length).replace(/^ (?:pattern|rule:)(?= )/, "");
}
