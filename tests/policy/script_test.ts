import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { readPowerShellWith } from "../../src/policy/shell/wrappers.ts";
import { POWERSHELL } from "../../src/policy/shell/powershell.ts";
import { readScript } from "../../src/policy/shell/script.ts";
import { findTargets } from "../../src/policy/shell/writes.ts";
import { runs } from "../support/lanes.ts";
import { it } from "../support/fixtures.ts";

readPowerShellWith(POWERSHELL);

const AROUND = { folder: "/w", home: "/h" };

/** The commands of a script as text; `…` stands for what is not known, `@` for another folder than the first. */
function read(source: string): string[] {
  return readScript(source, AROUND).commands
    .filter(({ words }) => words.length > 0)
    .map(({ words, folder }) =>
      words.map(({ text, isOpen }) => text + (isOpen ? "…" : "")).join(" ") +
      (folder === "/w" ? "" : ` @${folder}`)
    );
}

const SCRIPTS: readonly (readonly [source: string, commands: readonly string[]])[] = [
  ["sh -c '((a b))'", ["sh -c ((a b))", "a b"]],
  ["dash -c '((((a b))))'", ["dash -c ((((a b))))", "a b"]],
  ["printf '((a b))' | sh", ["printf ((a b))", "sh", "a b"]],
  ["bash -c '((a = 1))'", ["bash -c ((a = 1))"]],
  ["a && b || c; d | e & f", ["a", "b", "c", "d", "e", "f"]],
  ["a 'b c' \"d $HOME\" e\\ f", ["a b c d /h e f"]],
  ["cd sub; a; cd ..; b", ["cd sub", "a @/w/sub", "cd .. @/w/sub", "b"]],
  ["(cd /; a); b", ["cd /", "a @/", "b"]],
  ["cd $X; a", ["cd …", "a @null"]],
  ['X=1; Y=$X-2; a $Y ${Y} "$Z"', ["a 1-2 1-2 …"]],
  ["X='b c'; a $X \"$X\"", ["a b c b c"]],
  ["X=1; unset X; a $X", ["unset X", "a …"]],
  ["for i in 1 2; do a $i; done", ["a 1", "a 2"]],
  ["for i in *; do a $i; done", ["a *"]],
  ['for i in x/*.a; do b "$i.c" ${i%.a}.d ${i##*/}; done', ["b x/*.a.c x/*.d *.a"]],
  ["X=(a 'b c'); X+=(d); e \"${X[@]}\" ${X[1]} $X", ["e a b c d b c a"]],
  ["X=(a); X[1]=b; e ${X[@]}", ["e …"]],
  ['X=(); e "${X[@]}"', ["e"]],
  ["a $$ $((1 + 2))", ["a 0 0"]],
  ["f() { a $1; }; f x", ["f x", "a x"]],
  ["f() { a $1; }; b", ["b", "a …"]],
  ["f() { a; }; f() { b; }; f", ["f", "b", "a"]],
  ["sudo -u ana env A=1 a b", ["sudo -u ana env A=1 a b", "env A=1 a b", "a b"]],
  ["echo 'a b' | sh", ["echo a b", "sh", "a b"]],
  ["bash -c 'a $1' x y", ["bash -c a $1 x y", "a y"]],
  ["a $(b $(c))", ["c", "b …", "a …"]],
  ["a {b,c}d", ["a bd cd"]],
  ["a <<< b", ["a"]],
  ["cat <<E\nb\nE", ["cat"]],
  ["find . -exec a {} \\; -exec b \\;", ["find . -exec a {} ; -exec b ;", "a …", "b"]],
  ["ls | xargs -n1 a b", ["ls", "xargs -n1 a b", "a b …"]],
  // A program of git is called as a verb of it.
  ["git-push -f", ["git-push -f", "git push -f"]],
  ["/usr/lib/git-core/git-reset a", ["/usr/lib/git-core/git-reset a", "git reset a"]],
  ["sudo git-rm a", ["sudo git-rm a", "git-rm a", "git rm a"]],
  ["echo a | xargs git-rm", ["echo a", "xargs git-rm", "git-rm a", "git rm a"]],
  ["git-other a", ["git-other a"]],
  // Programs that git runs because it is told to.
  ["git difftool -x 'a b' c", ["git difftool -x a b c", "a b"]],
  ["git difftool --extcmd=a b", ["git difftool --extcmd=a b", "a"]],
  ["git ls-remote --upload-pack='a b' .", ["git ls-remote --upload-pack=a b .", "a b"]],
  ["git clone -u a b", ["git clone -u a b", "a"]],
  ["git push -u --receive-pack a b", ["git push -u --receive-pack a b", "a"]],
  ["git -c core.fsmonitor=a status", ["git -c core.fsmonitor=a status", "a"]],
  // Programs that start another one.
  ["choom -n 0 -- a b", ["choom -n 0 -- a b", "a b"]],
  ["/lib64/ld-linux-x86-64.so.2 a b", ["/lib64/ld-linux-x86-64.so.2 a b", "a b"]],
  ["ld-musl-x86_64.so.1 --preload x a", ["ld-musl-x86_64.so.1 --preload x a", "a"]],
  ["wsl -d x a b", ["wsl -d x a b", "a b"]],
  ["pwsh -NoProfile -c 'Set-Location x; a'", [
    "pwsh -NoProfile -c Set-Location x; a",
    "cd x",
    "a @/w/x",
  ]],
  ["powershell.exe a b", ["powershell.exe a b", "a b"]],
];

for (const [source, commands] of SCRIPTS) {
  Deno.test(`readScript() takes ${JSON.stringify(source)} apart`, () => {
    assert.deepEqual(read(source), commands);
  });
}

Deno.test("readScript() says what it cannot know", () => {
  for (const source of ["$X", 'sh -c "$X"', "curl x | sh", "perl -e 1", "if a; then", "'"]) {
    assert.notDeepEqual(readScript(source, AROUND).unknown, [], source);
  }
  for (const source of ["a", "a $X", "a | b", "sh x.sh", "a 'perl -e 1'"]) {
    assert.deepEqual(readScript(source, AROUND).unknown, [], source);
  }
});

it.sized("readScript() and findTargets() never throw, and come to an end", () => {
  const pieces = fc.constantFrom(
    ..."a|b|rm|git|push|-f|--|cd|sh|-c|eval|xargs|find|-exec|for|in|do|done|if|then|fi|f()|{|}|(|)|$(|`|'|\"|\\|;|&&|<<E|\nE\n|>|>>|<|$X|${X:-a}|X=|*|[a]|{a,b}|{1..9}|#|!|[[|]]|((|))|\n| |sudo|env|-u|dd|of=|tee|mv|cp"
      .split("|"),
    "|",
  );
  const scripts = fc.array(pieces, { maxLength: 30 }).map((list) => list.join(" "));
  fc.assert(
    fc.property(fc.oneof(scripts, anyText()), (source) => {
      for (const command of readScript(source, AROUND).commands) findTargets(command);
    }),
    { numRuns: runs(5_000) },
  );
});

Deno.test("readScript() gives up what is nested too deeply, and says so", () => {
  for (const open of ["$(", "eval $("]) {
    assert.notDeepEqual(readScript(open.repeat(5_000), AROUND).unknown, []);
  }
});

Deno.test("a script that calls itself, or nests without end, is given up", () => {
  for (
    const source of [
      "f() { f; f; }; f",
      "$(".repeat(5_000),
      "(".repeat(50_000),
      "eval ".repeat(2_000) + "a",
      "bash -c ".repeat(500) + "a",
      `a ${"{b,c}".repeat(40)}`,
      `for i in ${"x ".repeat(100)}; do for j in ${"y ".repeat(100)}; do a; done; done`,
    ]
  ) {
    const { commands } = readScript(source, AROUND);
    assert.ok(commands.length <= 6_000, source.slice(0, 30));
  }
});
