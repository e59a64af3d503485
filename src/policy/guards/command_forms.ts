/**
 * The usual forms of a command, on which the rules about commands are tried beside the words as they are written: options
 * before the verb, shortened and renamed verbs, programs that take the same words, options with the same effect.
 */
import { leading, programName, type ValuedOptions } from "../shell/operands.ts";
import { headOf, matchesWithHead, rowsByName, withPatterns } from "../shell/rows.ts";
import { type Argument, literal } from "../shell/word.ts";
import TABLES from "./command_forms.json" with { type: "json" };

interface Form extends ValuedOptions {
  /** The program that takes the same words. */
  readonly as?: string;
  /** Verbs that may be shortened as long as only one of them begins so. */
  readonly abbreviated?: string;
  /** Verbs by their other names. */
  readonly verbs?: Readonly<Record<string, string>>;
}

const FORMS = rowsByName<Form>(TABLES.programs);
/** Commands that do what another one does. A pattern is for the words with one blank between them. */
const SAME = TABLES.same.map(({ pattern, as }) => ({
  pattern: new RegExp(pattern.slice(1, -1)),
  as: as.split(" ").map(literal),
}));
/** Usual spellings of what rules forbid, and the pattern that holds for all of them. */
export const SPELLINGS = TABLES.spellings;
/** The most options that are tried in the first place. */
const MAX_OPTIONS = 8;

/** The names under which a rule's program is called as well. */
export function programsLike(program: string): readonly string[] {
  const as = FORMS.find(program)?.as ?? program;
  const others = FORMS.names.filter((name) => FORMS.find(name)?.as === as);
  const same = SAME.flatMap(({ as: [first], pattern }) =>
    first?.text === program ? headOf(pattern).split(" ", 1) : []
  );
  return [...new Set([program, ...others, ...same])];
}

/** The forms of a command, without the one that is written. Words after an unknown one stay where they are. */
export function formsOf(words: readonly Argument[]): (readonly Argument[])[] {
  return usualForms(words).flatMap((form) => [form, ...withOptionFirst(form)]);
}

/** The forms of a command as lines. A word has no blanks in them, and an unknown one ends in `…`. */
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

/** The program, its verb, and then what stood before the verb. */
function plainForm(name: string, rest: readonly Argument[]): readonly Argument[] {
  const form = FORMS.find(name);
  if (form === undefined) return [literal(name), ...rest];
  const at = leading(rest, form).end;
  const program = literal(form.as ?? name);
  const verb = rest[at];
  if (verb === undefined || verb.isOpen) return [program, ...rest];
  const full = form.verbs?.[verb.text] ?? fullVerb(verb.text, form.abbreviated ?? "");
  return [program, { ...verb, text: full }, ...rest.slice(at + 1), ...rest.slice(0, at)];
}

function fullVerb(verb: string, verbs: string): string {
  const all = verbs.split(" ");
  const like = all.filter((one) => one.startsWith(verb));
  return !all.includes(verb) && like.length === 1 ? like[0]! : verb;
}

function sameAs(words: readonly Argument[]): (readonly Argument[])[] {
  const known = words.findIndex(({ isOpen }) => isOpen);
  const text = lineOf(known < 0 ? words : words.slice(0, known));
  return SAME.flatMap(({ pattern, as }) =>
    matchesWithHead(pattern, `${text} `) ? [[...as, ...words.slice(Math.min(as.length, 2))]] : []
  );
}

/** Each option in turn right behind the verb, or behind the program where there is no verb. */
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

/** Programs that print their arguments or tell about them. */
const TELLING = new Set(TABLES.telling.split(" "));

/** Options with which a program changes nothing. */
const HARMLESS_OPTIONS = withPatterns(TABLES.harmless) as readonly {
  readonly command: RegExp;
  readonly option: RegExp;
}[];

/** Options that take the next word as their value, whatever it looks like: `git commit -m --help` commits. */
const VALUED =
  /^-[a-zA-Z]*[mFcCtoRbB]$|^--(?:message|file|author|date|template|re(?:use|edit)-message|fixup|squash|trailer|push-option|repo|receive-pack|exec|title|body|tag|otp|registry|manifest-path|package)$/;

/** `man git commit`, `git commit --help`, `npm publish --dry-run`. */
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
