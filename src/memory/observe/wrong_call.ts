/** Calls that were wrong themselves: an option that there is not, a path or a target that is not there. */
import { isHarmless, nameOf, withoutLaunchers } from "./script_words.ts";
import type { ScriptCommand } from "./shell_words.ts";

/** The output of a program that was called wrongly. The text of a group must stand in the command line, too. */
const WRONG_CALLS: readonly { readonly program: RegExp; readonly says: RegExp }[] = [
  {
    program: /^(?:pytest|py\.test)$/,
    says:
      /^ERROR: (?:usage:|file or directory not found:|not found:)|error: unrecognized arguments:/m,
  },
  {
    program: /^(?:jest|vitest)$/,
    says: /Unrecognized CLI Parameter|Unrecognized option "|CACError: Unknown option/,
  },
  {
    program: /^go$/,
    says:
      /^no required module provides package (\S+?);|^package (\S+) is not in std|^stat (\S+): directory not found|^(?:stat|lstat) (\S+): no such file or directory/m,
  },
  { program: /^go$/, says: /^flag provided but not defined:/m },
  {
    program: /^cargo$/,
    says:
      /package ID specification `([^`]+)` did not match any packages|^error: no (?:bin|test|example|bench) target named `([^`]+)`|^error: unexpected argument '([^']+)'|^error: no such (?:sub)?command: `([^`]+)`/m,
  },
  {
    program: /^(?:npm|pnpm|yarn|bun)$/,
    says: /^npm (?:ERR!|error) Missing script|^npm (?:ERR!|error) 404\s+'(@?[^\s'@]+)@/m,
  },
  {
    program: /^eslint$/,
    says: /^Invalid option '|^No files matching (?:the pattern )?["']([^"']+)["']/m,
  },
  { program: /^tsc$/, says: /^error TS(?:5023|5025|5057|5058|6044):/m },
  {
    program: /^git$/,
    says:
      /^error: src refspec (\S+) does not match any|^error: unknown (?:option|switch) `([^']+)'|^fatal: pathspec '([^']+)' did not match any files|^git: '([^']+)' is not a git command/m,
  },
  { program: /^g?make$/, says: /\*\*\* No rule to make target [`']([^']+)'\.\s+Stop/ },
  {
    program: /^kubectl$/,
    says: /^error: the path "([^"]+)" does not exist|^error: unknown (?:shorthand )?flag:/m,
  },
  {
    program: /^docker(?:-compose)?$/,
    says:
      /^unknown (?:shorthand )?flag:|^no such service: (\S+)|No such container: (\S+)|'([^']+)' is not a docker command/m,
  },
  { program: /^gradlew?$/, says: /Task '([^']+)' not found|Unknown command-line option '/ },
  { program: /^python[\d.]*$/, says: /can't open file '([^']+)'/ },
  { program: /^node$/, says: /^Error: Cannot find module '(\/[^']+)'/m },
];
/** `python -m pytest`, where this Python has no such module: another one may have it. */
const NO_MODULE = /^\S*python[\d.]*(?:\.exe)?: No module named '?([\w.]+)/m;
const MAX_CHARS = 20_000;

/** The one command of a script that failed because it was called wrongly; null for any other script. */
export function wrongCall(
  commands: readonly ScriptCommand[],
  output: string,
): ScriptCommand | null {
  const [call, ...others] = commands.filter((command) => !isHarmless(command));
  if (call === undefined || others.length > 0) return null;
  const [program = "", ...args] = withoutLaunchers(call.words);
  const name = nameOf(program);
  const end = output.slice(-MAX_CHARS);
  if (NO_MODULE.exec(end)?.[1] === name) return call;
  const isWrong = WRONG_CALLS.some((row) => {
    const [said, ...named] = row.program.test(name) ? row.says.exec(end) ?? [] : [];
    const what = named.find((one) => one !== undefined);
    return said !== undefined && (what === undefined || args.some((word) => isCalled(word, what)));
  });
  return isWrong ? call : null;
}

/** Whether a word of a command line is what a message names, which may be with its whole path. */
function isCalled(word: string, what: string): boolean {
  const plain = word.replace(/\/(?:\.\.\.)?$/, "");
  return word.includes(what) || lastOf(plain) === lastOf(what.replace(/\/$/, ""));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
