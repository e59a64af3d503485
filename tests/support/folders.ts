/** Folders of tests, which are gone afterwards. */

/** What was started in a folder may write its last file while the folder is being removed, so often that is looked again. */
const ATTEMPTS = 20;
const PAUSE_MS = 50;

/** Removes a folder of a test with all that is in it, where it is there. */
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

/** Runs `act` with a new folder and removes it afterwards, also when `act` fails. */
export async function inFolder(act: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-folder-" }));
  try {
    await act(folder);
  } finally {
    removeFolder(folder);
  }
}
