import assert from "node:assert/strict";
import { join } from "node:path";
import { programCommand } from "../../src/build/program.ts";
import { stage } from "./support.ts";
import { namesIn } from "../support/look.ts";

const HAS_BASH = await canRun("bash");

Deno.test("the hidden completion verb proposes verbs, actions, flags and their values, and leaves no trace", async () => {
  using place = stage();
  const cases: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
    [["doc"], ["doctor"]],
    [["session", ""], ["list", "log", "show"]],
    [["--json", "db", "re"], ["reset", "restore"]],
    [["install-hooks", "--sc"], ["--scope"]],
    [["install-hooks", "--scope", ""], ["local", "project", "user"]],
    [["session", "list", "--js"], ["--json"]],
    [["status", "--db", ""], []],
    [["nothing", ""], []],
    [["session", "list", "--wrong", ""], []],
  ];
  for (const [words, expected] of cases) {
    const { code, stdout, stderr } = await place.run(["__complete", ...words]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(stdout.split("\n").filter(Boolean), expected, words.join(" "));
  }
  assert.deepEqual(namesIn(place.home), []);
});

Deno.test({
  name: "the bash script completes in a real bash",
  ignore: !HAS_BASH,
  fn: async () => {
    using place = stage();
    const { stdout: script } = await place.run(["completions", "bash"]);
    const file = join(place.home, "conclaude.bash");
    const program = join(place.home, "conclaude");
    Deno.writeTextFileSync(file, script);
    const words = programCommand().map((word) => `'${word}'`).join(" ");
    Deno.writeTextFileSync(program, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    const line =
      `source '${file}'; COMP_WORDS=('${program}' install-hooks --scope p); COMP_CWORD=3; ` +
      `_conclaude_complete; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p conclaude`;
    const output = await new Deno.Command("bash", {
      args: ["--norc", "-c", line],
      env: { HOME: place.home },
    }).output();
    assert.equal(
      new TextDecoder().decode(output.stdout),
      "project\ncomplete -o bashdefault -o default -F _conclaude_complete conclaude\n",
    );
  },
});

Deno.test("every shell has a script that calls the program itself", async () => {
  using place = stage();
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, stdout } = await place.run(["completions", shell]);
    assert.equal(code, 0);
    assert.match(stdout, /__complete/);
  }
});

async function canRun(program: string): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: ["--version"] }).output()).success;
  } catch {
    return false;
  }
}
