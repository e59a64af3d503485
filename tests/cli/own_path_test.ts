import assert from "node:assert/strict";
import { join } from "node:path";
import { findOwnPath } from "../../src/operations/own_program.ts";
import { stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

/** An unpacked release, a link to it in a folder of the PATH, and one of another name. */
function unpack(home: string) {
  const release = join(home, "opt", "conclaude-0.1.0");
  const [bin, links] = [join(home, "bin"), join(home, "links")];
  for (const folder of [release, bin, links]) Deno.mkdirSync(folder, { recursive: true });
  const executable = join(release, "conclaude");
  Deno.writeTextFileSync(executable, "", { mode: 0o755 });
  Deno.symlinkSync(executable, join(bin, "conclaude"));
  Deno.symlinkSync(join(bin, "conclaude"), join(links, "cc"));
  return { executable, release, bin, links };
}

const test = testWith(stage);

test.unix("findOwnPath() gives the link that a person typed, however it was typed", (place) => {
  const { executable, bin, links } = unpack(place.home);
  const cc = join(links, "cc");
  const cases: readonly (readonly [started: string, cwd: string, found: string])[] = [
    [cc, "/", cc],
    ["./cc", links, cc],
    ["../links/cc", bin, cc],
    ["links/cc", place.home, cc],
    [join(bin, "conclaude"), "/", join(bin, "conclaude")],
  ];
  for (const [started, cwd, found] of cases) {
    assert.equal(findOwnPath(executable, { started, cwd, searchPath: "/usr/bin" }), found);
  }
});

test.unix("findOwnPath() finds a bare name on the PATH, where a shell does", (place) => {
  const { executable, bin, links } = unpack(place.home);
  const searchPath = `${place.project}:.::${links}:${bin}`;
  const find = (started: string) => findOwnPath(executable, { started, cwd: links, searchPath });
  assert.equal(find("cc"), join(links, "cc"));
  assert.equal(find("conclaude"), join(bin, "conclaude"));
  assert.equal(find(""), join(bin, "conclaude"));
});

test.unix("findOwnPath() prefers a path that survives an upgrade", (place) => {
  const { executable, bin } = unpack(place.home);
  const find = (searchPath: string | undefined) =>
    findOwnPath(executable, { started: executable, cwd: "/", searchPath });
  assert.equal(find(bin), join(bin, "conclaude"));
  assert.equal(find("/usr/bin"), executable);
  assert.equal(find(undefined), executable);
});

test.unix("findOwnPath() takes no other program of the same name, and nothing that is gone", (place) => {
  const { executable, bin } = unpack(place.home);
  Deno.removeSync(join(bin, "conclaude"));
  Deno.writeTextFileSync(join(bin, "conclaude"), "", { mode: 0o755 });
  for (const started of ["conclaude", join(bin, "conclaude"), join(bin, "gone"), "./gone"]) {
    assert.equal(findOwnPath(executable, { started, cwd: bin, searchPath: bin }), executable);
  }
});
