/** Programs that run code of another language: whether a call gives them some that is no file. */
import { type Inner, scriptFrom } from "./inner.ts";
import { type Argument, literal } from "./word.ts";

/** How an interpreter is told what to run. */
interface Interpreter {
  /** After one of these comes code, or it reads code. */
  readonly code: RegExp;
  /** With one of these it needs no script: it tells of itself, or finds what it runs. */
  readonly idle?: RegExp;
  /** The next word is the value of one of these. */
  readonly valued?: RegExp;
  /** What follows one of these is a program, with all that comes after it. */
  readonly module?: RegExp;
  /** The word before its script: `run` of `bun run x.ts`; any other word is a script, or a verb like one. */
  readonly verb?: string;
  /** Verbs that are followed by code, or read it. */
  readonly codeVerbs?: RegExp;
}

const LUA: Interpreter = { code: /^-e/, valued: /^-l$/, idle: /^-v$/ };
const ONLY_E: Interpreter = { code: /^-e/ };

const NODE: Interpreter = {
  code: /^(?:-[cip]*[ep]|--(?:eval|print)(?:$|=))/,
  valued:
    /^(?:-[rC]|--(?:require|import|loader|experimental-loader|conditions|env-file(?:-if-exists)?|input-type|test-(?:reporter(?:-destination)?|name-pattern|skip-pattern|concurrency|shard|timeout|isolation)|title|disable-warning|watch-path|unhandled-rejections|dns-result-order|icu-data-dir|openssl-config|stack-trace-limit|run))$/,
  idle: /^(?:-v|--(?:test|v8-options|run|prof-process|completion-bash))(?:$|=)/,
};

/** By the program's name, without its version. */
const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map(Object.entries({
  python: {
    code: /^-[bBdEiIOPqRsSuvx]*c/,
    module: /^-[bBdEiIOPqRsSuvx]*m/,
    valued: /^-[bBdEiIOPqRsSuvx]*[WX]$|^--check-hash-based-pycs$/,
    idle: /^-V+$|^--help-(?:all|env|xoptions)$/,
  },
  perl: {
    code: /^-[acdfilnpsStTuUwWX\d]*[eE]/,
    valued: /^-[acdfilnpsStTuUwWX\d]*I$/,
    idle: /^-[vV]/,
  },
  ruby: {
    code: /^-[acdilnpsSvwWy\d]*e/,
    valued: /^-[acdlnpsSvwWy\d]*[ICEr]$|^--(?:(?:ex|in)ternal-encoding|encoding|disable|enable)$/,
    idle: /^-v$|^--copyright$/,
  },
  node: NODE,
  tsx: NODE,
  "ts-node": NODE,
  bun: {
    code: /^(?:-[a-z]*[ep]|--(?:eval|print)(?:$|=))/,
    valued: /^(?:-[rc]|--(?:preload|cwd|config|env-file|filter|conditions|define|loader|port))$/,
    idle: /^-v$|^--revision$/,
    verb: "run",
    codeVerbs: /^repl$/,
  },
  deno: {
    code: /^$/,
    valued: /^(?:-[cL]|--(?:config|import-map|lock|log-level|cert|location|seed))$/,
    verb: "run",
    codeVerbs: /^(?:eval|repl)$/,
  },
  php: {
    code: /^-[CeHnqs]*[rRBE]|^--(?:run|process-(?:begin|code|end))$/,
    valued: /^-[cdzt]$|^--(?:define|php-ini|docroot)$/,
    idle: /^(?:-[vmilSf]|--(?:ini|info|modules|syntax-check|server|file|r[fceiz]))$/,
  },
  lua: LUA,
  luajit: LUA,
  osascript: { code: /^-e/, valued: /^-[ls]$/ },
  Rscript: ONLY_E,
}));

/** With one of these an interpreter, or a shell, only tells of itself. */
export const TELLING_OF_ITSELF = /^(?:--version|--help|-V|-h|-\?)$/;

/** The code that an interpreter is given or reads, or the file that it runs; undefined where it is neither. */
export function inInterpreter(program: string, rest: readonly Argument[]): Inner | undefined {
  const interpreter = INTERPRETERS.get(program.replace(/[\d.]+$/, ""));
  if (interpreter === undefined) return undefined;
  const { code, idle, valued, module, verb, codeVerbs } = interpreter;
  const given: Inner = { kind: "code", program };
  let isIdle = false;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    const { text, isOpen } = word;
    // The start of a file's name is no option, whatever comes after it.
    if (text === "-" || (isOpen && !/^[^-]/.test(text)) || code.test(text)) return given;
    if (codeVerbs?.test(text)) return given;
    if (text === verb) continue;
    if (!text.startsWith("-")) return { kind: "file", program, file: word };
    if (module?.test(text)) return { kind: "command", words: rest.slice(at + 1) };
    isIdle ||= TELLING_OF_ITSELF.test(text) || (idle?.test(text) ?? false);
    if (valued?.test(text)) at++;
  }
  // Without a script to run it reads one.
  return isIdle ? undefined : given;
}

/** Longer code is not searched: patterns can take polynomial time. */
export const MAX_CODE_CHARS = 16_384;
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

/** Bodies of `s/…/…/`, `y/…/…/` and patterns before a command: a `w` in them is none. */
const REPLACED = /[sy]([/|,#@!:])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1/g;
/** What stands before a command: lines by their numbers, or by a pattern. */
const ADDRESS = String.raw`(?:[\d$,~+! ]|\/(?:\\.|[^/\\\n])*\/[IM]?)*`;
const WRITES = new RegExp(
  String.raw`(?:^|[;{}\n])\s*(?:${ADDRESS}|s[gpiImMe\d]*)w\s*(\S[^\n]*)`,
  "g",
);
/** Files that are none. */
const DEVICE = /^\/dev\/(?:stdout|stderr)$/;

/** The files that it writes. */
export function writtenBySed(rest: readonly Argument[]): Argument[] {
  return rest.flatMap(({ text }) =>
    text.includes("w") && text.length <= MAX_CODE_CHARS
      ? [...text.replace(REPLACED, "s").matchAll(WRITES)]
        .map(([, file]) => literal(file!.trim())).filter(({ text }) => !DEVICE.test(text))
      : []
  );
}
