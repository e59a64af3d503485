/** Scripts that fail where one of their commands does: `npm test || exit 1`, `if ! make; then exit 1; fi`. */
import type { ScriptCommand } from "./shell_words.ts";

/** What ends a script as a failure, or is one. */
const FAILS = /^(?:exit|return)(?: (?!0+$)\S+)?$|^false$/;
const BEFORE = /^(?:(?:then|\{)\s+)+/;
const REFUSED = /^if\s+!\s+/;
/** The words of {@linkcode REFUSED}. */
const REFUSED_WORDS = 2;

/**
 * The commands of a script without what runs only when one of them has failed, and lets the script fail then: whoever sees
 * the script end well knows as much of them as if nothing but `&&` stood there.
 */
export function withoutFallbacks(commands: readonly ScriptCommand[]): ScriptCommand[] {
  const kept: ScriptCommand[] = [];
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at]!;
    const fallback = fallbackAt(commands, at + 1);
    if (fallback === null) {
      kept.push(command);
      continue;
    }
    const { to, after } = fallback;
    kept.push({
      ...command,
      ...REFUSED.test(command.source) && {
        source: command.source.replace(REFUSED, ""),
        words: command.words.slice(REFUSED_WORDS),
      },
      after: to + 1 < commands.length ? after : "",
    });
    at = to;
  }
  return kept;
}

/** Where what begins here ends, and what stands in its place; null when it is no such thing. */
function fallbackAt(
  commands: readonly ScriptCommand[],
  from: number,
): { readonly to: number; readonly after: string } | null {
  const [command, fallback] = [commands[from - 1]!, commands[from]];
  if (fallback === undefined) return null;
  if (fallback.before === "||" && command.after === "||") {
    const to = endOfBrackets(commands, from);
    const last = commands[to]?.source === "}" ? to - 1 : to;
    return ending(commands, { last, to, around: command.shells.length });
  }
  if (!REFUSED.test(command.source) || !/^then\b/.test(fallback.source)) return null;
  const to = commands.findIndex(({ source }, at) =>
    at > from && /^(?:fi|else|elif)\b/.test(source)
  );
  if (commands[to]?.source !== "fi") return null;
  return ending(commands, { last: to - 1, to, around: command.shells.length });
}

function ending(
  commands: readonly ScriptCommand[],
  { last, to, around }: { readonly last: number; readonly to: number; readonly around: number },
): { readonly to: number; readonly after: string } | null {
  const [end, closing] = [commands[last], commands[to]];
  const does = end?.source.replace(BEFORE, "") ?? "";
  if (end === undefined || closing === undefined || !FAILS.test(does)) return null;
  // Brackets that a shell of its own runs end as what failed did, and the script goes on.
  const endsScript = does !== "false" && end.shells.length === around;
  return { to, after: endsScript && closing.after === ";" ? "&&" : closing.after };
}

/** Where brackets end, or the one command that stands without them. */
function endOfBrackets(commands: readonly ScriptCommand[], from: number): number {
  const { source, shells } = commands[from]!;
  if (/^\{\s/.test(source)) return commands.findIndex((one, at) => at > from && one.source === "}");
  const around = commands[from - 1]!.shells.length;
  if (shells.length <= around) return from;
  const next = commands.findIndex((one, at) => at > from && one.shells.length <= around);
  return (next < 0 ? commands.length : next) - 1;
}
