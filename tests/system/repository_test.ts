import assert from "node:assert/strict";
import { branchNames } from "../../src/system/git/branches.ts";
import { findRepository, lookUpwards, type Repository } from "../../src/system/git/repository.ts";
import { gitSync, makeRepository } from "../support/git.ts";
import { evaluate } from "../support/own_process.ts";
import { testWith } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

const test = testWith(repository);

/** A real repository with one commit on `main`. */
async function repository(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-git-" }));
  makeRepository(path, { files: { "a.txt": "a\n" } });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

function find(folder: string): Repository | undefined {
  return findRepository(lookUpwards(folder));
}

test("findRepository() finds the repository from any folder in it", async (repo) => {
  await Deno.mkdir(`${repo.path}/a/b/c`, { recursive: true });
  const expected = { commonDir: `${repo.path}/.git`, root: repo.path, branch: "main" };
  assert.deepEqual(find(repo.path), expected);
  assert.deepEqual(find(`${repo.path}/a/b/c`), expected);
  assert.deepEqual(find(`${repo.path}/not/made/yet`), expected);
});

test("findRepository() keeps the exact name of a branch, and gives none for a detached HEAD", (repo) => {
  gitSync(repo.path, "checkout", "-q", "-b", "feature/auth");
  assert.equal(find(repo.path)?.branch, "feature/auth");
  gitSync(repo.path, "checkout", "-q", "--detach");
  assert.equal(find(repo.path)?.branch, null);
});

/** Git's HEAD file in a repository with a reftable: it names no branch. */
async function asReftable(gitDir: string): Promise<void> {
  await Deno.mkdir(`${gitDir}/reftable`, { recursive: true });
  await Deno.writeTextFile(`${gitDir}/reftable/tables.list`, "1\n");
  await Deno.writeTextFile(`${gitDir}/HEAD`, "ref: refs/heads/.invalid\n");
  await Deno.remove(`${gitDir}/refs/heads`, { recursive: true });
  await Deno.writeTextFile(`${gitDir}/refs/heads`, "this repository uses the reftable format\n");
}

/**
 * Runs code with a `git` before all others: the installed one may be too old to read reftables, so this one answers as a
 * newer one does about HEAD, with what the code lets it say, and counts in `asked` how often.
 */
async function withNewerGit(repo: { readonly path: string }, code: string): Promise<unknown> {
  await asReftable(`${repo.path}/.git`);
  using folder = tempFolder();

  const script = `#!/bin/sh\necho x >> ${folder.path}/asked\n. ${folder.path}/says\n`;
  await Deno.writeTextFile(`${folder.path}/git`, script, { mode: 0o755 });
  return await evaluate(
    `import { findRepository, lookUpwards, readRef } from "src/system/git/repository.ts";
      const says = (text) => Deno.writeTextFileSync("${folder.path}/says", text);
      const asked = () => Deno.readTextFileSync("${folder.path}/asked").length / 2;
      const find = () => findRepository(lookUpwards("${repo.path}"));
      ${code}`,
    { PATH: `${folder.path}:${Deno.env.get("PATH")}` },
  );
}

test("findRepository() asks git for the branch where HEAD does not name it, once for each change", async (repo) => {
  const told = await withNewerGit(
    repo,
    `says('[ "$2" = symbolic-ref ] && echo refs/heads/feature/auth\\n');
    const first = find();
    const told = [first.branch, first.isBranchUnknown === undefined, find().branch, asked()];
    says("exit 1\\n");
    Deno.utimeSync("${repo.path}/.git/reftable/tables.list", 1_000, 1_000);
    console.log(JSON.stringify([...told, find()]));`,
  );
  const none = { commonDir: `${repo.path}/.git`, root: repo.path, branch: null };
  assert.deepEqual(told, ["feature/auth", true, "feature/auth", 1, none]);
});

test("findRepository() says where git cannot tell the branch, and readRef() asks git as well", async (repo) => {
  const id = "1234567890123456789012345678901234567890";
  const told = await withNewerGit(
    repo,
    `says("exit 128\\n");
    const found = find();
    const told = [found.branch, found.isBranchUnknown, readRef(found, "heads/main")];
    says("echo ${id}\\n");
    told.push(readRef(found, "heads/main"));
    says("exit 1\\n");
    console.log(JSON.stringify([...told, readRef(found, "heads/other")]));`,
  );
  assert.deepEqual(told, [null, true, null, id, ""]);
});

test("findRepository() gives a worktree the repository of its main checkout, and its own branch", (repo) => {
  gitSync(repo.path, "worktree", "add", "-q", "-b", "side", "trees/side");
  assert.deepEqual(find(`${repo.path}/trees/side`), {
    commonDir: `${repo.path}/.git`,
    root: `${repo.path}/trees/side`,
    branch: "side",
  });
});

test("findRepository() sees through a link to the repository", async (repo) => {
  await using other = await repository();
  await Deno.symlink(repo.path, `${other.path}/link`);
  assert.equal(find(`${other.path}/link`)?.commonDir, `${repo.path}/.git`);
});

test("findRepository() follows a .git that is a link, to a folder or to a worktree's file", async (repo) => {
  gitSync(repo.path, "worktree", "add", "-q", "-b", "side", "trees/side");
  for (const [of, branch] of [[repo.path, "main"], [`${repo.path}/trees/side`, "side"]] as const) {
    const folder = `${repo.path}/linked-${branch}`;
    await Deno.mkdir(folder);
    await Deno.symlink(`${of}/.git`, `${folder}/.git`);
    assert.deepEqual(find(folder), { commonDir: `${repo.path}/.git`, root: folder, branch });
  }
});

test("findRepository() finds nothing outside a repository, nor in a broken one", async (repo) => {
  await Deno.mkdir(`${repo.path}/broken`);
  await Deno.writeTextFile(`${repo.path}/broken/.git`, "gitdir: /nowhere/at/all");
  assert.equal(find(`${repo.path}/broken`), undefined);
  assert.equal(find("/"), undefined);
});

test("lookUpwards() stops where both a repository and a configuration are found", async (repo) => {
  await Deno.mkdir(`${repo.path}/a`);
  await Deno.writeTextFile(`${repo.path}/.conclaude.yaml`, "");
  const looks = lookUpwards(`${repo.path}/a`);
  assert.deepEqual(looks.map(({ path }) => path), [`${repo.path}/a`, repo.path]);
  assert.deepEqual(looks[1]!.names.toSorted(), [".conclaude.yaml", ".git"]);
});

test("branchNames() knows branches wherever git keeps them, and says when it cannot tell", async (repo) => {
  const commonDir = `${repo.path}/.git`;
  const names = () => [...branchNames({ commonDir }) ?? ["?"]].sort();
  for (const name of ["feat/a", "feat/deep/b", "old"]) gitSync(repo.path, "branch", name);
  assert.deepEqual(names(), ["feat/a", "feat/deep/b", "main", "old"]);
  gitSync(repo.path, "pack-refs", "--all");
  gitSync(repo.path, "branch", "new");
  gitSync(repo.path, "branch", "-D", "old");
  assert.deepEqual(names(), ["feat/a", "feat/deep/b", "main", "new"]);
  await Deno.mkdir(`${commonDir}/reftable`);
  assert.deepEqual(names(), ["?"], "kept in a way that is not read");
  assert.equal(branchNames({ commonDir: repo.path }), null, "no repository");
  const unborn = `${repo.path}/unborn`;
  await Deno.mkdir(unborn);
  gitSync(unborn, "init", "-q");
  assert.equal(branchNames({ commonDir: `${unborn}/.git` }), null, "no commit yet");
});
