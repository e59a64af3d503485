/** A configuration that becomes unreadable: where its rules were strict nothing may be changed, elsewhere work goes on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { executions, logOf } from "../support/look.ts";
import { acceptConfiguration } from "../support/person.ts";
import { hook, runProgram } from "../support/program.ts";
import { type GuardedHome, guardedHome, SESSION } from "../support/guarded.ts";
import { testWith } from "../support/fixtures.ts";
import { change, configureUser } from "../support/on_home.ts";

const STRICT = "preToolUse: {strict: true, uneditableFiles: ['*.lock']}\n";
const BROKEN = "preToolUse:\n  strict: true\n  uneditableFiles: [\n";

/** The reason of a denial; null when the tool may be used. */
async function ask(home: GuardedHome, tool: string, input: object = {}): Promise<string | null> {
  const answer = await home.send("PreToolUse", { tool_name: tool, tool_input: input });
  return answer?.hookSpecificOutput?.permissionDecisionReason ?? null;
}

const bash = (home: GuardedHome) => ask(home, "Bash", { command: "echo hi" });

const test = testWith(guardedHome);

test("a strict policy that is broken refuses every change until it is repaired", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  assert.equal(await bash(home), null);
  Deno.writeTextFileSync(path, BROKEN);
  for (const tool of ["Bash", "Edit", "Write", "NotebookEdit", "mcp__db__query", "KillShell"]) {
    const reason = await ask(home, tool, { command: "echo hi", file_path: "/tmp/x" });
    assert.ok(reason?.includes(`${path}:4:1: not valid YAML`), `${tool}: ${reason}`);
    assert.match(reason!, /rules cannot be read/);
    assert.match(reason!, /`conclaude config validate`/);
  }
  for (const tool of ["Read", "Grep", "Glob", "LS", "WebFetch", "TodoWrite", "Agent"]) {
    assert.equal(await ask(home, tool, { file_path: "/tmp/x" }), null, tool);
  }
  const row = executions(home).find(({ status }) => status === "blocked")!;
  assert.deepEqual((row["metadata"] as { rules: string[] }).rules, ["gates.whenBlind"]);
  Deno.writeTextFileSync(path, STRICT);
  assert.equal(await bash(home), null);
});

test("a strict policy stays in force over several broken versions, until its file is removed", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  await bash(home);
  for (const text of [BROKEN, `${BROKEN}# more`, "just a word\n", "a: [}\n"]) {
    Deno.writeTextFileSync(path, text);
    assert.ok(await bash(home), text);
    assert.ok(await bash(home), `from the cache: ${text}`);
  }
  Deno.removeSync(path);
  assert.equal(await bash(home), null);
});

test("a file over the limit, and a folder in its place, are unreadable too", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  await bash(home);
  Deno.writeTextFileSync(path, `${STRICT}#${"x".repeat(1_048_576)}\n`);
  assert.match((await bash(home))!, /the limit is 1 MiB/);
  Deno.removeSync(path);
  Deno.mkdirSync(path);
  assert.match((await bash(home))!, /not a regular file/);
});

test("a strict policy that has become a link to nothing refuses every change, and is named", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  assert.equal(await bash(home), null);
  Deno.removeSync(path);
  Deno.symlinkSync(join(home.path, "nothing.yaml"), path);
  assert.match((await bash(home))!, /\.conclaude\.yaml: .*a link to nothing/);
  const { systemMessage } = await home.send("SessionStart", { source: "startup" });
  assert.match(systemMessage, /a link to nothing.*every change is refused/);
  const { code, stdout } = await home.run("config", "validate");
  assert.equal(code, 1);
  assert.match(stdout, /a link to nothing/);
});

Deno.test("doctor says of a file that counts for nothing what is true, strict or not", async () => {
  const cases = [[STRICT, /so every change is refused/], [
    "{}\n",
    /no rule of it/,
  ]] as const;
  for (const [config, told] of cases) {
    using home = guardedHome();
    const path = join(home.configure(config), ".conclaude.yaml");
    await runProgram(["install-hooks"], { env: { HOME: home.path } });
    await bash(home);
    Deno.writeTextFileSync(path, BROKEN);
    acceptConfiguration(home.path);
    const { code, stdout } = await home.run("doctor", "--json");
    const { checks }: { checks: readonly { name: string; message: string }[] } = JSON.parse(stdout);
    const [configuration] = checks.filter(({ name }) => name === "configuration");
    assert.match(configuration!.message, told);
    assert.doesNotMatch(configuration!.message, /hooks go on with the rest/);
    const gates = checks.filter(({ name }) => name === "gates").map(({ message }) => message);
    if (config === STRICT) {
      assert.match(gates.join("\n"), /^ARMED: .*\nevery change is refused/);
      continue;
    }
    assert.equal(code, 1);
    assert.match(gates.join("\n"), /^NOT ARMED for what stands in \S+:4:1: not valid YAML/);
    assert.doesNotMatch(gates.join("\n"), /^ARMED/m);
  }
});

test.users("a file that may not be read is unreadable too", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  Deno.chownSync(home.path, 65534, 65534);
  const through = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const asNobody = async () => {
    const { stdout } = await hook(
      "PreToolUse",
      {
        session_id: SESSION,
        cwd: join(home.path, "project"),
        tool_name: "Bash",
        tool_input: { command: "echo hi" },
      },
      home,
      { through },
    );
    return stdout;
  };
  assert.equal(await asNobody(), "");
  Deno.chmodSync(path, 0o600);
  assert.match(await asNobody(), /"deny".*denied/i);
  Deno.chmodSync(path, 0o644);
  assert.equal(await asNobody(), "");
});

test("rules that were not strict go on with what can be read, and SessionStart says so", async (home) => {
  const path = join(
    home.configure("preToolUse: {uneditableFiles: ['*.lock']}\n"),
    ".conclaude.yaml",
  );
  assert.match((await ask(home, "Edit", { file_path: "a.lock" }))!, /\*\.lock/);
  Deno.writeTextFileSync(path, BROKEN);
  assert.equal(await bash(home), null);
  const { systemMessage } = await home.send("SessionStart", { source: "startup" });
  assert.match(systemMessage, /:4:1: not valid YAML.*Nothing of that file counts/s);
});

test("SessionStart says that every change is refused", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  await bash(home);
  Deno.writeTextFileSync(path, BROKEN);
  const { systemMessage } = await home.send("SessionStart", { source: "startup" });
  assert.match(systemMessage, /:4:1: not valid YAML.*every change is refused/s);
});

test("another strict file that can be read takes the place of the broken one", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  const local = path.replace(".yaml", ".local.yaml");
  Deno.writeTextFileSync(local, "a: [");
  assert.ok((await bash(home))!.includes(`${local}:1:5`));
});

test("a strict user's file that is broken counts where no project speaks, and not where it is not inherited", async (home) => {
  Deno.mkdirSync(join(home.path, "project"));
  const config = configureUser(home, STRICT);
  assert.equal(await bash(home), null);
  Deno.writeTextFileSync(config, BROKEN);
  assert.ok((await bash(home))!.includes(config));
  home.configure("inherit: false\npreToolUse: {strict: true}\n");
  assert.equal(await bash(home), null);
});

test("a request for permission is refused as well", async (home) => {
  const path = join(
    home.configure(`${STRICT}permissionRequest: {default: allow}\n`),
    ".conclaude.yaml",
  );
  const asked = () => home.send("PermissionRequest", { tool_name: "Bash", tool_input: {} });
  assert.equal((await asked()).hookSpecificOutput.decision.behavior, "allow");
  Deno.writeTextFileSync(path, BROKEN);
  const { decision } = (await asked()).hookSpecificOutput;
  assert.equal(decision.behavior, "deny");
  assert.match(decision.message, /cannot be read/);
});

test("the denial is lifted as it says: by a person's pause, or a corrected file", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  await bash(home);
  Deno.writeTextFileSync(path, BROKEN);
  const reason = (await bash(home))!;
  const [validate, pause] = [...reason.matchAll(/`conclaude ([^`]+)`/g)].map(([, text]) => text!);
  const run = (line: string) =>
    runProgram(line.split(" "), { env: { HOME: home.path }, cwd: join(home.path, "project") });
  const shown = await run(validate!);
  assert.match(shown.stdout + shown.stderr, /not valid YAML/);
  assert.equal((await run(pause!)).code, 0);
  assert.equal(await bash(home), null);
});

test("explain names the broken strict policy as the rule", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  await bash(home);
  Deno.writeTextFileSync(path, BROKEN);
  acceptConfiguration(home.path);
  const { stdout } = await home.run("explain", "Bash", "echo hi", "--json");
  const { decision, rules } = JSON.parse(stdout);
  assert.equal(decision, "deny");
  assert.equal(rules[0].rule, "gates.whenBlind");
  assert.equal(rules[0].says, "forbids");
});

test("without the database a broken strict policy is not known: work goes on, and the log says so", async (home) => {
  const path = join(home.configure(STRICT), ".conclaude.yaml");
  await bash(home);
  change(home.database, "PRAGMA user_version = 9999");
  Deno.writeTextFileSync(path, BROKEN);
  assert.equal(await bash(home), null);
  assert.match(logOf(home), /not valid YAML.*cannot be known without the database/);
});
