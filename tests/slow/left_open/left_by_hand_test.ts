/** What a person has done with git by hand is open no more: neither what was said of it, nor what had failed. */
import assert from "node:assert/strict";
import { doneByHand } from "../../../src/memory/said/by_hand.ts";
import { openAfter } from "../../support/left_sessions.ts";
import { asked, edit, failed, said, start, workplace } from "../../support/told_sessions.ts";

const LEFT = "I could not push: permission denied. Please push it yourself.";

const PUSHED: readonly string[] = [
  "done, I pushed manually. next: write the changelog",
  "ok pushed from my terminal",
  "I pushed it",
  "I've added the remote and pushed it myself",
  "I have pushed the branch to origin.",
  "pushed. Now write the changelog",
  "ok, the branch is pushed now",
];

const NOT_PUSHED: readonly string[] = [
  "push it",
  "did I push?",
  "have you pushed it?",
  "I pushed the docs to the wiki",
  "I pushed it, but it was rejected",
  "when I pushed it the hook failed",
  "before I pushed it all was well",
  "once the branch is pushed, write the changelog",
  "pushed changes must be signed",
  "Who pushed that?",
];

Deno.test("a person says which deeds of git were done by hand", () => {
  for (const prompt of PUSHED) assert.deepEqual(doneByHand(prompt), ["push"], prompt);
  for (const prompt of NOT_PUSHED) assert.deepEqual(doneByHand(prompt), [], prompt);
  assert.deepEqual(doneByHand("I committed and merged it by hand"), ["commit", "merge"]);
});

Deno.test("what was left to a person to push is done when the person did it, in this session or the next", () => {
  for (const prompt of PUSHED) {
    const turns = [
      { asked: "Go", said: LEFT, file: "a.ts" },
      { asked: prompt, said: "I wrote the changelog.", file: "CHANGELOG.md" },
    ];
    assert.deepEqual(openAfter(turns), [], prompt);
    assert.deepEqual(openAfter(...turns.map((turn) => [turn])), [], prompt);
  }
  const other = "The push notification is not built yet.";
  const turns = [{ asked: "Go", said: other, file: "a.ts" }, { asked: "ok pushed", said: "Good." }];
  assert.deepEqual(openAfter(...turns.map((turn) => [turn])), [other]);
});

Deno.test("a push that had failed is mended by the person who says to have pushed", async () => {
  const [first, second] = ["a", "b"].map((n) => ({
    session: `c0de0000-0000-4000-8000-00000000000${n}`,
  }));
  for (const prompt of ["ok pushed from my terminal", "when I pushed it the hook failed"]) {
    await using at = await workplace();
    await asked(at, "Publish the totals", first);
    await edit(at, "src/totals.ts", "export const total = 1;\n", first);
    await failed(at, "git push", "Exit code 128\nfatal: Permission denied (publickey)", first);
    await said(at, LEFT, first);
    assert.match(await start(at), /`git push` failed/);
    await asked(at, prompt, second);
    await said(at, "Good.", second);
    const told = await start(at, "startup", { session: "c0de0000-0000-4000-8000-00000000000c" });
    assert.equal(/git push|could not push/.test(told), prompt.startsWith("when"), told);
  }
});
