/** Which turns have done what was said to be left, and which only touched something beside it. */
import assert from "node:assert/strict";
import { deedsByCommand, isWork } from "../../../src/memory/command_deeds.ts";
import { leftBy } from "../../../src/memory/left/by.ts";
import type { ObservationKind, ObservedFacts } from "../../../src/memory/observation.ts";
import { hasDone } from "../../../src/memory/left/items.ts";
import { deedsOf, leftItemsIn, sessionDeeds } from "../../../src/memory/said/done.ts";
import { soughtItem } from "../../../src/memory/sought_item.ts";
import { type TurnPart, turnsOf } from "../../../src/memory/turns.ts";

let now = 0;
function part(kind: ObservationKind, title: string, more: Partial<TurnPart> = {}): TurnPart {
  const outcome = kind === "command" || kind === "commit" ? "success" : null;
  return { kind, outcome, title, text: title, files: [], facts: {}, updatedAtMs: ++now, ...more };
}
const ask = (prompt: string) => part("prompt", prompt);
const say = (message: string) => part("message", message);
const edit = (file: string) => part("edit", `Edit ${file}`, { files: [file] });
const run = (command: string, facts: ObservedFacts = {}, text = "") =>
  part("command", `Run ${command}`, { facts: { command, ...facts }, text });
const commit = (subject: string) =>
  part("commit", `Commit 1a2b3c4 on main: ${subject}`, { facts: { command: "git commit" } });
const passed = (command: string) =>
  part("test", `Tests pass: ${command}`, { outcome: "success", facts: { command } });

/** What a session has left at its end. */
function leftIn(parts: readonly TurnPart[]) {
  const turns = turnsOf(parts);
  return leftBy(turns, turns.map(deedsOf));
}

/** Whether it is left when the next turn of the session has ended, and when a later session has. */
function leftAfter(said: string, ...later: readonly TurnPart[]): readonly boolean[] {
  const before = [ask("Change the total"), edit("src/cart.ts"), say(said)]
    .map((one, n) => ({ ...one, updatedAtMs: n - 9 }));
  const [item] = leftItemsIn(said).map(soughtItem);
  assert.ok(item !== undefined, said);
  const files = later.flatMap((one) => one.files);
  const turns = sessionDeeds(turnsOf(later), turnsOf(later).map(deedsOf));
  return [
    leftIn([...before, ...later]).length > 0,
    !hasDone(item, { turns, files }, { files: ["src/cart.ts"] }),
  ];
}

type Case = readonly [said: string, ...later: TurnPart[]];

const OVER: readonly Case[] = [
  ["I haven't committed anything yet.", ask("commit it"), commit("Total"), say("Committed.")],
  ["The change is not committed yet.", ask("please commit"), commit("Total"), say("Done.")],
  ["I haven't committed anything yet.", ask("Add a logo"), commit("Add a logo"), say("Added.")],
  ["I have not pushed yet.", ask("push"), run("git push origin main"), say("Pushed.")],
  [
    "I have not pushed yet.",
    ask("push"),
    run("git push | tail -1", { isUntold: true }),
    say("Ok."),
  ],
  [
    "Still to do: commit and push.",
    ask("do both"),
    part("commit", "Commit: x", { facts: { command: "git commit -qam x && git push" } }),
    say("Ok."),
  ],
  [
    "The PR is not opened yet.",
    ask("open the PR"),
    run("gh pr create --fill"),
    say("PR #12 is open."),
  ],
  [
    "I have not created the pull request yet.",
    ask("go on with it"),
    run("git push -u origin x && gh pr create --fill"),
    say("It is at github.com/a/b/pull/12."),
  ],
  ["I have not run the tests yet.", ask("run the tests"), passed("npm test"), say("12 pass.")],
  ["The tests have not been run yet.", ask("Run npm test"), passed("npm test"), say("All pass.")],
  [
    "The migration has not been applied yet.",
    ask("apply it"),
    run("npx prisma migrate deploy"),
    say("The migration is applied."),
  ],
  ["The service is not deployed yet.", ask("deploy"), run("./deploy.sh"), say("Deployed to prod.")],
  ["Still to do: pagination.", ask("paginate the list"), edit("a.ts"), say("It is paginated.")],
  ["Discounts are not handled yet.", ask("Handle the discounts"), edit("a.ts"), say("Done.")],
  ["The README still needs an update.", ask("Write docs"), edit("README.md"), say("Written.")],
  [
    "Email validation is not implemented yet.",
    ask("implement it with zod"),
    edit("a.ts"),
    commit("Validate addresses with zod"),
    say("They are."),
  ],
  [
    "The cache is not invalidated on logout yet.",
    ask("Make sure logout clears the cache"),
    edit("src/cart.ts"),
    say("Logout clears the cache now."),
  ],
  ["The build still fails.", ask("mend it"), edit("a.ts"), say("The build passes.")],
];

const OPEN: readonly Case[] = [
  ["The PR is not opened yet.", ask("Look at it"), run("gh pr list"), say("It is a small one.")],
  [
    "The index is not created yet.",
    ask("open the PR"),
    run("gh pr create --fill"),
    say("PR #12 is open, it has the index."),
  ],
  ["I haven't committed anything yet.", ask("push"), run("git push"), say("Pushed.")],
  ["I have not pushed yet.", ask("try"), run("git push --dry-run"), say("It would go.")],
  [
    "I have not pushed yet.",
    ask("push"),
    run("git push | tail -1", { isUntold: true }, "! [rejected] main"),
    say("Hm."),
  ],
  [
    "I have not committed the tax rates yet.",
    ask("Add a logo"),
    commit("Add a logo"),
    say("It is there."),
  ],
  ["I have not run the tests on Windows yet.", ask("test"), passed("npm test"), say("12 pass.")],
  ["The tests still fail.", ask("and now?"), say("The tests pass now.")],
  ["The build still fails.", ask("and now?"), run("ls dist"), say("The build works.")],
  [
    "Rate limiting in src/login.ts is not implemented yet.",
    ask("Rename loginUser to signIn."),
    edit("src/login.ts"),
    commit("Rename loginUser to signIn"),
    say("Renamed."),
  ],
  [
    "The logout is not handled yet.",
    ask("Make the buttons blue"),
    edit("src/logout.css"),
    commit("Blue buttons"),
    say("The buttons are blue."),
  ],
  ["The logout is not handled yet.", ask("Fix the logout button"), edit("a.ts"), say("Ok.")],
  [
    "Email validation is not implemented yet.",
    ask("Fix the email layout"),
    edit("src/cart.ts"),
    commit("Fix layout of email"),
    say("The layout of the email is fixed."),
  ],
  [
    "Password reset mails are not sent yet.",
    ask("Fix the typo on the form"),
    edit("src/cart.ts"),
    commit("Fix typo on the password reset form"),
    say("The typo is gone."),
  ],
  [
    "Password reset mails are not sent yet.",
    ask("Translate the password reset mails"),
    edit("src/cart.ts"),
    say("The password reset mails are in German now."),
  ],
  [
    "The migration has not been applied yet.",
    ask("Write a second migration"),
    edit("src/cart.ts"),
    commit("Add second migration"),
    say("The second migration is written."),
  ],
  [
    "Discounts are not handled yet.",
    ask("next item please: the colors"),
    edit("src/cart.ts"),
    say("The colors are new."),
  ],
  ["Discounts are not handled yet.", ask("Handle discounts"), edit("src/cart.ts")],
  [
    "CSV headers with umlauts are not handled yet.",
    ask("Mend the typo in CSV headers with umlauts"),
    edit("src/cart.ts"),
    say("It is gone."),
  ],
  ["Discounts are not handled yet.", ask("go on"), edit("src/cart.ts")],
  ["Discounts are not handled yet.", ask("yes"), commit("Total"), say("Committed.")],
  ["Discounts are not handled yet.", ask("do it"), edit("src/cart.ts"), say("I reverted it.")],
  ["Discounts are not handled yet.", ask("Why are discounts not handled?"), edit("a.ts"), say("x")],
  [
    "CSV headers with umlauts are not handled yet.",
    ask("Where do CSV headers with umlauts go?"),
    run("python3 a.py"),
    say("CSV headers with umlauts are skipped."),
  ],
];

Deno.test("what was done by a command, was asked for and told, or is named as what was left, is left no more", () => {
  for (const [said, ...later] of OVER) {
    assert.deepEqual(leftAfter(said, ...later), [false, false], `${said} ${later[0]!.title}`);
  }
});

Deno.test("what only shares a word or a file, broke off, or is claimed without any work, leaves it as it was", () => {
  for (const [said, ...later] of OPEN) {
    assert.deepEqual(leftAfter(said, ...later), [true, true], `${said} ${later[0]!.title}`);
  }
});

Deno.test("a turn of a session that went on with something else has done what it did", () => {
  const said = "Negative discounts are not rejected yet.";
  const did = [ask("go"), edit("a.ts"), say("Negative discounts are rejected now.")];
  const other = [ask("Add a logo"), edit("b.css"), say("The logo is there.")];
  assert.deepEqual(leftAfter(said, ...did, ...other), [false, false]);
  const back = [ask("Take it back"), edit("a.ts"), say("I reverted all of that.")];
  assert.deepEqual(leftAfter(said, ...did, ...back)[1], true);
});

Deno.test("a turn ends with a message that was said before, too", () => {
  const parts = [
    ...[ask("Add a cart"), edit("a.ts")],
    say("Done."),
    ...[ask("And?"), say("Discounts are not handled yet.")],
    ...[ask("Handle discounts"), edit("b.ts")],
  ];
  const again = parts.map((one) =>
    one.title === "Done." ? { ...one, createdAtMs: one.updatedAtMs, updatedAtMs: ++now } : one
  );
  assert.equal(leftIn(parts).length, 1);
  assert.deepEqual(leftIn(again), []);
});

Deno.test("deedsByCommand() and isWork() know what a command did by its words", () => {
  const cases: readonly (readonly [command: string, ran: string, isWork: boolean])[] = [
    ["git push", "push", false],
    ["git -C . push -u origin HEAD && echo ok", "push", false],
    ["git push --delete origin x", "", false],
    ["git merge --no-ff feat", "merge", false],
    ["git merge --abort", "", false],
    ["gh pr create --fill", "request", true],
    ["gh pr create --dry-run", "", true],
    ["glab mr create -f", "request", true],
    ["gh pr list", "", false],
    ["git log --oneline", "", false],
    ["echo git push", "", false],
    ["git add -A && git status", "", false],
    ["cat a.ts | head", "", false],
    ["sed -i s/a/b/ a.ts", "", true],
    ["npx prisma migrate deploy", "", true],
  ];
  for (const [command, ran, works] of cases) {
    assert.deepEqual(
      [deedsByCommand(run(command)).join(), isWork(run(command))],
      [ran, works],
      command,
    );
  }
  assert.deepEqual(deedsByCommand(run("git push", { isElsewhere: true })), []);
  assert.deepEqual(deedsByCommand({ ...run("git push"), outcome: "failure" }), []);
  assert.deepEqual(deedsByCommand(passed("npm test")), ["test"]);
  assert.deepEqual(deedsByCommand({ ...passed("npm test"), outcome: "failure" }), []);
});
