import assert from "node:assert/strict";
import { join } from "node:path";
import { thisSystem } from "../../src/system/permissions.ts";
import { LAUNCHER_MARK, launcherFiles } from "../../src/build/place_file.ts";
import { surroundings } from "../../src/build/program.ts";
import { REPOSITORY } from "../support/process.ts";
import { tempHome } from "../support/program.ts";
import { it } from "../support/fixtures.ts";

it.unix("the launcher runs a bundle whose path has spaces and quotes, from any folder, arguments as they are", async () => {
  using home = tempHome();
  const folder = join(home.path, 'it\'s a "place" $HOME `x`');
  Deno.mkdirSync(folder);
  const bundle = join(folder, "main.js");
  Deno.writeTextFileSync(bundle, "console.log(JSON.stringify(Deno.args));");
  const [file] = launcherFiles(thisSystem(), { deno: Deno.execPath(), bundle });
  const launcher = join(folder, file!.name);
  Deno.writeTextFileSync(launcher, file!.text, { mode: 0o755 });

  const { stdout, success } = await new Deno.Command(launcher, {
    args: ["hook", "two words", "", "*"],
    cwd: "/",
    clearEnv: true,
    env: { ...surroundings(join(REPOSITORY, "dist", "runtime-cache")), HOME: home.path },
  }).output();
  assert.ok(success);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), ["hook", "two words", "", "*"]);
});

it.unix("a launcher whose clone is gone says so, and fails without the exit status that blocks", async () => {
  using home = tempHome();
  const parts = { deno: Deno.execPath(), bundle: join(home.path, "gone", "main.js") };
  const launcher = join(home.path, "conclaude");
  Deno.writeTextFileSync(launcher, launcherFiles(thisSystem(), parts)[0]!.text, { mode: 0o755 });
  const { code, stderr } = await new Deno.Command(launcher, { args: ["hook", "Stop"] }).output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /gone.*is gone; run `deno task install`/);
});

Deno.test("on Windows there is a launcher for its own shell and one for Git Bash", () => {
  const files = launcherFiles("windows", {
    deno: "C:\\Program Files\\deno.exe",
    bundle: "C:\\100%\\dist\\bundle\\main.js",
  });
  assert.deepEqual(files.map(({ name }) => name), ["conclaude", "conclaude.cmd"]);
  assert.match(files[0]!.text, /deno='C:\/Program Files\/deno\.exe'/);
  assert.match(files[1]!.text, /"C:\\Program Files\\deno\.exe" run .*"C:\\100%%\\dist/);
  assert.match(files[1]!.text, /%\*\r\n$/);
  for (const { text } of files) assert.ok(text.includes(LAUNCHER_MARK));
});
