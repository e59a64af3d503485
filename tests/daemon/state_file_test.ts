import assert from "node:assert/strict";
import { join } from "node:path";
import { type DaemonState, keepState, readState } from "../../src/daemon/client.ts";
import { tempFolder } from "../support/folders.ts";
import { modeOf, namesIn } from "../support/look.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempFolder);

const STATE: DaemonState = {
  pid: 4711,
  processMark: "123 boot",
  startedAtMs: 1_700_000_000_000,
  socket: "/run/conclaude.sock",
  port: null,
  token: "a token",
  version: "1.2.3",
};

/** Texts of files that tell of no daemon. */
const TELL_OF_NONE = ["", "no JSON", "null", '"a text"', "[]"];

test("the state file is readable for its user alone, is read as it was written, and is not written twice", ({ path: folder }) => {
  const path = join(folder, "conclaude.daemon.json");
  assert.equal(readState(path), null);
  assert.equal(keepState(path, STATE), "written");
  assert.equal(keepState(path, STATE), "kept");
  assert.deepEqual(readState(path), STATE);
  assert.equal(keepState(path, { ...STATE, port: 8080 }), "written");
  assert.deepEqual([readState(path)!.port, modeOf(path)], [8080, "600"]);
  assert.deepEqual(namesIn(folder), ["conclaude.daemon.json"]);
});

for (const text of TELL_OF_NONE) {
  test(`a state file tells of no daemon: ${text}`, ({ path: folder }) => {
    const path = join(folder, "conclaude.daemon.json");
    Deno.writeTextFileSync(path, text);
    assert.equal(readState(path), null);
  });
}
