import assert from "node:assert/strict";
import { pathInProject } from "../../src/memory/project_paths.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";
import { join } from "node:path";
import { workFolder } from "../../src/memory/observe/command_folder.ts";
import { tempFolder } from "../support/folders.ts";
import { git, makeRepository } from "../support/git.ts";
import { drainAt, saveUse, tempDatabase } from "../support/records.ts";

Deno.test("pathInProject() speaks of the same file in all working trees of a repository", () => {
  const rows = rowsOf<readonly [path: string, root: string | null, told: string]>(
    CASES.pathsInProjects,
  );
  for (const [path, root, told] of rows) assert.equal(pathInProject(path, root), told, path);
});

const RED = "FAIL src/a.test.js\n  ● adds\n\nTests: 1 failed, 4 passed, 5 total";
const GREEN = "PASS src/a.test.js\n\nTests:       5 passed, 5 total";

/** `I` is a working tree inside of the main one `M`, `S` one beside it, `O` another repository. */
interface Step {
  readonly in?: string;
  readonly cwd?: string;
  /** The branch that the hook has told. */
  readonly on?: string;
  readonly ran: string;
  readonly failed?: string;
  readonly said?: string;
}

/** The repositories and their working trees by their letters, made once: nothing that is told here changes them. */
let places: Readonly<Record<string, string>> | undefined;

async function makePlaces(): Promise<Readonly<Record<string, string>>> {
  const folder = tempFolder();
  addEventListener("unload", () => folder[Symbol.dispose]());
  const main = `${folder.path}/app`;
  const [inside, beside, other] = [".claude/worktrees/one", "../app-two", "../other"]
    .map((path) => join(main, path));
  makeRepository(main, { files: { "a.txt": "a\n" } });
  await git(main, "worktree", "add", "-q", "-b", "one", inside!);
  await git(main, "worktree", "add", "-q", "-b", "two", beside!);
  makeRepository(`${main}/vendor/lib`, { branch: "lib" });
  makeRepository(other!, { branch: "other" });
  Deno.mkdirSync(`${other}/web`);
  return { M: main, I: inside!, S: beside!, O: other! };
}

/** The observations of some commands, as branch, kind and the command as it counts. */
async function told(steps: readonly Step[]) {
  using temp = await tempDatabase();
  const at = places ??= await makePlaces();
  const path = (text: string) => text.replace(/\b[MISO]\b(?=\/|$| |\))/g, (name) => at[name]!);
  for (const [number, step] of steps.entries()) {
    const { ran, failed, said = "", on = "main", cwd } = step;
    const folder = path(step.in ?? "M");
    const payload = {
      tool_input: { command: path(ran) },
      project_dir: folder,
      ...cwd === undefined ? {} : { cwd: path(cwd) },
      ...failed === undefined
        ? { tool_response: { stdout: said, stderr: "" } }
        : { error: `Exit code 1\n${failed}` },
    };
    const sessionId = `c0de0000-0000-4000-8000-00000000000${"MISO".indexOf(step.in ?? "M")}`;
    saveUse(temp.db, "Bash", payload, { atMs: number + 1, sessionId });
    temp.db.prepare("UPDATE sessions SET repository = ?, project_dir = ?").run(
      `${at["M"]}/.git`,
      folder,
    );
    temp.db.prepare("UPDATE pending_queue SET branch = ? WHERE created_at_ms = ?").run(
      on,
      number + 1,
    );
  }
  drainAt(temp.db, 1_000_000);
  return temp.db.prepare(
    `SELECT branch, kind, facts ->> '$.command' AS command, resolved_by AS by
       FROM observations
      WHERE kind IN ('command', 'commit', 'failure', 'test')
      ORDER BY id`,
  ).all().map(({ branch, kind, command, by }) =>
    `${branch} ${kind} ${String(command).split("\n", 1)[0]}${by === null ? "" : ", mended"}`
  );
}

const COMMITTED = (branch: string) => `[${branch} 1a2b3c4] x\n 1 file changed, 1 insertion(+)`;

const ROWS = rowsOf<readonly [Step, told: string]>(Object.values(CASES.toldOfTrees).flat());

for (const [step, expected] of ROWS) {
  const where = `${step.in ?? "M"}${step.cwd === undefined ? "" : `, shell in ${step.cwd}`}`;
  Deno.test(`a command belongs to the working tree that it works in: ${where}: ${step.ran}`, async () => {
    const [first = ""] = await told([step]);
    const plain = first.replace(/\/\S*?\/app-two/g, "S")
      .replace(/\/\S*?\/app\/\.claude\/worktrees\/one/g, "I").replace(/\/\S*?\/app(?= )/g, "M");
    assert.equal(plain, expected);
  });
}

Deno.test("a failure in another working tree is mended there, or by a session of that tree", async () => {
  const red = { ran: "cd I && npm test", failed: RED };
  assert.deepEqual((await told([red, { ran: "npm test", said: GREEN }]))[0], "one test npm test");
  for (
    const green of [
      { ran: "cd I && npm test", said: GREEN },
      { ran: "npm test", in: "I", on: "one", said: GREEN },
      { ran: "npm test", cwd: "I", on: "one", said: GREEN },
    ]
  ) assert.equal((await told([red, green]))[0], "one test npm test, mended");
});

Deno.test("workFolder() follows a script, and the shell where it has gone", () => {
  const rows = rowsOf<readonly [string, string, string | null]>(CASES.workFolders);
  for (const [script, shell, expected] of rows) {
    assert.equal(workFolder(script, shell), expected, script);
  }
});

Deno.test("a failure in another repository is not open in this one", async () => {
  const foreign = rowsOf<Step>(CASES.foreignSteps);
  const own = rowsOf<Step>(CASES.ownSteps);
  const isOpen = async (step: Step) =>
    / (?:test|failure) /.test((await told([{ failed: RED, ...step }]))[0]!);
  for (const step of foreign) assert.equal(await isOpen(step), false, step.ran);
  for (const step of own) assert.equal(await isOpen(step), true, step.ran);
});

Deno.test("a success or commit in another repository counts for nothing in this one", async () => {
  const red = { ran: "make test", failed: RED };
  for (
    const step of [
      { ran: "make -C ../other test", said: GREEN },
      { ran: "make test", cwd: "O", said: GREEN },
    ]
  ) assert.equal((await told([red, step]))[0], "main test make test");
  const committed = { ran: "git commit -am x", cwd: "O", said: COMMITTED("other") };
  assert.match((await told([committed]))[0]!, /^main command cd \/.*\/other && git commit -am x$/);
});
