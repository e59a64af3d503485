/** Payloads that nobody would write by hand: what a hook's stdin may hold at worst. */
import fc from "fast-check";
import { anyText } from "./any_text.ts";
import { observed, observedNames } from "./program.ts";
import CASES from "../testdata/payload_cases.json" with { type: "json" };

/** An event's name, and all bytes of stdin. */
export interface Sent {
  readonly event: string;
  readonly stdin: Uint8Array;
}

const KEYS = CASES.keysOfPayloads;

const TOOLS = ["Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "Read", "mcp__a__b"];

const text = fc.oneof(
  anyText(40),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom(
    "\u0000",
    "\ud800",
    "a\udc00b",
    "\ufeff",
    "<private>",
    "password=",
    "-----BEGIN ",
  ),
);

/** A JSON value of any shape, up to some depth. */
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    text,
    fc.double(),
    fc.integer(),
    fc.constantFrom(null, true, false, 1e308, -0, 2 ** 53),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom(...KEYS)), tie("value"), { maxKeys: 5 }),
  ),
})).value;

const field = fc.oneof({ weight: 3, arbitrary: value }, {
  weight: 1,
  arbitrary: fc.constantFrom("s1", "s2", "/w", ...TOOLS),
});

/** An object with the keys that hooks look at, and values that they do not expect. */
const strange = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), text), field), {
  maxLength: 12,
})
  .map((entries) =>
    `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${json(item)}`).join(",")}}`
  );

/** A recorded payload in which one field has become something else. */
const changed = fc.tuple(fc.constantFrom(...observedNames()), fc.constantFrom(...KEYS), field)
  .map(([name, key, item]) => JSON.stringify({ ...observed(name), [key]: item }));

/** JSON that was cut, doubled, or has a character too many. */
const broken = fc.tuple(fc.oneof(strange, changed), fc.nat(), text).map(([whole, n, extra]) => {
  const at = n % (whole.length + 1);
  return n % 3 === 0
    ? whole.slice(0, at)
    : n % 3 === 1
    ? whole + whole
    : whole.slice(0, at) + extra + whole.slice(at);
});

const event = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("PostToolUse", "PostToolUseFailure") },
  {
    weight: 5,
    arbitrary: fc.constantFrom(...new Set(observedNames().map((name) => name.split(".")[0]!))),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 })
      .filter((name) => !name.includes("\u0000") && !name.startsWith("--")),
  },
);

const encoder = new TextEncoder();
const stdin = fc.oneof(
  { weight: 6, arbitrary: strange.map((text) => encoder.encode(text)) },
  { weight: 6, arbitrary: changed.map((text) => encoder.encode(text)) },
  { weight: 3, arbitrary: broken.map((text) => encoder.encode(text)) },
  { weight: 2, arbitrary: value.map((item) => encoder.encode(json(item))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
);

/** So many payloads, the same ones for the same seed. */
export function generatedPayloads(count: number, seed: number): Sent[] {
  return fc.sample(fc.record({ event, stdin }), { numRuns: count, seed });
}

/** JSON of a value that may hold a key `__proto__` or nothing at all. */
function json(item: unknown): string {
  return JSON.stringify(item) ?? "null";
}
