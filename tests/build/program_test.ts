import assert from "node:assert/strict";
import { ENVIRONMENT_NAMES, permissionFlags, type System } from "../../src/system/permissions.ts";
import { compileFlags, runFlags } from "../../src/build/program.ts";
import { REPOSITORY } from "../support/process.ts";
import { filesBelow } from "../support/look.ts";

const SYSTEMS: readonly System[] = ["linux", "darwin", "windows"];

Deno.test("the program may read exactly those environment variables that its sources name", () => {
  const named = new Set<string>();
  for (const code of programSources()) {
    const reads =
      /(?:\b(?:Deno\.env\.get|read\w*|variable)\(|(?:SUMMARIZER|MEMORY)_VARIABLE = )"([A-Z_]+)"/g;
    for (const [, name] of code.matchAll(reads)) {
      named.add(name!);
    }
  }
  assert.deepEqual([...named].sort(), [...ENVIRONMENT_NAMES].sort());
});

Deno.test("no source reads the environment as a whole", () => {
  for (const code of programSources()) {
    assert.doesNotMatch(code, /Deno\.env\.(toObject|has)|process\.env|import\.meta\.env/);
  }
});

Deno.test("the program gets no libraries, and no permission without a limit but for files, and the network until it gives it away", () => {
  for (const system of SYSTEMS) {
    for (const flags of [compileFlags(system), runFlags(system)]) {
      const unlimited = flags.filter((flag) => /^(--allow-[a-z]+|-[A-Z]+)$/.test(flag));
      assert.deepEqual(unlimited, ["--allow-read", "--allow-write", "--allow-net"]);
      assert.ok(!flags.some((flag) => /^--allow-(ffi|import|all)/.test(flag)));
      assert.ok(flags.includes("--no-prompt"));
    }
  }
});

Deno.test("an executable has no code cache, and the bundle is run without the network", () => {
  for (const system of SYSTEMS) {
    assert.ok(compileFlags(system).includes("--no-code-cache"));
    for (const flag of ["--no-config", "--no-remote", "--no-npm"]) {
      assert.ok(runFlags(system).includes(flag));
    }
    for (const flag of permissionFlags(system)) {
      assert.ok(compileFlags(system).includes(flag) && runFlags(system).includes(flag));
    }
  }
});

function programSources(): string[] {
  return filesBelow(`${REPOSITORY}/src`)
    .filter((path) => path.endsWith(".ts") && !/[\\/]build[\\/]/.test(path))
    .map((path) => Deno.readTextFileSync(path));
}
