/**
 * Rewrites a command into its usual forms, which rules about commands match as well. A form moves options behind the
 * verb, completes and renames verbs, and replaces programs and options by others with the same effect.
 */
import { leading, programName, type ValuedOptions } from "../shell/operands.ts";
import { headOf, matchesWithHead, rowsByName, withPatterns } from "../shell/rows.ts";
import { type Argument, literal } from "../shell/word.ts";
import TABLES from "./command_forms.json" with { type: "json" };
import { ownValue } from "../../base/mapping.ts";

interface Form extends ValuedOptions {
  /** The usual program that takes the same words. */
  readonly as?: string;
  /** Verbs that may be shortened to any beginning that only one of them has. */
  readonly abbreviated?: string;
  /** The full verbs, by their other names. */
  readonly verbs?: Readonly<Record<string, string>>;
}

const FORMS = rowsByName<Form>(TABLES.programs);
/** Commands with the same effect as another one. A pattern matches the words, joined by single blanks. */
const SAME = TABLES.same.map(({ pattern, as }) => ({
  pattern: new RegExp(pattern.slice(1, -1)),
  as: as.split(" ").map(literal),
}));
/** Usual spellings of what rules often forbid, each list with the pattern that matches all of them. */
export const SPELLINGS = TABLES.spellings;
/** How many options of a command are tried at the first position. */
const MAX_OPTIONS = 8;

/** Returns the program's name and the names of other programs whose commands have forms of that program. */
export function programsLike(program: string): readonly string[] {
  const as = FORMS.find(program)?.as ?? program;
  const others = FORMS.names.filter((name) => FORMS.find(name)?.as === as);
  const same = SAME.flatMap(({ as: [first], pattern }) =>
    first?.text === program ? headOf(pattern).split(" ", 1) : []
  );
  return [...new Set([program, ...others, ...same])];
}

/** Returns the forms of a command beside the written one. Words after an unknown word keep their places. */
export function formsOf(words: readonly Argument[]): (readonly Argument[])[] {
  return usualForms(words).flatMap((form) => [form, ...withOptionFirst(form)]);
}

/** Returns the forms of a command as lines, in which a word has no blanks and an unknown word ends in `…`. */
export function commandLines(words: readonly Argument[]): string[] {
  return usualForms(words).map(lineOf);
}

function lineOf(words: readonly Argument[]): string {
  return words.map(({ text, isOpen }) => text.replace(/\s/g, "_") + (isOpen ? "…" : "")).join(" ");
}

function usualForms(words: readonly Argument[]): (readonly Argument[])[] {
  const [program, ...rest] = words;
  if (program === undefined || program.isOpen || onlyTells(words)) return [];
  const name = programName(program.text);
  const plain = plainForm(name, rest);
  return [plain, ...sameAs([{ ...program, text: name }, ...rest]), ...sameAs(plain)];
}

/** Returns the program, its full verb, the words after the verb, and then the words before it. */
function plainForm(name: string, rest: readonly Argument[]): readonly Argument[] {
  const form = FORMS.find(name);
  if (form === undefined) return [literal(name), ...rest];
  const at = leading(rest, form).end;
  const program = literal(form.as ?? name);
  const verb = rest[at];
  if (verb === undefined || verb.isOpen) return [program, ...rest];
  const full = ownValue(form.verbs, verb.text) ?? fullVerb(verb.text, form.abbreviated ?? "");
  return [program, { ...verb, text: full }, ...rest.slice(at + 1), ...rest.slice(0, at)];
}

function fullVerb(verb: string, verbs: string): string {
  const all = verbs.split(" ");
  const candidates = all.filter((one) => one.startsWith(verb));
  return !all.includes(verb) && candidates.length === 1 ? candidates[0]! : verb;
}

function sameAs(words: readonly Argument[]): (readonly Argument[])[] {
  const known = words.findIndex(({ isOpen }) => isOpen);
  const text = lineOf(known < 0 ? words : words.slice(0, known));
  return SAME.flatMap(({ pattern, as }) =>
    matchesWithHead(pattern, `${text} `) ? [[...as, ...words.slice(Math.min(as.length, 2))]] : []
  );
}

/** Returns the command once for each option, with the option right behind the verb, or else behind the program. */
function withOptionFirst([program, verb, ...rest]: readonly Argument[]): (readonly Argument[])[] {
  if (verb === undefined) return [];
  const isVerb = !verb.text.startsWith("-");
  const head = isVerb ? [program!, verb] : [program!];
  const words = isVerb ? rest : [verb, ...rest];
  const end = words.findIndex(({ text, isOpen }) => text === "--" || isOpen);
  const options = (end < 0 ? words : words.slice(0, end)).filter(({ text }) => /^-./.test(text));
  return options.slice(0, MAX_OPTIONS).map((option) => [
    ...head,
    option,
    ...words.filter((word) => word !== option),
  ]);
}

/** Programs that only print their arguments, or information about them. */
const TELLING = new Set(TABLES.telling.split(" "));

/** Options with which a program changes nothing. */
const HARMLESS_OPTIONS = withPatterns(TABLES.harmless) as readonly {
  readonly command: RegExp;
  readonly option: RegExp;
}[];

/** Options whose value is the next word, whatever it looks like: `git commit -m --help` commits. */
const VALUED =
  /^-[a-zA-Z]*[mFcCtoRbB]$|^--(?:message|file|author|date|template|re(?:use|edit)-message|fixup|squash|trailer|push-option|repo|receive-pack|exec|title|body|tag|otp|registry|manifest-path|package)$/;

/** Tells whether a command only prints: `man git commit`, `git commit --help`, `npm publish --dry-run`. */
export function onlyTells([program, ...rest]: readonly Argument[]): boolean {
  if (program === undefined) return false;
  const name = programName(program.text);
  if (TELLING.has(name)) return rest.length > 0;
  const verb = rest[leading(rest, FORMS.find(name) ?? {}).end]?.text ?? "";
  const harmless = HARMLESS_OPTIONS.find(({ command }) => command.test(`${name} ${verb}`))?.option;
  if (harmless === undefined) return false;
  const end = rest.findIndex(({ text }) => text === "--");
  const options = (end < 0 ? rest : rest.slice(0, end)).map(({ text }) => text);
  if (options.some((text) => /^--(?:no-dry-run|dry-run=|no-help)/.test(text))) return false;
  return options.some((text, i) => harmless.test(text) && !VALUED.test(options[i - 1] ?? ""));
}
