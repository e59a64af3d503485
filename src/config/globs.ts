/**
 * Compiles the globs of the configuration to regular expressions.
 *
 * The dialect: `*` and `**` match any text, `/` included (so `*.env` covers `/a/b/.env`); where `**` is a whole folder
 * of the pattern, outside of braces, it may also be no folder at all; `?` is one character; `[a-z]`, `[!a-z]` and
 * `{a,b}` are as in a shell, and a class that negates never takes `/`; a backslash takes the next character literally;
 * a leading `./` is dropped. Everything else stands for itself, also parentheses, a leading dot and a leading `!`.
 * Upper and lower case differ.
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

export interface GlobOptions {
  /** What a leading `~` stands for; without it, `~` is a plain character. */
  readonly home?: string | undefined;
  /** Whether the pattern may name a folder and then covers everything below it; a closing `/` is ignored. */
  readonly coversFolder?: boolean;
}

/**
 * Compiles a glob. @returns The source of a regular expression that is anchored at both ends, for the flag `s`.
 * @throws SyntaxError when the glob is empty or not well formed; the message says where it is wrong.
 */
export function compileGlob(glob: string, options: GlobOptions = {}): string {
  let pattern = expandHome(glob, options.home);
  if (options.coversFolder) pattern = pattern.replace(/(?<=.)\/+$/, "");
  if (pattern === "") throw new SyntaxError("the pattern is empty");
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)) {
    throw new SyntaxError("a backslash at the end has nothing to escape");
  }
  const source = picomatch.makeRe(toPicomatch(pattern), OPTIONS).source
    .replaceAll(DOT_SEGMENT_GUARD, "")
    .replaceAll("[^/]", ".")
    .replaceAll("(?:(?:.)*?)", ".*?");
  const anchored = options.coversFolder ? `^(?:${source.slice(1, -1)}(?:\\/.*)?)$` : source;
  new RegExp(anchored, "s");
  return anchored;
}

/** Returns the longest text that every match contains, empty for none: a search for it is faster than the glob. */
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
