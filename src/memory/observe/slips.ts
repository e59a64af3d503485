/** Calls that were wrong themselves: an option that there is not, a path or a target that is not there. No test ran, no code failed. */
import { nameOf, withoutLaunchers } from "./launchers.ts";
import { isHarmless } from "./script_words.ts";
import type { ScriptCommand } from "./shell_words.ts";

/** What a tool says of a call that is wrong. */
interface Slip {
  readonly program: RegExp;
  /** Its first group, where it has one, is what was called so: it has to stand on the command line. */
  readonly says: RegExp;
  /** Its verb itself is what there is not: any other is the right call. */
  readonly isVerb?: true;
}

const SLIPS: readonly Slip[] = [
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
      /package ID specification `([^`]+)` did not match any packages|^error: no (?:bin|test|example|bench) target named `([^`]+)`|^error: unexpected argument '([^']+)'/m,
  },
  { program: /^cargo$/, says: /^error: no such (?:sub)?command: `([^`]+)`/m, isVerb: true },
  { program: /^npm$/, says: /^npm (?:ERR!|error) 404\s+'(@?[^\s'@]+)@/m },
  {
    program: /^eslint$/,
    says: /^Invalid option '|^No files matching (?:the pattern )?["']([^"']+)["']/m,
  },
  {
    program: /^tsc$/,
    says: /^error TS(?:5023|5025|5057|5058|6044):/m,
  },
  {
    program: /^git$/,
    says:
      /^error: src refspec (\S+) does not match any|^error: unknown (?:option|switch) `([^']+)'|^fatal: pathspec '([^']+)' did not match any files/m,
  },
  { program: /^git$/, says: /^git: '([^']+)' is not a git command/m, isVerb: true },
  { program: /^g?make$/, says: /\*\*\* No rule to make target [`']([^']+)'\.\s+Stop/ },
  {
    program: /^kubectl$/,
    says:
      /^error: the path "([^"]+)" does not exist|^error: unknown (?:shorthand )?flag:|doesn't have a resource type "([^"]+)"/m,
  },
  {
    program: /^docker(?:-compose)?$/,
    says: /^unknown (?:shorthand )?flag:|^no such service: (\S+)|No such container: (\S+)/m,
  },
  { program: /^docker$/, says: /'([^']+)' is not a docker command/, isVerb: true },
  {
    program: /^terraform$/,
    says: /flag provided but not defined: |Too many command line arguments/,
  },
  { program: /^terraform$/, says: /Terraform has no command named "([^"]+)"/, isVerb: true },
  { program: /^gradlew?$/, says: /Task '([^']+)' not found|Unknown command-line option '/ },
  { program: /^python[\d.]*$/, says: /can't open file '([^']+)'/ },
  { program: /^node$/, says: /^Error: Cannot find module '(\/[^']+)'/m },
];
/** `python -m pytest` where it is not installed: another one may have it. */
const NO_MODULE = /^\S*python[\d.]*(?:\.exe)?: No module named '?([\w.]+)/m;
/** What does things of many kinds: its verb says which. */
const WITH_VERBS: ReadonlySet<string> = new Set(
  ["go", "cargo", "npm", "git", "kubectl", "docker", "docker-compose", "terraform"],
);
const INTERPRETER = /^(?:python[\d.]*|node)$/;
const MAX_CHARS = 20_000;

/** A command as those are told apart that are called wrongly: by its program, and its verb or the name of its script. */
function calledAs(name: string, args: readonly string[]): string {
  const plain = args.filter((word) => !word.startsWith("-"));
  if (INTERPRETER.test(name)) {
    return `${name.replace(/[\d.]+$/, "")} ${lastOf(plain[0] ?? "")}`;
  }
  if (!WITH_VERBS.has(name)) return name;
  const isCompose = name === "docker" && plain[0] === "compose";
  return [name, ...plain.slice(0, isCompose ? 2 : 1)].join(" ");
}

/** What a script of one command was that failed because it was called wrongly; null for any other. */
export function slipOf(
  { commands, output }: { readonly commands: readonly ScriptCommand[]; readonly output: string },
): string | null {
  const [call, ...others] = commands.filter((command) => !isHarmless(command));
  if (call === undefined || others.length > 0) return null;
  const [program = "", ...args] = withoutLaunchers(call.words);
  const name = nameOf(program);
  const end = output.slice(-MAX_CHARS);
  const [, module] = NO_MODULE.exec(end) ?? [];
  if (module !== undefined && module === name) return calledAs(name, args);
  for (const { program, says, isVerb } of SLIPS) {
    const [said, ...named] = program.test(name) ? says.exec(end) ?? [] : [];
    if (said === undefined) continue;
    const what = named.find((one) => one !== undefined);
    if (what !== undefined && !args.some((word) => isCalled(word, what))) continue;
    return isVerb ? name : calledAs(name, args);
  }
  return null;
}

/** As what the commands of a script count that ends the slips of those: with their verb, and without. */
export function callsOf(commands: readonly ScriptCommand[]): string[] {
  return [
    ...new Set(commands.flatMap(({ words }) => {
      const [program = "", ...args] = withoutLaunchers(words);
      const name = nameOf(program);
      return INTERPRETER.test(name) ? [calledAs(name, args)] : [name, calledAs(name, args)];
    })),
  ];
}

/** Whether a word of a command line is what a message names, which may be with its whole path. */
function isCalled(word: string, what: string): boolean {
  const plain = word.replace(/\/(?:\.\.\.)?$/, "");
  return word.includes(what) || lastOf(plain) === lastOf(what.replace(/\/$/, ""));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
