/** What a script of `awk` starts, and which files it writes: as far as both are named in quotes. */
import { type Inner, scriptFrom } from "./inner.ts";
import { type Argument, literal } from "./word.ts";

/** Longer code counts as such: what a pattern costs may grow with a power of it. */
const MAX_CODE_CHARS = 16_384;
const TEXT = /"((?:\\.|[^"\\\n])*)"/g;
/** Where a text stood, by its number. */
const AFTER_PIPE = /\|&?\s*"(\d+)"/g;
const BEFORE_PIPE = /"(\d+)"\s*\|\s*getline/g;
const CALLED = /\bsystem\s*\(\s*"(\d+)"\s*\)/g;
const WRITTEN = /\bprintf?\b[^;}\n]*?>>?\s*"(\d+)"(?=\s*(?:[;}\n]|$))/g;
/** What stays is only known when it runs. */
const UNKNOWN = /\bsystem\s*\(|\bprintf?\b[^;}\n]*[>|]|\|&?\s*getline/;

/** What such a script starts. */
export function inAwk(program: string, rest: readonly Argument[]): Inner[] {
  return rest.flatMap(({ text }): Inner[] => {
    if (text.length > MAX_CODE_CHARS) return [{ kind: "code", program }];
    const { code, texts } = apart(text);
    const commands = [CALLED, AFTER_PIPE, BEFORE_PIPE].flatMap((pattern) =>
      [...code.matchAll(pattern)].map(([, number]) => scriptFrom(literal(texts[Number(number)]!)))
    );
    let left = code;
    for (const pattern of [CALLED, AFTER_PIPE, BEFORE_PIPE, WRITTEN]) {
      left = left.replace(pattern, ";");
    }
    return UNKNOWN.test(left) ? [...commands, { kind: "code", program }] : commands;
  });
}

/** The files that such a script writes. */
export function writtenByAwk(rest: readonly Argument[]): Argument[] {
  return rest.filter(({ text }) => text.includes(">") && text.length <= MAX_CODE_CHARS)
    .flatMap(({ text }) => {
      const { code, texts } = apart(text);
      return [...code.matchAll(WRITTEN)].map(([, number]) => literal(texts[Number(number)]!));
    });
}

/** The code with a number in the place of each text, and the texts. */
function apart(code: string): { readonly code: string; readonly texts: readonly string[] } {
  const texts: string[] = [];
  const numbered = code.replace(TEXT, (_, text: string) => `"${texts.push(text) - 1}"`);
  return { code: numbered, texts };
}
