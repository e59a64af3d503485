/** What Claude says that the person has to do, and what it says of how one uses what was built. */
import assert from "node:assert/strict";
import { leftOpenIn } from "../../../src/memory/said/open.ts";
import { openAfter } from "../../support/left_sessions.ts";

const TO_DO: readonly string[] = [
  "Before merging, you need to run `npm run migrate` on staging and rotate the API key.",
  "Before you merge, please run the e2e suite.",
  "You'll need to set `STRIPE_KEY` in `.env` before starting the server.",
  "You will have to set `STRIPE_KEY` in the dashboard.",
  "You'll also need to add the domain to the allow list in the Auth0 dashboard.",
  "You need to run `npm run migrate` on staging before you deploy.",
  "Please run `git push` yourself, since I have no credentials here.",
  "I couldn't push because the remote rejected my credentials.",
  "I could not deploy to staging, since the VPN is down.",
  "Remember to rotate the API key after the deploy.",
  "Don't forget to bump the version before the release.",
  "Make sure to rotate the API key before the release.",
  "You must run `npm run migrate` before you deploy.",
  "You'll need to run `alembic upgrade head` yourself.",
  "Before deploying, run the migration.",
  "**Before deploying** run `alembic upgrade head` and set `REDIS_URL` in production.",
  "Before deploying you need to run `alembic upgrade head`.",
  "Before you release to production, please update the changelog.",
  "You need to run `alembic upgrade head` before deploying.",
  "Make sure to run the migration on staging first.",
];
const USE: readonly string[] = [
  "To use it, you need to pass --json.",
  "You need to run `npm start` to see it.",
  "You need to run `npm start`.",
  "You'll need to restart the server to see the change.",
  "You need to set `DEBUG=1` to see the logs.",
  "You need to set the flag every time you start it.",
  "You need to add the header when you call the API.",
  "Users need to set `STRIPE_KEY`.",
  "The README says that you need to set `STRIPE_KEY` before starting.",
  "The form says: please set a name yourself.",
  "The page tells them: don't forget to set a password.",
  "Before the form is sent, you need to set a name.",
  "Remember to call close() on it.",
  "You should add the header before the body.",
  "Make sure to set the name before you call it.",
  "You must push a tag each time before the release.",
  "Remember to run `npm start`.",
  "Please run `npm start` and tell me what you see.",
  "I couldn't push at first, then it worked.",
  "I couldn't push because the branch was behind, so I rebased and pushed again.",
  "I couldn't deploy, but after a new login it worked.",
  "You need to create an account before you can deploy.",
  "If you want it on staging, you need to set `STAGE`.",
  "To start it, run `npm start`.",
  "Before starting, run `npm install`.",
  "Before merging, merge conflicts are shown.",
  "Before each deploy, run the migration.",
  "Before deploying, run `npm run build` as always.",
  "Before deploying to production we set the flag.",
  "Make sure to run `npm install` first.",
  "Make sure to run the dev server first.",
  "The script runs the tests before deploying.",
];

Deno.test("what the person has to do is open, and not how one uses what was built", () => {
  for (const message of TO_DO) assert.deepEqual(leftOpenIn(message), [message], message);
  for (const message of USE) assert.deepEqual(leftOpenIn(message), [], message);
});

Deno.test("a list of what the person has to do is open", () => {
  const headings = [
    "Before you deploy:",
    "## Before the release",
    "**Manual steps required:**",
    "**Action items for you:**",
    "### You need to do",
    "What you still need to do:",
  ];
  for (const heading of headings) {
    const message = `It works.\n\n${heading}\n- Run the migration\n- Rotate the key`;
    assert.deepEqual(leftOpenIn(message), ["Run the migration", "Rotate the key"], heading);
  }
  for (
    const heading of [
      "Before you start:",
      "You'll need to:",
      "You can now:",
      "## Manual",
      "## Actions",
    ]
  ) {
    const message = `It works.\n\n${heading}\n- Install node\n- Pick a theme`;
    assert.deepEqual(leftOpenIn(message), [], heading);
  }
});

Deno.test("what the person had to do is over once it was done", () => {
  const left = { asked: "Add billing", file: "src/billing.ts" };
  const key = "Remember to rotate the API key after the deploy.";
  const push = "I couldn't push because the remote rejected my credentials.";
  const after = (said: string, asked: string, done: string) =>
    openAfter([{ ...left, said }], [{ asked, said: done, file: "docs/keys.md" }]);
  assert.deepEqual(after(key, "I've rotated the API key", "Good, it is in the docs."), []);
  assert.deepEqual(after(key, "Rename the header", "The header is renamed."), [key]);
  assert.deepEqual(after(push, "Rename the header", "The header is renamed."), [push]);
});

Deno.test("how one does what was asked for is an answer, and leaves nothing open", () => {
  const said = "You need to set `DEPLOY_KEY` in the settings, and remember to push the tag.";
  for (const asked of ["How do I deploy this?", "ok, but what do we need for a release?"]) {
    assert.deepEqual(openAfter([{ asked, said }]), [], asked);
  }
  for (
    const asked of [
      "Set up the deploy",
      "Can you set up the deploy?",
      "How do we deploy? Set it up.",
    ]
  ) {
    assert.deepEqual(openAfter([{ asked, said, file: "deploy.yml" }]), [said], asked);
  }
  const push = "I couldn't push because the remote rejected my credentials.";
  assert.deepEqual(openAfter([{ asked: "can you push it?", said: push }]), [push]);
});

Deno.test("what Claude came across and left as it was is open, until that is mended", () => {
  const found = [
    "One thing I noticed but did not fix: `logout()` doesn't clear the session cookie.",
    "I noticed that `logout()` leaks the session cookie, but I didn't fix it.",
    "I found a second bug (`logout()` leaks the session cookie) but did not fix it.",
    "I also noticed a leak of the session cookie in `logout()`; I have not touched it, it deserves its own PR.",
  ];
  const left = { asked: "Port the login", file: "src/login.ts" };
  for (const said of found) {
    assert.deepEqual(leftOpenIn(said), [said], said);
    const other = { asked: "Rename the header", said: "Renamed.", file: "src/head.ts" };
    assert.deepEqual(openAfter([{ ...left, said }], [other]), [said], said);
    const commit = "Logout clears the session cookie, which does not leak any more";
    const fix = { asked: "fix the leak", said: "Fixed.", file: "src/out.ts", commit };
    assert.deepEqual(openAfter([{ ...left, said }], [fix]), [], said);
  }
  for (
    const said of [
      "I found the bug and fixed it.",
      "I noticed a warning in the vendored code, but I didn't change it because it is generated.",
      "I found the cause: the cache was stale. The tests did not change.",
      "I noticed that the docs are good, and did not change the wording.",
      "The linter found two errors that it did not fix by itself, so I did.",
    ]
  ) assert.deepEqual(leftOpenIn(said), [], said);
});
