import assert from "node:assert/strict";
import { join } from "node:path";
import { programCommand } from "../../src/build/program.ts";
import { hook } from "../support/program.ts";
import { snapshot, stage } from "./support.ts";
import { namesIn } from "../support/look.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

const HAS_BASH = await canRun("bash");

const test = testWith(stage);

test("the hidden completion verb proposes verbs, actions, flags and their values, and leaves no trace", async (place) => {
  const cases = rowsOf<readonly [words: readonly string[], expected: readonly string[]]>(
    CASES.completions,
  );
  for (const [words, expected] of cases) {
    const { code, stdout, stderr } = await place.run(["__complete", ...words]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(stdout.split("\n").filter(Boolean), expected, words.join(" "));
  }
  assert.deepEqual(namesIn(place.home), []);
});

test("ids of sessions, tasks and observations, names of tools and requirements are proposed, and what they are about", async (place) => {
  place.configure("requirements:\n  tested: {description: The tests are green}\n");
  const session_id = "01980c5e-7c6f-4f3f-8a53-65c2a3c1b4d2";
  const payload = { session_id, cwd: place.project, prompt: "Mend: the upload" };
  await hook("UserPromptSubmit", payload, place.home, { cwd: place.project });
  await place.run(["memory", "remember", "The port is 5434"]);
  await place.run(["task", "create", "Refuse old tokens"]);
  const [task] = (await place.run(["task", "list"])).stdout.split("\n")[1]!.split(" ");
  const before = snapshot(place.home);
  const cases: readonly (readonly [words: readonly string[], expected: string | RegExp])[] = [
    [["session", "show", ""], "01980c5e\tMend: the upload\n"],
    [["audit", "list", "--session", "0198"], "01980c5e\tMend: the upload\n"],
    [["task", "show", ""], `${task}\tRefuse old tokens\n`],
    [["memory", "show", ""], /^1\tThe port is 5434\n$/],
    [["memory", "forget", ""], /^1\tThe port is 5434\n$/],
    [["session", "log", "01"], "01980c5e\tMend: the upload\n"],
    [["task", "create", "Title", "--parent", ""], `${task}\tRefuse old tokens\n`],
    [["audit", "list", "--tool", "Multi"], "MultiEdit\tOnly of this tool, for example Bash\n"],
    [["workflow", "show", ""], ""],
    [["question", "answer", ""], ""],
    [["req", "satisfy", "te"], "tested\tThe tests are green\n"],
    [["config", "get", "store.bac"], /^store\.backups\tDaily backups/],
    [["explain", "Web"], /^WebFetch\t.*\nWebSearch\t/],
    [["sess"], "session\tSessions of Claude Code\n"],
    [["session", "list", "--sta"], "--status\tOnly sessions with this status\n"],
    [["--db", "nosuch.db", "session", "show", ""], ""],
  ];
  for (const [words, expected] of cases) {
    const { code, stdout, stderr } = await place.run(["__complete", "--described", ...words]);
    assert.deepEqual([code, stderr], [0, ""]);
    if (typeof expected === "string") assert.equal(stdout, expected, words.join(" "));
    else assert.match(stdout, expected);
    const { stdout: names } = await place.run(["__complete", ...words]);
    assert.equal(names, stdout.replace(/\t.*/g, ""));
  }
  assert.deepEqual(snapshot(place.home), before);
});

test("where the database cannot be read, nothing is proposed and nothing is said", async (place) => {
  await place.run(["task", "create", "Refuse old tokens"]);
  const whole = Deno.readFileSync(place.database);
  for (
    const [what, bytes] of [["rubbish", new Uint8Array(8_192).fill(7)], [
      "cut",
      whole.slice(0, 5_000),
    ]] as const
  ) {
    Deno.writeFileSync(place.database, bytes);
    for (const words of [["task", "show", ""], ["session", "show", ""], ["memory", "show", ""]]) {
      const { code, stdout, stderr } = await place.run(["__complete", "--described", ...words]);
      assert.deepEqual([code, stdout, stderr], [0, "", ""], `${what}: ${words.join(" ")}`);
    }
    assert.deepEqual(Deno.readFileSync(place.database), bytes);
  }
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

test("every shell has a script that calls the program itself", async (place) => {
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
