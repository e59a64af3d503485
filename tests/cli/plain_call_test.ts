import assert from "node:assert/strict";
import { plainCall } from "../../src/cli/command_line.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

/** What a verb is given when it is read without the library; null when the library has to read it. */
async function read(...words: string[]) {
  const call = await plainCall(words);
  return call === null ? null : { flags: call.flags, args: call.args };
}

Deno.test("a plain command line is read without the library: values, switches, defaults", async () => {
  assert.deepEqual(await read("task", "ready"), {
    flags: { allProjects: false, limit: 20 },
    args: [],
  });
  assert.deepEqual(
    await read("task", "update", "1a2b", "--title", "a b", "--depends-on=1,2", "--stdin"),
    { flags: { title: "a b", dependsOn: ["1", "2"], stdin: true }, args: ["1a2b"] },
  );
  assert.deepEqual(await read("task", "claim", "--next"), {
    flags: { next: true, allProjects: false, offline: false },
    args: [undefined],
  });
  assert.deepEqual(await read("task", "tag", "add", "1a2b", "x", "y"), {
    flags: {},
    args: ["1a2b", "x", "y"],
  });
  assert.deepEqual(await read("task", "bulk", "set-priority", "--priority", "1", "a"), {
    flags: { priority: "1", stdin: false },
    args: ["a"],
  });
});

Deno.test("a point in time is read without the library", async () => {
  const beforeMs = Date.now() - 7_200_000;
  const { since } = (await read("audit", "list", "--since", "2h"))!.flags;
  assert.ok(Number(since) >= beforeMs && Number(since) <= Date.now() - 7_200_000);
});

Deno.test("every other command line, such as a wrong one, is left to the library", async () => {
  for (const line of CASES.leftToTheLibrary) {
    assert.equal(await read(...line.split(" ")), null, line);
  }
});
