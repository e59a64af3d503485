/** doctor mends what is this program's own, and nothing that a link leads to. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { spoolSuffix } from "../../src/db/spool.ts";
import { modeOf, query, spoolFiles } from "../support/look.ts";
import { change } from "../support/on_home.ts";
import { hook, jsonOf, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { it } from "../support/fixtures.ts";

const USE = { session_id: "s1", tool_name: "Bash", tool_use_id: "a" };
const RECORD = "01a20e2f-0000-7000-8000-000000000000";

interface Row {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly next: string;
}

async function doctor(home: TempHome, ...flags: string[]): Promise<Row[]> {
  const finished = await runProgram(["doctor", "--json", ...flags], {
    env: { HOME: home.path },
    cwd: home.path,
  });
  return jsonOf(finished).checks;
}

function told(rows: readonly Row[], name: string): readonly Row[] {
  return rows.filter((row) => row.name === name && row.status !== "ok");
}

/** A home that was used, with a file outside of conclaude's folder. */
async function usedHome(target: { readonly mode: number; readonly text?: string }) {
  const home = tempHome();
  await hook("PostToolUse", USE, home);
  const path = join(home.path, "target");
  Deno.writeTextFileSync(path, target.text ?? "mine\n");
  Deno.chmodSync(path, target.mode);
  return { home, path, data: join(home.path, ".conclaude") };
}

it.unix("doctor --fix leaves a link in the spool and what it leads to alone, and names both", async () => {
  for (const suffix of [".aaaaaaaa.json", null, ".tmp"]) {
    const { home, path, data } = await usedHome({ mode: 0o644 });
    using _home = home;
    Deno.mkdirSync(join(data, "spool"), { recursive: true, mode: 0o700 });
    const link = join(data, "spool", RECORD + (suffix ?? spoolSuffix(home.database)));
    Deno.symlinkSync(path, link);

    const rows = await doctor(home, "--fix");

    assert.equal(modeOf(path), "644", link);
    assert.equal(Deno.readTextFileSync(path), "mine\n");
    assert.equal(Deno.readLinkSync(link), path);
    assert.deepEqual(told(rows, "permissions"), []);
    const named = told(rows, "spool");
    assert.equal(named.length, suffix === ".tmp" ? 0 : 1, JSON.stringify(named));
    if (named[0]) {
      assert.ok(
        named[0].message.includes(`${link} has the name of a record and is a link to ${path}`),
      );
    }
  }
});

it.unix("a record that a link leads to is taken in by nobody", async () => {
  using home = tempHome();
  Deno.mkdirSync(home.database, { recursive: true, mode: 0o700 });
  await hook("PostToolUse", { ...USE, tool_use_id: "b" }, home);
  const [link] = spoolFiles(home);
  const record = join(home.path, "record.json");
  Deno.renameSync(link!, record);
  Deno.symlinkSync(record, link!);
  Deno.removeSync(home.database);
  await hook("PostToolUse", { ...USE, tool_use_id: "c" }, home);
  await doctor(home, "--fix");
  const uses = query(home, "SELECT tool_use_id AS id FROM pending_queue");
  assert.deepEqual(uses.map(({ id }) => id), ["c"]);
  assert.ok(Deno.lstatSync(link!).isSymlink);
  assert.ok(Deno.lstatSync(record).isFile);
});

it.unix("a configuration behind a link keeps its mode, and only one that others can write is named", async () => {
  for (const [mode, warned] of [[0o644, false], [0o600, false], [0o664, true], [0o646, true]]) {
    const { home, path, data } = await usedHome({ mode: Number(mode), text: "# mine\n" });
    using _home = home;
    Deno.symlinkSync(path, join(data, "config.yaml"));

    const [row] = told(await doctor(home, "--fix"), "permissions");

    assert.equal(modeOf(path), Number(mode).toString(8));
    assert.equal(row !== undefined, warned, JSON.stringify(row));
    if (row === undefined) continue;
    assert.ok(
      row.message.startsWith(`${path}, where ${join(data, "config.yaml")} leads to, can be`),
    );
    assert.match(row.message, /; who writes to it decides what counts here$/);
    assert.equal(row.next, `chmod go-w ${path}`);
    if (Deno.uid() !== 0) continue;
    Deno.chownSync(path, 65_534, null);
    const rows = told(await doctor(home), "permissions");
    assert.deepEqual(rows.map(({ next }) => next), [`ls -l ${path}`]);
    assert.match(rows[0]!.message, /belongs to another user \(number 65534\) and can be written/);
  }
});

it.unix("a configuration that is no link is closed as before", async () => {
  const { home, data } = await usedHome({ mode: 0o644 });
  using _home = home;
  const path = join(data, "config.yaml");
  Deno.writeTextFileSync(path, "# mine\n");
  Deno.chmodSync(path, 0o644);
  await doctor(home, "--fix");
  assert.equal(modeOf(path), "600");
});

it.unix("a file with a second name elsewhere keeps its mode", async () => {
  const { home, path, data } = await usedHome({ mode: 0o644 });
  using _home = home;
  Deno.linkSync(path, join(data, "conclaude.log"));
  const [row] = told(await doctor(home, "--fix"), "permissions");
  assert.equal(modeOf(path), "644");
  assert.match(row!.message, /conclaude\.log is open to other users: mode 0644; what is behind a/);
});

it.unix("folders behind links keep their modes, and so do the files in them", async () => {
  const { home, data } = await usedHome({ mode: 0o644 });
  using _home = home;
  const elsewhere = join(home.path, "elsewhere");
  Deno.mkdirSync(elsewhere);
  const file = join(elsewhere, "anything.json");
  Deno.writeTextFileSync(file, "{}");
  Deno.chmodSync(file, 0o644);
  Deno.chmodSync(elsewhere, 0o755);
  Deno.removeSync(join(data, "spool"), { recursive: true });
  Deno.symlinkSync(elsewhere, join(data, "spool"));
  const rows = told(await doctor(home, "--fix"), "permissions");
  assert.deepEqual([modeOf(file), modeOf(elsewhere)], ["644", "755"]);
  assert.deepEqual(rows.map(({ next }) => next), [`chmod 600 ${file}`, `chmod 700 ${elsewhere}`]);

  // And the whole folder of this program.
  using other = tempHome();
  Deno.renameSync(data, join(other.path, "moved"));
  Deno.chmodSync(join(other.path, "moved"), 0o755);
  Deno.chmodSync(join(other.path, "moved", "conclaude.db"), 0o644);
  Deno.symlinkSync(join(other.path, "moved"), join(other.path, ".conclaude"));
  const all = await doctor(other, "--fix");
  assert.equal(modeOf(join(other.path, "moved")), "755");
  assert.equal(modeOf(join(other.path, "moved", "conclaude.db")), "644");
  assert.deepEqual(told(all, "home").map(({ next }) => next), [
    `chmod 700 ${join(other.path, "moved")}`,
  ]);
});

it.unix("a database behind a link keeps its mode; doctor and db check name the file", async () => {
  using home = tempHome();
  await hook("PostToolUse", USE, home);
  change(home, "PRAGMA wal_checkpoint(TRUNCATE)");
  const real = join(home.path, "real.db");
  Deno.renameSync(home.database, real);
  Deno.symlinkSync(real, home.database);
  Deno.chmodSync(real, 0o644);
  const [row] = told(await doctor(home, "--fix"), "permissions");
  assert.equal(modeOf(real), "644");
  assert.equal(row!.next, `chmod 600 ${real}`);
  const check = jsonOf(await runProgram(["db", "check", "--json"], { env: { HOME: home.path } }));
  const named = told(check.checks, "permissions").map(({ next }) => next);
  assert.ok(named.includes(`chmod 600 ${real}`), JSON.stringify(named));
});

it.unix("config init --force --user keeps the mode of a file behind a link", async () => {
  const { home, path, data } = await usedHome({ mode: 0o640 });
  using _home = home;
  Deno.symlinkSync(path, join(data, "config.yaml"));
  await runProgram(["config", "init", "--force", "--user"], { env: { HOME: home.path } });
  assert.match(Deno.readTextFileSync(path), /capture/);
  assert.equal(modeOf(path), "640");
  assert.equal(spoolFiles(home).length, 0);
});
