/** Texts that somebody or something might type into a search: most are nonsense to FTS5, some of it dangerous. */
import pieces from "../testdata/search_pieces.json" with { type: "json" };
import { seededRandom } from "./tool_uses.ts";

/** Those of the file, and halves of a character, which no JSON may hold. */
const PIECES = [...pieces, "\ud800", "\udc00"];

/** So many search texts, the same for the same seed. */
export function searchTexts(count: number, seed = 1): string[] {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const anyLetter = () => String.fromCharCode(below(0x1_0000));
  return Array.from({ length: count }, (_, at) => {
    const pieces = Array.from({ length: below(at % 50 === 0 ? 400 : 9) }, () => {
      const kind = below(10);
      if (kind === 0) return anyLetter();
      if (kind === 1) return Array.from({ length: 1 + below(12) }, anyLetter).join("");
      return PIECES[below(PIECES.length)]!;
    });
    const text = pieces.join(["", " ", " ", '"'][below(4)]);
    return at % 500 === 0 ? text.repeat(1 + below(2_000)).slice(0, 1_000_000) : text;
  });
}
