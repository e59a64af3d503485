import assert from "node:assert/strict";
import { branchNames } from "../../src/git/branches.ts";
import { findRepository, lookUpwards, readRef, type Repository } from "../../src/git/repository.ts";

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

/** Git's HEAD file in a repository with a reftable: it names no branch. */
async function asReftable(gitDir: string): Promise<void> {
  await Deno.mkdir(`${gitDir}/reftable`, { recursive: true });
  await Deno.writeTextFile(`${gitDir}/reftable/tables.list`, "1\n");
  await Deno.writeTextFile(`${gitDir}/HEAD`, "ref: refs/heads/.invalid\n");
  await Deno.remove(`${gitDir}/refs/heads`, { recursive: true });
  await Deno.writeTextFile(`${gitDir}/refs/heads`, "this repository uses the reftable format\n");
}

/**
 * A `git` before all others: the installed one may be too old to read reftables, so this one answers as a newer one does
 * about HEAD, with what the file `says` holds, and counts in `asked` how often.
 */
async function newerGit(folder: string): Promise<Disposable & { says(text: string): void }> {
  const script = `#!/bin/sh\necho x >> ${folder}/asked\n. ${folder}/says\n`;
  await Deno.writeTextFile(`${folder}/git`, script, { mode: 0o755 });
  const before = Deno.env.get("PATH")!;
  Deno.env.set("PATH", `${folder}:${before}`);
  return {
    says: (text) => Deno.writeTextFileSync(`${folder}/says`, text),
    [Symbol.dispose]: () => Deno.env.set("PATH", before),
  };
}

Deno.test("findRepository() asks git for the branch where HEAD does not name it, once for each change", async () => {
  await using repo = await repository();
  await asReftable(`${repo.path}/.git`);
  const folder = await Deno.makeTempDir({ prefix: "conclaude-git-" });
  using newer = await newerGit(folder);
  const asked = () => Deno.readTextFileSync(`${folder}/asked`).length / 2;
  newer.says('[ "$2" = symbolic-ref ] && echo refs/heads/feature/auth\n');
  const { branch, isUntold } = find(repo.path)!;
  assert.deepEqual({ branch, isUntold }, { branch: "feature/auth", isUntold: undefined });
  assert.equal(find(repo.path)?.branch, "feature/auth");
  assert.equal(asked(), 1);
  newer.says("exit 1\n");
  await Deno.utime(`${repo.path}/.git/reftable/tables.list`, 1_000, 1_000);
  assert.deepEqual(find(repo.path), {
    commonDir: `${repo.path}/.git`,
    root: repo.path,
    branch: null,
  });
  await Deno.remove(folder, { recursive: true });
});

Deno.test("findRepository() says where git cannot tell the branch, and readRef() asks git as well", async () => {
  await using repo = await repository();
  await asReftable(`${repo.path}/.git`);
  const folder = await Deno.makeTempDir({ prefix: "conclaude-git-" });
  using newer = await newerGit(folder);
  newer.says("exit 128\n");
  const found = find(repo.path)!;
  assert.deepEqual([found.branch, found.isUntold], [null, true]);
  assert.equal(readRef(found, "heads/main"), null);
  newer.says("echo 1234567890123456789012345678901234567890\n");
  assert.equal(readRef(found, "heads/main"), "1234567890123456789012345678901234567890");
  newer.says("exit 1\n");
  assert.equal(readRef(found, "heads/other"), "");
  await Deno.remove(folder, { recursive: true });
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
