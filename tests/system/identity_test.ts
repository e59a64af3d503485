import assert from "node:assert/strict";
import { identityOf, normalRemote, quickIdentity } from "../../src/system/git/identity.ts";
import { git, makeRepository } from "../support/git.ts";
import { tempFolder } from "../support/folders.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/system_cases.json" with { type: "json" };

const test = testWith(tempFolder);

const REMOTES = rowsOf<readonly [url: string, remote: string | null]>(CASES.remotes);

Deno.test("normalRemote() keeps host and path, and neither the user nor a secret", () => {
  for (const [url, remote] of REMOTES) assert.equal(normalRemote(url), remote, url);
});

test("a repository is known by its first commit and its remote, at once where it was begun here", async ({ path: folder }) => {
  const own = `${folder}/own`;
  Deno.mkdirSync(own);
  makeRepository(own);
  await git(own, "commit", "-q", "--allow-empty", "-m", "one");
  await git(own, "commit", "-q", "--allow-empty", "-m", "two");
  const first = (await git(own, "rev-list", "--max-parents=0", "HEAD")).trim();
  const clone = `${folder}/clone`;
  await git(folder, "clone", "-q", own, clone);
  const environment = { variable: (name: string) => Deno.env.get(name) };
  assert.deepEqual(quickIdentity(`${own}/.git`), { firstCommit: first, remote: null });
  assert.deepEqual(quickIdentity(`${clone}/.git`), { firstCommit: null, remote: own });
  const known = await identityOf(`${clone}/.git`, environment);
  assert.deepEqual(known, { firstCommit: first, remote: own });
  const none = { firstCommit: null, remote: null };
  assert.deepEqual(quickIdentity(folder), none);
  assert.deepEqual(await identityOf(folder, environment), none);
});
