import assert from "node:assert/strict";
import { isOutlived } from "../../../src/memory/left/states.ts";

/** Texts that tell a state, with words by which it is over; with none, any change ends it. */
const TOLD: readonly (readonly [text: string, ended?: string])[] = [
  ["No files have been changed."],
  ["no code has been touched so far"],
  ["I have not yet changed anything."],
  ["I haven’t touched the code."],
  ["Nothing of this has been implemented."],
  ["Nothing changed."],
  ["This was only a look."],
  ["The code is as it was."],
  ["I only diagnosed it."],
  ["Es ist noch nichts geändert."],
  ["Nichts wurde geändert."],
  ["Je n'ai encore rien modifié."],
  ["Je n’ai rien changé."],
  ["No he cambiado nada."],
  ["PR #12 is still open", "pr 12 merged"],
  ["The merge request is up", "request merged"],
  ["Opened as !7", "7 landed"],
  ["Draft: #9", "9 closed"],
  ["PR ist offen", "gemergt"],
  ["La PR 3 è aperta", "3 unita"],
  ["PR 4 está abierta", "4 fusionado"],
  ["No PR yet", "pr opened"],
  ["The pull request is not created yet", "pull created"],
  ["I did not open a draft; not opened a PR", "pr open"],
  ["The tests were not run", "tests pass"],
  ["I didn't run the whole test suite", "suite green"],
  ["I could not execute any tests", "test ran"],
  ["Tests wurden noch nicht ausgeführt", "tests grün"],
  ["test aún no pasan", "prueba pasan"],
  ["There is no remote to push to", "push main"],
  ["You need to add one: `git remote add origin URL`", "pushed"],
  ["CI is still running", "ci green"],
  ["The build has not finished", "build failed"],
];

Deno.test("a state that is told is over when a turn has ended it, and only then", () => {
  for (const [text, ended] of TOLD) {
    const words = new Set(ended?.split(" "));
    assert.ok(isOutlived(text, { told: [words], hasChanged: ended === undefined }), text);
    assert.ok(!isOutlived(text, { told: [], hasChanged: false }), text);
  }
});

Deno.test("what tells no state is outlived by nothing", () => {
  const all = new Set(TOLD.flatMap(([, ended = ""]) => ended.split(" ")));
  for (
    const text of [
      "Retry the uploader",
      "Notify the owner",
      "Update the requests page",
      "Sort the remote jobs",
    ]
  ) {
    assert.ok(!isOutlived(text, { told: [all], hasChanged: true }), text);
  }
});
