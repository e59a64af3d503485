/** Command lines that are wrong. */
import assert from "node:assert/strict";
import { isNext } from "../support/next.ts";
import { stage } from "./support.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

const test = testWith(stage);

test("a command line that makes no sense is told as what, why and next, and exits with 2", async (place) => {
  const cases = rowsOf<readonly [args: readonly string[], what: string, next: string]>(
    CASES.wrongLines,
  );
  await Promise.all(cases.map(async ([args, what, next]) => {
    const { code, stdout, stderr } = await place.run(args);
    const [first, why, then] = stderr.split("\n");
    assert.deepEqual([code, stdout, first], [2, "", what]);
    assert.match(why!, /^ {2}why: {2}\S/);
    assert.equal(then, `  next: ${next}`);
    assert.ok(isNext(next), next);
  }));
});

test("an empty value is refused wherever a value is taken", async (place) => {
  const flags = rowsOf<readonly [verb: readonly string[], flags: readonly string[]]>(CASES.flags);
  const lines = [
    ...flags.flatMap(([verb, names]) =>
      names.flatMap((name) => [[...verb, name, ""], [...verb, `${name}=`], [...verb, name, " "]])
    ),
    ...[["session", "show"], ["queue", "show"], ["queue", "retry"], ["config", "validate"]]
      .map((verb) => [...verb, ""]),
    ...[["db", "backup"], ["db", "restore"]].map((verb) => [...verb, " "]),
    ["counter", "get", "", "--session", "s"],
    ["install-hooks", "--events", "Stop,"],
  ];
  const wrong = await Promise.all(lines.map(async (line) => {
    const { code, body } = await place.json(line);
    return code === 2 && body.error.code === 2 && isNext(body.error.next) ? [] : [line];
  }));
  assert.deepEqual(wrong.flat(), []);
});

test("a switch with a value is a wrong command line, told as JSON when it is --json", async (place) => {
  const { code, stdout, stderr } = await place.run(["--json=true", "status"]);
  assert.deepEqual([code, stderr], [2, ""]);
  assert.deepEqual(JSON.parse(stdout), CASES.switchWithValue);
});

test("with --json a wrong command line is one object on stdout, wherever the flag stands", async (place) => {
  for (const args of [["doctr", "--json"], ["--json", "doctr"]]) {
    const { code, stdout, stderr } = await place.run(args);
    assert.deepEqual([code, stderr], [2, ""]);
    assert.deepEqual(JSON.parse(stdout), CASES.wrongWithJson);
  }
});
