/** Sentences that tell how something behaves or was, which leave nothing open, and those that do. */
import assert from "node:assert/strict";
import { leftOpenIn } from "../../src/memory/said_open.ts";

const DESCRIBES = [
  "All tests pass, including the three that were still failing this morning.",
  "The bug was that the cache was not warmed yet when the first request came; I moved the warm-up.",
  "The reader saw a file that was not yet complete.",
  "It crashed because the socket was not open yet.",
  "The tests were still failing before the last commit.",
  "Users who have not confirmed their address yet now get a reminder after three days.",
  "`git stash` keeps changes that you have not committed yet.",
  "A migration that has not been applied yet is applied at start.",
  "Jobs which are not finished yet are listed first.",
  "This is how the retry works: while the job is still not finished, the worker polls.",
  "The worker polls while the job is not finished yet.",
  "The API returns 409 if the order has not been paid yet.",
  "It waits until the list isn't loaded yet.",
  "It isn't supported in Safari yet according to MDN, so I used the polyfill.",
  "The release notes now mention what is not supported yet: Windows and ARM.",
  "Der Fehler war, dass die Verbindung noch nicht fertig war, als die erste Abfrage kam.",
  "Dateien, die noch nicht fertig sind, werden übersprungen.",
  "Wenn der Nutzer noch nicht bestätigt ist, kommt eine Mail.",
  "Solange der Export noch nicht fertig ist, wartet die Seite.",
  "Elle affiche les commandes qui ne sont pas encore payées.",
  "Muestra los pedidos que todavía no están pagados.",
  "The server answers 400 when the documentation is missing the header.",
  "割引に対応しました。",
];

const LEAVES: readonly (readonly [message: string, left?: string])[] = [
  ["The migration was not applied yet."],
  ["There are two endpoints that are not migrated yet."],
  ["There are three callers which are not changed yet."],
  ["I left three callers that have not been changed yet."],
  ["Note that we have not pushed yet."],
  ["It turns out that logout is not handled yet."],
  ["The endpoint is there, but that is not tested yet."],
  ["The importer skips empty rows, which is not tested yet."],
  ["Login works, while logout is not handled yet."],
  ["While the parser is not finished yet, all that uses it is."],
  ["The build is slow because caching is not implemented yet."],
  ["I have implemented the API. The UI part is missing.", "The UI part is missing."],
  ["Error handling is missing in the upload."],
  ["The parser works. I did not get to the README.", "I did not get to the README."],
  ["The migration is written, but not tested against Postgres 12."],
  ["The second one (timezone in the export) needs more investigation."],
  ["Blocked: I need the API key for the sandbox to go on."],
  ["I left a TODO in src/queue.ts for the retry policy."],
  [
    "Die Summe stimmt. Rabatte werden noch nicht berücksichtigt.",
    "Rabatte werden noch nicht berücksichtigt.",
  ],
  ["Die Tests habe ich noch nicht laufen lassen."],
  ["Die Anmeldung geht, die Abmeldung ist noch nicht fertig."],
  ["Fertig bis auf die Übersetzungen, die fehlen noch."],
  ["合計を修正しました。割引はまだ対応していません。", "割引はまだ対応していません。"],
  ["実装完了。残作業: ドキュメントの更新", "残作業: ドキュメントの更新"],
  [
    "J'ai ajouté la connexion. Il reste à faire la déconnexion.",
    "Il reste à faire la déconnexion.",
  ],
  ["He añadido el login. Falta por hacer el logout.", "Falta por hacer el logout."],
];

Deno.test("a sentence that tells how something behaves, or was, leaves nothing open", () => {
  for (const message of DESCRIBES) assert.deepEqual(leftOpenIn(message), [], message);
});

Deno.test("a sentence that says what is not there, or not so yet, leaves it open", () => {
  for (const [message, left = message] of LEAVES) {
    assert.deepEqual(leftOpenIn(message), [left], message);
  }
});
