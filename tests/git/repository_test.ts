import assert from "node:assert/strict";
import { branchNames } from "../../src/git/branches.ts";
import { findRepository, lookUpwards, type Repository } from "../../src/git/repository.ts";

async function git(folder: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args],
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** A real repository with one commit on `main`. */
async function repository(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-git-" }));
  await git(path, "init", "-q", "-b", "main");
  await git(path, "commit", "-q", "--allow-empty", "-m", "start");
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

function find(folder: string): Repository | undefined {
  return findRepository(lookUpwards(folder));
}

Deno.test("findRepository() finds the repository from any folder in it", async () => {
  await using repo = await repository();
  await Deno.mkdir(`${repo.path}/a/b/c`, { recursive: true });
  const expected = { commonDir: `${repo.path}/.git`, root: repo.path, branch: "main" };
  assert.deepEqual(find(repo.path), expected);
  assert.deepEqual(find(`${repo.path}/a/b/c`), expected);
  assert.deepEqual(find(`${repo.path}/not/made/yet`), expected);
});

Deno.test("findRepository() keeps the exact name of a branch, and gives none for a detached HEAD", async () => {
  await using repo = await repository();
  await git(repo.path, "checkout", "-q", "-b", "feature/auth");
  assert.equal(find(repo.path)?.branch, "feature/auth");
  await git(repo.path, "checkout", "-q", "--detach");
  assert.equal(find(repo.path)?.branch, null);
});

Deno.test("findRepository() gives a worktree the repository of its main checkout, and its own branch", async () => {
  await using repo = await repository();
  await git(repo.path, "worktree", "add", "-q", "-b", "side", "trees/side");
  assert.deepEqual(find(`${repo.path}/trees/side`), {
    commonDir: `${repo.path}/.git`,
    root: `${repo.path}/trees/side`,
    branch: "side",
  });
});

Deno.test("findRepository() sees through a link to the repository", async () => {
  await using repo = await repository();
  await using other = await repository();
  await Deno.symlink(repo.path, `${other.path}/link`);
  assert.equal(find(`${other.path}/link`)?.commonDir, `${repo.path}/.git`);
});

Deno.test("findRepository() follows a .git that is a link, to a folder or to a worktree's file", async () => {
  await using repo = await repository();
  await git(repo.path, "worktree", "add", "-q", "-b", "side", "trees/side");
  for (const [of, branch] of [[repo.path, "main"], [`${repo.path}/trees/side`, "side"]] as const) {
    const folder = `${repo.path}/linked-${branch}`;
    await Deno.mkdir(folder);
    await Deno.symlink(`${of}/.git`, `${folder}/.git`);
    assert.deepEqual(find(folder), { commonDir: `${repo.path}/.git`, root: folder, branch });
  }
});

Deno.test("findRepository() finds nothing outside a repository, nor in a broken one", async () => {
  await using repo = await repository();
  await Deno.mkdir(`${repo.path}/broken`);
  await Deno.writeTextFile(`${repo.path}/broken/.git`, "gitdir: /nowhere/at/all");
  assert.equal(find(`${repo.path}/broken`), undefined);
  assert.equal(find("/"), undefined);
});

Deno.test("lookUpwards() stops where both a repository and a configuration are found", async () => {
  await using repo = await repository();
  await Deno.mkdir(`${repo.path}/a`);
  await Deno.writeTextFile(`${repo.path}/.conclaude.yaml`, "");
  const looks = lookUpwards(`${repo.path}/a`);
  assert.deepEqual(looks.map(({ path }) => path), [`${repo.path}/a`, repo.path]);
  assert.deepEqual(looks[1]!.names.toSorted(), [".conclaude.yaml", ".git"]);
});

Deno.test("branchNames() knows branches wherever git keeps them, and says when it cannot tell", async () => {
  await using repo = await repository();
  const commonDir = `${repo.path}/.git`;
  const names = () => [...branchNames({ commonDir }) ?? ["?"]].sort();
  for (const name of ["feat/a", "feat/deep/b", "old"]) await git(repo.path, "branch", name);
  assert.deepEqual(names(), ["feat/a", "feat/deep/b", "main", "old"]);
  await git(repo.path, "pack-refs", "--all");
  await git(repo.path, "branch", "new");
  await git(repo.path, "branch", "-D", "old");
  assert.deepEqual(names(), ["feat/a", "feat/deep/b", "main", "new"]);
  await Deno.mkdir(`${commonDir}/reftable`);
  assert.deepEqual(names(), ["?"], "kept in a way that is not read");
  assert.equal(branchNames({ commonDir: repo.path }), null, "no repository");
  const unborn = `${repo.path}/unborn`;
  await Deno.mkdir(unborn);
  await git(unborn, "init", "-q");
  assert.equal(branchNames({ commonDir: `${unborn}/.git` }), null, "no commit yet");
});
