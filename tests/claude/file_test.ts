import assert from "node:assert/strict";
import { UserError } from "../../src/base/errors.ts";
import {
  backupPath,
  readBackup,
  readSettings,
  replaceBackedUp,
  replaceSettings,
} from "../../src/claude/settings/settings_file.ts";
import { settingsPath } from "../../src/claude/settings/settings_place.ts";
import { evaluate } from "../support/own_process.ts";
import { modeOf, namesIn } from "../support/look.ts";
import { tempFolder } from "../support/folders.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempFolder);

const windows = Deno.build.os === "windows";
const place = { projectDir: "/work/app", home: "/home/ana" };

Deno.test("settingsPath() knows Claude Code's three files", () => {
  assert.equal(settingsPath({ ...place, scope: "user" }), "/home/ana/.claude/settings.json");
  assert.equal(settingsPath({ ...place, scope: "project" }), "/work/app/.claude/settings.json");
  assert.equal(settingsPath({ ...place, scope: "local" }), "/work/app/.claude/settings.local.json");
});

Deno.test("settingsPath() follows CLAUDE_CONFIG_DIR for the user, unless it is empty", () => {
  const user = { ...place, scope: "user" } as const;
  assert.equal(settingsPath({ ...user, configDir: "/etc/claude" }), "/etc/claude/settings.json");
  assert.equal(settingsPath({ ...user, configDir: "" }), "/home/ana/.claude/settings.json");
});

Deno.test("settingsPath() prefers a file that is named, relative to the working directory", () => {
  const named = { ...place, scope: "user", cwd: "/work/app/sub" } as const;
  assert.equal(settingsPath({ ...named, settings: "../s.json" }), "/work/app/s.json");
  assert.equal(settingsPath({ ...named, settings: "~/s.json" }), "/home/ana/s.json");
  assert.equal(settingsPath({ ...named, settings: "/s.json" }), "/s.json");
});

Deno.test("settingsPath() says what is missing when there is no home", () => {
  assert.throws(
    () => settingsPath({ ...place, home: undefined, scope: "user" }),
    (thrown) => thrown instanceof UserError && thrown.next.includes("--settings"),
  );
});

test("replaceSettings() makes a new file 0600 in a new folder 0700, whatever the umask", async ({ path: folder }) => {
  const path = `${folder}/home/.claude/settings.json`;
  const isReplaced = await evaluate(
    `import { readSettings, replaceSettings } from "src/claude/settings/settings_file.ts";
      if (Deno.build.os !== "windows") Deno.umask(0);
      console.log(JSON.stringify(replaceSettings(readSettings(${JSON.stringify(path)}), "{}")));`,
  );
  assert.ok(isReplaced);
  assert.equal(Deno.readTextFileSync(path), "{}");
  if (windows) return;
  assert.deepEqual([modeOf(path), modeOf(`${folder}/home/.claude`)], ["600", "700"]);
});

test.unix("replaceSettings() keeps the mode of the file, also against the umask", ({ path: folder }) => {
  const path = `${folder}/settings.json`;
  for (const mode of [0o600, 0o644, 0o664, 0o400]) {
    Deno.writeTextFileSync(path, "{}");
    Deno.chmodSync(path, mode);
    assert.ok(replaceSettings(readSettings(path), "{ }"));
    assert.equal(modeOf(path), mode.toString(8));
    Deno.removeSync(path);
  }
});

test.unix("replaceSettings() writes through links, also dangling ones, and the links stay", ({ path: folder }) => {
  Deno.mkdirSync(`${folder}/dotfiles`);
  Deno.writeTextFileSync(`${folder}/dotfiles/claude.json`, "{}", { mode: 0o640 });
  Deno.symlinkSync("dotfiles/claude.json", `${folder}/near.json`);
  Deno.symlinkSync(`${folder}/near.json`, `${folder}/far.json`);
  Deno.symlinkSync("dotfiles/new/made.json", `${folder}/dangling.json`);
  for (const name of ["far", "near", "dangling"]) {
    const path = `${folder}/${name}.json`;
    assert.ok(replaceSettings(readSettings(path), `"${name}"`));
    assert.equal(Deno.readTextFileSync(path), `"${name}"`);
    assert.ok(Deno.lstatSync(path).isSymlink, name);
  }
  assert.equal(Deno.readTextFileSync(`${folder}/dotfiles/claude.json`), '"near"');
  assert.equal(Deno.readTextFileSync(`${folder}/dotfiles/new/made.json`), '"dangling"');
  assert.equal(modeOf(`${folder}/dotfiles/claude.json`), "640");
});

test("replaceSettings() writes nothing when the file has changed since it was read", ({ path: folder }) => {
  const path = `${folder}/settings.json`;
  const missing = readSettings(path);
  Deno.writeTextFileSync(path, '{"theirs":1}');
  const stale = readSettings(path);
  assert.equal(replaceSettings(missing, "{}"), false);
  Deno.writeTextFileSync(path, '{"theirs":2}');
  assert.equal(replaceSettings(stale, "{}"), false);
  assert.equal(replaceSettings(stale, undefined), false);
  Deno.removeSync(path);
  assert.equal(replaceSettings(stale, "{}"), false);
  assert.deepEqual(namesIn(folder), []);
});

test("a file that cannot be written is named, and no draft stays behind", ({ path: folder }) => {
  const path = `${folder}/settings.json`;
  Deno.mkdirSync(backupPath(path));
  assert.throws(
    () => replaceBackedUp(readSettings(path), "{}"),
    (thrown) => thrown instanceof UserError && thrown.what === `Cannot write "${backupPath(path)}"`,
  );
  assert.deepEqual(namesIn(folder), ["settings.json.conclaude-backup"]);
});

test("readSettings() keeps a byte order mark and refuses what is no text file", ({ path: folder }) => {
  Deno.writeTextFileSync(`${folder}/mark.json`, "\uFEFF{}");
  assert.equal(readSettings(`${folder}/mark.json`).text, "\uFEFF{}");
  Deno.writeFileSync(`${folder}/bytes.json`, new Uint8Array([0x7b, 0xff, 0x7d]));
  for (const path of [`${folder}/bytes.json`, folder]) {
    assert.throws(
      () => readSettings(path),
      (thrown) => thrown instanceof UserError && thrown.what === `Cannot read "${path}"`,
    );
  }
});

test.unix("readSettings() gives up on links that go round in a circle", ({ path: folder }) => {
  Deno.symlinkSync("b.json", `${folder}/a.json`);
  Deno.symlinkSync("a.json", `${folder}/b.json`);
  assert.throws(
    () => readSettings(`${folder}/a.json`),
    (thrown) => thrown instanceof UserError && /too many levels/i.test(thrown.why),
  );
});

test("a backup has the text and the mode of the file, and replaces a link rather than follow it", ({ path: folder }) => {
  const path = `${folder}/settings.json`;
  Deno.writeTextFileSync(path, '{"a":1}');
  if (!windows) {
    Deno.chmodSync(path, 0o640);
    Deno.writeTextFileSync(`${folder}/victim`, "precious");
    Deno.symlinkSync(`${folder}/victim`, backupPath(path));
  }
  assert.ok(replaceBackedUp(readSettings(path), "{}"));
  assert.equal(readBackup(path), '{"a":1}');
  if (windows) return;
  assert.equal(modeOf(backupPath(path)), "640");
  assert.equal(Deno.readTextFileSync(`${folder}/victim`), "precious");
});
