/** What leads from a secret name to its value: its quotes, a type, a sign, a call around the value. */
import { HELD_NAME, SAID_NAME, SUFFIX } from "./secret_names.ts";

/** What begins a colour of a terminal. */
export const ESC = "\x1b";
/** How a terminal is told to change colour, also escaped. */
const COLOUR = String.raw`(?:${ESC}|\\{1,7}u001b)\[[\d;]{0,16}m`;
/** The same, several times and with blanks behind it. */
export const COLOURS = new RegExp(`(?:${COLOUR}){1,4}[ \\t]{0,8}`, "iy");
/** `&'static str`, `Option<String>`, `string | undefined`. */
const TYPE = String.raw`(?:&(?:'[a-z]{1,20} )?(?:mut )?)?\[?[a-z_][\w.:]{0,40}` +
  String.raw`(?:[<[][\w &'|.,:<>[\]]{0,60})?[\]?!]{0,3}(?: ?\| ?[a-z]{1,20}){0,3}`;
/** A call that only wraps its text. */
const WRAPPER = String
  .raw`(?:some|string::from|\[\]byte|secret(?:string)?::(?:new|from))\([ \t]{0,4}`;
/** Between separator and quote; a formatter may have broken the line there. */
export const BEFORE_QUOTE = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]|${COLOUR}){0,40}` +
  `(?:${WRAPPER}){0,2}[bfru@$]{0,2}`;

/** What closes a name (`"`, `']`, at any depth of escaping). */
const CLOSER = String.raw`(?:${COLOUR}){0,3}\\{0,7}["'\x60]?\]?(?:${COLOUR}){0,3}`;
/** A name (group 1), what closes it (2), the space behind it (3), and the sign that leads to its value (4). */
export const HEAD = String
  .raw`((?:${SAID_NAME}|${HELD_NAME})${SUFFIX})(?![\w-])(${CLOSER})([ \t]{0,8}(?:${COLOUR}){0,3})` +
  String.raw`(:[ \t]{0,4}${TYPE}[ \t]{0,4}=(?=${BEFORE_QUOTE}\\{0,7}["'\x60])|` +
  // Not the padding of base64 at the end of a line.
  String.raw`:[ \t]{0,4}[a-z]{1,20}[ \t]{0,4}=(?![=>]|[ \t]{0,4}(?:$|[\r\n]|\\[nr]))|` +
  // `string =` of Go, `[] =` of C, `{ get; set; } =` of C#
  String
    .raw`(?:(?<=[ \t])(?:string|\[\]byte)|\[(?:\d{2,6})?\]|\{[a-z; \t]{1,60}\})[ \t]{0,4}=(?=${BEFORE_QUOTE}\\{0,7}["'\x60])|` +
  String.raw`:=|=>|={1,3}|!={1,2}|\?=|\+=|` +
  // Two colons lead to a member or a test, not to a value: `token::tests`.
  String.raw`[:：](?!:)|>|,)?`;
