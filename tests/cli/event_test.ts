import assert from "node:assert/strict";
import { testWith } from "../support/fixtures.ts";
import { runProgram } from "../support/program.ts";
import { stage } from "./support.ts";

const test = testWith(stage);

test("event list gives the newest, or what came after an event, oldest first", async (place) => {
  for (const title of ["a", "b", "c"]) {
    await place.run(["task", "create", "--title", title]);
  }
  // deno-lint-ignore no-explicit-any -- as it is printed
  const ids = async (...flags: string[]): Promise<any> => {
    const { body } = await place.json(["event", "list", ...flags]);
    // deno-lint-ignore no-explicit-any -- as it is printed
    return (body as any).events.map(({ id }: { id: number }) => id);
  };
  assert.deepEqual(await ids(), [1, 2, 3]);
  assert.deepEqual(await ids("--limit", "2"), [2, 3]);
  assert.deepEqual(await ids("--since", "1"), [2, 3]);
  assert.deepEqual(await ids("--since", "1", "--limit", "1"), [2]);
  assert.deepEqual(await ids("--since", "1h", "--type", "task.cr*"), [1, 2, 3]);
  assert.deepEqual(await ids("--type", "agent.*"), []);
  const { stdout } = await place.run(["task", "list", "--limit", "1"]);
  const [shortId] = stdout.split("\n")[1]!.split(" ");
  assert.deepEqual(await ids("--entity", shortId!), [3]);
  assert.equal((await place.run(["event", "list", "--entity", "01234567"])).code, 10);
  await place.run(["task", "delete", shortId!, "--hard", "--yes"]);
  const { body } = await place.json(["event", "list", "--type", "task.deleted"]);
  // deno-lint-ignore no-explicit-any -- as it is printed
  assert.deepEqual(await ids("--entity", (body as any).events[0].entityId), [3, 4]);
  assert.equal((await place.run(["event", "list", "--since", "soon"])).code, 2);
});

test("event list names an agent by the id that the list of agents has", async (place) => {
  const stdin = { session_id: crypto.randomUUID(), agent_id: "a1b2c3d4e5f60718" };
  await place.run(["hook", "SubagentStart"], { stdin });
  const [id] = (await place.run(["agent", "list"])).stdout.split("\n")[1]!.split(" ");
  const { stdout } = await place.run(["event", "list", "--entity", id!]);
  assert.match(stdout, new RegExp(`  agent\\.\\w+  ${id}(?:  |$)`, "m"));
});

test("event list --follow prints what others do, a line of JSON each", async (place) => {
  const env = { HOME: place.home };
  await place.run(["task", "create", "--title", "before"]);
  const follow = ["event", "list", "--since", "0", "--follow", "--limit", "3", "--json"];
  const following = runProgram(follow, { env, cwd: place.project });
  await place.run(["task", "create", "--title", "one"]);
  await place.run(["task", "create", "--title", "two"]);
  const { code, stdout } = await following;
  const titles = stdout.trim().split("\n").map((line) => JSON.parse(line).data.task.title);
  assert.deepEqual([code, titles], [0, ["before", "one", "two"]]);
});
