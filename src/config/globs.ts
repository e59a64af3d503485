/**
 * Globs as the configuration has them, compiled to regular expressions.
 *
 * The dialect: `*` and `**` match any text, `/` included (so `*.env` covers `/a/b/.env`); where `**` is a whole folder
 * of the pattern, it may also be no folder at all; `?` is one character; `[a-z]`, `[!a-z]` and `{a,b}` are as in a
 * shell, and a class that negates never takes `/`; a backslash takes the next character literally; a leading `./`
 * is dropped. Everything else stands for itself, also parentheses, a leading dot and a leading `!`. Upper and lower
 * case differ.
 */
import picomatch from "picomatch";

const OPTIONS = {
  bash: true, // `*` crosses `/`
  dot: true,
  nonegate: true,
  noextglob: true,
  strictBrackets: true,
  strictSlashes: true,
  fastpaths: false,
  debug: true, // throw instead of making a pattern that never matches
  windows: false,
  expandRange: (): string => {
    throw new SyntaxError('ranges like "{1..9}" are not supported; write "{1,2,3}" or "[1-9]"');
  },
};

/** picomatch writes this for "not `.` or `..`"; it has no meaning with a `*` that crosses folders. */
const DOT_SEGMENT_GUARD = "(?!(?:^|\\/)\\.{1,2}(?:\\/|$))";

/** Longest list of patterns that one glob with `**` in braces may come to. */
const MAX_SPELLED = 256;

export interface GlobOptions {
  /** What a leading `~` stands for; without it, `~` is a plain character. */
  readonly home?: string | undefined;
  /** True: the pattern may name a folder and then covers everything below it; a closing `/` is ignored. */
  readonly coversFolder?: boolean;
}

/**
 * @returns The source of a regular expression that is anchored at both ends, for the flag `s`.
 * @throws SyntaxError when the glob is empty or not well formed; the message says where it is wrong.
 */
export function compileGlob(glob: string, options: GlobOptions = {}): string {
  let pattern = expandHome(glob, options.home);
  if (options.coversFolder) pattern = pattern.replace(/(?<=.)\/+$/, "");
  if (pattern === "") throw new SyntaxError("the pattern is empty");
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)) {
    throw new SyntaxError("a backslash at the end has nothing to escape");
  }
  const sources = [...new Set(spellOut(pattern))].map(sourceOf);
  const source = sources.length === 1 ? sources[0]! : `^(?:${sources.join("|")})$`;
  const anchored = options.coversFolder ? `^(?:${source.slice(1, -1)}(?:\\/.*)?)$` : source;
  new RegExp(anchored, "s");
  return anchored;
}

function sourceOf(pattern: string): string {
  const regex: RegExp = picomatch.makeRe(toPicomatch(pattern), OPTIONS);
  return regex.source
    .replaceAll(DOT_SEGMENT_GUARD, "")
    .replaceAll("[^/]", ".")
    .replaceAll("(?:(?:.)*?)", ".*?");
}

/** Expands braces with `**` in them: only then is it clear whether `**` is a whole folder. */
function spellOut(pattern: string): string[] {
  const braces = findBraces(pattern);
  if (braces === null) return [pattern];
  const { start, end, alternatives } = braces;
  const patterns = alternatives.flatMap((one) =>
    spellOut(pattern.slice(0, start) + one + pattern.slice(end))
  );
  if (patterns.length > MAX_SPELLED) {
    throw new SyntaxError(`braces with "**" come to more than ${MAX_SPELLED} patterns`);
  }
  return patterns;
}

/** The first outermost `{a,b}` that holds `**`; null when there is none. */
function findBraces(
  pattern: string,
): { readonly start: number; readonly end: number; readonly alternatives: string[] } | null {
  let depth = 0;
  let start = 0;
  let commas: number[] = [];
  for (const { 0: sign, index } of pattern.matchAll(/\\.|\[[!^]?\]?[^\]]*\]|[{},]/gs)) {
    if (sign === "{" && depth++ === 0) [start, commas] = [index, []];
    else if (sign === "," && depth === 1) commas.push(index);
    else if (sign === "}" && depth > 0 && --depth === 0) {
      const cuts = [start, ...commas, index];
      const alternatives = commas.map((at, i) => pattern.slice(cuts[i]! + 1, at));
      alternatives.push(pattern.slice(cuts.at(-2)! + 1, index));
      if (commas.length > 0 && alternatives.some((one) => one.includes("**"))) {
        return { start, end: index + 1, alternatives };
      }
    }
  }
  return null;
}

/**
 * The longest text that every match of the glob contains; empty when there is none. Searching for it is much cheaper than
 * compiling the glob.
 */
export function needleOf(glob: string): string {
  const plain = glob.replace(/^~|(?:^|(?<=\/))(?:\.\/)+/g, "*")
    // Brackets and braces guarantee nothing; an escaped letter is skipped, too.
    .replace(/\\./gs, "*").replace(/\[[^\]]*\]/g, "*").replace(/\{.*\}/gs, "*");
  if (/[[\]{}]/.test(plain)) return "";
  // `**` may stand for no folder, and then the slashes around it are missing as well.
  return plain.split(/[*?]+/).map((piece) => piece.replace(/^\/+|\/+$/g, ""))
    .reduce((longest, piece) => piece.length > longest.length ? piece : longest, "");
}

export function globFault(glob: string): string | undefined {
  try {
    compileGlob(glob);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function expandHome(glob: string, home: string | undefined): string {
  if (home === undefined || !(glob === "~" || glob.startsWith("~/"))) return glob;
  return home.replaceAll("\\", "/").replace(/[*?[\]{}()\\!]/g, "\\$&") + glob.slice(1);
}

/** Translates to picomatch's dialect: `[!a]` becomes `[^/a]`, parentheses and quotes are escaped. */
function toPicomatch(glob: string): string {
  return glob
    .replace(/\\.|\[[!^]|[()|"]/gs, (part) => {
      if (part === "[!" || part === "[^") return "[^/";
      if (part.length === 1) return `\\${part}`;
      return /\w/.test(part) ? part.slice(1) : part;
    })
    .replace(/^\/\*\*\//, "{/,/**/}");
}
