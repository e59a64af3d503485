/** Programs that no table explains: what they name is in doubt, and a file of the guards is refused to them. */
import assert from "node:assert/strict";
import { JudgedProject } from "../support/judged_project.ts";
import { testWith } from "../support/fixtures.ts";

function project(): JudgedProject {
  return new JudgedProject(
    `
preToolUse:
  uneditableFiles: ["*.lock", "src/gen/**", "LICENSE"]
  preventAdditions: ["dist/**"]
  toolUsageValidation:
    - { tool: Bash, commandPattern: "npm publish*", action: block }
`,
    ["yarn.lock", "LICENSE", "src/gen/x.ts", "src/a.ts", "dist/", "package.json"],
  );
}

/** Commands whose effect on a protected file nobody can tell before they run. */
const IN_DOUBT = [
  // A word is the file, holds it, or is a folder of protected files.
  "cmake -E rm yarn.lock",
  "mytool --out=yarn.lock",
  "mytool -oyarn.lock",
  "mytool target:src/gen/x.ts",
  "mytool @yarn.lock",
  "mytool src/gen",
  "mytool src/g*/x.ts",
  "ar r dist/new.a src/a.ts",
  "git format-patch -1 -o src/gen",
  "git checkout-index --prefix=src/gen/ src/a.ts",
  "python3 -m zipfile -c yarn.lock src/a.ts",
  "node tools/fix.js yarn.lock",
  // Code names the file.
  "tclsh <<< 'file delete yarn.lock'",
  "sqlite3 :memory: \"select writefile('yarn.lock', 'x')\"",
  "sqlite3 :memory: <<< '.once yarn.lock'",
  "vim -es -c 'w! yarn.lock' -c q src/a.ts",
  "gdb -batch -ex 'shell rm yarn.lock'",
  "gdb -batch -ex 'shell rm LICENSE'",
  "tclsh <<< 'set f [open LICENSE w]; close $f'",
  "curl -s -K - <<< 'output = \"yarn.lock\"'",
  '(crontab -l; echo "* * * * * rm $PWD/yarn.lock") | crontab -',
  // A later expansion runs what stands in quotes.
  "x='$(rm yarn.lock)'; : \"${x@P}\"",
  "[[ -v 'a[$(rm yarn.lock)]' ]]",
  "let 'a[$(rm yarn.lock)]=1'",
  // A container sees the project's files.
  'docker run --rm -v "$PWD:/w" alpine rm /w/yarn.lock',
  // Only the shell knows the folder.
  "CDPATH=src cd gen && : > x.ts",
  // The shell splits a value in a way of its own, or reads another variable.
  "IFS=,; c='rm,yarn.lock'; $c",
  "declare -n r=q; q='rm yarn.lock'; $r",
  // The rules of a Makefile that the command makes itself.
  "make -f <(printf 'all:\\n\\trm yarn.lock')",
  // It runs what a rule forbids.
  "gdb -ex 'npm publish'",
  "nosuchshell <<< 'npm publish'",
];

const PLAIN = [
  "cat yarn.lock | head -3",
  "grep -n x src/gen/x.ts yarn.lock",
  "diff yarn.lock <(git show HEAD:yarn.lock)",
  "git add yarn.lock && git commit -m 'write yarn.lock again'",
  "git log -- yarn.lock",
  "[[ -f yarn.lock ]] && echo 'there: yarn.lock'",
  "node src/gen/x.ts --watch",
  "jest src/gen/x.ts",
  "npm link yarn",
  "mytool --config yarn.lock",
  "mytool src/a.ts --out build/a.js",
  "mytool --search 'npm publish'",
  "docker build -t app . && docker run --rm -p 80:80 app",
  'docker run --rm -v "$PWD:/w:ro" alpine cat /w/yarn.lock',
  'docker run --rm -v "$PWD:/w" -w /w node:20 npm test',
  "ssh host mytool yarn.lock",
  "conclaude explain Edit yarn.lock",
];

const test = testWith(project);

test("a protected file that is named to a program of no table is in doubt, and denied under strict", async (at) => {
  for (const command of IN_DOUBT) {
    const { blocks, doubts } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks], [command, []]);
    assert.ok(doubts.length > 0, command);
    const strict = await at.judge("Bash", command, { isStrict: true });
    assert.deepEqual(strict.blocks.map(({ rule }) => rule), ["preToolUse.strict"], command);
  }
});

test("reading a protected file, or naming it in a message, is never in doubt", async (at) => {
  for (const command of PLAIN) {
    assert.deepEqual(await at.judge("Bash", command), { blocks: [], doubts: [] }, command);
  }
});

test("a file of the guards is refused to every program but those that only read", async (at) => {
  for (
    const command of [
      "mytool .conclaude.yaml",
      "mytool --out=.conclaude.yaml",
      "mytool .claude/settings.json",
    ]
  ) {
    const { blocks } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks.map(({ rule }) => rule)], [
      command,
      ["preToolUse.protectPolicy"],
    ]);
  }
  for (
    const command of ["cat .conclaude.yaml", "git add .conclaude.yaml", "conclaude config validate"]
  ) {
    assert.deepEqual(await at.judge("Bash", command), { blocks: [], doubts: [] }, command);
  }
});

test("a script of the project that does what a rule forbids is in doubt", async (at) => {
  const write = (name: string, text: string) => Deno.writeTextFileSync(`${at.path}/${name}`, text);
  const scripts = {
    release: "npm run build && npm publish",
    build: "tsc",
    prebuild: "npm publish",
  };
  write("package.json", JSON.stringify({ scripts }));
  write("Makefile", "all: build\n\techo $(X)\nbuild:\n\ttsc\nrelease:\n\t@npm publish\n");
  for (
    const command of [
      "npm run release",
      "npm rum release",
      "yarn release",
      "make release",
      "npm run build",
    ]
  ) {
    const { blocks, doubts } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks, doubts.length], [command, [], 1]);
  }
  for (const command of ["npm run lint", "make", "make build", "npm install", "yarn add release"]) {
    assert.deepEqual(await at.judge("Bash", command), { blocks: [], doubts: [] }, command);
  }
});
