/** An executable that reads itself keeps to its own file, whatever becomes of the place where it lay. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ID_BYTES } from "../../src/build/load.ts";
import { captures } from "../support/look.ts";
import { copyProgram, EXECUTABLE, running } from "../support/own_copy.ts";
import { type Finished, finished, REPOSITORY, spawnAlone } from "../support/process.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { it } from "../support/fixtures.ts";
import { needsExecutable, needsTools, testWhere } from "../support/requirements.ts";

const useOf = (id: string) => `{"session_id":"s1","tool_name":"Bash","tool_use_id":"${id}"}`;
const HOW_ON = /was replaced while it started, or is damaged: start it again, else install it anew/;

/** Where in the executable the id of its overlay begins; undefined in one that has none. */
function idPlace(): number | undefined {
  const bytes = Deno.readFileSync(EXECUTABLE);
  const length = new DataView(bytes.buffer, bytes.length - 8).getBigUint64(0, true);
  const place = bytes.length - Number(length) - ID_BYTES;
  const id = new TextDecoder("latin1").decode(bytes.subarray(place, place + ID_BYTES));
  return /^[0-9a-f]{64}$/.test(id) ? place : undefined;
}

function needsOverlay(): string | null {
  return needsExecutable() ??
    (idPlace() === undefined ? "this executable does not read itself" : null);
}

/** Runs a program. @param meanwhile What happens when it waits for its stdin. */
async function run(
  home: TempHome,
  path: string,
  args: readonly string[],
  { meanwhile, use = "a" }: { readonly meanwhile?: () => void; readonly use?: string } = {},
): Promise<Omit<Finished, "signal">> {
  const child = spawnAlone(path, args, { env: { HOME: home.path, PATH: "/usr/bin:/bin" } });
  if (meanwhile !== undefined) {
    await untilItReads(child.pid);
    meanwhile();
  }
  const { code, stdout, stderr } = await finished(child, useOf(use));
  return { code, stdout, stderr };
}

async function untilItReads(pid: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const endMs = performance.now() + 10_000;
  const look = () => {
    const waitsIn = Deno.readTextFileSync(`/proc/${pid}/wchan`);
    if (/pipe_read|unix_stream_read|sk_wait/.test(waitsIn) || performance.now() > endMs) resolve();
    else setTimeout(look, 20);
  };
  look();
  await promise;
}

function copyOf(home: TempHome, name: string): string {
  const copy = join(home.path, name);
  copyProgram(EXECUTABLE, copy);
  return copy;
}

/** The executable with another overlay: its id is not what the program in it expects. */
function damagedCopy(home: TempHome): string {
  const bytes = Deno.readFileSync(EXECUTABLE);
  const place = idPlace()!;
  bytes.fill("0".charCodeAt(0), place, place + ID_BYTES);
  const path = join(home.path, "damaged");
  Deno.writeFileSync(`${path}-written`, bytes, { mode: 0o755 });
  copyProgram(`${path}-written`, path);
  return path;
}

testWhere(
  needsOverlay() ?? needsTools("cat"),
  "a hook keeps its event when its executable is replaced or removed after it was started",
  async () => {
    const ways: Record<string, (path: string, home: TempHome) => void> = {
      removed: (path) => Deno.removeSync(path),
      "replaced by another program": (path, home) => {
        copyProgram("/bin/true", join(home.path, "true"));
        Deno.renameSync(join(home.path, "true"), path);
      },
      "replaced by another version": (path, home) => Deno.renameSync(damagedCopy(home), path),
    };
    for (const [way, replace] of Object.entries(ways)) {
      using home = tempHome();
      const path = copyOf(home, "conclaude");
      const ran = await run(home, path, ["hook", "PostToolUse"], {
        meanwhile: () => replace(path, home),
      });
      assert.deepEqual(
        ran,
        { code: 0, stdout: '{"continue":true,"suppressOutput":true}\n', stderr: "" },
        way,
      );
      assert.deepEqual(captures(home).map((row) => row["tool_use_id"]), ["a"], way);
    }
  },
);

testWhere(
  needsOverlay(),
  "an executable whose own part is damaged says so, and holds up no session",
  async () => {
    using home = tempHome();
    const path = damagedCopy(home);
    const hook = await run(home, path, ["hook", "PostToolUse"]);
    assert.equal(hook.code, 0);
    assert.match(JSON.parse(hook.stdout).systemMessage, HOW_ON);
    const status = await run(home, path, ["status"]);
    assert.equal(status.code, 1);
    assert.match(status.stderr, HOW_ON);
  },
);

it.executable("no hook is lost that begins while other versions are installed", async () => {
  using home = tempHome();
  const path = join(home.path, "bin", "conclaude");
  await using _installing = await running(`
    import { placeExecutable } from ${JSON.stringify(join(REPOSITORY, "src/build/place_file.ts"))};
    for (let number = 0;; number++) {
      const version = "0.1." + number % 2;
      await placeExecutable(${JSON.stringify(path)}, { copyOf: ${
    JSON.stringify(EXECUTABLE)
  }, version });
      if (number === 0) console.log("installed");
    }
  `);
  const uses = Array.from({ length: 40 }, (_, number) => String(number));
  const waiting = [...uses];
  const work = async () => {
    for (let use = waiting.pop(); use !== undefined; use = waiting.pop()) {
      const { code, stderr } = await run(home, path, ["hook", "PostToolUse"], { use });
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    }
  };
  await Promise.all([work(), work()]);
  const kept = captures(home).map((row) => String(row["tool_use_id"]));
  assert.deepEqual(kept.sort(), uses.sort());
});
