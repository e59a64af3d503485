/** A counted budget limits the reading of a command, so the same command always gets the same answer. */
import assert from "node:assert/strict";
import { readUses } from "../../src/policy/guards/bash.ts";
import type { Verdict } from "../../src/policy/guards/guard_policy.ts";
import { JudgedProject } from "../support/judged_project.ts";
import { IS_SLOW_LANE } from "../support/lanes.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };

const CONFIG = `
preToolUse:
  preventRootAdditions: false
  uneditableFiles: ["*.lock"]
  toolUsageValidation:
    - {tool: Bash, commandPattern: "npm publish*", action: block}
`;

/** The forbidden command at the bottom of every nesting. */
const CORE = "rm yarn.lock";

/** Ways to nest a command, each with a head and a tail for one level. */
const NESTINGS = rowsOf<readonly [name: string, head: string, tail: string]>(CASES.nestings);

/** Texts of some size in front of what is forbidden. */
const LONG: Readonly<Record<string, (size: number) => string>> = {
  "[[ ( ) ]]": (n) => `[[ ${"( ".repeat(n)}a${" )".repeat(n)} ]]`,
  "[[ ! ]]": (n) => `[[ ${"! ".repeat(n)}a ]]`,
  "(( ))": (n) => `(( ${"(".repeat(n)}1${")".repeat(n)} ))`,
  "$(( ))": (n) => `echo ${"$(( ".repeat(n)}1${" ))".repeat(n)}`,
  "${ :-}": (n) => `echo ${"${a:-".repeat(n)}b${"}".repeat(n)}`,
  '"${ :-}"': (n) => `echo ${'"${a:-'.repeat(n)}b${'}"'.repeat(n)}`,
  "${[ ]}": (n) => `echo ${"${a[".repeat(n)}1${"]}".repeat(n)}`,
  "$( ) before": (n) => `${"echo $(".repeat(n)}a${")".repeat(n)}`,
  "backticks": (n) => "echo `x` ".repeat(n),
  "alternating quotes": (n) => `echo ${`'a'"b"`.repeat(n)}`,
  "arrays": (n) => `a=(${"x ".repeat(n)}); ${'echo "${a[@]}"; '.repeat(Math.min(n, 500))}`,
  "extended globs": (n) => `ls ${"@(".repeat(n)}a${"|b)".repeat(n)}`,
  "braces": (n) => `echo ${"{a,b}".repeat(n)}`,
  "braces in braces": (n) => `echo ${"{".repeat(n)}a${",b}".repeat(n)}`,
  "ranges": (n) => `rm ${"{1..9}".repeat(n)}`,
  "stars": (n) => `rm ${"*a".repeat(n)}`,
  "folders of stars": (n) => `rm ${"*/".repeat(n)}x`,
  "deep stars": (n) => `rm ${"**/".repeat(n)}x`,
  "classes": (n) => `rm ${"[a-z]*".repeat(n)}`,
  "words": (n) => `echo ${"word ".repeat(n)}`,
  "one word": (n) => `echo ${"a".repeat(n)}`,
  "folders": (n) => `rm ${"a/".repeat(n)}`,
  "words for sh": (n) => `printf '%s' ${"word ".repeat(n)} | sh`,
  "lines for sh": (n) => `printf '%s\\n' ${"word ".repeat(n)} | sh`,
  "words for xargs": (n) => `echo ${"word ".repeat(n)} | xargs rm`,
  "a here-document for sh": (n) => `sh <<'E'\n${"echo a\n".repeat(n)}E`,
  "here-documents": (n) => "cat <<A\nx\nA\n".repeat(n),
  "open here-documents": (n) => `${"cat <<A; ".repeat(n)}\n${"A\n".repeat(n)}`,
  "find": (n) => `find . ${"-name a -o ".repeat(n)}-name b -delete`,
  "find ( )": (n) => `find . ${"\\( ".repeat(n)}-name b${" \\)".repeat(n)} -delete`,
  "find -exec": (n) => `find . ${"-exec rm {} \\; ".repeat(n)}`,
  "find -regex": (n) => `find . -regex '${"(a*)*".repeat(n)}b' -delete`,
  "sed": (n) => `sed -i '${"s/a/b/;".repeat(n)}' x`,
  "awk": (n) => `awk '${'{print $1 > "x"} '.repeat(n)}'`,
  "variables": (n) => Array.from({ length: n }, (_, i) => `a${i}=$(echo ${i})`).join("; "),
  "growing variables": (n) => `a=x; ${"a=$a$a; ".repeat(n)}rm $a`,
  "functions that call each other": (n) =>
    `${Array.from({ length: n }, (_, i) => `f${i}() { f${i + 1}; f${i + 1}; }; `).join("")}f0`,
  "scripts that are written": (n) =>
    `${
      Array.from({ length: n }, (_, i) => `echo 'sh s${i + 1}.sh' > s${i}.sh; `).join("")
    }sh s0.sh`,
  "a script that starts itself": (n) =>
    `cat > s.sh <<'E'\nsh s.sh; sh s.sh\nE\n${"sh s.sh; ".repeat(n)}`,
  "aliases of git": (n) =>
    `git ${Array.from({ length: n }, (_, i) => `-c alias.a${i}=a${i + 1}`).join(" ")} a0`,
};

const DEPTHS = IS_SLOW_LANE ? [10, 300, 5_000] : [10, 300];
/** A hang guard, in milliseconds. */
const MAX_MS = 20_000;

const project = () => new JudgedProject(CONFIG, ["yarn.lock"]);

/** Whether a command is denied, or a person is asked for it. */
const isHeld = ({ blocks, unread }: Verdict) => blocks.length > 0 || unread !== undefined;

const test = testWith(project);

test.sized("a forbidden command is denied, or a person is asked, however deep it is nested", async (at) => {
  const passed: string[] = [];
  for (const [name, head, tail] of NESTINGS) {
    for (const depth of DEPTHS) {
      const from = performance.now();
      const verdict = await at.judge("Bash", head.repeat(depth) + CORE + tail.repeat(depth));
      if (!isHeld(verdict)) passed.push(`${name} ${depth}`);
      if (depth === 10 && head !== "xargs " && verdict.blocks.length === 0) {
        passed.push(`${name} 10 asks`);
      }
      assert.ok(performance.now() - from < MAX_MS, `${name} ${depth}`);
    }
  }
  assert.deepEqual(passed, []);
});

test.sized("a forbidden command is denied, or a person is asked, however much stands before it", async (at) => {
  const passed: string[] = [];
  for (const [name, make] of Object.entries(LONG)) {
    for (const size of DEPTHS) {
      const from = performance.now();
      const verdict = await at.judge("Bash", `${make(size)}\n${CORE}`);
      if (!isHeld(verdict)) passed.push(`${name} ${size}`);
      assert.ok(performance.now() - from < MAX_MS, `${name} ${size}`);
    }
  }
  assert.deepEqual(passed, []);
});

test("a person is asked about a command that is too large to read; a strict policy denies it", async (at) => {
  for (
    const command of [
      `echo $a ${"word ".repeat(100_000)}`,
      `printf '%s' ${"word ".repeat(100_000)} | sh`,
      `rm ${Array.from({ length: 20_000 }, (_, i) => `x${i}`).join(" ")}`,
      `rm ${"$(".repeat(3_000)}`,
      `${"sudo ".repeat(30)}npm publish`,
      `echo $(${"(".repeat(300)}a${")".repeat(300)})`,
      `rm ${"a".repeat(3_000_000)}`,
      `echo '${"a b\n".repeat(1_000_000)}' > x`,
    ]
  ) {
    const verdict = await at.judge("Bash", command);
    assert.deepEqual(verdict.blocks, [], command.slice(0, 40));
    assert.match(verdict.unread ?? "nothing", /^it /, command.slice(0, 40));
    const strict = await at.judge("Bash", command, { isStrict: true });
    assert.deepEqual(strict.blocks.map(({ rule }) => rule), ["preToolUse.strict"]);
    assert.match(strict.blocks[0]!.reason, /Split it into smaller ones\.$/);
  }
});

test("a long plain command passes", async (at) => {
  await at.assertPlain([
    `git commit -m '${"a long message ".repeat(5_000)}'`,
    `cat > notes.txt <<'E'\n${"a line of text with $( and ` in it\n".repeat(500)}E`,
    `echo $a ${"word ".repeat(5_000)}`,
    `echo ${"word ".repeat(100_000)}`,
    `echo ${"a".repeat(1_000_000)}`,
    "echo a; ".repeat(1_000),
  ]);
});

Deno.test("the same command is always read equally far", () => {
  const command = `${"echo $(".repeat(200)}a${")".repeat(200)}; `.repeat(20) + CORE;
  const around = { tool: "Bash", folder: "/w", home: null };
  const [first, second] = [readUses(command, around), readUses(command, around)];
  assert.equal(first.steps.length, second.steps.length);
  assert.deepEqual(first.untold, second.untold);
});
