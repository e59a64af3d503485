/** Folders of tests, which are gone afterwards. */

/** What was started in a folder may write its last file while the folder is being removed, so often that is looked again. */
const ATTEMPTS = 20;
const PAUSE_MS = 50;

/** Removes a file or a folder of a test with all that is in it, where it is there. */
export function removeFolder(path: string): void {
  for (let attempt = 1;; attempt++) {
    try {
      return Deno.removeSync(path, { recursive: true });
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound) return;
      if (attempt >= ATTEMPTS) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** A folder that is removed at the end of the block. */
export interface TempFolder extends Disposable {
  readonly path: string;
}

/** A new empty folder: `using folder = tempFolder();`. */
export function tempFolder(): TempFolder {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-folder-" }));
  return { path, [Symbol.dispose]: () => removeFolder(path) };
}
