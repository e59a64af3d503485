/** Which files `find`, git and copies of folders change: these are judged, and no others. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type GuardedHome, guardedHome } from "../support/guarded.ts";
import { lastMetadata } from "../support/look.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const POLICY = /\.conclaude\.yaml belongs to the guards/;

const doubtsOf = (home: GuardedHome) => lastMetadata(home)["doubts"];

const test = testWith(guardedHome);

test("a `find` or a git command that would take the policy away is denied", async (home) => {
  home.configure("{}\n", [".git/HEAD", "src/a.ts"]);
  await home.assertDenied(POLICY, CASES.searchesOfPolicy);
  assert.match((await home.bash("find .git -name HEAD -delete"))!, /tells which branch/);
});

test("a `find` that cannot mean the policy passes, and one that may mean it passes with a note", async (home) => {
  home.configure("{}\n", [".git/HEAD", ".claude/settings.local.json", "src/a.ts"]);
  for (const command of CASES.searchesBesidePolicy) {
    assert.equal(await home.bash(command), null, command);
    assert.equal(doubtsOf(home), undefined, command);
  }
  for (const test of ["-mtime +30", "-newer src/a.ts", "-empty", "-size 0", "-regex '.*x'"]) {
    const command = `find . ${test} -delete`;
    assert.equal(await home.bash(command), null, command);
    assert.deepEqual(
      doubtsOf(home),
      ["whether `find` means .conclaude.yaml and 2 more is not known"],
      command,
    );
  }
});

test.slow("protected files are found in a large folder, and the policy in a folder of any size", async (home) => {
  const project = home.configure(
    "preToolUse: {uneditableFiles: ['*.lock'], preventGeneratedFileEdits: true}\n",
    ["z/yarn.lock"],
  );
  Deno.mkdirSync(join(project, "many"));
  for (let i = 0; i <= 5_000; i++) Deno.writeTextFileSync(join(project, "many", String(i)), "");
  assert.match((await home.bash("find . -name yarn.lock -delete"))!, /File: z\/yarn\.lock/);
  assert.match((await home.bash("find / -name .conclaude.yaml -delete"))!, POLICY);
  assert.equal(await home.bash("cp -r many src/x"), null);
  assert.match(String(doubtsOf(home)), /^many holds more files than/);
  // Many such searches are more than can be done in time: a person is asked.
  const searches = Array.from({ length: 60 }, (_, i) => `find . -name '*.${i}' -delete`).join("\n");
  assert.match((await home.ask("Bash", { command: searches }, {}, {}, "ask"))!, /Split it/);
  assert.equal(await home.bash("find many -type f -exec sed -i s/a/b/ {} +"), null);
  assert.deepEqual(doubtsOf(home), ["it changes more files than can be read"]);
  assert.equal(await home.bash("find many -type f -exec chmod +x {} +"), null);
  assert.equal(doubtsOf(home), undefined);
});

test("the policy may be copied elsewhere, and no policy may be replaced or moved", async (home) => {
  home.configure("{}\n");
  Deno.mkdirSync(join(home.path, "backup"));
  assert.equal(await home.bash("cp .conclaude.yaml ../backup/"), null);
  assert.equal(await home.bash("cp .conclaude.yaml ../backup/.conclaude.local.yaml"), null);
  Deno.writeTextFileSync(join(home.path, "backup", ".conclaude.yaml"), "{}\n");
  await home.assertDenied(/belongs to the guards/, CASES.searchedFiles);
});

test("copying a folder is judged by the files that it creates", async (home) => {
  home.configure(
    "preToolUse: {preventRootAdditions: true, uneditableFiles: ['*.lock']}\n",
    CASES.copiedFiles,
  );
  const cases = rowsOf<readonly [string, string]>(CASES.copiesDenied);
  for (const [command, file] of cases) {
    assert.ok((await home.bash(command))?.includes(`File: ${file}\n`), command);
  }
  assert.match((await home.bash("cp -a other/. ."))!, POLICY);
  assert.match((await home.bash("rsync -a more/ ."))!, /starts the hooks/);
  assert.match((await home.bash("cp -r local/. ."))!, /local\.yaml belongs to the guards/);
  assert.match((await home.bash("cp -r more/. $HOME"))!, /starts the hooks/);
  for (const command of CASES.copiesAllowed) {
    assert.equal(await home.bash(command), null, command);
    assert.equal(doubtsOf(home), undefined, command);
  }
  for (const command of CASES.copiesOfNothing) {
    assert.equal(await home.bash(command), null, command);
    assert.notEqual(doubtsOf(home), undefined, command);
  }
});

test("a rule about a folder covers it and what is below, and an allow rule says what it allows", async (home) => {
  home.configure(
    `preToolUse:
  uneditableFiles: [kept/]
  toolUsageValidation: [{tool: Edit, pattern: "docs/**", action: allow}]
`,
    ["kept/a/b.md", "docs/a.md"],
  );
  assert.match((await home.bash("rm kept/a/b.md"))!, /pattern 'kept\/'. File: kept\/a\/b\.md/);
  assert.match((await home.bash("rm -r kept"))!, /pattern 'kept\/'/);
  assert.equal(await home.bash("touch src/kept"), null);
  assert.match(
    (await home.edit("src/a.md"))!,
    /^Tool usage blocked: does not match preToolUse\.toolUsageValidation allow rule pattern: docs\/\*\*\. File: src\/a\.md\n/,
  );
  assert.equal(await home.edit("docs/a.md"), null);
});

test("a denial names five reasons at most, and stays short enough to be shown whole", async (home) => {
  const files = Array.from({ length: 60 }, (_, i) => `locks/${i}.lock`);
  home.configure(
    `preToolUse:
  uneditableFiles: ["*.lock"]
  toolUsageValidation: [{tool: Bash, commandPattern: "npm publish*", action: block}]
`,
    files,
  );
  const ofMany = (await home.bash("rm locks/*.lock"))!;
  assert.match(ofMany, /\n55 more things of it are forbidden as well\.\nNothing was done/);
  const long = "x".repeat(20_000);
  const reasons = [
    await home.bash(`npm publish ${long}`),
    await home.ask("Write", { file_path: `src/${long}.lock`, content: "" }),
  ];
  for (const reason of reasons) {
    assert.ok(reason!.length < 3_000);
    assert.match(reason!, /blocked .* rule|matches preToolUse/i);
    assert.match(reason!, /xxx… \(\d+ characters\) …xxx/);
    assert.match(reason!, /guard pause/);
  }
});
