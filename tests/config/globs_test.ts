import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { compileGlob, globFault, type GlobOptions, needleOf } from "../../src/config/globs.ts";
import { runs, sizedTest } from "../support/lanes.ts";

function covers(glob: string, text: string, options?: GlobOptions): boolean {
  return new RegExp(compileGlob(glob, options), "s").test(text);
}

const DIALECT: readonly { glob: string; yes: readonly string[]; no: readonly string[] }[] = [
  { glob: "*.env", yes: ["/a/b/.env", ".env", "x.env"], no: ["/a/.env.local", "env"] },
  { glob: "a?b", yes: ["a/b", "axb", "a.b"], no: ["ab", "axxb"] },
  { glob: "src/*", yes: ["src/a", "src/a/b/.c"], no: ["src", "xsrc/a"] },
  { glob: "src/**", yes: ["src/a", "src/a/b/.c", "src/../x"], no: ["src"] },
  { glob: "src/**/a.ts", yes: ["src/a.ts", "src/x/a.ts", "src/x/.y/a.ts"], no: ["srca.ts"] },
  { glob: "**/a.ts", yes: ["a.ts", "/a.ts", "/x/y/a.ts"], no: ["xa.ts"] },
  { glob: "/**/a.ts", yes: ["/a.ts", "/x/y/a.ts"], no: ["a.ts", "x/a.ts"] },
  { glob: "mcp__*", yes: ["mcp__", "mcp__mail__send"], no: ["MCP__mail", "xmcp__"] },
  { glob: "[a-c]x", yes: ["ax", "cx"], no: ["dx", "Ax", "x"] },
  { glob: "[!a-c]x", yes: ["dx", "Ax"], no: ["ax", "/x"] },
  { glob: "[^a]x", yes: ["bx"], no: ["ax"] },
  { glob: "[!/]x", yes: ["bx"], no: ["/x"] },
  { glob: "*.{ts,tsx}", yes: ["a.ts", "b/a.tsx"], no: ["a.t", "a.{ts,tsx}"] },
  { glob: "{a,{b,c}}", yes: ["a", "b", "c"], no: ["{a", "d"] },
  { glob: "b/{m,n/**}/o", yes: ["b/m/o", "b/n/o", "b/n/x/y/o"], no: ["b/o", "b/nx/o", "b/mo"] },
  { glob: "c/{**,x}/o", yes: ["c/o", "c/x/o", "c/y/z/o"], no: ["co", "c/xo"] },
  { glob: "{d,e/**}/o", yes: ["d/o", "e/o", "e/x/o"], no: ["o", "d/x/o"] },
  { glob: "{a,{b,c/**}/d}/{e,**}", yes: ["a/e", "c/d/e", "c/x/d/e/f"], no: ["c/e"] },
  { glob: "\\{a,**}/x", yes: ["{a,}/x", "{a,b}/x"], no: ["a/x", "x"] },
  { glob: "[{]{a,**}/x", yes: ["{a/x", "{b/x"], no: ["a/x"] },
  { glob: "{a}", yes: ["{a}"], no: ["a"] },
  { glob: "app/(auth)/x", yes: ["app/(auth)/x"], no: ["app/auth/x"] },
  { glob: "a|b", yes: ["a|b"], no: ["a", "b"] },
  { glob: "!a", yes: ["!a"], no: ["b", "a"] },
  { glob: '"a"*', yes: ['"a"', '"a"b'], no: ["a"] },
  { glob: "a.b+c^d$e", yes: ["a.b+c^d$e"], no: ["axb+c^d$e", "a.bbc^d$e"] },
  { glob: "\\*\\d", yes: ["*d"], no: ["xd", "*1", "\\*d"] },
  { glob: "./a", yes: ["a"], no: ["./a"] },
  { glob: "*", yes: ["", "a\nb", "/.a/.b/../c"], no: [] },
];

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

sizedTest("compileGlob() agrees with a plain matcher on stars, question marks and letters", () => {
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

sizedTest("needleOf() is in everything that the glob matches", () => {
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
