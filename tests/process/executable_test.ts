/** The one file that people download: it needs nothing but itself. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { captures, entriesBelow } from "../support/look.ts";
import { copyProgram, EXECUTABLE } from "../support/own_copy.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { needsExecutable, needsRoot, needsTools } from "../support/requirements.ts";
import { testWith } from "../support/fixtures.ts";
import { finished, spawnAlone } from "../support/process.ts";

const USE = '{"session_id":"s1","tool_name":"Bash","tool_use_id":"a"}';

/** Runs a copy of the executable through the shell, with nothing in its environment but a home and a path. */
async function run(
  home: TempHome,
  executable: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly through?: readonly string[] } = {},
) {
  const [command, ...rest] = [
    ...options.through ?? [],
    "env",
    "-i",
    `HOME=${home.path}`,
    "PATH=/usr/bin:/bin",
    executable,
    ...args,
  ];
  const alone = { env: { PATH: "/usr/bin:/bin" }, cwd: options.cwd ?? "/" };
  const { code, stdout, stderr } = await finished(spawnAlone(command!, rest, alone), USE);
  return { code, stdout, stderr };
}

async function assertWorks(
  home: TempHome,
  executable: string,
  options: { readonly cwd?: string; readonly through?: readonly string[] } = {},
): Promise<void> {
  assert.deepEqual(await run(home, executable, ["hook", "PostToolUse"], options), {
    code: 0,
    stdout: '{"continue":true,"suppressOutput":true}\n',
    stderr: "",
  });
  assert.equal(captures(home).at(-1)!["tool_use_id"], "a");
  const list = await run(home, executable, ["session", "list", "--json"], options);
  assert.equal(JSON.parse(list.stdout).sessions[0].sessionId, "s1");
  assert.match((await run(home, executable, ["--version"], options)).stdout, /^\d+\.\d+\.\d+\n$/);
}

const test = testWith(tempHome, needsExecutable());

test("the executable works with an empty environment, from any folder", async (home) => {
  const odd = join(home.path, 'an odd "folder" $(x) é');
  Deno.mkdirSync(odd);
  for (const cwd of ["/", "/proc", odd]) await assertWorks(home, EXECUTABLE, { cwd });
});

test("the executable works copied, renamed and moved", async (home) => {
  const folder = join(home.path, "tools of ana");
  Deno.mkdirSync(folder);
  for (const name of ["conclaude", "claude state 2", "node", "hook"]) {
    const copy = join(folder, name);
    copyProgram(EXECUTABLE, copy);
    await assertWorks(home, copy);
    Deno.removeSync(copy);
  }
});

test("the executable works through a link", async (home) => {
  const link = join(home.path, "c");
  Deno.symlinkSync(EXECUTABLE, link);
  await assertWorks(home, link);
});

test("hooks start the link that the executable was started by, which an upgrade does not break", async (home) => {
  const release = join(home.path, "opt", "conclaude-0.1.0");
  Deno.mkdirSync(release, { recursive: true });
  const executable = join(release, "conclaude");
  copyProgram(EXECUTABLE, executable);
  const link = join(home.path, "conclaude");
  Deno.symlinkSync(executable, link);
  for (const started of [link, "./conclaude"]) {
    const { stdout } = await run(home, started, ["install-hooks", "--json"], { cwd: home.path });
    assert.equal(JSON.parse(stdout).command, `${link} hook`, started);
  }
  const { stdout } = await run(home, executable, ["doctor", "--json"]);
  const hooks = JSON.parse(stdout).checks.filter((row: { name: string }) => row.name === "hooks");
  assert.deepEqual(hooks.map((row: { status: string }) => row.status), ["ok"]);
});

const it = testWith(tempHome, needsExecutable() ?? needsRoot() ?? needsTools("unshare", "chroot"));

it("the executable works without a network", async (home) => {
  await assertWorks(home, EXECUTABLE, { through: ["unshare", "-n"] });
});

it("the executable works where there is no other program: no Deno, no Node, no shell", async (home) => {
  const root = join(home.path, "root");
  for (const folder of ["lib", "lib64", "usr", "home", "tmp", "proc"]) {
    Deno.mkdirSync(join(root, folder), { recursive: true });
  }
  copyProgram(EXECUTABLE, join(root, "program"));
  // Only the C library is lent to it, and /proc, where the executable finds itself.
  const script = `for name in /lib /lib64 /proc; do mount --bind $name "$1$name"; done
    mkdir "$1/usr/lib" && mount --bind /usr/lib "$1/usr/lib"
    exec chroot "$1" /program hook PostToolUse`;
  const env = { HOME: "/home", PATH: "/usr/bin:/bin:/usr/sbin:/sbin" };
  const words = ["-m", "-n", "sh", "-ec", script, "sh", root];
  const { code, stderr } = await finished(spawnAlone("unshare", words, { env }), USE);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.equal(captures(join(root, "home", ".conclaude", "conclaude.db")).length, 1);
});

test("the executable leaves nothing behind but its own data", async (home) => {
  const name = `copy-${crypto.randomUUID()}`;
  copyProgram(EXECUTABLE, join(home.path, name));
  await assertWorks(home, join(home.path, name));
  const made = entriesBelow(home.path).map(({ path }) => path.slice(home.path.length + 1));
  assert.deepEqual(made.filter((path) => path !== name && !/^\.conclaude(\/|$)/.test(path)), []);
  // A runtime that caches compiled code would keep it under the executable's name.
  const inTmp = [...Deno.readDirSync("/tmp")].map((entry) => entry.name);
  assert.deepEqual(inTmp.filter((entry) => entry.includes(name)), []);
});
