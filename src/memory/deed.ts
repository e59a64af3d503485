/** A deed by its words: what was asked, committed or told. */
import { patternFor, WORD } from "../letters.ts";
import type { Deed, TurnDeeds } from "./observation.ts";
import { keptWords } from "./sought_item.ts";
import { tellingWords } from "./telling_words.ts";

/** By these in front a prompt or a commit tells that a thing was made, and not that something was changed about it. */
const MAKES =
  /^\W*(?:(?:please|now|and|then|also|ok(?:ay)?|let(?:'|’)?s|can you|could you|go on and)\b\W*)*(?:handle|implement|add|support|finish|complete|do|build|write|create|make|introduce|provide|feat)\b/i;
/** The same of what was not there before, whatever the word for it. */
const MAKES_THING =
  /^\W*(?:(?:please|now|and|then|also|ok(?:ay)?|yes|sure|great|good|fine|let(?:'|’)?s|can you|could you|go on and|go ahead and|go and|(?:feat|test|docs)(?:\([^()]*\))?)(?!\w)\W*)*(?:add|write|create|build|make|introduce|provide|generate|implement|cover(?= .{1,60}\bwith\b.{0,30}\btests?\b))\b(?! (?:no|sure)\b)/i;

/** What somebody did who made a commit. */
export function committed(subject: string): TurnDeeds {
  return { did: [deed("made", subject)], ran: ["commit"], worked: true };
}

/** What was asked, made or not wanted, as a text says it. */
export function deed(by: "made" | "asked" | "wanted" | "dropped", text: string): Deed {
  const about = tellingWords(text);
  const [first = ""] = text.match(patternFor(WORD, text)) ?? [];
  const isOfIt = about.size <= 1 || about.size === 2 && tellingWords(first).size > 0;
  return told(by, about, {
    isSure: isOfIt || MAKES.test(text),
    makes: by !== "dropped" && MAKES_THING.test(text),
  });
}

/** The same of words that were told. @param options `isSure`: it is of nothing else; `makes`: a thing was made that was not there. */
export function told(
  by: Deed["by"],
  about: ReadonlySet<string>,
  { isSure, makes }: { readonly isSure: boolean; readonly makes: boolean },
): Deed {
  return {
    by,
    about: keptWords(about),
    ...(isSure ? { sure: true } : {}),
    ...(makes ? { makes } : {}),
  };
}
