/** Which commits are this project's, and how many: none of another's, each of several, an amended one as no other. */
import assert from "node:assert/strict";
import type { Observed } from "../../../src/memory/observe/observation.ts";
import { observe } from "../../../src/memory/observe/observe.ts";
import { type SummarizedPart, summarizeSession } from "../../../src/memory/drain/summaries.ts";
import { drainCaptures } from "../../../src/memory/drain/capture_drain.ts";
import { ran, ROOT } from "../../support/commands_observed.ts";
import { saveEvent, tempDatabase } from "../../support/records.ts";
import { removeForgottenAgain } from "../../../src/upkeep/forget/forget_places_table.ts";

function ranIn(command: string, stdout: string, cwd: string): Observed {
  const payload = { tool_input: { command }, tool_response: { stdout, stderr: "" }, cwd };
  const told = observe({ toolName: "Bash", outcome: "success", payload, root: ROOT });
  assert.ok(told);
  return told;
}

/** The titles of the commits that are told. */
function commits(told: Observed): string[] {
  const titles = told.kind === "commit" ? [told.title] : [];
  return told.besides === undefined ? titles : [...titles, ...commits(told.besides)];
}

const PRINTED = "[main 7777777] Q work\n 1 file changed";

Deno.test("a commit in another folder is no commit of this project", () => {
  const outside: readonly (readonly [command: string, output: string, cwd: string])[] = [
    ["git -C ../q commit -m 'Q work'", PRINTED, ROOT],
    ["git -C /home/ana/q commit -qm 'Q work'", "", ROOT],
    ["git -C /home/ana/app2 commit -qm 'Q work'", "", ROOT],
    ["git -c user.name=a -C ../q commit -qm 'Q work'", "", ROOT],
    ["cd ../q && git commit -m 'Q work'", PRINTED, ROOT],
    ["cd ../q && git commit -m 'Q work'", PRINTED, "/home/ana/q"],
    ["cd /tmp/q && git add -A && git commit -qm 'Q work'", "", ROOT],
    ["cd ~/q && git commit -m 'Q work'", PRINTED, ROOT],
    ["(cd /tmp/q && git commit -m 'Q work')", PRINTED, ROOT],
    ["pushd ../q && git commit -m 'Q work'; popd", PRINTED, ROOT],
    ["git commit -m 'Q work'", PRINTED, "/home/ana/q"],
  ];
  for (const [command, output, cwd] of outside) {
    const told = ranIn(command, output, cwd);
    assert.deepEqual([told.kind, commits(told)], ["command", []], command);
  }
});

Deno.test("a commit is the project's wherever in it the shell is", () => {
  const inside: readonly (readonly [command: string, cwd: string])[] = [
    ["git -C lib commit -m 'Q work'", ROOT],
    [`git -C ${ROOT} commit -m 'Q work'`, "/tmp"],
    [`cd ${ROOT}/lib && git commit -m 'Q work'`, ROOT],
    ["git -C ../q commit -m 'Q work'", `${ROOT}/packages/a`],
    ["cd ../q && git commit -m 'Q work'", `${ROOT}/packages/q`],
    ["cd ~/app && git commit -m 'Q work'", ROOT],
    ["(cd ../q && make) && git commit -m 'Q work'", ROOT],
    ["cd ../q && make && cd - && git commit -m 'Q work'", ROOT],
    ['cd "$TOP" && git commit -m "Q work"', ROOT],
  ];
  for (const [command, cwd] of inside) {
    assert.deepEqual(
      commits(ranIn(command, PRINTED, cwd)),
      ["Commit 7777777 on main: Q work"],
      command,
    );
  }
});

Deno.test("each commit of a chain is told", () => {
  const TWO = "[main 1111111] One\n 1 file changed\n[main 2222222] Two\n 1 file changed";
  const rows: readonly (readonly [command: string, output: string, titles: readonly string[]])[] = [
    ["git commit -qm One a && git commit -qm Two b", "", ["Commit: One", "Commit: Two"]],
    ["git commit -m One a && git commit -m Two b", TWO, [
      "Commit 1111111 on main: One",
      "Commit 2222222 on main: Two",
    ]],
    ["git commit -qm One; git commit -qm Two", "", ["Commit: Two"]],
    ["git commit -qm One && git -C ../q commit -qm Two", "", ["Commit: One"]],
    ["git commit -m One && git -C ../q commit -m Two", TWO, ["Commit 1111111 on main: One"]],
    ["git commit -m One && npm test", `${TWO.slice(0, 18)}\n${TWO}`, [
      "Commit 1111111 on main: One",
    ]],
  ];
  for (const [command, output, titles] of rows) {
    assert.deepEqual(commits(ran(command, output)), titles, command);
  }
});

Deno.test("the drain keeps each commit of a chain", async () => {
  using temp = await tempDatabase();
  const command = "git commit -qm One a && git commit -qm Two b && git commit -qm Three c";
  saveEvent(temp.db, {
    atMs: 1_000,
    capture: {
      toolName: "Bash",
      payload: JSON.stringify({ tool_input: { command }, tool_response: { stdout: "" } }),
    },
  });
  assert.equal(
    drainCaptures(temp.db, { withoutForgotten: removeForgottenAgain, now: () => 10_000 }).worked,
    1,
  );
  const titles = temp.db.prepare(
    "SELECT title FROM observations WHERE kind = 'commit' ORDER BY title",
  )
    .all().map(({ title }) => title);
  assert.deepEqual(titles, ["Commit: One", "Commit: Three", "Commit: Two"]);
});

Deno.test("an amended commit says so, and is not counted as another one", () => {
  const rows: readonly (readonly [command: string, output: string, title: string])[] = [
    ["git commit --amend -m Typo", "[main 2222222] Typo", "Commit 2222222 on main, amended: Typo"],
    ["git commit -q --amend -m Typo", "", "Commit, amended: Typo"],
  ];
  for (const [command, output, title] of rows) {
    const told = ran(command, output);
    assert.deepEqual([told.title, told.facts.commit?.amended], [title, true]);
  }
  const first = ran("git commit -m Typpo", "[main 1111111] Typpo");
  assert.equal(first.facts.commit?.amended, undefined);
  const last = rows.length;
  const parts = [first, ...rows.map(([command, output]) => ran(command, output))]
    .map((told, id): SummarizedPart => ({
      ...told,
      id,
      branch: "main",
      files: [],
      // As a drain leaves them: each took the place of the one before it.
      resolvedBy: id < last ? id + 1 : null,
      updatedAtMs: id,
    }));
  assert.match(summarizeSession(parts)?.title ?? "", /\(1 commit\)$/);
});
