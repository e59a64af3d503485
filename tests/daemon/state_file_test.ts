import assert from "node:assert/strict";
import { join } from "node:path";
import { type DaemonState, keepState, readState } from "../../src/daemon/client.ts";
import { inFolder } from "../support/folders.ts";
import { modeOf, namesIn } from "../support/look.ts";

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
const TELL_OF_NONE = [
  "",
  "no JSON",
  "null",
  '"a text"',
  "[]",
  JSON.stringify({ ...STATE, pid: 1.5 }),
  JSON.stringify({ ...STATE, startedAtMs: "yesterday" }),
  JSON.stringify({ ...STATE, token: undefined }),
  JSON.stringify({ ...STATE, version: 3 }),
  JSON.stringify({ ...STATE, socket: 7 }),
  JSON.stringify({ ...STATE, port: "80" }),
];

Deno.test("the state file is readable for its user alone, is read as it was written, and is not written twice", () =>
  inFolder((folder) => {
    const path = join(folder, "conclaude.daemon.json");
    assert.equal(readState(path), null);
    assert.equal(keepState(path, STATE), "written");
    assert.equal(keepState(path, STATE), "kept");
    assert.deepEqual(readState(path), STATE);
    assert.equal(keepState(path, { ...STATE, port: 8080 }), "written");
    assert.deepEqual([readState(path)!.port, modeOf(path)], [8080, "600"]);
    assert.deepEqual(namesIn(folder), ["conclaude.daemon.json"]);
  }));

Deno.test("a file of an earlier version has no mark of the process", () =>
  inFolder((folder) => {
    const path = join(folder, "conclaude.daemon.json");
    Deno.writeTextFileSync(path, JSON.stringify({ ...STATE, processMark: undefined }));
    assert.deepEqual(readState(path), { ...STATE, processMark: null });
  }));

for (const text of TELL_OF_NONE) {
  Deno.test(`a state file tells of no daemon: ${text}`, () =>
    inFolder((folder) => {
      const path = join(folder, "conclaude.daemon.json");
      Deno.writeTextFileSync(path, text);
      assert.equal(readState(path), null);
    }));
}
