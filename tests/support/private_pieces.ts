/** Random texts that speak of `<private>` tags and use them, every word of which is either to be kept or to be hidden. */
import fc from "fast-check";

/** In every private line of them. */
export const HUSH = "HUSHWORD";
/** Every word that is to be kept. */
export const KEPT = /wombat[a-z]+/g;

const word = fc.stringMatching(/^[a-z]{3,8}$/).map((letters) => `wombat${letters}`);
const BREAKS = fc.constantFrom("\n", "\n\n", "\n  ");

/** Ways to speak of the opening tag, none of which opens anything. */
const openingMention = fc.tuple(
  word,
  fc.constantFrom(
    "the `<private>` tag",
    'the "<private>" tag',
    "the '<private>' tag",
    "the “<private>” tag",
    "``<private>`` in front",
    '`<private why="x">` hides',
    "- `<PRIVATE>`: hides",
    'if (text.includes("<private>")) return;',
    'text.replace("<private>", "");',
    "re = r'<private>'",
    "const TAG = /<private>/g;",
    String.raw`const BLOCK = /<private>([\s\S]*?)<\/private>/gi;`,
    String.raw`text.replace(/<private\b[^>]*>/i, "");`,
    String.raw`sed '/<private>/,/<\/private>/d' notes.md`,
    "so `<private>` is written, and so `<private>`",
  ),
).map(([kept, mention]) => `${kept} ${mention} ${kept}`);

const closingMention = fc.tuple(
  word,
  fc.constantFrom("the `</private>` tag", 'the "</private>" tag', 'text.indexOf("</private>")'),
).map(([kept, mention]) => `${kept} ${mention} ${kept}`);

/** What people write between two tags. */
const secret = fc.array(
  fc.constantFrom(
    HUSH,
    `\n${HUSH}\n`,
    `${HUSH} \`<private>\` ${HUSH}`,
    `${HUSH} "</private>" ${HUSH}`,
    `<private>${HUSH}</private>`,
    `\n<private>\n${HUSH}\n</private>\n`,
  ),
  { minLength: 1, maxLength: 3 },
).map((parts) => `${HUSH}${parts.join(` ${HUSH} `)}${HUSH}`);

const pair = fc.tuple(
  secret,
  fc.constantFrom(
    "<private>%</private>",
    "`<private>%</private>`",
    "<private>\n%\n</private>",
    [
      "```xml",
      "<private>%</private>",
      "```",
    ].join("\n"),
  ),
).map(([inside, around]) => around.replace("%", () => inside));

/** Pairs with a tag in quotes, in front of which a text may speak of another one: nobody can tell which of them opens it. */
const quotedPair = fc.tuple(
  secret,
  fc.constantFrom(
    '"<private>" is %</private>',
    "so `<private>` %\n</private>",
    "the `<private>` % and `</private>` tags",
    '["a", "<private>", "%", "</private>", "b"]',
    '{"a":"<private>"}\n{"a":"%"}\n{"a":"</private>"}',
  ),
).map(([inside, around]) => around.replace("%", () => inside.replace(/\n|<[^>]*>|["`]/g, " ")));

/** A real tag that nobody closes. */
const unclosed = fc.tuple(fc.constantFrom("<private>", "`<private>`\n", "<private>\n"), secret)
  .map(([tag, inside]) => `${tag}${inside}`);

function textsOf(pieces: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(
    fc.array(fc.tuple(pieces, BREAKS).map((piece) => piece.join("")), {
      minLength: 1,
      maxLength: 8,
    }),
    fc.oneof({ weight: 2, arbitrary: fc.constant("") }, unclosed),
  ).map(([all, end]) => all.join("") + end);
}

/** What is to be kept of these is told by their words. */
export const CLEAR_TEXTS: fc.Arbitrary<string> = fc.oneof(
  textsOf(fc.oneof(word, openingMention, pair)),
  textsOf(fc.oneof(word, closingMention, pair)),
);
/** Of these more may be hidden. */
export const DOUBTFUL_TEXTS: fc.Arbitrary<string> = textsOf(
  fc.oneof(word, openingMention, closingMention, pair, quotedPair),
);
