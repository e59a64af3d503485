import assert from "node:assert/strict";
import { dirname } from "node:path/posix";
import { APART } from "../../src/tasks/bundle_modules.ts";
import { REPOSITORY } from "../support/process.ts";
import { walk } from "../support/walk.ts";

// The bundler leaves `./name.ts` as it stands for every module of that name, wherever it lies.
Deno.test("no module is taken for one of the same name that lies in a file of its own in the bundle", () => {
  const root = `${REPOSITORY}/`.replaceAll("\\", "/").replace(/\/+$/, "/");
  const sources = walk(`${REPOSITORY}/src`).map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.slice(root.length));
  const clashes = sources.flatMap((path) => {
    const code = Deno.readTextFileSync(`${root}${path}`);
    const imports = [...code.matchAll(/^(?:import|export)(?! type\b)[^;]*?"\.\/([\w]+\.ts)"/gm)];
    return imports.map(([, name]) => `${dirname(path)}/${name}`);
  }).filter((imported) => {
    const name = imported.slice(imported.lastIndexOf("/") + 1);
    const twins = APART.filter((path) => path.endsWith(`/${name}`));
    return name !== "run.ts" && twins.length > 0 && !twins.includes(imported);
  });
  assert.deepEqual(clashes, []);
});
