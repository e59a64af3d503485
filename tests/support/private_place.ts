/** A session in which people write private words, every one of which is looked for in every byte that is kept. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { filesBelow } from "./look.ts";
import { startHook, startProgram } from "./process.ts";
import { type TempHome, tempHome } from "./program.ts";

const SESSION = "0198f0e1-0000-7000-8000-00000000d001";
/** In every private line; nothing else holds it. */
const HIDDEN = /HUSHWORD|hushword/;

/** A home in which hooks run. */
export interface PrivatePlace extends Disposable {
  readonly home: TempHome;
  readonly event: (name: string, fields: object) => Promise<string>;
  /** Every byte below the home, and what is printed of it. */
  readonly search: () => Promise<string>;
}

/** A new home, and a session in it. A hook that fails, or prints a private word, throws. */
export function privatePlace(): PrivatePlace {
  const home = tempHome();
  const env = { HOME: home.path };
  const event = async (name: string, fields: object) => {
    const payload = { session_id: SESSION, hook_event_name: name, cwd: home.path, ...fields };
    const { code, stdout, stderr } = await startHook(name, payload, home, { cwd: home.path, env });
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout + stderr, HIDDEN);
    return stdout;
  };
  return {
    home,
    event,
    async search() {
      const { stdout } = await startProgram(["export"], { cwd: home.path, env });
      assert.doesNotMatch(stdout, HIDDEN);
      for (const path of filesBelow(home.path)) {
        assert.doesNotMatch(path, HIDDEN);
        const bytes = Buffer.from(Deno.readFileSync(path)).toString("latin1");
        const at = bytes.search(HIDDEN);
        assert.equal(at, -1, `${path}: …${bytes.slice(Math.max(0, at - 200), at + 80)}…`);
      }
      return stdout;
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}
