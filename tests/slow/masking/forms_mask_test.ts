import assert from "node:assert/strict";
import { type Form, formsMask, type Matches } from "../../../src/capture/forms.ts";

/** Masks the last group of each match; what begins with a small letter is none, but maybe the next name. */
function maskForm(text: string, matches: Matches): string {
  let masked = "";
  let done = 0;
  for (const found of matches) {
    const value = found.at(-1)!;
    const end = matches.pattern.lastIndex;
    if (!matches.isOpen && /^[a-z]/.test(value)) {
      matches.pattern.lastIndex = end - value.length;
      continue;
    }
    masked += text.slice(done, end - value.length) + "…";
    done = end;
  }
  return masked + text.slice(done);
}

const NAME = "(?:key|word)s?";
const FORMS: readonly Form[] = [
  { pattern: String.raw`${NAME}: (\w+)` },
  { pattern: String.raw`(${NAME} is )(\w+)`, isOpen: true },
  { pattern: String.raw`set ${NAME} to (\w+)` },
  { pattern: String.raw`${NAME}=(\w+)`, hints: ["="] },
];
const mask = formsMask(FORMS, NAME, maskForm);

Deno.test("forms are found wherever they stand, with the name in front and without", () => {
  assert.equal(
    mask("Key: Abc, set word to Def; KEYS: Ghi\nword=Jkl"),
    "Key: …, set word to …; KEYS: …\nword=…",
  );
  assert.equal(mask("key : Abc, word"), "key : Abc, word");
  assert.equal(mask(""), "");
});

Deno.test("a form is found behind what a form before it has masked, and has made shorter or longer", () => {
  const secret = "Abcdefghijkl";
  assert.equal(
    mask(`key: ${secret}, key: A, key is b, key: ${secret}, word=C, key is d`),
    "key: …, key: …, key is …, key: …, word=…, key is …",
  );
});

Deno.test("what is no value may be the next name, what is one is not", () => {
  assert.equal(mask("key: key: Abc"), "key: key: …");
  assert.equal(mask("key: Word: Abc"), "key: …: Abc");
  assert.equal(mask("key: word=Abc"), "key: word=…");
  assert.equal(mask("key: abc: Def"), "key: abc: Def");
});
