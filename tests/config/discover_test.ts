import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import {
  type ConfigFile,
  hashConfigFiles,
  readConfigFiles as readFiles,
} from "../../src/config/discover.ts";
import { fingerprint } from "../../src/base/ids.ts";
import { lookUpwards } from "../../src/system/git/repository.ts";
import { it, rowsOf } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";
import CASES from "../testdata/config_cases.json" with { type: "json" };

/** A throw-away folder with `home/` and `project/` in it; files are given by their path inside it. */
function withFiles(
  files: Readonly<Record<string, string>>,
  body: (place: { readonly root: string; readonly home: string; readonly project: string }) => void,
): void {
  using root = tempFolder();
  const place = { root: root.path, home: `${root.path}/home`, project: `${root.path}/project` };

  Deno.mkdirSync(place.home);
  Deno.mkdirSync(place.project);
  for (const [path, text] of Object.entries(files)) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    Deno.mkdirSync(`${root.path}/${folder}`, { recursive: true });
    Deno.writeTextFileSync(`${root.path}/${path}`, text);
  }
  body(place);
}

/** What counts for a project, looked for as a hook does. */
function readConfigFiles(
  { projectDir, home }: { readonly projectDir: string; readonly home: string | undefined },
): ConfigFile[] {
  const dataFolder = `${home ?? ""}/.conclaude`;
  let dataNames: string[] = [];
  try {
    dataNames = [...Deno.readDirSync(dataFolder)].map(({ name }) => name);
  } catch {
    // No such folder.
  }
  return readFiles(lookUpwards(projectDir), { home: home ?? null, dataFolder, dataNames });
}

Deno.test("readConfigFiles() gives the layers lowest first, with their texts", () => {
  withFiles({
    "project/.conclaude.local.yaml": "local: 1",
    "project/.conclaude.yaml": "project: 1",
    "home/.conclaude/config.yaml": "user: 1",
  }, ({ root, home, project }) => {
    assert.deepEqual(readConfigFiles({ projectDir: project, home }), [
      { layer: "user", path: `${root}/home/.conclaude/config.yaml`, home, text: "user: 1" },
      { layer: "project", path: `${root}/project/.conclaude.yaml`, home, text: "project: 1" },
      { layer: "local", path: `${root}/project/.conclaude.local.yaml`, home, text: "local: 1" },
    ]);
  });
});

/** Which of some files count for a folder below `project/`. */
const FOUND = rowsOf<
  readonly [
    what: string,
    files: readonly string[],
    folder: string,
    found: readonly string[],
  ]
>(CASES.found);
for (const [what, files, folder, expected] of FOUND) {
  Deno.test(`readConfigFiles() ${what}`, () => {
    const texts = Object.fromEntries(files.map((path) => [path, ""]));
    withFiles(texts, ({ root, home, project }) => {
      Deno.mkdirSync(project + folder, { recursive: true });
      const found = readConfigFiles({ projectDir: project + folder, home });
      assert.deepEqual(
        found.map(({ layer, path }) => `${layer} ${path.slice(root.length + 1)}`),
        expected,
      );
    });
  });
}

Deno.test("readConfigFiles() works without a home", () => {
  withFiles({ "project/.conclaude.yaml": "" }, ({ project }) => {
    assert.equal(readConfigFiles({ projectDir: project, home: undefined }).length, 1);
  });
});

Deno.test("readConfigFiles() lists a folder and a huge file as problems without reading them", () => {
  withFiles({
    "project/.conclaude.local.yaml": "#".repeat(1_048_577),
    "project/.conclaude.yaml/x": "",
  }, ({ home, project }) => {
    const [folder, huge] = readConfigFiles({ projectDir: project, home });
    assert.deepEqual([folder?.text, huge?.text], [null, null]);
    assert.ok(folder?.text === null && folder.problem === "not a regular file");
    assert.ok(huge?.text === null && huge.problem === "1048577 bytes; the limit is 1 MiB");
  });
});

it.unix("readConfigFiles() does not wait for a pipe", () => {
  withFiles({}, ({ home, project }) => {
    const made = new Deno.Command("mkfifo", { args: [`${project}/.conclaude.yaml`] })
      .outputSync();
    assert.ok(made.success);
    const [pipe] = readConfigFiles({ projectDir: project, home });
    assert.ok(pipe?.text === null && pipe.problem === "not a regular file");
  });
});

it.unix("readConfigFiles() does not take a link to nothing for no file", () =>
  withFiles({ "project/.conclaude.yml": "capture: {}" }, ({ home, project }) => {
    Deno.mkdirSync(`${home}/.conclaude`);
    Deno.symlinkSync(`${home}/nothing.yaml`, `${home}/.conclaude/config.yaml`);
    Deno.symlinkSync("policies/gone.yaml", `${project}/.conclaude.yaml`);
    const files = readConfigFiles({ projectDir: project, home });
    assert.deepEqual(
      files.map((file) => [file.layer, file.text === null ? file.problem : file.text]),
      [["user", "a link to nothing"], ["project", "a link to nothing"]],
    );
  }));

Deno.test("readConfigFiles() reads a file of exactly 1 MiB", () => {
  const text = "#".repeat(1_048_576);
  withFiles({ "project/.conclaude.yaml": text }, ({ home, project }) => {
    assert.equal(readConfigFiles({ projectDir: project, home })[0]?.text, text);
  });
});

Deno.test("readConfigFiles() never throws on a strange project directory", () => {
  for (const projectDir of ["", ".", "x", "/", "a\0b", "/" + "x".repeat(9000), "C:\\nowhere"]) {
    readConfigFiles({ projectDir, home: projectDir });
  }
});

Deno.test("fingerprint() is the text's bytes modulo the largest prime of 128 bits", () => {
  const prime = 0xffffffffffffffffffffffffffffff61n;
  const reference = (text: string) => {
    let rest = 1n;
    for (const byte of new TextEncoder().encode(text)) rest = (rest * 256n + BigInt(byte)) % prime;
    return rest.toString(16).padStart(32, "0");
  };
  assert.equal(fingerprint(""), "00000000000000000000000000000001");
  fc.assert(fc.property(anyText(100), (text) => {
    assert.equal(fingerprint(text), reference(text));
  }));
});

Deno.test("fingerprint() notices two characters that change places, however far apart", () => {
  const text = "x".repeat(600);
  const withTwo = (first: string, second: string, distance: number) =>
    first + text.slice(0, distance) + second;
  for (let distance = 0; distance <= 600; distance++) {
    assert.notEqual(
      fingerprint(withTwo("a", "b", distance)),
      fingerprint(withTwo("b", "a", distance)),
    );
  }
});

Deno.test("hashConfigFiles() is empty when there are no files", () => {
  assert.equal(hashConfigFiles([]), "");
});

Deno.test("hashConfigFiles() changes with any one character, path, layer, home and problem", () => {
  const file: ConfigFile = { layer: "project", path: "/p/.conclaude.yaml", home: "/h", text: "a" };
  const unreadable = { ...file, text: null };
  const variants: readonly (readonly ConfigFile[])[] = [
    [file],
    [file, file],
    [{ ...file, layer: "local" }],
    [{ ...file, path: "/q/.conclaude.yaml" }],
    [{ ...file, home: "/i" }],
    [{ ...file, home: undefined }],
    [{ ...file, text: "" }],
    [{ ...unreadable, problem: "a" }],
    [{ ...unreadable, problem: "b" }],
  ];
  assert.equal(new Set(variants.map(hashConfigFiles)).size, variants.length);

  fc.assert(fc.property(
    anyText(20, 1),
    fc.nat(),
    fc.integer({ min: 1, max: 255 }),
    (text, place, change) => {
      const at = place % text.length;
      const other = String.fromCharCode(text.charCodeAt(at) ^ change);
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      assert.notEqual(
        hashConfigFiles([{ ...file, text }]),
        hashConfigFiles([{ ...file, text: changed }]),
      );
    },
  ));
});

Deno.test("hashConfigFiles() notices text that moves from one file to the next", () => {
  fc.assert(fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (a, b, moved) => {
    const hash = (first: string, second: string) =>
      hashConfigFiles([
        { layer: "user", path: "/u", text: first },
        { layer: "project", path: "/p", text: second },
      ]);
    assert.notEqual(hash(a + moved, b), hash(a, moved + b));
  }));
});
