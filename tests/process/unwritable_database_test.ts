/** What a database holds is read also where nothing can be written beside it. */
import assert from "node:assert/strict";
import { startProgram } from "../support/process.ts";
import { INNER_HOME, privateMounts } from "../support/private_mounts.ts";
import { needsMounts, testWhere } from "../support/requirements.ts";

const MOUNT = `mount -o remount,ro ${INNER_HOME}`;
const FILL = `dd if=/dev/zero of=${INNER_HOME}/filler bs=1k 2>/dev/null || true`;
const PLACES = { "mounted read-only": MOUNT, "full": FILL };

for (const [place, close] of Object.entries(PLACES)) {
  testWhere(
    needsMounts(),
    `a database on a disk that is ${place} is searched and exported`,
    async () => {
      await using inside = await privateMounts();
      const say = async (...args: string[]) =>
        await startProgram(args, { env: { HOME: INNER_HOME }, cwd: "/", through: inside.through });
      assert.equal((await say("memory", "remember", "the cache key holds the tenant")).code, 0);
      // As a checkpoint leaves it: without the files that a reader finds its way by.
      assert.equal((await say("db", "vacuum")).code, 0);
      await inside.run(`rm -f ${INNER_HOME}/.conclaude/*-wal ${INNER_HOME}/.conclaude/*-shm`);
      await inside.run(close);
      for (const args of [["memory", "search", "tenant"], ["memory", "show", "1"], ["export"]]) {
        const { code, stdout, stderr } = await say(...args);
        assert.deepEqual({ args, code }, { args, code: 0 });
        assert.match(stdout, /the cache key holds the tenant/);
        assert.match(stderr, /cannot be written.*read from a copy/);
      }
      const refused = await say("memory", "remember", "another");
      assert.deepEqual([refused.code, refused.stdout], [1, ""]);
      assert.match(refused.stderr, /Cannot open the database[^]*nothing was changed/);
      const left = Array.from(Deno.readDirSync(inside.outside("/tmp")), ({ name }) => name);
      assert.deepEqual(left.filter((name) => name.startsWith("conclaude-nameless-")), []);
    },
  );
}
