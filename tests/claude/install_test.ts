import assert from "node:assert/strict";
import { UserError } from "../../src/base/errors.ts";
import { type Program } from "../../src/claude/settings/hooks.ts";
import { DEFAULT_EVENTS, LANES, rowsOf } from "../../src/claude/settings/lanes.ts";
import {
  diffLines,
  installHooks,
  type InstallOptions,
  uninstallHooks,
} from "../../src/claude/settings/install_settings.ts";
import { isThere, modeOf, namesIn } from "../support/look.ts";
import { tempFolder } from "../support/folders.ts";
import fc from "fast-check";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/claude_cases.json" with { type: "json" };

const program: Program = { kind: "path", path: "/usr/local/bin/conclaude" };
const foreign = { type: "command", command: "guard" };

interface Home extends Disposable {
  readonly folder: string;
  readonly path: string;
  readonly options: InstallOptions;
  readonly write: (text: string) => void;
  readonly read: () => string;
}

function userHome(): Home {
  const home = tempFolder();
  const folder = `${home.path}/.claude`;
  const path = `${folder}/settings.json`;
  return {
    folder,
    path,
    options: { scope: "user", projectDir: home.path, home: home.path, program },
    write: (text) => {
      if (!isThere(folder)) Deno.mkdirSync(folder);
      Deno.writeTextFileSync(path, text);
    },
    read: () => Deno.readTextFileSync(path),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

const test = testWith(userHome);

function refusalOf(act: () => unknown): UserError {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown;
    throw thrown;
  }
  return assert.fail("it was not refused");
}

test("installHooks() makes the file, says what it did, and does nothing the second time", ({ folder, path, options, read }) => {
  const report = installHooks(options);
  assert.deepEqual({ ...report, diff: [] }, {
    settings: path,
    scope: "user",
    changed: true,
    dryRun: false,
    created: true,
    backup: null,
    events: DEFAULT_EVENTS,
    drain: true,
    blocking: [],
    loosened: [],
    command: "/usr/local/bin/conclaude hook",
    added: DEFAULT_EVENTS,
    updated: [],
    removed: [],
    warnings: [],
    diff: [],
  });
  const installed = read();
  const again = installHooks(options);
  assert.deepEqual([again.changed, again.added, again.diff], [false, [], []]);
  assert.equal(read(), installed);
  assert.deepEqual(namesIn(folder), ["settings.json"]);
});

test("uninstallHooks() removes the file that installing had made", ({ folder, options }) => {
  installHooks(options);
  const report = uninstallHooks(options);
  assert.deepEqual([report.deleted, report.restored, report.missing], [true, true, false]);
  assert.throws(() => Deno.statSync(folder), Deno.errors.NotFound);
});

test("uninstallHooks() gives back the bytes of whatever file there was", ({ folder, options, write, read }) => {
  for (const before of CASES.settingsBefore) {
    write(before);
    assert.ok(installHooks(options).changed);
    assert.equal(uninstallHooks(options).restored, true);
    assert.equal(read(), before);
    assert.deepEqual(namesIn(folder), ["settings.json"]);
  }
});

test("uninstallHooks() gives back the bytes also after the program moved and other events were chosen", ({ options, write, read }) => {
  const before = '{"hooks": { }, "a": 1}';
  write(before);
  installHooks(options);
  installHooks({ ...options, program: { kind: "path", path: "/opt/new place/conclaude-2" } });
  const third = installHooks({ ...options, events: ["Stop", "Setup"] });
  assert.deepEqual([third.added, third.updated], [["Setup"], ["Stop"]]);
  uninstallHooks({ ...options, program: undefined });
  assert.equal(read(), before);
});

test("uninstallHooks() keeps what was written after the installation", ({ path, options, write, read }) => {
  write('{"a": 1}');
  installHooks(options);
  write(read().replace('"a": 1', '"a": 2'));
  const report = uninstallHooks(options);
  assert.equal(read(), '{"a": 2}');
  assert.deepEqual([report.restored, report.backup], [false, `${path}.conclaude-backup`]);
});

test("uninstallHooks() says so when there is no file, and when there is nothing of ours in it", ({ path, options, write, read }) => {
  const missing = uninstallHooks(options);
  assert.deepEqual([missing.missing, missing.changed, missing.settings], [true, false, path]);
  write('{"hooks":{}}');
  const nothing = uninstallHooks(options);
  assert.deepEqual([nothing.missing, nothing.changed], [false, false]);
  assert.equal(read(), '{"hooks":{}}');
});

test("the backup is the file as it was before the first change, and is not renewed by an update", ({ path, options, write, read }) => {
  write('{"a":1}');
  const backup = `${path}.conclaude-backup`;
  assert.equal(installHooks(options).backup, backup);
  assert.equal(Deno.readTextFileSync(backup), '{"a":1}');
  installHooks({ ...options, program: { kind: "path", path: "/opt/conclaude" } });
  assert.equal(Deno.readTextFileSync(backup), '{"a":1}');
  write('{"a":2}');
  installHooks(options);
  assert.equal(Deno.readTextFileSync(backup), '{"a":2}');
  uninstallHooks(options);
  assert.equal(read(), '{"a":2}');
});

test("a backup from an earlier installation is not mistaken for the state before this one", ({ folder, path, options, write }) => {
  for (const earlier of ["{}\n", "", '{"precious":1}']) {
    write(earlier);
    installHooks(options);
    Deno.removeSync(path);
    installHooks(options);
    assert.equal(uninstallHooks(options).deleted, true);
    const kept = earlier === '{"precious":1}' ? ["settings.json.conclaude-backup"] : [];
    assert.deepEqual(namesIn(folder), kept);
  }
});

test("a dry run says what would change and changes nothing", ({ folder, path, options, write, read }) => {
  const fresh = installHooks({ ...options, dryRun: true });
  assert.deepEqual([fresh.changed, fresh.created, fresh.dryRun], [true, true, true]);
  assert.throws(() => Deno.statSync(folder), Deno.errors.NotFound);
  write('{\n  "a": 1\n}\n');
  const report = installHooks({ ...options, events: ["Stop"], dryRun: true });
  assert.equal(report.backup, `${path}.conclaude-backup`);
  assert.deepEqual(report.diff.slice(0, 5), [
    "  {",
    '-   "a": 1',
    '+   "a": 1,',
    '+   "hooks": {',
    '+     "Stop": [',
  ]);
  installHooks(options);
  const installed = read();
  const removal = uninstallHooks({ ...options, dryRun: true });
  assert.deepEqual([removal.changed, removal.removed], [true, DEFAULT_EVENTS]);
  assert.equal(read(), installed);
});

test("installHooks() refuses to write into a file that Claude Code would discard as a whole", ({ folder, options, write, read }) => {
  for (const event of ["PreToolUse", "PermissionRequest"]) {
    const before = JSON.stringify({
      hooks: { [event]: [{ hooks: [foreign, { ...foreign, timeout: 0 }] }] },
    });
    write(before);
    const { why, next } = refusalOf(() => installHooks(options));
    assert.ok(why.startsWith(`\`hooks.${event}[0].hooks[1].timeout\` must be a number above 0`));
    assert.match(next, /nothing was changed$/);
    assert.equal(read(), before);
    assert.deepEqual(namesIn(folder), ["settings.json"]);
  }
});

test("installHooks() warns of what Claude Code will not run", ({ options, write }) => {
  write(
    JSON.stringify({ disableAllHooks: true, hooks: { Stop: [{ hooks: [{ type: "grpc" }] }] } }),
  );
  const { warnings } = installHooks({ ...options, events: ["Stop", "WorktreeCreate"] });
  assert.equal(warnings.length, 3);
  assert.match(warnings[0] ?? "", /^`hooks.Stop\[0\].hooks\[0\].type` must be one of/);
  assert.match(warnings[1] ?? "", /disableAllHooks/);
  assert.match(warnings[2] ?? "", /worktree/);
});

test("a file that cannot be edited safely is not touched by either command", ({ folder, options, write, read }) => {
  for (
    const [text, words] of [["{} // c", /JSONC comments/], [
      '{"u":"https://x",',
      /malformed JSON/,
    ]] as const
  ) {
    write(text);
    assert.match(refusalOf(() => installHooks(options)).why, words);
    const removal = refusalOf(() => uninstallHooks(options));
    assert.match(removal.what, /^Cannot remove hooks from /);
    assert.match(removal.why, words);
    assert.equal(read(), text);
    assert.deepEqual(namesIn(folder), ["settings.json"]);
  }
});

test("a file that is named outright is used, whatever the scope", ({ folder, options }) => {
  const report = installHooks({ ...options, settings: "my.json", cwd: folder });
  assert.deepEqual([report.settings, report.scope], [`${folder}/my.json`, "file"]);
  assert.equal(uninstallHooks({ ...options, settings: `${folder}/my.json` }).deleted, true);
});

test("an installation from before the drain is brought up to date, and still leaves no trace", ({ options, write, read }) => {
  const before = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "guard"}]}]}}\n';
  write(before);
  installHooks({ ...options, events: ["Stop"] });
  const whole = read();
  const older = JSON.parse(whole);
  older.hooks.Stop = older.hooks.Stop.slice(0, 2);
  write(JSON.stringify(older));
  const dry = installHooks({ ...options, events: ["Stop"], dryRun: true });
  assert.deepEqual([dry.updated, dry.added, read()], [["Stop"], [], JSON.stringify(older)]);
  assert.match(dry.diff.join("\n"), /^\+ .*hook Drain", ?"timeout": ?60, ?"async": ?true/m);
  assert.deepEqual(installHooks({ ...options, events: ["Stop"] }).updated, ["Stop"]);
  assert.deepEqual(JSON.parse(read()), JSON.parse(whole));
  write(whole);
  assert.deepEqual(uninstallHooks(options).removed, ["Stop"]);
  assert.equal(read(), before);
});

test("a program under a new name takes the place of the old one, whatever either is called", ({ options, write, read }) => {
  const before = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "guard"}]}]}}';
  write(before);
  const named = (path: string): Program => ({ kind: "path", path });
  for (
    const path of ["/bin/conclaude", "/bin/cc-state", "/x/y/my-name", "/opt/conclaude-test", "/c"]
  ) {
    const { warnings } = installHooks({ ...options, program: named(path) });
    assert.deepEqual(warnings, []);
    for (const event of DEFAULT_EVENTS) {
      const ours = JSON.parse(read()).hooks[event].flatMap((group: { hooks: unknown[] }) =>
        group.hooks
      ).filter(({ command }: { command: string }) => command !== "guard");
      const words = rowsOf(event).map(({ role }) => role === "drain" ? "Drain" : event);
      assert.equal(ours.length, words.length, `${event} after ${path}`);
      for (const [index, word] of words.entries()) {
        assert.ok(ours[index].command.startsWith(`${path} hook ${word}`));
      }
    }
    const installed = read();
    assert.equal(installHooks({ ...options, program: named(path) }).changed, false);
    assert.equal(read(), installed);
  }
  assert.equal(uninstallHooks({ ...options, program: undefined }).restored, true);
  assert.equal(read(), before);
});

test("a program whose name only begins like ours keeps its hooks", ({ options, write, read }) => {
  const before = JSON.stringify({
    hooks: { Stop: [{ hooks: [{ type: "command", command: "conclaude-notify hook Stop" }] }] },
  });
  write(before);
  assert.equal(uninstallHooks(options).changed, false);
  installHooks(options);
  assert.ok(read().includes("conclaude-notify hook Stop"));
  uninstallHooks(options);
  assert.equal(read(), before);
});

test.unix("hooks that name this very executable, by any link or other name, are its own", ({ options, write, read }) => {
  const executable = `${options.projectDir}/cc-1.0`;
  const link = `${options.projectDir}/cc`;
  Deno.writeTextFileSync(executable, "", { mode: 0o755 });
  Deno.symlinkSync(executable, link);
  installHooks({ ...options, program: { kind: "path", path: executable } });
  write(read().replaceAll(" --conclaude", ""));
  const program: Program = { kind: "path", path: link };
  const report = installHooks({ ...options, program, executable });
  assert.deepEqual([report.added, report.updated], [[], DEFAULT_EVENTS]);
  assert.ok(!read().includes("cc-1.0"));
});

test.unix("a linked settings file stays a link through installing and uninstalling, also a dangling one", ({ folder, path, options }) => {
  const target = `${options.projectDir}/dotfiles/claude.json`;
  Deno.mkdirSync(folder);
  Deno.symlinkSync("../dotfiles/claude.json", path);
  installHooks(options);
  assert.equal(uninstallHooks(options).deleted, true);
  assert.throws(() => Deno.statSync(target), Deno.errors.NotFound);
  Deno.writeTextFileSync(target, '{"a":1}');
  Deno.chmodSync(target, 0o640);
  installHooks(options);
  assert.ok(Deno.readTextFileSync(target).includes("conclaude"));
  uninstallHooks(options);
  assert.equal(Deno.readTextFileSync(target), '{"a":1}');
  assert.equal(modeOf(target), "640");
  assert.ok(Deno.lstatSync(path).isSymlink);
  assert.deepEqual(namesIn(`${options.projectDir}/dotfiles`), ["claude.json"]);
});

test("a change by another program during an installation is read again, and not lost", ({ path, options, write, read }) => {
  write('{"theirs":1}');
  const mkdirSync = Deno.mkdirSync;
  let writes = 0;
  // The folder is made sure of between reading and renaming: the moment at which the other program writes.
  const interrupted: typeof mkdirSync = (...args) => {
    if (++writes <= 3) write(`{"theirs":${writes + 1}}`);
    return mkdirSync(...args);
  };
  Object.defineProperty(Deno, "mkdirSync", { value: interrupted, configurable: true });
  try {
    installHooks({ ...options, events: ["Stop"] });
  } finally {
    Object.defineProperty(Deno, "mkdirSync", { value: mkdirSync, configurable: true });
  }
  assert.ok(read().startsWith('{"theirs":4,"hooks":{"Stop":['), read());
  assert.equal(Deno.readTextFileSync(`${path}.conclaude-backup`), '{"theirs":4}');
  uninstallHooks(options);
  assert.equal(read(), '{"theirs":4}');
});

test.slow("many installations at once leave each hook once and lose nobody's settings", async ({ folder, path, options, write, read }) => {
  write('{"theirs": 1}');
  const module = new URL("../../src/claude/settings/install_settings.ts", import.meta.url).href;
  const script = `${options.projectDir}/install.ts`;
  Deno.writeTextFileSync(
    script,
    `import { installHooks } from ${JSON.stringify(module)};
       const program = { kind: "path", path: "/opt/" + Deno.args[0] + "/conclaude" };
       for (let round = 0; round < 10; round++) {
         installHooks({ scope: "user", projectDir: "/", home: ${
      JSON.stringify(options.home)
    }, program });
       }`,
  );
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const outputs = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "--quiet",
          "--allow-all",
          "--no-lock",
          "--config",
          config,
          script,
          `${index}`,
        ],
      }).output()),
  );
  for (const { success, stderr } of outputs) {
    assert.ok(success, new TextDecoder().decode(stderr));
  }
  const settings = JSON.parse(read());
  assert.equal(settings.theirs, 1);
  for (const event of DEFAULT_EVENTS) {
    const rows = LANES.filter((row) => row.event === event);
    assert.equal(settings.hooks[event].length, rows.length, event);
  }
  assert.deepEqual(namesIn(folder), ["settings.json", "settings.json.conclaude-backup"]);
  assert.equal(Deno.readTextFileSync(`${path}.conclaude-backup`), '{"theirs": 1}');
});

Deno.test("diffLines() shows changed lines with two lines around them and leaves the rest out", () => {
  assert.deepEqual(diffLines("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\nd\ne\nf\n"), [
    "…",
    "  b",
    "  c",
    "+ D",
    "  d",
    "  e",
    "…",
  ]);
  assert.deepEqual(diffLines("a\r\nb", "a\r\nc"), ["  a", "- b", "+ c"]);
  assert.deepEqual(diffLines("", "a\n"), ["+ a"]);
  assert.deepEqual(diffLines("same", "same"), []);
});

Deno.test("diffLines() holds every line that was added or removed", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
  fc.assert(fc.property(lines, lines, (before, after) => {
    const diff = diffLines(before.join("\n"), after.join("\n"));
    const count = (mark: string) => diff.filter((line) => line.startsWith(mark)).length;
    assert.equal(before.length + count("+ "), after.length + count("- "));
  }));
});
