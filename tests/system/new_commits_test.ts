import assert from "node:assert/strict";
import { join } from "node:path";
import { type Heads, readHeads } from "../../src/system/git/heads.ts";
import { advancedBranches, newCommits } from "../../src/system/git/new_commits.ts";
import { testWith } from "../support/fixtures.ts";
import { gitSync, makeRepository } from "../support/git.ts";

const ASKING = { environment: { variable: (name: string) => Deno.env.get(name) } };
/** As if git were not installed. */
const WITHOUT_GIT = { environment: { variable: () => "" } };

/** A repository, and what came to be in it since a moment. */
class Watched implements Disposable {
  readonly path = Deno.realPathSync(Deno.makeTempDirSync());
  readonly repository = { commonDir: join(this.path, ".git") };
  #before: Heads | null = null;

  constructor() {
    makeRepository(this.path, { branch: "main", files: { "a.txt": "a\n" } });
  }

  git(...words: string[]): string {
    return gitSync(this.path, ...words);
  }

  /** Commits a change of a file. */
  change(name: string, ...more: string[]): void {
    Deno.writeTextFileSync(join(this.path, name), `${crypto.randomUUID()}\n`, { append: true });
    this.git("add", "-A");
    this.git("commit", "-q", "-m", name, ...more);
  }

  async look(): Promise<void> {
    this.#before = await readHeads(this.repository, this.#before, ASKING);
  }

  /** The branches of each new commit since the look, and the branches that have advanced. */
  async since(): Promise<readonly [branches: readonly string[][], advanced: readonly string[]]> {
    const before = this.#before!;
    const now = await readHeads(this.repository, before, ASKING);
    const sinceMs = Date.now() - 60_000;
    const between = { before, now, sinceMs, sessionMs: sinceMs, suspects: new Set<string>() };
    const commits = await newCommits(this.repository, between, ASKING);
    const advanced = await advancedBranches(this.repository, between, ASKING);
    return [commits.map(({ branches }) => [...branches]), advanced];
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

const test = testWith(() => new Watched());

test("git is started only where a branch has moved", async (watched) => {
  const before = await readHeads(watched.repository, null, ASKING);
  assert.deepEqual(Object.keys(before.tips), ["main"]);
  assert.deepEqual(await readHeads(watched.repository, before, WITHOUT_GIT), before);
  watched.git("branch", "deep/er/one");
  const untold = await readHeads(watched.repository, before, WITHOUT_GIT);
  assert.deepEqual([untold.stamp, untold.tips], ["", before.tips]);
  const told = await readHeads(watched.repository, untold, ASKING);
  assert.deepEqual(Object.keys(told.tips), ["deep/er/one", "main"]);
});

test("a new commit is found on each branch that has it, also by the former name of a branch", async (watched) => {
  await watched.look();
  watched.change("b.txt");
  watched.git("branch", "copy");
  watched.git("branch", "-m", "main", "trunk");
  assert.deepEqual(await watched.since(), [[["copy", "trunk", "main"]], ["copy", "trunk"]]);
});

test("commits are found where references are packed, and where git keeps no reflog", async (watched) => {
  watched.git("config", "core.logAllRefUpdates", "false");
  Deno.removeSync(join(watched.path, ".git", "logs"), { recursive: true });
  await watched.look();
  watched.change("b.txt");
  watched.git("pack-refs", "--all");
  assert.deepEqual(await watched.since(), [[["main"]], ["main"]]);
});

test("a branch that goes back, is made, or gets commits of another one has no new commit", async (watched) => {
  watched.change("b.txt");
  watched.git("branch", "other", "HEAD~1");
  await watched.look();
  watched.git("branch", "third");
  watched.git("branch", "-f", "other", "main");
  watched.git("reset", "-q", "--hard", "HEAD~1");
  assert.deepEqual(await watched.since(), [[], ["other"]]);
});

test("a commit that is in no branch any more was made all the same, if the reflog says so", async (watched) => {
  await watched.look();
  watched.change("b.txt");
  watched.git("reset", "-q", "--hard", "HEAD~1");
  assert.deepEqual(await watched.since(), [[[]], []]);
});

test("the commits of a linked working tree are found", async (watched) => {
  const tree = join(watched.path, "tree");
  watched.git("worktree", "add", "-q", "-b", "side", tree);
  await watched.look();
  gitSync(tree, "commit", "-q", "--allow-empty", "-m", "x");
  assert.deepEqual(await watched.since(), [[["side"]], ["side"]]);
});
