/** Forms that find secrets of any service by their shape, by the text before them, or by the program that takes them. */
import ROWS from "./general_forms.json" with { type: "json" };
import { isOddWord, isPlain, isValueLike } from "./secret_names.ts";
import type { SecretForm } from "./secret_form.ts";

const r = String.raw;

/** The parts that patterns name in angle brackets. */
const PARTS: Readonly<Record<string, string>> = {
  /** A quote at any depth of escaping. */
  quote: r`\\{0,3}["']`,
  /** The start of a line, after a line number or the sign of a diff. */
  line: r`(?<=(?:^|[\r\n]|\\n)(?:[ \t]{0,8}\d{1,6}(?:[→\t]|\\t)|[-+])?)`,
  /** The name of a variable. */
  name: "(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|" +
    "auth(?:orization)?)",
  /** The user's name and colon between `-u` and a password. */
  user: r`(?:["'],\s{0,4})?\\{0,3}["']?[^\s:"'\\]{0,100}:`,
};

function spelledOut(pattern: string): string {
  return pattern.replace(/<(\w+)>/g, (whole, part) => PARTS[part] ?? whole);
}

const isSecret = (value: string) => !isPlain(value);

/** Whether a match is a secret, by the `validate` of a row. */
const VALID: Readonly<Record<string, (value: string) => boolean>> = {
  secret: isSecret,
  odd: isOddWord,
  valueLike: isValueLike,
  signed: (value) => isSecret(value) && (isOddWord(value) || /[\d!#$%&*]/.test(value)),
  mixed: (value) => /\d/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value),
};

interface Row extends Omit<SecretForm, "pattern" | "validate"> {
  readonly pattern: string;
  readonly ignoresCase?: boolean;
  readonly validate?: string;
}

function formOf({ pattern, ignoresCase = false, validate = "", ...row }: Row): SecretForm {
  const isValid = VALID[validate];
  return {
    ...row,
    pattern: () => new RegExp(spelledOut(pattern), ignoresCase ? "gi" : "g"),
    ...isValid === undefined ? {} : { validate: isValid },
  };
}

/** The value of an option, with or without quotes. */
const VALUE = r`\\{0,3}["']?(?![-$<{]|\[redacted:)([^\s"'\\]{3,})`;
/** Arguments between the name of a command and one of its options. */
const ARGUMENTS =
  r`["']?,?(?:\s{1,20}(?:'[^'\n]{0,500}'|[^\s;|&'][^\s;|&]{0,999})){0,12}?\s{1,20}["']?`;

/** Makes a form of a row: programs, joined by `|`, and their options that take a secret. */
function optionForm({ programs, options, ...row }: typeof ROWS.options[number]): SecretForm {
  return formOf({
    ...row,
    name: "secret",
    // A short name is a part of many words, so a blank or quote must follow it.
    prefilter: programs.split("|").map((name) => name.replaceAll("\\", "").toLowerCase())
      .flatMap((name) =>
        name.length > 4 ? name : [`${name} `, `${name}.exe `, `${name}",`, `${name}',`]
      ),
    pattern:
      r`(?<=^|[^\w-]|\\[nrt])(?:${programs})(?:\.exe)?\b${ARGUMENTS}(?:${options})(?:["'],\s{0,4})?${VALUE}`,
    validate: "secret",
  });
}

export const GENERAL_FORMS: readonly SecretForm[] = ROWS.general.map(formOf);

/** Forms of secrets on command lines: in an option, or anywhere in the line. */
export const COMMAND_FORMS: readonly SecretForm[] = [
  ...ROWS.options.map(optionForm),
  ...ROWS.commands.map(formOf),
];
