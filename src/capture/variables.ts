/** `setx API_KEY hunter2`: variables with secret names that a command or a call sets, without a sign between. */
import { isNoSecret, NAME, SUFFIX, VALUE_MASK } from "./secret_names.ts";

const QUOTE = String.raw`\\{0,7}["']`;
const BLANKS = "[ \\t]{1,8}";
/** The command line of fish, Windows and csh up to the name. */
const COMMAND = String.raw`(?<=^|[^\w-]|\\[nrt])` +
  String.raw`(?:set(?:[ \t]{1,4}--?[a-z]{1,9}){1,3}|setx(?:\.exe)?(?:[ \t]{1,4}/m)?|setenv)`;
const CALL = String.raw`setenv(?:ironmentvariable)?\([ \t]{0,4}${QUOTE}`;
const OWN_NAME = `[\\w-]{0,40}?${NAME}${SUFFIX}(?![\\w-])`;
const FORM =
  String.raw`((?:${COMMAND})${BLANKS}(?:${QUOTE})?${OWN_NAME}(?:${QUOTE})?${BLANKS}(?:${QUOTE})?|` +
  String.raw`${CALL}${OWN_NAME}${QUOTE},[ \t]{0,8}${QUOTE})` +
  // A value in quotes may have blanks; a command in brackets and an option are none.
  String.raw`((?<=["'])[^"'\\\r\n]{1,512}|(?![(/-])[^\s"'\\;|&<>]{1,512})`;

/** The text with the values of those variables masked. */
export function maskVariables(text: string): string {
  form ??= new RegExp(FORM, "gi");
  return text.replace(
    form,
    (whole, kept: string, value: string) =>
      isNoSecret("", value) || /^(?:\$[(\w{]|%\w+%|\[redacted:)/.test(value)
        ? whole
        : kept + VALUE_MASK,
  );
}
let form: RegExp | undefined;
