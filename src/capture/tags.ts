/** What HTML and XML write between the words of a text: where elements begin and end, and quotes by their names. */
import type { BareText } from "./line_leads.ts";

/** Elements of HTML that stand beside text. The names of others are those of types, too, until something closes them. */
const KNOWN = "a|abbr|address|article|aside|b|blockquote|body|br|button|caption|center|cite|code|" +
  "dd|del|details|dfn|div|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|" +
  "img|input|ins|kbd|label|legend|li|link|main|mark|meta|nav|ol|p|pre|q|s|samp|script|section|" +
  "small|span|strike|strong|style|sub|summary|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|var|wbr";
const NAME = "[A-Za-z_][\\w:.-]{0,60}";
const ATTRIBUTES = String.raw`(?:[ \t\r\n][^<>]{0,400})?`;
/** What ends an element, as a slash may stand in JSON; a text that was cut may lack its end. */
const END = String.raw`<\\{0,7}/(?:${NAME})?[ \t]{0,4}>?`;
const COMMENT = "<!--|-->";
const QUOTE = String
  .raw`&(?:amp;){0,3}(?:(?:quot|#0{0,4}34|#x0{0,4}22)|(?:apos|#0{0,4}39|#x0{0,4}27));`;

/** Where a tag starts that ends what stands before it. For a regular expression that does not ignore case. */
export const TAG_START = String
  .raw`(?:<\\{0,7}/|<(?:${KNOWN}|${KNOWN.toUpperCase()})(?=$|[ \t\r\n][^<>]{0,400}>|/?>)|${COMMENT})`;

const END_NAME = new RegExp(String.raw`<\\{0,7}/(${NAME})`, "g");
/** A quote, an end, a beginning of HTML, or (group 1) another that is no part of a type: `Array<string>`. */
const MARKUP = new RegExp(
  String.raw`${QUOTE}|${END}|<(?:${KNOWN})${ATTRIBUTES}/?>|${COMMENT}|` +
    String.raw`(?<![\w$)\]])<(${NAME})${ATTRIBUTES}>`,
  "gi",
);

/** The names of the elements that end in a text. */
export function closedElements(text: string): readonly string[] {
  return text.matchAll(END_NAME).map(([, name = ""]) => name).toArray();
}

/**
 * The text as it is read: with a line of blanks in the place of each tag, and with its quotes. Of the elements that are
 * none of HTML only those in `closed` count.
 */
export function withoutMarkup(text: string, closed: ReadonlySet<string>): BareText {
  /** Where quotes stand in the new text, and how much longer the old one is up to there. */
  const quotes: { readonly at: number; readonly surplus: number }[] = [];
  let surplus = 0;
  const bare = text.replace(MARKUP, (whole, name: string | undefined, at: number) => {
    if (whole[0] !== "&") {
      const isTag = name === undefined || closed.has(name);
      // As long as the tag, so that all behind it keeps its place.
      return isTag ? `\n${" ".repeat(whole.length - 2)}\n` : whole;
    }
    surplus += whole.length - 1;
    quotes.push({ at: at + whole.length - 1 - surplus, surplus });
    return /34|22|quot/i.test(whole) ? '"' : "'";
  });
  const placeOf = (position: number) => {
    let low = 0;
    for (let high = quotes.length; low < high;) {
      const middle = (low + high) >> 1;
      if (quotes[middle]!.at < position) low = middle + 1;
      else high = middle;
    }
    return position + (quotes[low - 1]?.surplus ?? 0);
  };
  return { text: bare, spansOf: (start, end) => [{ start: placeOf(start), end: placeOf(end) }] };
}
