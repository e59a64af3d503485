import assert from "node:assert/strict";
import { join } from "node:path";
import { type TempDatabase, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";

type Tasks = readonly { readonly id: string; readonly title: string }[];

/** The verbs of tasks on a database of their own. */
function verbsOn({ folder: home, path: database }: TempDatabase) {
  const place = { home, database };
  const json = (...args: string[]) => runVerbJson(["task", ...args], place);
  return {
    json,
    run: (...args: string[]) => runVerb(["task", ...args], place),
    make: async (title: string, ...flags: string[]): Promise<string> =>
      (await json("create", "--title", title, ...flags)).task.id,
    titles: async (...args: string[]): Promise<string[]> => {
      const { tasks }: { tasks: Tasks } = await json(...args);
      return tasks.map(({ title }) => title).sort();
    },
  };
}

const test = testWith(tempDatabase);

test("task list keeps to all of its filters at once", async (temp) => {
  const { make, titles, json, run } = verbsOn(temp);
  const a = await make("a", "--priority", "0", "--type", "bug", "--tags", "auth,area/web/forms");
  await make("b", "--priority", "1", "--tags", "author,v2", "--parent", a);
  await make("c", "--tags", "fixtures,v4");
  await json("claim", a, "--agent-id", "worker");
  assert.deepEqual(await titles("list"), ["a", "b", "c"]);
  assert.deepEqual(await titles("list", "--priority", "0,1"), ["a", "b"]);
  assert.deepEqual(await titles("list", "--priority", "0,1", "--type", "bug,feature"), ["a"]);
  assert.deepEqual(await titles("list", "--status", "open,blocked"), ["b", "c"]);
  assert.deepEqual(await titles("list", "--tag", "auth"), ["a"]);
  assert.deepEqual(await titles("list", "--tag-pattern", "auth*"), ["a", "b"]);
  assert.deepEqual(await titles("list", "--tag-pattern", "area/**"), ["a"]);
  assert.deepEqual(await titles("list", "--tag-pattern", "area/*"), []);
  assert.deepEqual(await titles("list", "--tag-pattern", "area/*/forms"), ["a"]);
  assert.deepEqual(await titles("list", "--tag-pattern", "v[1-3]"), ["b"]);
  assert.deepEqual(await titles("list", "--tag-pattern", "{bug,fix}*"), ["c"]);
  assert.deepEqual(await titles("list", "--parent", "none"), ["a", "c"]);
  assert.deepEqual(await titles("list", "--parent", a.slice(-8)), ["b"]);
  assert.deepEqual(await titles("list", "--claimed-by", "worker"), ["a"]);
  assert.deepEqual(await titles("list", "--claimed-by", "none"), ["b", "c"]);
  await json("delete", a, "--force");
  assert.deepEqual(await titles("list"), ["c"]);
  assert.deepEqual(await titles("list", "--deleted"), ["a", "b", "c"]);
  const page = await json("list", "--deleted", "--limit", "2", "--offset", "1");
  assert.deepEqual([page.tasks.length, page.more], [2, false]);
  assert.equal((await json("list", "--deleted", "--limit", "2")).more, true);
  for (const [flag, value] of [["--status", "done"], ["--type", "epic"], ["--tag-pattern", "[a"]]) {
    assert.equal((await run("list", flag!, value!)).code, 2, flag);
  }
});

test("tasks of a repository are listed in it, and reached from anywhere", async (temp) => {
  const one = join(temp.folder, "one");
  const at = (folder: string, ...args: string[]) =>
    runVerbJson(["task", ...args], { home: folder, database: temp.path });
  Deno.mkdirSync(join(one, ".git"), { recursive: true });
  Deno.writeTextFileSync(join(one, ".git", "HEAD"), "ref: refs/heads/main\n");
  const { task } = await at(one, "create", "--title", "here");
  await at(temp.folder, "create", "--title", "outside");
  assert.deepEqual([task.repository, task.projectDir], [join(one, ".git"), one]);
  const count = async (folder: string, ...args: string[]) =>
    (await at(folder, ...args)).tasks.length;
  assert.deepEqual([await count(one, "list"), await count(one, "ready")], [1, 1]);
  assert.equal(await count(one, "ready", "--all-projects"), 2);
  assert.equal(await count(temp.folder, "list"), 2);
  await at(one, "claim", "--next");
  assert.equal((await at(one, "claim", "--next")).error.reason, "NOT_FOUND");
  assert.equal((await at(temp.folder, "show", task.id.slice(-6))).task.status, "in_progress");
});

test("task show tells what is above, below and before a task, and what changed", async (temp) => {
  const { make, run, json } = verbsOn(temp);
  const top = await make("Top");
  const first = await make("First");
  const id = await make("Middle", "--parent", top, "--depends-on", first, "--body", "All of it");
  await make("Leaf", "--parent", id);
  await json("update", id, "--priority", "1");
  const { task } = await json("show", id);
  const titles = (tasks: Tasks) => tasks.map(({ title }) => title);
  assert.deepEqual([titles(task.ancestors), titles(task.children)], [["Top"], ["Leaf"]]);
  assert.deepEqual(task.waitingFor, [first]);
  const { stdout } = await run("show", id);
  for (const told of [/Top/, /Leaf/, /First/, /All of it/, /priority: 2 → 1/, new RegExp(id)]) {
    assert.match(stdout, told);
  }
  assert.match((await run("subtree", top)).stdout, /"Top".*\n {2}\S+ "Middle".*\n {4}\S+ "Leaf"/);
});

test("an id that several tasks share the beginning of is refused with all of them", async (temp) => {
  const { make, json } = verbsOn(temp);
  const ids = [await make("a"), await make("b")];
  const { error } = await json("show", ids[0]!.slice(0, 4));
  assert.deepEqual([error.code, error.reason], [2, "AMBIGUOUS_ID"]);
  assert.deepEqual(error.candidates.toSorted(), ids.toSorted());
});

test("a filter refuses an id that is too short or unknown, instead of matching nothing", async (temp) => {
  const { make, json } = verbsOn(temp);
  const id = await make("a");
  const { error } = await json("show", id.slice(-3));
  assert.deepEqual([error.code, error.reason], [10, "TASK_NOT_FOUND"]);
  assert.match(error.why, /^4 or more characters/);
  assert.equal((await json("list", "--parent", "zzzz")).error.reason, "TASK_NOT_FOUND");
  assert.deepEqual((await json("list", "--parent", id)).tasks, []);
});

test("task update changes fields, and names the verb for what another verb does", async (temp) => {
  const { make, json, run } = verbsOn(temp);
  const other = await make("other");
  const id = await make("old", "--workflow", "plan");
  const { task } = await json(
    ...["update", id, "--title", "new", "--type", "bug", "--priority", "0"],
    ...["--body", "b", "--workflow", "none", "--depends-on", other.slice(-8)],
  );
  assert.deepEqual(
    [task.title, task.type, task.priority, task.body, task.workflow, task.dependsOn],
    ["new", "bug", 0, "b", null, [other]],
  );
  const free = await json("update", id, "--no-longer-depends-on", other);
  assert.deepEqual(free.task.dependsOn, []);
  const to = async (status: string) => (await json("update", id, "--status", status)).error?.next;
  assert.equal(await to("in_progress"), `conclaude task claim ${id}`);
  assert.equal((await json("update", id, "--status", "closed")).error.reason, "INVALID_TRANSITION");
  await json("claim", id);
  assert.equal(await to("closed"), `conclaude task complete ${id}`);
  assert.match(await to("blocked"), new RegExp(`task block ${id} --reason `));
  assert.equal(await to("open"), undefined);
  assert.equal((await run("update", id)).code, 2);
  assert.equal((await run("update", id, "--title", "x", "--status", "done")).code, 2);
  assert.equal((await json("show", id)).task.title, "new", "nothing is changed by half");
});

test("the next step of a refusal fits its verb, and never releases another one's claim", async (temp) => {
  const { make, json } = verbsOn(temp);
  const id = await make("a");
  const next = async (...words: string[]) => (await json(...words)).error.next;
  assert.equal(await next("update", id, "--status", "banana"), "conclaude task update --help");
  assert.equal(await next("update", id, "--type", "banana"), "conclaude task update --help");
  assert.equal(await next("list", "--status", "foo"), "conclaude task list --help");
  assert.equal(await next("create", "--title", "b", "--type", "c"), "conclaude task create --help");
  await json("claim", id, "--agent-id", "one");
  const { error } = await json("complete", id, "--agent-id", "two");
  assert.deepEqual([error.reason, error.next], ["NOT_CLAIM_OWNER", `conclaude task show ${id}`]);
});

test("task restore says when a task was not deleted", async (temp) => {
  const { make, json, run } = verbsOn(temp);
  const id = await make("a");
  assert.match((await run("restore", id)).stdout, /was not deleted; nothing was changed\./);
  await json("delete", id);
  assert.match((await run("restore", id)).stdout, /is back\./);
});

test("a task is named briefly where something is said of it, and whole where it is shown", async (temp) => {
  const { make, run, json } = verbsOn(temp);
  const long = "x".repeat(200);
  const id = await make(long);
  assert.match((await run("delete", id)).stdout, /"x{79}…"/);
  assert.match((await run("show", id)).stdout, /^x{200}\n[^]* status: +deleted \(was open\)$/m);
  assert.equal((await json("list", "--deleted")).tasks[0].title, long);
  assert.match((await run("restore", id)).stdout, /is back\.$/m);
  await json("claim", id, "--agent-id", "somebody");
  const lines = (await run("history", id)).stdout.trim().split("\n");
  const at = lines.map((line) => /[a-z_]+: /.exec(line)!.index);
  assert.equal(new Set(at).size, 1, lines.join("\n"));
  assert.match(lines.at(-1)!, /deleted_at: none → \d{4}-\d\d-\d\dT/);
  assert.match((await run("update", id, "--title", long)).stdout, /nothing was changed\.$/m);
  assert.match((await run("update", id, "--title", "short")).stdout, /^Changed task/);
  await json("complete", id, "--agent-id", "somebody");
  assert.match((await run("show", id)).stdout, / closed: +just now$/m);
});

test("task delete names the tasks that become ready, and task restore counts those that come back", async (temp) => {
  const { make, json, run } = verbsOn(temp);
  const top = await make("top");
  const part = await make("part", "--parent", top);
  const other = await make("other");
  const freed = await make("freed", "--depends-on", part);
  await make("still waiting", "--depends-on", `${part},${other}`);
  const told = await run("delete", top);
  assert.match(told.stdout, /Nothing keeps these from being done any more: \S+ "freed"$/m);
  const restored = await run("restore", top);
  assert.match(restored.stdout, /is back, with 1 below it\.$/m);
  assert.deepEqual((await json("delete", top, "--hard", "--yes")).nowReady, [freed]);
});

test("secrets and private parts of a task's texts are never kept", async (temp) => {
  const { make, json } = verbsOn(temp);
  const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
  const id = await make(`Use ${secret}`, "--body", `<private>no</private> ${secret}`);
  await json("tag", "add", id, secret);
  await json("claim", id);
  await json("block", id, "--reason", `needs ${secret}`);
  await json("complete", id, "--summary", `used ${secret} <private>no</private>`);
  const everything = JSON.stringify([await json("show", id), await json("history", id)]);
  assert.match(everything, /redacted/);
  assert.doesNotMatch(everything, /ghp_0|>no</);
});

test("an unknown workflow is refused before anything relies on it", async (temp) => {
  const { make, json, titles } = verbsOn(temp);
  const folder = join(temp.folder, ".conclaude", "workflows");
  Deno.mkdirSync(folder, { recursive: true });
  const own = join(folder, "own.yaml");
  Deno.writeTextFileSync(own, "name: own\ndescription: d\nsteps: []\n");
  const id = await make("a", "--workflow", "own");
  const reasonOf = async (...args: string[]) => (await json(...args)).error?.reason;
  const create = ["create", "--title", "b", "--workflow"];
  for (const name of ["../../etc/passwd", "/own", ".own", ""]) {
    assert.equal(await reasonOf(...create, name), "INVALID_INPUT", name);
  }
  assert.equal(await reasonOf(...create, "nope", "--start"), "WORKFLOW_NOT_FOUND");
  assert.equal(await reasonOf("update", id, "--workflow", "nope"), "WORKFLOW_NOT_FOUND");
  Deno.removeSync(own);
  assert.equal(await reasonOf("start", id), "WORKFLOW_NOT_FOUND");
  const { task } = await json("show", id);
  assert.deepEqual([task.workflow, task.queuedAtMs, await titles("list")], ["own", null, ["a"]]);
});

test("a text that the database could not give back whole is refused", async (temp) => {
  const { make, json } = verbsOn(temp);
  const id = await make("a", "--body", "whole");
  const file = join(temp.folder, "body.txt");
  Deno.writeTextFileSync(file, "before\0behind");
  const { error } = await json("update", id, "--body-file", file);
  assert.deepEqual([error.code, error.reason], [2, "INVALID_INPUT"]);
  assert.match(error.why, /NUL/);
  assert.equal((await json("show", id)).task.body, "whole");
});

test("task delete for good asks first, and --force gives the claim up", async (temp) => {
  const { make, json } = verbsOn(temp);
  const id = await make("a");
  await json("claim", id);
  assert.equal((await json("delete", id)).error.reason, "TASK_ACTIVE");
  assert.equal((await json("delete", id, "--force")).task.status, "open");
  assert.equal((await json("restore", id)).task.deletedAtMs, null);
  assert.equal((await json("delete", id, "--hard")).error.code, 2);
  assert.deepEqual((await json("delete", id, "--hard", "--yes")).deleted, [id]);
  assert.equal((await json("show", id)).error.reason, "TASK_NOT_FOUND");
});

test("task bulk changes every task that it can, and tells why it cannot change the others", async (temp) => {
  const { make, json, run } = verbsOn(temp);
  const ids = [await make("a"), await make("b")];
  await json("claim", ids[0]!);
  const { results } = await json("bulk", "close", ...ids, "nobody");
  assert.deepEqual(
    results.map(({ ok, error }: { ok: boolean; error?: { reason: string } }) =>
      error?.reason ?? ok
    ),
    [true, "INVALID_TRANSITION", "TASK_NOT_FOUND"],
  );
  assert.equal((await run("bulk", "close", ids[1]!)).code, 1);
  assert.equal((await run("bulk", "set-priority", "--priority", "0", ...ids)).code, 0);
  assert.equal((await run("bulk", "set-priority", "--priority", "9", ...ids)).code, 2);
  await json("bulk", "add-tags", "--tags", "x,y", ...ids);
  await json("bulk", "remove-tags", "--tags", "x", ids[0]!);
  assert.deepEqual((await json("tag", "list", ids[0]!)).tags, ["y"]);
  assert.deepEqual((await json("tag", "set", ids[0]!)).task.tags, []);
  assert.deepEqual((await json("tag", "list")).tags, ["x", "y"]);
  for (const tags of ["", " , "]) {
    for (const words of [["bulk", "add-tags", ids[0]!], ["create", "--title", "c"]]) {
      assert.equal((await json(...words, "--tags", tags)).error.reason, "INVALID_TAG");
    }
  }
  assert.equal((await run("bulk", "delete", ...ids)).code, 0);
  assert.equal((await run("bulk", "delete")).code, 2);
});

test("without a database a verb changes nothing and says so", async (temp) => {
  const { run } = verbsOn(temp);
  const { code, stderr } = await run("create", "--title", "x", "--no-db");
  assert.equal(code, 1);
  assert.match(stderr, /^Cannot make a task\n {2}why: {2}with `--no-db` nothing is kept/);
});

test("a deep tree of tasks is allowed, with a warning", async (temp) => {
  const { make, run } = verbsOn(temp);
  let id = await make("0");
  for (let depth = 1; depth <= 10; depth++) id = await make(String(depth), "--parent", id);
  const deep = await run("create", "--title", "11", "--parent", id);
  assert.deepEqual([deep.code, /11 levels deep/.test(deep.stderr)], [0, true]);
});
