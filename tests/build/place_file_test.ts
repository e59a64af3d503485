import assert from "node:assert/strict";
import { join } from "node:path";
import { LAUNCHER_MARK, placeExecutable, placeProgram } from "../../src/build/place_file.ts";
import { tempHome } from "../support/program.ts";
import { namesIn } from "../support/look.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempHome);

const OURS = `#!/bin/sh\n# ${LAUNCHER_MARK}.\n`;

test("placeProgram() makes the folder and an executable file", async (home) => {
  const path = join(home.path, ".local", "bin", "conclaude");
  assert.deepEqual(await placeProgram(path, { text: OURS }), { before: "nothing" });
  assert.equal(Deno.readTextFileSync(path), OURS);
  if (Deno.build.os !== "windows") assert.equal(Deno.statSync(path).mode! & 0o777, 0o755);
});

test("placeProgram() copies a file, and leaves nothing beside it", async (home) => {
  const source = join(home.path, "built");
  Deno.writeTextFileSync(source, "the executable");
  const path = join(home.path, "bin", "conclaude");
  await placeProgram(path, { copyOf: source });
  assert.equal(Deno.readTextFileSync(path), "the executable");
  assert.deepEqual(namesIn(join(home.path, "bin")), ["conclaude"]);
});

test("placeProgram() replaces a launcher and an executable of ours", async (home) => {
  const path = join(home.path, "conclaude");
  Deno.writeTextFileSync(path, OURS);
  assert.deepEqual(await placeProgram(path, { text: OURS }), { before: "ours" });
  Deno.writeTextFileSync(path, "\0ELF… d3n0l4nd … CONCLAUDE_DB_PATH,HOME");
  assert.deepEqual(await placeProgram(path, { text: OURS }), { before: "ours" });
  assert.deepEqual(namesIn(home.path), ["conclaude"]);
});

test("placeProgram() keeps another program of the same name, each time under a new one", async (home) => {
  const path = join(home.path, "conclaude");
  for (const [content, expected] of [["one", ""], ["two", "-2"]] as const) {
    Deno.writeTextFileSync(path, content);
    const movedTo = `${path}.before-conclaude${expected}`;
    assert.deepEqual(await placeProgram(path, { text: OURS }), { before: "foreign", movedTo });
    assert.equal(Deno.readTextFileSync(movedTo), content);
  }
});

test.unix("placeProgram() replaces a link itself, never the file that it leads to", async (home) => {
  const target = join(home.path, "elsewhere");
  const path = join(home.path, "conclaude");
  Deno.writeTextFileSync(target, OURS);
  Deno.symlinkSync(target, path);
  assert.equal((await placeProgram(path, { text: `${OURS}new` })).before, "foreign");
  assert.equal(Deno.readTextFileSync(target), OURS);
  assert.ok(Deno.lstatSync(path).isFile);
});

test("placeProgram() refuses a folder, and leaves no draft behind", async (home) => {
  const path = join(home.path, "conclaude");
  Deno.mkdirSync(path);
  await assert.rejects(placeProgram(path, { text: OURS }), /is a folder/);
  assert.deepEqual(namesIn(home.path), ["conclaude"]);
});

const noLinks = Deno.build.os === "windows";

/** Puts an executable with this content into its place, and tells the name that the link there leads to. */
async function placed(home: string, content: string) {
  const built = join(home, "built");
  Deno.writeTextFileSync(built, `d3n0l4nd CONCLAUDE_DB_PATH ${content}`);
  const path = join(home, "bin", "conclaude");
  const { before } = await placeExecutable(path, { copyOf: built, version: "1.2.3" });
  return { before, path, name: Deno.readLinkSync(path) };
}

Deno.test({
  name: "placeExecutable() puts a link there, and leaves the file that it has led to where it is",
  ignore: noLinks,
  async fn() {
    using home = tempHome();
    const first = await placed(home.path, "one");
    assert.equal(first.before, "nothing");
    assert.match(first.name, /^conclaude-1\.2\.3-[0-9a-f]{8}$/);
    const second = await placed(home.path, "two");
    assert.equal(second.before, "ours");
    assert.match(Deno.readTextFileSync(second.path), /two$/);
    assert.deepEqual(
      namesIn(join(home.path, "bin")),
      ["conclaude", first.name, second.name].sort(),
    );
    assert.equal(Deno.statSync(second.path).mode! & 0o777, 0o755);
  },
});

Deno.test({
  name: "placeExecutable() keeps the one before, and removes older ones of ours alone",
  ignore: noLinks,
  async fn() {
    using home = tempHome();
    const first = await placed(home.path, "one");
    const foreign = join(home.path, "bin", "conclaude-0.1.0-0123abcd");
    Deno.writeTextFileSync(foreign, "another program");
    const second = await placed(home.path, "two");
    const third = await placed(home.path, "three");
    assert.deepEqual(
      namesIn(join(home.path, "bin")),
      ["conclaude", "conclaude-0.1.0-0123abcd", second.name, third.name].sort(),
    );
    assert.notEqual(first.name, third.name);
    assert.equal((await placed(home.path, "three")).name, third.name);
  },
});

Deno.test({
  name:
    "placeExecutable() takes the place of an executable that lies there itself, and keeps another program's",
  ignore: noLinks,
  async fn() {
    using home = tempHome();
    const path = join(home.path, "bin", "conclaude");
    Deno.mkdirSync(join(home.path, "bin"));
    Deno.writeTextFileSync(path, "\0ELF… d3n0l4nd … CONCLAUDE_DB_PATH,HOME");
    assert.equal((await placed(home.path, "one")).before, "ours");
    Deno.removeSync(path);
    Deno.writeTextFileSync(path, "another program");
    assert.equal((await placed(home.path, "two")).before, "foreign");
    assert.equal(Deno.readTextFileSync(`${path}.before-conclaude`), "another program");
  },
});

Deno.test({
  name:
    "placeExecutable() takes the place of a link to an executable of ours by any name beside it",
  ignore: noLinks,
  async fn() {
    using home = tempHome();
    const bin = join(home.path, "bin");
    const path = join(bin, "conclaude");
    Deno.mkdirSync(bin);
    Deno.writeTextFileSync(join(bin, "conclaude-0.1.0"), "d3n0l4nd CONCLAUDE_DB_PATH by hand");
    Deno.symlinkSync("conclaude-0.1.0", path);
    const { before, name } = await placed(home.path, "one");
    assert.equal(before, "ours");
    assert.deepEqual(namesIn(bin), ["conclaude", "conclaude-0.1.0", name]);
    Deno.removeSync(path);
    Deno.writeTextFileSync(join(bin, "conclaude-0.1.0"), "another program");
    Deno.symlinkSync("conclaude-0.1.0", path);
    assert.equal((await placed(home.path, "two")).before, "foreign");
    assert.equal(Deno.readLinkSync(`${path}.before-conclaude`), "conclaude-0.1.0");
  },
});
