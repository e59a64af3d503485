import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { compileGlob, globFault, type GlobOptions, needleOf } from "../../src/config/globs.ts";
import { runs } from "../support/lanes.ts";
import CASES from "../testdata/config_cases.json" with { type: "json" };
import { it, rowsOf } from "../support/fixtures.ts";

function covers(glob: string, text: string, options?: GlobOptions): boolean {
  return new RegExp(compileGlob(glob, options), "s").test(text);
}

const DIALECT = rowsOf<{ glob: string; yes: readonly string[]; no: readonly string[] }>(
  CASES.dialect,
);

for (const { glob, yes, no } of DIALECT) {
  Deno.test(`compileGlob() reads ${glob} in the documented dialect`, () => {
    for (const text of yes) assert.ok(covers(glob, text), `${glob} should cover ${text}`);
    for (const text of no) assert.ok(!covers(glob, text), `${glob} should not cover ${text}`);
  });
}

Deno.test("compileGlob() takes a leading ~ for the home, whatever the home is called", () => {
  for (const home of ["/home/ana", "/h (1)/[x]/*", "/a|b{c,d}!\"'"]) {
    assert.ok(covers("~/x/*", `${home}/x/y`, { home }));
    assert.ok(covers("~", home, { home }));
    assert.ok(!covers("~/x", "~/x", { home }));
  }
  assert.ok(covers("~/x", "~/x"));
  assert.ok(covers("~ana/x", "~ana/x", { home: "/home/ana" }));
});

Deno.test("compileGlob() lets a folder cover what is below it, and nothing beside it", () => {
  for (const glob of ["secrets", "./secrets", "secrets/"]) {
    assert.ok(covers(glob, "secrets", { coversFolder: true }), glob);
    assert.ok(covers(glob, "secrets/a/.b", { coversFolder: true }), glob);
    assert.ok(!covers(glob, "secrets.txt", { coversFolder: true }), glob);
  }
  assert.ok(!covers("secrets", "secrets/a"));
  assert.ok(covers("/", "/", { coversFolder: true }));
});

Deno.test("compileGlob() matches the whole text and any plain text matches itself", () => {
  // A leading `./` is dropped from a glob: the text that it is for has none.
  const plain = fc.string({ minLength: 1 })
    .filter((text) => !/[*?[\]{}\\]|^\.\//.test(text));
  fc.assert(fc.property(plain, fc.string({ minLength: 1 }), (text, more) => {
    assert.ok(covers(text, text));
    assert.ok(!covers(text, text + more));
    assert.ok(!covers(text, more + text));
  }));
});

it.sized("compileGlob() agrees with a plain matcher on stars, question marks and letters", () => {
  const matches = (glob: string, text: string): boolean => {
    if (glob === "") return text === "";
    const rest = glob.slice(1);
    if (glob[0] === "*") {
      return matches(rest, text) || (text !== "" && matches(glob, text.slice(1)));
    }
    return text !== "" && (glob[0] === "?" || glob[0] === text[0]) && matches(rest, text.slice(1));
  };
  const glob = fc.string({
    unit: fc.constantFrom("a", "b", ".", "/", "*", "?"),
    minLength: 1,
    maxLength: 8,
  })
    .filter((text) => !text.includes("**") && !text.startsWith("./"));
  const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "/"), maxLength: 8 });
  fc.assert(
    fc.property(glob, text, (pattern, input) => {
      assert.equal(covers(pattern, input), matches(pattern, input), `${pattern} on ${input}`);
    }),
    { numRuns: runs(3000) },
  );
});

Deno.test("globFault() names what is wrong and accepts what compileGlob() accepts", () => {
  assert.equal(globFault("*.env"), undefined);
  assert.match(globFault("") ?? "", /empty/);
  assert.match(globFault("[a") ?? "", /Missing closing: "\]"/);
  assert.match(globFault("{a,b") ?? "", /Missing closing: "}"/);
  assert.match(globFault("a]") ?? "", /Missing opening/);
  assert.match(globFault("[z-a]") ?? "", /out of order/);
  assert.match(globFault("a\\") ?? "", /backslash/);
  assert.match(globFault("{1..9}") ?? "", /not supported/);
  fc.assert(fc.property(anyText(), (text) => {
    if (globFault(text) === undefined) {
      compileGlob(text, { coversFolder: true, home: "/h" });
      compileGlob(`~/${text}`, { home: "/h" });
    }
  }));
});

it.sized("needleOf() is in everything that the glob matches", () => {
  const piece = fc.constantFrom(
    "a",
    "b/",
    "**/",
    "/**",
    "*",
    "?",
    "[ab]",
    "{a,b}",
    "~/",
    "./",
    "c",
    "\\a",
  );
  const globs = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
  const texts = fc.array(fc.constantFrom("a", "b", "c", "/"), { maxLength: 6 })
    .map((letters) => letters.join(""));
  fc.assert(
    fc.property(globs, texts, (glob, text) => {
      let source: string;
      try {
        source = compileGlob(glob, { home: "/a" });
      } catch {
        return;
      }
      if (new RegExp(source, "s").test(text)) assert.ok(text.includes(needleOf(glob)), glob);
    }),
    { numRuns: runs(20_000) },
  );
  assert.equal(needleOf("pkg/generated/**/*.gen.ts"), "pkg/generated");
  assert.equal(needleOf("git push --force*"), "git push --force");
  assert.equal(needleOf("*"), "");
});
