/** Commits that git's log of a branch tells to be taken back are told no more, whoever took them back. */
import assert from "node:assert/strict";
import { drainCaptures } from "../../../src/recall/capture_drain.ts";
import { saveEvent, tempDatabase } from "../../support/records.ts";

/** What is typed, by a session or by a person (`-`), on which branch it ends, and whether it is worked in at once. */
type Step = readonly [who: string, script: string, branch?: string];

const FIRST = "c0de0000-0000-4000-8000-000000000001";
const commit = (name: string) => `echo ${name} >> ${name}; git add .; git commit -m ${name}`;

/** What is told after some steps, and what git's own log of the last branch has behind `main`, both oldest first. */
interface Outcome {
  readonly titles: readonly string[];
  readonly log: readonly string[];
}

/** The subjects of the commits that are told after some steps in a repository with one commit on `main`. */
async function told(steps: readonly Step[], drains: "at once" | "late"): Promise<string[]> {
  return (await outcomeOf(steps, drains)).titles.map((title) => title.replace(/^.*?: /, ""));
}

async function outcomeOf(steps: readonly Step[], drains: "at once" | "late"): Promise<Outcome> {
  using temp = await tempDatabase();
  const folder = `${temp.folder}/app`;
  Deno.mkdirSync(folder);
  const run = (script: string) => {
    const { success, stdout, stderr } = new Deno.Command("sh", {
      args: ["-ec", script],
      cwd: folder,
      env: Object.fromEntries(
        ["AUTHOR", "COMMITTER"].flatMap((
          one,
        ) => [[`GIT_${one}_NAME`, "a"], [`GIT_${one}_EMAIL`, "a@b"]]),
      ),
    }).outputSync();
    assert.ok(success, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  };
  run("git init -q -b main; git commit -q --allow-empty -m begun");
  const start = Date.UTC(2026, 6, 15);
  const setPlace = temp.db.prepare("UPDATE sessions SET repository = ?, project_dir = ?");
  const drain = () => drainCaptures(temp.db, { now: () => start + 1_000_000 });
  for (const [at, [who, command, branch = "main"]] of steps.entries()) {
    const stdout = run(command);
    if (who === "-") continue;
    const atMs = start + at * 10_000;
    saveEvent(temp.db, {
      atMs,
      sessionId: FIRST.slice(0, -1) + who,
      capture: {
        toolName: "Bash",
        outcome: "success",
        payload: JSON.stringify({
          tool_input: { command },
          tool_response: { stdout, stderr: "" },
          project_dir: folder,
        }),
      },
    });
    setPlace.run(`${folder}/.git`, folder);
    temp.db.prepare("UPDATE pending_queue SET branch = ? WHERE created_at_ms = ?").run(
      branch,
      atMs,
    );
    if (drains === "at once") drain();
  }
  drain();
  const titles = temp.db.prepare(
    "SELECT title FROM observations WHERE kind = 'commit' AND resolved_by IS NULL ORDER BY id",
  ).all().map(({ title }) => String(title));
  const log = run("git log --reverse --format='Commit %H on %%: %s' main..HEAD").split("\n");
  const [, , last = "main"] = steps.at(-1)!;
  return {
    titles,
    log: log.filter((line) => line !== "")
      .map((line) => line.replace(/ (\w{7})\w+ on %/, ` $1 on ${last}`)),
  };
}

const LOOK = (who: string): Step => [who, "git status"];

type Row = readonly [what: string, steps: readonly Step[], there: readonly string[]];

const ROWS: readonly Row[] = [
  ["reset by a later session", [["1", commit("a")], ["2", "git reset --hard HEAD~1"]], []],
  ["reset by a person", [["1", commit("a")], ["-", "git reset --hard HEAD~1"], LOOK("2")], []],
  ["reverted by a person", [
    ["1", commit("a")],
    ["1", commit("b")],
    ["-", "git revert --no-edit HEAD"],
    LOOK("2"),
  ], ["a"]],
  ["reverted by a person who took that back", [
    ["1", commit("a")],
    ["-", "git revert --no-edit HEAD; git revert --no-edit HEAD"],
    LOOK("2"),
  ], ["a"]],
  ["reverted by a person who reset that away", [
    ["1", commit("a")],
    ["-", "git revert --no-edit HEAD; git reset --hard HEAD~"],
    LOOK("2"),
  ], ["a"]],
  ["reverted by a person, and made again", [
    ["1", commit("a")],
    ["-", "git revert --no-edit HEAD"],
    ["1", commit("a")],
    LOOK("2"),
  ], ["a"]],
  ["one of two", [
    ["1", commit("a")],
    ["1", commit("b")],
    ["-", "git reset --hard HEAD~"],
    LOOK("2"),
  ], ["a"]],
  ["amended by a later session", [["1", commit("a")], ["2", "git commit --amend -m b"]], ["b"]],
  ["amended by a person, whose commit nobody saw", [
    ["1", commit("a")],
    ["-", "git commit --amend -m b"],
    LOOK("2"),
  ], ["a"]],
  ["amended and reset by a person", [
    ["1", commit("a")],
    ["-", "git commit --amend -m b; git reset --hard HEAD~1"],
    LOOK("2"),
  ], []],
  ["squashed onto a branch", [
    ["1", `git switch -c z; ${commit("a")}`, "z"],
    ["1", commit("b"), "z"],
    ["1", "git reset --soft main", "z"],
    ["1", "git commit -m all", "z"],
  ], ["all"]],
  ["squashed in one script", [
    ["1", `git switch -c z; ${commit("a")}`, "z"],
    ["1", "git reset --soft main && git commit -m all", "z"],
  ], ["all"]],
  ["brought back", [
    ["1", commit("a")],
    ["1", commit("b")],
    ["-", "git reset --hard HEAD~2; git reset --hard HEAD@{1}"],
    LOOK("2"),
  ], ["a", "b"]],
  ["brought back in part", [
    ["1", commit("a")],
    ["1", commit("b")],
    ["-", "git reset --hard HEAD~2; git reset --hard HEAD@{1}~"],
    LOOK("2"),
  ], ["a"]],
  ["kept on another branch", [
    ["1", commit("a")],
    ["1", commit("b")],
    ["-", "git branch keep; git reset --hard HEAD~2"],
    LOOK("2"),
  ], ["a", "b"]],
  ["of another branch", [["1", commit("a")], ["-", "git switch -c z"], [
    "2",
    "git reset --hard HEAD~1",
    "z",
  ]], ["a"]],
  ["reset to where it is", [["1", commit("a")], ["-", "git reset --hard"], LOOK("2")], ["a"]],
  ["put on top of other work", [
    ["1", `git switch -c z; ${commit("a")}`, "z"],
    ["-", `git switch main; ${commit("b")}; git switch z; git rebase main`],
    ["2", "git status", "z"],
  ], ["a"]],
];

for (const [what, steps, there] of ROWS) {
  Deno.test(`a commit is told where git's log says that it is there: ${what}`, async () => {
    assert.deepEqual(await told(steps, "at once"), there);
    assert.deepEqual(await told(steps, "late"), there);
  });
}

const BRANCH: readonly Step[] = [
  ["1", `git switch -c z; ${commit("a")}`, "z"],
  ["1", commit("b"), "z"],
  ["1", commit("c"), "z"],
];
const moved = (name: string) => `git switch -q main; ${commit(name)}; git switch -q z`;
const MOVED = moved("m");
const edited = (todo: string, base = "main") =>
  `GIT_EDITOR=true GIT_SEQUENCE_EDITOR="sed -i '${todo}'" git rebase -i ${base}`;

const REBASED: readonly (readonly [what: string, steps: readonly Step[]])[] = [
  ["by its session", [...BRANCH, ["-", MOVED], ["1", "git rebase main", "z"]]],
  ["by a person", [...BRANCH, ["-", `${MOVED}; git rebase main`], ["2", "git status", "z"]]],
  ["twice", [...BRANCH, ["-", MOVED], ["1", "git rebase main", "z"], [
    "-",
    moved("n"),
  ], [
    "2",
    "git rebase main",
    "z",
  ]]],
  ["by a pull", [...BRANCH, ["-", MOVED], ["1", "git pull --rebase . main", "z"]]],
  ["with a conflict", [...BRANCH, [
    "-",
    "git switch -q main; echo no > a; git add a; git commit -m m; git switch -q z",
  ], [
    "1",
    "git rebase main || true",
    "z",
  ], ["1", "echo both > a; git add a; GIT_EDITOR=true git rebase --continue", "z"]]],
  ["and committed to since", [...BRANCH, ["-", MOVED], ["1", "git rebase main", "z"], [
    "1",
    commit("d"),
    "z",
  ]]],
  ["one into another", [...BRANCH, ["1", edited("3s/pick/fixup/"), "z"]]],
  ["one into the first", [...BRANCH, ["1", edited("2s/pick/squash/"), "z"]]],
  ["all into one, on top of others", [...BRANCH, ["-", MOVED], [
    "1",
    edited("2,3s/pick/fixup/"),
    "z",
  ]]],
  ["with another subject", [...BRANCH, [
    "1",
    edited("2s/pick/reword/").replace("=true", "='sed -i 1s/b/better/'"),
    "z",
  ]]],
];

Deno.test("a commit that another branch has still, or that is not made once more, is told after a rebase", async () => {
  const kept: readonly Step[] = [
    ...BRANCH,
    ["-", `git branch keep; ${edited("3s/pick/fixup/")}`],
    ["2", "git status", "z"],
  ];
  const dropped: readonly Step[] = [...BRANCH, ["1", edited("3s/pick/drop/"), "z"]];
  for (const steps of [kept, dropped]) {
    assert.deepEqual(await told(steps, "at once"), ["a", "b", "c"]);
  }
});

for (const [what, steps] of REBASED) {
  Deno.test(`a commit is told as it is there since it was rebased: ${what}`, async () => {
    for (const drains of ["at once", "late"] as const) {
      const { titles, log } = await outcomeOf(steps, drains);
      assert.deepEqual(titles, log, drains);
    }
  });
}
