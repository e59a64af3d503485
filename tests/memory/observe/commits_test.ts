/** Which commands have made a commit, and what is known of it. */
import assert from "node:assert/strict";
import { drainCaptures } from "../../../src/memory/drain/capture_drain.ts";
import { failed, ran } from "../../support/commands_observed.ts";
import { saveEvent, tempDatabase } from "../../support/records.ts";
import { removeForgottenAgain } from "../../../src/upkeep/forget/forget_places_table.ts";

const REFUSED =
  "[main abc1234] Say less\n 1 file changed, 2 insertions(+)\nTo ../far.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to '../far.git'";

Deno.test("a commit whose push was refused is a commit, and the command a failure", () => {
  const command = 'git commit -m "Say less" && git push';
  const told = failed(command, REFUSED);
  assert.equal(told.kind, "failure");
  assert.match(told.title, /failed .*: .*(?:rejected|failed to push)/);
  const { besides } = told;
  assert.deepEqual(
    [besides?.kind, besides?.outcome, besides?.title, besides?.facts.commit, besides?.passes],
    [
      "commit",
      "success",
      "Commit abc1234 on main: Say less",
      { hash: "abc1234", subject: "Say less" },
      undefined,
    ],
  );
  const merged = failed("git merge side && npm test", "[main abc1234] m\nboom");
  assert.deepEqual([merged.kind, merged.besides?.title], ["test", "Commit abc1234 on main: m"]);
  const none: readonly (readonly [string, string])[] = [
    [command, "error: pathspec 'x' did not match any file(s) known to git"],
    ["git commit -m x", "check.sh: [main abc1234] x\n[main abc1234] x\nthe check failed"],
    ["git add . && git commit -m x", "[main abc1234] x\nthe check failed"],
    ["npm run check -- commit && npm test", "[main abc1234] x\nboom"],
    ["git commit -qm x && git push", "error: failed to push some refs to 'far'"],
  ];
  for (const [line, output] of none) assert.equal(failed(line, output).besides, undefined, line);
});

Deno.test("the drain keeps a commit beside the failure that came behind it", async () => {
  using temp = await tempDatabase();
  const payload = {
    tool_input: { command: 'git commit -m "Say less" && git push' },
    error: `Exit code 1\n${REFUSED}`,
  };
  saveEvent(temp.db, {
    atMs: 1_000,
    capture: { toolName: "Bash", outcome: "failure", payload: JSON.stringify(payload) },
  });
  assert.equal(
    drainCaptures(temp.db, { withoutForgotten: removeForgottenAgain, now: () => 10_000 }).worked,
    1,
  );
  const rows = temp.db.prepare(
    "SELECT kind, outcome FROM observations WHERE kind IN ('commit', 'failure') ORDER BY kind",
  ).all().map(({ kind, outcome }) => `${kind} ${outcome}`);
  assert.deepEqual(rows, ["commit success", "failure failure"]);
});

Deno.test("a commit that prints nothing is told by the message in its command line", () => {
  const commits: readonly (readonly [command: string, title: string])[] = [
    ["git commit -q --amend -m 'Say less'", "Commit, amended: Say less"],
    ["git commit -m 'Say less' >/dev/null", "Commit: Say less"],
    ["git commit -m 'Say less' > /dev/null 2>&1", "Commit: Say less"],
    ["cd lib; git commit -qm 'Say less';", "Commit: Say less"],
    ["(cd lib && git commit -qm 'Say less')", "Commit: Say less"],
    ["(cd lib && git commit -qm 'Say less') && git push -q", "Commit: Say less"],
    ["git commit -qm 'Say less' # quiet", "Commit: Say less"],
  ];
  for (const [command, title] of commits) {
    const told = ran(command, "");
    assert.deepEqual([told.kind, told.title], ["commit", title], command);
  }
  for (
    const command of ['git commit -qm "$MESSAGE"', "git commit -qF msg.txt", "git commit -qC HEAD"]
  ) {
    assert.equal(ran(command, "").kind, "command", command);
  }
});

Deno.test("a command whose status says nothing of its commit is not taken for one", () => {
  const none: readonly (readonly [command: string, output: string])[] = [
    ["git commit -qm x || true", ""],
    ["git commit -qm x | cat", ""],
    ["git commit -qm x 2>&1 | tail -3", ""],
    ["git commit -qm x; true", ""],
    ["git commit -qm x &", ""],
    ["git commit -qm x >/dev/null || true", ""],
    ["git commit -qm x >/dev/null; echo", ""],
    ["(git commit -qm x) | cat", ""],
    ["(git commit -qm x) || true", ""],
    ["git diff --quiet || git commit -qm x", ""],
    ["git commit -qm x; git status --short", " M a.ts"],
  ];
  for (const [command, output] of none) {
    assert.equal(ran(command, output).kind, "command", command);
  }
  for (
    const [command, output] of [
      ["git commit -qm x; git log -1 --oneline", "abc1234 x"],
      ["git commit -m x | tail -1", " 1 file changed, 1 insertion(+)"],
      ["git commit -m x || true", "[main abc1234] x"],
    ] as const
  ) {
    assert.equal(ran(command, output).kind, "commit", command);
  }
});
