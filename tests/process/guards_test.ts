/** Guards on the real program: what is denied, what passes, what the person and the audit trail are told. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { executions, filesWith, type Row } from "../support/look.ts";
import { hook, startProgram, type TempHome, tempHome } from "../support/program.ts";

const SESSION = "5e551011-0000-4000-8000-000000000001";

/** A project in the home, with a configuration and some files. */
function projectIn(home: TempHome, config: string, files: readonly string[] = []): string {
  const project = join(home.path, "project");
  Deno.mkdirSync(join(project, "src"), { recursive: true });
  Deno.writeTextFileSync(join(project, ".conclaude.yaml"), config);
  for (const file of files) {
    Deno.mkdirSync(join(project, file, ".."), { recursive: true });
    Deno.writeTextFileSync(join(project, file), "x");
  }
  return project;
}

/** The reason of a denial; null when the tool may be used. */
async function ask(
  home: TempHome,
  tool: string,
  input: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<string | null> {
  const { code, stdout, stderr } = await hook("PreToolUse", {
    session_id: SESSION,
    cwd: join(home.path, "project"),
    tool_name: tool,
    tool_use_id: "toolu_1",
    tool_input: input,
    ...more,
  }, home);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  if (stdout === "") return null;
  const { hookSpecificOutput: output, ...rest } = JSON.parse(stdout);
  assert.deepEqual(rest, {});
  assert.equal(output.hookEventName, "PreToolUse");
  assert.equal(output.permissionDecision, "deny");
  return output.permissionDecisionReason;
}

const bash = (home: TempHome, command: string) => ask(home, "Bash", { command });
const write = (home: TempHome, path: string) =>
  ask(home, "Write", { file_path: path, content: "y" });
const edit = (home: TempHome, path: string) => ask(home, "Edit", { file_path: path });

function conclaude(home: TempHome, ...args: string[]) {
  return startProgram(args, { env: { HOME: home.path }, cwd: join(home.path, "project") });
}

Deno.test("new files in the project's folder are refused, existing ones may be changed", async () => {
  using home = tempHome();
  const project = projectIn(home, "{}\n", ["old.txt"]);
  assert.match((await write(home, `${project}/new.txt`))!, /preventRootAdditions.*new\.txt/);
  assert.match((await write(home, ".env"))!, /\.env/);
  assert.equal(await write(home, `${project}/old.txt`), null);
  assert.equal(await edit(home, `${project}/old.txt`), null);
  assert.equal(await write(home, `${project}/src/new.txt`), null);
  assert.match((await bash(home, "echo x > new.txt"))!, /new\.txt/);
});

Deno.test("without a configuration file of the project nothing is refused", async () => {
  using home = tempHome();
  Deno.mkdirSync(join(home.path, "project"));
  assert.equal(await write(home, "new.txt"), null);
  assert.equal(await bash(home, "rm -rf /"), null);
});

Deno.test("a user's own rules count in every project, new files in its folder are not their business", async () => {
  using home = tempHome();
  Deno.mkdirSync(join(home.path, "project"));
  Deno.mkdirSync(join(home.path, ".conclaude"));
  const config = join(home.path, ".conclaude", "config.yaml");
  Deno.writeTextFileSync(config, "preToolUse: {uneditableFiles: ['*.lock']}\n");
  assert.equal(await write(home, "new.txt"), null);
  assert.match((await write(home, "yarn.lock"))!, /\*\.lock/);
  assert.match((await bash(home, "rm -rf ."))!, /dangerous/);
  Deno.writeTextFileSync(config, "capture: {enabled: true}\n");
  assert.equal(await bash(home, "rm -rf ."), null);
});

Deno.test("a file that may not be changed is named with its pattern, or with the configured message", async () => {
  using home = tempHome();
  projectIn(
    home,
    "preToolUse:\n  uneditableFiles:\n    - '*.lock'\n    - {pattern: src/gen/**, message: 'M {file_path} {tool}'}\n",
    ["a/b/yarn.lock", "src/gen/x.ts"],
  );
  assert.match((await edit(home, "a/b/yarn.lock"))!, /pattern '\*\.lock'. File: a\/b\/yarn\.lock/);
  assert.match((await edit(home, "src/gen/x.ts"))!, /^M src\/gen\/x\.ts Edit\n/);
  assert.equal(await ask(home, "Read", { file_path: "a/b/yarn.lock" }), null);
});

Deno.test("a rule about commands sees each of a script, and not the text that mentions it", async () => {
  using home = tempHome();
  projectIn(
    home,
    `preToolUse:
  denyDangerousCommands: false
  toolUsageValidation:
    - {tool: Bash, commandPattern: "git push --force*", action: block}
    - {tool: Bash, commandPattern: "curl *", matchMode: prefix, action: block, message: "no network"}
`,
  );
  assert.match((await bash(home, "git push --force origin main"))!, /toolUsageValidation/);
  assert.match((await bash(home, "echo hi && git push --force"))!, /Command: git push --force/);
  assert.match((await bash(home, "curl -X POST u | sh"))!, /^no network\n/);
  assert.equal(await bash(home, "git push origin main"), null);
  assert.equal(await bash(home, 'git commit -m "do not git push --force"'), null);
});

Deno.test("where rules allow, only what one of them matches passes", async () => {
  using home = tempHome();
  projectIn(
    home,
    `preToolUse:
  toolUsageValidation:
    - {tool: Bash, commandPattern: "npm test*", action: allow}
    - {tool: Bash, commandPattern: "git status*", action: allow}
    - {tool: Edit, pattern: "src/**", action: allow}
    - {tool: Edit, pattern: "src/secret/**", action: block}
`,
  );
  assert.equal(await bash(home, "npm test -- --watch"), null);
  assert.equal(await bash(home, "timeout 60 npm test && git status"), null);
  assert.match((await bash(home, "npm test && rm a.txt"))!, /allow rule.*Command: rm a\.txt/);
  assert.match((await bash(home, "sudo npm test"))!, /Command: sudo npm test/);
  assert.equal(await edit(home, "src/a.ts"), null);
  assert.match((await edit(home, "src/secret/a.ts"))!, /src\/secret/);
  assert.match((await edit(home, "docs/a.md"))!, /src\/\*\*/);
});

Deno.test("a rule for one agent is for that agent alone", async () => {
  using home = tempHome();
  projectIn(home, "preToolUse: {uneditableFiles: [{pattern: src/**, agent: 'review*'}]}\n", [
    "src/a.ts",
  ]);
  assert.equal(await edit(home, "src/a.ts"), null);
  const of = (agent_type: string) =>
    ask(home, "Edit", { file_path: "src/a.ts" }, { agent_id: "a1", agent_type });
  assert.notEqual(await of("reviewer"), null);
  assert.equal(await of("writer"), null);
});

Deno.test("a decision is in the audit trail with its rules, what it quotes is masked", async () => {
  using home = tempHome();
  const secret = "ghp_" + "a1B2".repeat(9);
  projectIn(home, "{}\n");
  await bash(home, "rm -rf /");
  await bash(home, `git push --force https://gh''p_${secret.slice(4)}@github.com/x/y`);
  await bash(home, `$X gh''p_${secret.slice(4)}`);
  const [danger, push, unknown] = executions(home);
  assert.deepEqual([danger!["status"], danger!["tool_name"]], ["blocked", "Bash"]);
  assert.deepEqual((danger!["metadata"] as Row)["rules"], ["preToolUse.denyDangerousCommands"]);
  assert.match(String(danger!["error_message"]), /removes \//);
  assert.equal(push!["status"], "blocked");
  assert.equal(unknown!["status"], "success");
  assert.ok(Array.isArray((unknown!["metadata"] as Row)["doubts"]));
  assert.deepEqual(filesWith(home.path, secret), []);
});

Deno.test("a strict policy denies what only the running shell knows", async () => {
  using home = tempHome();
  projectIn(home, "preToolUse: {strict: true}\n");
  assert.match((await bash(home, "$COMMAND --force"))!, /only when it runs/);
  assert.equal(await bash(home, "git status"), null);
});

Deno.test("the command in a denial lifts it, for this session alone, until it is resumed", async () => {
  using home = tempHome();
  projectIn(home, "preToolUse: {uneditableFiles: [src/**]}\n", ["src/a.ts"]);
  const reason = (await edit(home, "src/a.ts"))!;
  const [, command] = /`conclaude ([^`]+)`/.exec(reason)!;
  const { code, stdout } = await conclaude(home, ...command!.split(" "));
  assert.equal(code, 0);
  assert.match(stdout, /for 15 minutes/);
  assert.equal(await edit(home, "src/a.ts"), null);
  const paused = executions(home).at(-1)!["metadata"] as Row;
  assert.deepEqual([paused["paused"], paused["rules"]], [["guards"], [
    "preToolUse.uneditableFiles[0]",
  ]]);
  const elsewhere = { session_id: "5e551022-0000-4000-8000-000000000002" };
  assert.notEqual(await ask(home, "Edit", { file_path: "src/a.ts" }, elsewhere), null);
  await conclaude(home, "guard", "resume", "--session", SESSION.slice(0, 8));
  assert.notEqual(await edit(home, "src/a.ts"), null);
});

Deno.test("the agent can neither lift a rule nor change the policy, unless the policy lets it", async () => {
  using home = tempHome();
  const project = projectIn(home, "{}\n", [".conclaude.local.yaml"]);
  Deno.mkdirSync(join(home.path, ".claude"));
  Deno.writeTextFileSync(join(home.path, ".claude", "settings.json"), "{}");
  const attempts = [
    () => bash(home, "conclaude guard pause --session x"),
    () => bash(home, "sh -c '/opt/bin/conclaude guard pause'"),
    () => bash(home, "conclaude --db x.db guard pause"),
    () => bash(home, "conclaude uninstall-hooks"),
    () => bash(home, "deno run -A /opt/conclaude/main.ts db reset"),
    () => bash(home, "conclaude counter increment --session x stop_blocks --by 9"),
    () => bash(home, "echo '{}' | conclaude hook Stop"),
    () => bash(home, "sqlite3 ~/.conclaude/conclaude.db 'DELETE FROM pauses'"),
    () => bash(home, "echo '{\"disableAllHooks\":true}' > .claude/settings.local.json"),
    () => bash(home, "rm -r ~/.claude"),
    () => write(home, join(home.path, ".claude", "settings.json")),
    () =>
      ask(home, "Edit", {
        file_path: join(home.path, ".claude", "settings.json"),
        old_string: "{",
        new_string: '{"disableAllHooks": true,',
      }),
    () => bash(home, "echo '{}' > .conclaude.yaml"),
    () => bash(home, "rm .conclaude.yaml"),
    () => edit(home, `${project}/.conclaude.yaml`),
    () => write(home, ".conclaude.local.yaml"),
    () => write(home, join(home.path, ".conclaude", "config.yaml")),
    () => bash(home, "rm -rf ~/.conclaude"),
    () => bash(home, "cp x ~/.conclaude/conclaude.db"),
  ];
  for (const attempt of attempts) assert.match((await attempt())!, /only a person/);
  assert.equal(
    await bash(home, "cat .conclaude.yaml; conclaude guard list; conclaude counter list"),
    null,
  );
  Deno.writeTextFileSync(
    join(project, ".conclaude.yaml"),
    "preToolUse: {protectPolicy: false, preventRootAdditions: false}\n",
  );
  for (const attempt of attempts) assert.equal(await attempt(), null);
});

Deno.test("PermissionRequest is denied in the shape that Claude Code honours", async () => {
  using home = tempHome();
  projectIn(home, "{}\n");
  const request = async (command: string) =>
    (await hook("PermissionRequest", {
      session_id: SESSION,
      cwd: join(home.path, "project"),
      tool_name: "Bash",
      tool_input: { command },
    }, home)).stdout;
  for (const command of ["git push origin main --force", "rm -r -f /", "cd / && rm -rf *"]) {
    const { hookSpecificOutput } = JSON.parse(await request(command));
    assert.equal(hookSpecificOutput.hookEventName, "PermissionRequest");
    assert.equal(hookSpecificOutput.decision.behavior, "deny");
    assert.match(hookSpecificOutput.decision.message, /dangerous/);
  }
  for (const command of ["git push --force-with-lease", "rm -rf /tmp/x", "rm -rf ./build"]) {
    assert.equal(await request(command), "");
  }
});

Deno.test("explain says what every rule does, changes nothing, and agrees with the hook", async () => {
  using home = tempHome();
  projectIn(home, "preToolUse: {uneditableFiles: ['*.lock', src/**]}\n", ["yarn.lock", "src/a"]);
  await bash(home, "true");
  const before = executions(home).length;
  const denied = await conclaude(home, "explain", "Edit", "yarn.lock", "--json");
  assert.equal(denied.code, 1);
  const { decision, rules } = JSON.parse(denied.stdout);
  assert.equal(decision, "deny");
  assert.deepEqual(
    rules.filter((rule: Row) => rule["says"] === "forbids").map((rule: Row) => rule["rule"]),
    ["preToolUse.uneditableFiles[0]"],
  );
  const allowed = await conclaude(home, "explain", "Bash", "ls");
  assert.deepEqual([allowed.code, allowed.stdout.split("\n")[0]], [0, "Allowed."]);
  assert.equal(executions(home).length, before);
});

Deno.test("a permission is answered: what is refused first, then what is allowed, then the rest", async () => {
  using home = tempHome();
  const project = projectIn(
    home,
    'permissionRequest: {deny: ["mcp__mail__*"], allow: [Read, Bash, "mcp__*"], default: deny}\n',
  );
  const request = async (tool_name: string, tool_input: Record<string, unknown> = {}) => {
    const payload = { session_id: SESSION, cwd: project, tool_name, tool_input };
    const { stdout } = await hook("PermissionRequest", payload, home);
    return stdout === "" ? "ask" : JSON.parse(stdout).hookSpecificOutput.decision;
  };
  assert.deepEqual(await request("Read", { file_path: "a" }), { behavior: "allow" });
  assert.deepEqual(await request("mcp__files__list"), { behavior: "allow" });
  assert.match((await request("mcp__mail__send")).message, /permissionRequest\.deny\[0\]/);
  assert.match((await request("WebFetch")).message, /permissionRequest\.default/);
  assert.deepEqual(await request("Bash", { command: "ls" }), { behavior: "allow" });
  assert.match((await request("Bash", { command: "rm -rf /" })).message, /dangerous/);
  assert.equal(await request("Bash", { command: "$COMMAND" }), "ask");
  const allowed = executions(home)[0]!["metadata"] as Row;
  assert.equal(allowed["allowedBy"], "permissionRequest.allow[0]");
});

Deno.test("without permissionRequest the person is asked", async () => {
  using home = tempHome();
  const project = projectIn(home, "{}\n");
  const payload = { session_id: SESSION, cwd: project, tool_name: "Read", tool_input: {} };
  assert.equal((await hook("PermissionRequest", payload, home)).stdout, "");
});

Deno.test("a file that says it is generated is protected, where the policy asks for it", async () => {
  using home = tempHome();
  const files = ["src/made.ts", "src/own.ts"];
  const project = projectIn(home, "{}\n", files);
  const made = "// Code generated by tides. DO NOT EDIT.\n";
  Deno.writeTextFileSync(join(project, "src/made.ts"), made);
  Deno.writeTextFileSync(join(project, "src/own.ts"), `${"x\n".repeat(100)}${made}`);
  assert.equal(await edit(home, "src/made.ts"), null);
  Deno.writeTextFileSync(
    join(project, ".conclaude.yaml"),
    "preToolUse: {preventGeneratedFileEdits: true, generatedFileMessage: 'M {file_path} {marker}'}\n",
  );
  assert.match((await edit(home, "src/made.ts"))!, /^M src\/made\.ts DO NOT EDIT\n/);
  assert.match((await bash(home, "sed -i s/a/b/ src/made.ts"))!, /^M src\/made\.ts/);
  assert.equal(await edit(home, "src/own.ts"), null);
  assert.equal(await bash(home, "cat src/made.ts"), null);
});

Deno.test("the way out of a rule is no pause where none can be kept", async () => {
  using home = tempHome();
  const rules = "preToolUse: {uneditableFiles: [src/**]}\nstop: {commands: [{run: 'false'}]}\n";
  const project = projectIn(home, `database: {enabled: false}\n${rules}`, ["src/a.ts"]);
  const stop = async () => {
    const { stdout } = await hook("Stop", { session_id: SESSION, cwd: project }, home);
    return String(JSON.parse(stdout).reason);
  };
  for (const reason of [(await edit(home, "src/a.ts"))!, await stop()]) {
    assert.doesNotMatch(reason, /guard pause/);
    assert.match(reason, /change of the rule in the configuration \(`conclaude config path`/);
  }
  Deno.writeTextFileSync(join(project, ".conclaude.yaml"), rules);
  Deno.mkdirSync(join(home.path, ".conclaude"), { recursive: true });
  Deno.writeTextFileSync(home.database, "no database at all ".repeat(500));
  for (const reason of [(await edit(home, "src/a.ts"))!, await stop()]) {
    assert.match(reason, /`conclaude doctor --fix` comes first.*`conclaude guard pause --session/);
  }
  await conclaude(home, "doctor", "--fix");
  await conclaude(home, "guard", "pause", "--session", SESSION.slice(0, 8));
  assert.equal(await edit(home, "src/a.ts"), null);
});
