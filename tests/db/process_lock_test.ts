import assert from "node:assert/strict";
import { join } from "node:path";
import { isLocked, takeLock } from "../../src/db/process_lock.ts";
import { REPOSITORY } from "../support/process.ts";
import { it } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

/** Whether a process of its own gets the lock. */
async function canOtherTake(path: string): Promise<boolean> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      "-q",
      `const { takeLock } = await import("file://${REPOSITORY}/src/db/process_lock.ts");
       console.log(takeLock(${JSON.stringify(path)}) !== null);`,
    ],
  }).output();
  const text = new TextDecoder();
  assert.equal(text.decode(stderr), "");
  return text.decode(stdout).trim() === "true";
}

it.slow("the lock is held until it is released, also when its own process looks at it or asks for it again", async () => {
  using folder = tempFolder();

  const path = join(folder.path, "conclaude.lock");
  assert.equal(isLocked(path), false);
  const lock = takeLock(path)!;
  assert.equal(await canOtherTake(path), false);
  assert.equal(isLocked(path), true);
  assert.equal(takeLock(path), null);
  assert.equal(await canOtherTake(path), false);
  lock.release();
  assert.equal(isLocked(path), false);
  assert.equal(await canOtherTake(path), true);
});
