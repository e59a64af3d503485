/** Programs that only start another one. */
import assert from "node:assert/strict";
import { LAUNCHERS, withoutLaunchers } from "../../../src/memory/observe/script_words.ts";

Deno.test("what only starts a command is taken off it, with its options", () => {
  for (const { example, call } of LAUNCHERS) {
    const rest = withoutLaunchers(example.split(" ")).join(" ");
    assert.match(rest, /^(?:make|jest|vendor\/bin\/phpunit) x$/, String(call));
  }
});
