import assert from "node:assert/strict";
import { thisSystem } from "../../src/system/permissions.ts";
import { learnt } from "../../src/build/learn.ts";
import { splitProgram } from "../../src/build/bundle.ts";
import { writeBundle } from "../../src/build/modules_file.ts";
import { runFlags } from "../../src/build/program.ts";
import { it } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

/** In the place of an executable: a launcher with the same flags of the engine. */
async function compile(main: string, output: string, flags: readonly string[]): Promise<void> {
  const options = flags.filter((flag) => flag !== "--no-code-cache");
  await Deno.writeTextFile(
    output,
    `#!/bin/sh\nexec ${words([Deno.execPath(), "run", "--no-config", ...options, main])} "$@"\n`,
  );
  await Deno.chmod(output, 0o755);
}

function words(all: readonly string[]): string {
  return all.map((word) => `'${word}'`).join(" ");
}

/** Tells for each script that is loaded whether the engine has taken its code. */
const PROBE = `import vm from "node:vm";
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    const name = options.filename;
    console.error(name, options.cachedData === undefined ? "none" : this.cachedDataRejected ? "refused" : "taken");
  }
};
await import("./bundle/main.js");
`;

it.unix("the engine takes the compiled code of what every session runs; another one compiles it anew", async () => {
  using folder = tempFolder();

  await writeBundle(`${folder.path}/bundle`, await learnt(await splitProgram(), compile));
  await Deno.writeTextFile(`${folder.path}/probe.js`, PROBE);
  const own = runFlags(thisSystem()).filter((flag) => /v8-flags|unstable/.test(flag));
  const other = own.map((flag) => flag.replace("v8-flags=", "v8-flags=--stack-size=900,"));
  for (const [flags, becomes] of [[own, "taken"], [other, "refused"]] as const) {
    for (const event of ["SessionStart", "SessionEnd"]) {
      const scripts = Object.values(await startWith(folder.path, flags, event));
      assert.ok(scripts.filter((it) => it === becomes).length >= 3, scripts.join());
      assert.ok(scripts.every((it) => it === becomes || it === "none"), scripts.join());
    }
  }
});

/** Tells for each script that an event loads whether the engine took its code. */
async function startWith(
  folder: string,
  flags: readonly string[],
  event: string,
): Promise<Record<string, string>> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", ...flags, "--allow-all", `${folder}/probe.js`, "hook"],
    env: { HOME: `${folder}/home`, CLAUDE_PROJECT_DIR: folder },
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const payload = { session_id: "s", hook_event_name: event, cwd: folder };
  await writer.write(new TextEncoder().encode(JSON.stringify(payload)));
  await writer.close();
  const { code, stderr } = await child.output();
  assert.equal(code, 0);
  const lines = new TextDecoder().decode(stderr).trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(" ")));
}
