/** Hooks in the managed settings of a machine: installed by root, seen by doctor and status, taken back. */
import assert from "node:assert/strict";
import { INNER_HOME, privateMounts } from "../support/private_mounts.ts";
import { startProgram } from "../support/process.ts";
import { modeOf } from "../support/look.ts";
import { needsMounts } from "../support/requirements.ts";
import { testWith } from "../support/fixtures.ts";

const OWN_ETC = "cp -a /etc /mnt/etc && mount --bind /mnt/etc /etc && rm -rf /etc/claude-code";
const FILE = "/etc/claude-code/managed-settings.d/50-conclaude.json";
const RULES = "preToolUse: {uneditableFiles: ['*.lock']}\n";

const test = testWith(() => privateMounts(OWN_ETC), needsMounts());

test("install-hooks --managed writes hooks for everybody, which doctor and status see, and takes them back", async ({ through, outside }) => {
  const project = `${INNER_HOME}/project`;
  Deno.mkdirSync(outside(project));
  Deno.writeTextFileSync(outside(`${project}/.conclaude.yaml`), RULES);
  const run = (...args: readonly string[]) =>
    startProgram(args, { env: { HOME: INNER_HOME, CLAUDE_PROJECT_DIR: project }, through });
  const installed = await run("install-hooks", "--managed");
  assert.match(installed.stdout, new RegExp(`^Installed hooks in ${FILE}\n`), installed.stderr);
  assert.match(installed.stdout, /allowManagedModsOnly/);
  assert.equal(modeOf(outside(FILE)), "644");
  assert.equal(modeOf(outside("/etc/claude-code/managed-settings.d")), "755");
  assert.match(
    (await run("status", "--verbose")).stdout,
    new RegExp(`hooks +${FILE} \\(17 events\\)`),
  );
  const settings = outside(`${INNER_HOME}/.claude`);
  Deno.mkdirSync(settings);
  // Only managed settings switch off what they start.
  Deno.writeTextFileSync(`${settings}/settings.json`, '{"disableAllHooks": true}');
  const doctor = JSON.parse((await run("doctor", "--json")).stdout);
  const gates = doctor.checks.filter(({ name }: { name: string }) => name === "gates");
  assert.doesNotMatch(JSON.stringify(gates), /NOT ARMED/);
  const hooks = doctor.checks.filter(({ name }: { name: string }) => name === "hooks");
  assert.match(JSON.stringify(hooks), /installed in \/etc\/claude-code/);
  const other = await run("install-hooks", "--command", "/bin/true");
  assert.match(
    other.stdout,
    /recorded twice[^]*`conclaude uninstall-hooks --managed` takes them out/,
  );
  assert.equal((await run("uninstall-hooks", "--managed")).code, 0);
  assert.throws(() => Deno.statSync(outside(FILE)));
});

test("install-hooks --managed tells who is not root how to go on, and changes nothing", async ({ through, outside }) => {
  const { code, stderr } = await startProgram(["install-hooks", "--managed"], {
    env: { HOME: "/nonexistent" },
    through: [...through, "setpriv", "--reuid=65534", "--clear-groups"],
  });
  assert.equal(code, 1);
  assert.match(stderr, /why: .*[Pp]ermission denied.*; nothing was changed/);
  assert.match(stderr, /sudo conclaude install-hooks --managed/);
  assert.throws(() => Deno.statSync(outside(FILE)));
});

test("--managed with another place is refused", async ({ through }) => {
  const { code, stderr } = await startProgram(["install-hooks", "--managed", "--scope", "user"], {
    env: { HOME: INNER_HOME },
    through,
  });
  assert.equal(code, 2);
  assert.match(stderr, /Cannot use --managed and --scope together/);
});
