/** Guards: what is denied, what passes, what the person and the audit trail are told. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { executions, filesWith, lastMetadata, type Row } from "../support/look.ts";
import { guardedHome, SESSION } from "../support/guarded.ts";
import { testWith } from "../support/fixtures.ts";
import { configureUser } from "../support/on_home.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const test = testWith(guardedHome);

test("new files in the project's folder are refused, existing ones may be changed", async (home) => {
  const project = home.configure("preToolUse: {preventRootAdditions: true}\n", ["old.txt"]);
  assert.match((await home.write(`${project}/new.txt`))!, /preventRootAdditions.*new\.txt/);
  assert.match((await home.write(".env"))!, /\.env/);
  assert.equal(await home.write(`${project}/old.txt`), null);
  assert.equal(await home.edit(`${project}/old.txt`), null);
  assert.equal(await home.write(`${project}/src/new.txt`), null);
  assert.match((await home.bash("echo x > new.txt"))!, /new\.txt/);
});

test("new files in the project's folder are free where the configuration does not refuse them", async (home) => {
  home.configure("preToolUse: {uneditableFiles: [x.lock]}\n");
  assert.equal(await home.write("Dockerfile"), null);
  assert.equal(await home.bash("echo x > new.txt"), null);
  assert.notEqual(await home.bash("rm -rf /"), null);
  assert.notEqual(await home.write(".conclaude.yaml"), null);
});

test("without a configuration file only what is built in is refused", async (home) => {
  Deno.mkdirSync(join(home.path, "project"));
  assert.equal(await home.write("new.txt"), null);
  assert.equal(await home.bash("rm -rf build && npm publish"), null);
  assert.match((await home.bash("rm -rf /"))!, /dangerous/);
  assert.match((await home.bash("git push -f"))!, /dangerous/);
  assert.match((await home.write(".conclaude.yaml"))!, /belongs to the guards/);
});

test("a user's own rules count in every project, new files in its folder are not their business", async (home) => {
  Deno.mkdirSync(join(home.path, "project"));
  const config = configureUser(home, "preToolUse: {uneditableFiles: ['*.lock']}\n");
  assert.equal(await home.write("new.txt"), null);
  assert.match((await home.write("yarn.lock"))!, /\*\.lock/);
  assert.match((await home.bash("git push -f"))!, /dangerous/);
  Deno.writeTextFileSync(config, "preToolUse: {denyDangerousCommands: false}\n");
  assert.equal(await home.bash("git push -f"), null);
});

test("a file that may not be changed is named with its pattern, or with the configured message", async (home) => {
  home.configure(
    "preToolUse:\n  uneditableFiles:\n    - '*.lock'\n    - {pattern: src/gen/**, message: 'M {file_path} {tool}'}\n",
    ["a/b/yarn.lock", "src/gen/x.ts"],
  );
  assert.match((await home.edit("a/b/yarn.lock"))!, /pattern '\*\.lock'. File: a\/b\/yarn\.lock/);
  assert.match((await home.edit("src/gen/x.ts"))!, /^M src\/gen\/x\.ts Edit\n/);
  assert.equal(await home.ask("Read", { file_path: "a/b/yarn.lock" }), null);
});

test("a file name that looks like a placeholder is shown as it is", async (home) => {
  home.configure(`preToolUse:
  uneditableFiles: [{pattern: "*.m", message: "A {file_path} {tool} {other}."}]
  toolUsageValidation:
    - {tool: Bash, commandPattern: "ls *", action: block, message: "B {command} {tool}."}
`);
  assert.match((await home.edit("src/$&.m"))!, /^A src\/\$&\.m Edit \{other\}\.\n/);
  assert.match((await home.edit("src/{tool}.m"))!, /^A src\/\{tool\}\.m Edit/);
  assert.match((await home.bash("ls '{tool}$&'"))!, /^B ls \{tool\}\$& Bash\./);
});

test("a rule about commands applies to each command of a script, and not to text that mentions one", async (home) => {
  home.configure(`preToolUse:
  denyDangerousCommands: false
  toolUsageValidation:
    - {tool: Bash, commandPattern: "git push --force*", action: block}
    - {tool: Bash, commandPattern: "curl *", matchMode: prefix, action: block, message: "no network"}
`);
  assert.match((await home.bash("git push --force origin main"))!, /toolUsageValidation/);
  assert.match((await home.bash("echo hi && git push --force"))!, /Command: git push --force/);
  assert.match((await home.bash("curl -X POST u | sh"))!, /^no network\n/);
  assert.equal(await home.bash("git push origin main"), null);
  assert.equal(await home.bash('git commit -m "do not git push --force"'), null);
});

test("a rule about the files of every tool sees what is searched", async (home) => {
  home.configure(
    `preToolUse:
  toolUsageValidation:
    - {tool: "*", pattern: "secrets/**", action: block}
    - {tool: Grep, pattern: "src/**", action: allow}
`,
    ["secrets/a"],
  );
  const cases = [
    ["Read", "secrets/a"],
    ["Grep", "secrets/a"],
    ["Grep", "secrets"],
    ["Glob", "./secrets/"],
    ["LS", join(home.path, "project/secrets")],
    ["Grep", "docs"],
  ] as const;
  for (const [tool, path] of cases) {
    const input = tool === "Read" ? { file_path: path } : { pattern: "x", path };
    assert.match((await home.ask(tool, input))!, /toolUsageValidation/, `${tool} ${path}`);
  }
  assert.equal(await home.ask("Grep", { pattern: "x", path: "src" }), null);
  assert.equal(await home.ask("Glob", { pattern: "secrets/**", path: "docs" }), null);
});

test("a rule about a tool without a pattern leaves the shell alone, and one with a pattern does not", async (home) => {
  home.configure(`preToolUse:
  toolUsageValidation:
    - {tool: NotebookEdit, action: block, message: "no notebooks"}
    - {tool: "{Write,Edit}", action: block}
    - {tool: Write, pattern: "*.pem", action: block}
`);
  await home.assertAllowed(["npm test > /tmp/x.log", "rm -f /tmp/q", "touch src/a.ts"]);
  assert.match((await home.ask("NotebookEdit", { notebook_path: "a.ipynb" }))!, /no notebooks/);
  assert.match((await home.ask("MultiEdit", { file_path: "src/a.ts" }))!, /Validation rule: \*/);
  assert.match((await home.bash("touch src/a.pem"))!, /rule: \*\.pem/);
});

test("a denial shows the whole command, also behind a word that is only known when it runs", async (home) => {
  home.configure(`preToolUse:
  toolUsageValidation:
    - {tool: Bash, commandPattern: "zip *", action: block, message: "no {command}!"}
    - {tool: Bash, commandPattern: "git push*", action: block}
`);
  assert.match((await home.bash('zip a $X "$(b c)" d*'))!, /^no zip a \$X "\$\(b c\)" d\*!\n/);
  assert.match((await home.bash("sudo zip a ${X}y b"))!, /^no zip a \$\{X\}y b!\n/);
  assert.match((await home.bash("zip a $(x) b"))!, /^no zip a \$\(x\) b!\n/);
  assert.match((await home.bash("ls | xargs zip a"))!, /^no zip a …!\n/);
  assert.match((await home.bash("V=push; git $V $TO main"))!, /Command: git push \$TO main\n/);
  assert.match(
    (await home.bash('git push -f "$TO" main'))!,
    /dangerous.*: git push -f "\$TO" main\n/,
  );
});

test("where rules allow, only what one of them matches passes", async (home) => {
  home.configure(`preToolUse:
  toolUsageValidation:
    - {tool: Bash, commandPattern: "npm test*", action: allow}
    - {tool: Bash, commandPattern: "git status*", action: allow}
    - {tool: Edit, pattern: "src/**", action: allow}
    - {tool: Edit, pattern: "src/secret/**", action: block}
`);
  assert.equal(await home.bash("npm test -- --watch"), null);
  assert.equal(await home.bash("timeout 60 npm test && git status"), null);
  await home.assertAllowed(CASES.allowedByRules);
  await home.assertDenied(/allow rule/, CASES.deniedByRules);
  assert.match((await home.bash("npm test && rm a.txt"))!, /allow rule.*Command: rm a\.txt/);
  assert.match((await home.bash("sudo npm test"))!, /Command: sudo npm test/);
  assert.equal(await home.edit("src/a.ts"), null);
  assert.match((await home.edit("src/secret/a.ts"))!, /src\/secret/);
  assert.match((await home.edit("docs/a.md"))!, /src\/\*\*/);
});

test("a rule that blocks a tool for some files holds for shell commands and other editing tools as well", async (home) => {
  home.configure(`preToolUse:
  toolUsageValidation:
    - {tool: Write, pattern: "docs/**", action: block}
    - {tool: Edit, pattern: "src/**", action: block}
    - {tool: Edit, pattern: "tests/**", action: allow}
    - {tool: Read, pattern: "notes/**", action: block}
`);
  const denied = /toolUsageValidation/;
  assert.match((await home.bash("cat > docs/a.md <<E\nx\nE"))!, denied);
  assert.match((await home.bash("rm -r docs"))!, denied);
  assert.match((await home.bash("npx prettier --write src/a.ts"))!, denied);
  assert.match((await home.ask("MultiEdit", { file_path: "src/a.ts", edits: [] }))!, denied);
  assert.equal(await home.bash("cat docs/a.md"), null);
  assert.equal(await home.bash("echo x > notes/a.md"), null);
  // What allows is about its own tool alone.
  assert.equal(await home.bash("echo x > other/a.md"), null);
  assert.equal(await home.ask("MultiEdit", { file_path: "other/a.ts", edits: [] }), null);
  assert.match((await home.edit("other/a.ts"))!, denied);
});

test("a program that is run through npx is allowed with the command that runs it", async (home) => {
  home.configure(`preToolUse:
  toolUsageValidation:
    - {tool: Bash, commandPattern: "npx prettier*", action: allow}
    - {tool: Bash, commandPattern: "uv run pytest*", action: allow}
`);
  assert.equal(await home.bash("npx prettier --check src"), null);
  assert.equal(await home.bash("uv run pytest -q"), null);
  assert.match((await home.bash("npx eslint src"))!, /allow rule/);
  assert.match((await home.bash("prettier --check src"))!, /allow rule/);
});

test("a rule about tools of an MCP server sees the files that they name", async (home) => {
  home.configure(`preToolUse:
  uneditableFiles: ["*.md"]
  toolUsageValidation:
    - {tool: "mcp__files__*", pattern: "*.lock", action: block}
    - {tool: "mcp__notes__write", pattern: "notes/**", action: allow}
`);
  const denied = /toolUsageValidation/;
  assert.match((await home.ask("mcp__files__write", { path: "./yarn.lock" }))!, denied);
  assert.match((await home.ask("mcp__files__read", { paths: ["a", "b/yarn.lock"] }))!, denied);
  assert.match(
    (await home.ask("mcp__files__move", { source: "a", destination: "b.lock" }))!,
    denied,
  );
  assert.equal(await home.ask("mcp__files__write", { path: "a.txt", content: "b.lock" }), null);
  assert.match((await home.ask("mcp__files__write", { path: "a.md" }))!, /uneditableFiles/);
  assert.equal(await home.ask("mcp__files__list", {}), null);
  assert.equal(await home.ask("mcp__git__show", { path: "yarn.lock" }), null);
  assert.equal(await home.ask("mcp__notes__write", { relative_path: "notes/a" }), null);
  assert.match((await home.ask("mcp__notes__write", { relative_path: "notes/../a" }))!, denied);
});

test("a rule for one agent is for that agent alone", async (home) => {
  home.configure("preToolUse: {uneditableFiles: [{pattern: src/**, agent: 'review*'}]}\n", [
    "src/a.ts",
  ]);
  assert.equal(await home.edit("src/a.ts"), null);
  const of = (agent_type: string) =>
    home.ask("Edit", { file_path: "src/a.ts" }, { agent_id: "a1", agent_type });
  assert.notEqual(await of("reviewer"), null);
  assert.equal(await of("writer"), null);
});

test("the main thread is `main` also where it was started as an agent, and its type as well", async (home) => {
  const rules = "[{pattern: src/**, agent: main}, {pattern: docs/**, agent: reviewer}]";
  home.configure(`preToolUse: {uneditableFiles: ${rules}}\n`, ["src/a.ts", "docs/a.md"]);
  const of = async (more: Record<string, unknown>) => {
    const answers = ["src/a.ts", "docs/a.md"].map((file_path) =>
      home.ask("Edit", { file_path }, more)
    );
    return (await Promise.all(answers)).map((reason) => reason === null ? "allowed" : "denied");
  };
  assert.deepEqual(await of({}), ["denied", "allowed"]);
  assert.deepEqual(await of({ agent_type: "reviewer" }), ["denied", "denied"]);
  assert.deepEqual(await of({ agent_type: "reviewer", agent_id: "a1" }), ["allowed", "denied"]);
  assert.deepEqual(await of({ agent_type: "", agent_id: "a1" }), ["allowed", "allowed"]);
});

test("a decision is in the audit trail with its rules, what it quotes is masked", async (home) => {
  const secret = "ghp_" + "a1B2".repeat(9);
  home.configure("{}\n");
  await home.bash("rm -rf /");
  await home.bash(`git push --force https://gh''p_${secret.slice(4)}@github.com/x/y`);
  await home.bash(`$X gh''p_${secret.slice(4)}`);
  const [danger, push, unknown] = executions(home);
  assert.deepEqual([danger!["status"], danger!["tool_name"]], ["blocked", "Bash"]);
  assert.deepEqual((danger!["metadata"] as Row)["rules"], ["preToolUse.denyDangerousCommands"]);
  assert.match(String(danger!["error_message"]), /removes \//);
  assert.equal(push!["status"], "blocked");
  assert.equal(unknown!["status"], "success");
  assert.ok(Array.isArray((unknown!["metadata"] as Row)["doubts"]));
  assert.deepEqual(filesWith(home.path, secret), []);
});

test("a strict policy denies what only the running shell knows", async (home) => {
  home.configure("preToolUse: {strict: true}\n");
  assert.match((await home.bash("$COMMAND --force"))!, /only when it runs/);
  assert.equal(await home.bash("git status"), null);
});

test("the command in a denial lifts it, for this session alone, until it is resumed", async (home) => {
  home.configure("preToolUse: {uneditableFiles: [src/**]}\n", ["src/a.ts"]);
  const reason = (await home.edit("src/a.ts"))!;
  const [, command] = /`conclaude ([^`]+)`/.exec(reason)!;
  const { code, stdout } = await home.run(...command!.split(" "));
  assert.equal(code, 0);
  assert.match(stdout, /for 15 minutes/);
  assert.equal(await home.edit("src/a.ts"), null);
  const paused = lastMetadata(home);
  assert.deepEqual([paused["paused"], paused["rules"]], [["guards"], [
    "preToolUse.uneditableFiles[0]",
  ]]);
  const elsewhere = { session_id: "5e551022-0000-4000-8000-000000000002" };
  assert.notEqual(await home.ask("Edit", { file_path: "src/a.ts" }, elsewhere), null);
  await home.run("guard", "resume", "--session", SESSION.slice(0, 8));
  assert.notEqual(await home.edit("src/a.ts"), null);
});

test("the agent can neither lift a rule nor change the policy, unless the policy lets it", async (home) => {
  const project = home.configure("{}\n", [".conclaude.local.yaml"]);
  Deno.mkdirSync(join(home.path, ".claude"));
  Deno.writeTextFileSync(join(home.path, ".claude", "settings.json"), "{}");
  const attempts = [
    () => home.bash("conclaude guard pause --session x"),
    () => home.bash("sh -c '/opt/bin/conclaude guard pause'"),
    () => home.bash("conclaude --db x.db guard pause"),
    () => home.bash("conclaude uninstall-hooks"),
    () => home.bash("deno run -A /opt/conclaude/main.ts db reset"),
    () => home.bash("conclaude counter increment --session x stop_blocks --by 9"),
    () => home.bash("echo '{}' | conclaude hook Stop"),
    () => home.bash("sqlite3 ~/.conclaude/conclaude.db 'DELETE FROM pauses WHERE 1'"),
    () => home.bash("echo '{\"disableAllHooks\":true}' > .claude/settings.local.json"),
    () => home.bash("rm -r ~/.claude"),
    () => home.write(join(home.path, ".claude", "settings.json")),
    () =>
      home.ask("Edit", {
        file_path: join(home.path, ".claude", "settings.json"),
        old_string: "{",
        new_string: '{"disableAllHooks": true,',
      }),
    () => home.bash("echo '{}' > .conclaude.yaml"),
    () => home.bash("rm .conclaude.yaml"),
    () => home.edit(`${project}/.conclaude.yaml`),
    () => home.write(".conclaude.local.yaml"),
    () => home.write(join(home.path, ".conclaude", "config.yaml")),
    () => home.bash("rm -rf ~/.conclaude"),
    () => home.bash("cp x ~/.conclaude/conclaude.db"),
  ];
  for (const attempt of attempts) assert.match((await attempt())!, /only a person/);
  assert.equal(
    await home.bash("cat .conclaude.yaml; conclaude guard list; conclaude counter list"),
    null,
  );
  home.configure("preToolUse: {protectPolicy: false, denyDangerousCommands: false}\n");
  for (const attempt of attempts) assert.equal(await attempt(), null);
});

test("PermissionRequest is denied in the shape that Claude Code honours", async (home) => {
  home.configure("{}\n");
  const request = async (command: string) =>
    await home.send("PermissionRequest", { tool_name: "Bash", tool_input: { command } });
  for (const command of ["git push origin main --force", "rm -r -f /", "cd / && rm -rf *"]) {
    const { hookSpecificOutput } = await request(command);
    assert.equal(hookSpecificOutput.hookEventName, "PermissionRequest");
    assert.equal(hookSpecificOutput.decision.behavior, "deny");
    assert.match(hookSpecificOutput.decision.message, /dangerous/);
  }
  for (const command of ["git push --force-with-lease", "rm -rf /tmp/x", "rm -rf ./build"]) {
    assert.equal(await request(command), null);
  }
});

test("explain says what every rule does, changes nothing, and agrees with the hook", async (home) => {
  home.configure("preToolUse: {uneditableFiles: ['*.lock', src/**]}\n", ["yarn.lock", "src/a"]);
  await home.bash("true");
  const before = executions(home).length;
  const denied = await home.run("explain", "Edit", "yarn.lock", "--json");
  assert.equal(denied.code, 1);
  const { decision, rules } = JSON.parse(denied.stdout);
  assert.equal(decision, "deny");
  assert.deepEqual(
    rules.filter((rule: Row) => rule["says"] === "forbids").map((rule: Row) => rule["rule"]),
    ["preToolUse.uneditableFiles[0]"],
  );
  const allowed = await home.run("explain", "Bash", "ls");
  assert.deepEqual([allowed.code, allowed.stdout.split("\n")[0]], [0, "Allowed."]);
  assert.equal(executions(home).length, before);
});

test("explain refuses a tool that neither Claude Code nor a rule knows, with the nearest names", async (home) => {
  const rules =
    "preToolUse: {toolUsageValidation: [{tool: Deploy, action: block}, {tool: 'Own*', action: block}]}\n" +
    "requirements: {plan: {triggerTools: [{tool: Ship}]}}\n";
  home.configure(rules);
  const cases = [
    ["NOSUCHTOOL", /no tool of this name.*Bash, Edit, Write/],
    ["bash", /did you mean "Bash"/],
    ["Edti", /did you mean "Edit"/],
    ["Powershell", /did you mean "PowerShell"/],
    ["Deploys", /no tool of this name/],
  ] as const;
  for (const [tool, near] of cases) {
    const { code, stderr } = await home.run("explain", tool, "x");
    assert.equal(code, 2, tool);
    assert.match(stderr, /Unknown tool/);
    assert.match(stderr, near);
  }
  const tools = CASES.toolsExplained;
  for (const tool of tools) {
    assert.notEqual((await home.run("explain", tool, "x")).code, 2, tool);
  }
});

test("explain says of every rule why it forbids, allows or does not match", async (home) => {
  home.configure(
    `preToolUse:
  preventGeneratedFileEdits: true
  preventRootAdditions: true
  uneditableFiles: ["*.lock", {pattern: "src/**", agent: reviewer}]
  preventAdditions: ["dist/**", "src/**"]
  toolUsageValidation:
    - {tool: Bash, commandPattern: "npm test*", action: allow}
    - {tool: Bash, commandPattern: "npm *", action: allow}
    - {tool: Bash, commandPattern: "npm test --evil*", action: block}
    - {tool: Write, pattern: "docs/**", action: allow}
    - {tool: Write, pattern: "src/**", action: allow, agent: writer}
`,
    ["src/a"],
  );
  const explain = async (...args: string[]): Promise<Record<string, string>> => {
    const { stdout } = await home.run("explain", ...args, "--json");
    const { decision, rules } = JSON.parse(stdout);
    for (const { why } of rules) assert.notEqual(why, "", stdout);
    const said = rules.map(({ rule, says, why }: Row) => [
      String(rule).replace("preToolUse.", ""),
      `${says}: ${why}`,
    ]);
    return { decision, ...Object.fromEntries(said) };
  };
  assert.deepEqual(await explain("Edit", "src/a"), CASES.explainedEdit);
  const reviewed = await explain("Edit", "src/a", "--agent", "reviewer");
  assert.match(reviewed["uneditableFiles[1]"]!, /^forbids: /);
  const made = await explain("Write", "docs/new");
  assert.match(made["toolUsageValidation[3]"]!, /^allows: docs/);
  assert.equal(made["toolUsageValidation[4]"], "does not match: it is for another agent");
  const run = await explain("Bash", "npm test --evil");
  assert.equal(run["decision"], "allow");
  assert.match(run["toolUsageValidation[0]"]!, /^allows: npm test\* matches/);
  assert.match(run["toolUsageValidation[2]"]!, /^does not match: .*a rule before it has decided/);
  assert.equal((await explain("Monitor", "git push -f"))["decision"], "deny");
  const open = await explain("Bash", "npm test; rm $X");
  assert.match(open["toolUsageValidation[0]"]!, /^forbids: /);
  assert.match(open["uneditableFiles[0]"]!, /^cannot tell: which file `rm` changes is not known/);
  assert.equal(open["uneditableFiles[1]"], "does not match: it is for another agent");
});

test("a permission is answered: what is refused first, then what is allowed, then the rest", async (home) => {
  home.configure(
    'permissionRequest: {deny: ["mcp__mail__*"], allow: [Read, Bash, "mcp__*"], default: deny}\n',
  );
  const request = async (tool_name: string, tool_input: Record<string, unknown> = {}) => {
    const answer = await home.send("PermissionRequest", { tool_name, tool_input });
    return answer === null ? "ask" : answer.hookSpecificOutput.decision;
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

test("without permissionRequest the person is asked", async (home) => {
  home.configure("{}\n");
  const read = { tool_name: "Read", tool_input: {} };
  assert.equal(await home.send("PermissionRequest", read), null);
});

test("a file that says it is generated is protected, where the policy asks for it", async (home) => {
  const files = ["src/made.ts", "src/own.ts"];
  const project = home.configure("{}\n", files);
  const made = "// Code generated by tides. DO NOT EDIT.\n";
  Deno.writeTextFileSync(join(project, "src/made.ts"), made);
  Deno.writeTextFileSync(join(project, "src/own.ts"), `${"x\n".repeat(100)}${made}`);
  assert.equal(await home.edit("src/made.ts"), null);
  home.configure(
    "preToolUse: {preventGeneratedFileEdits: true, generatedFileMessage: 'M {file_path} {marker}'}\n",
  );
  assert.match((await home.edit("src/made.ts"))!, /^M src\/made\.ts DO NOT EDIT\n/);
  assert.match((await home.bash("sed -i s/a/b/ src/made.ts"))!, /^M src\/made\.ts/);
  assert.equal(await home.edit("src/own.ts"), null);
  assert.equal(await home.bash("cat src/made.ts"), null);
  // What lies elsewhere is made from nothing of the project.
  Deno.writeTextFileSync(join(home.path, "made.ts"), made);
  assert.equal(await home.bash("rm -f ../made.ts"), null);
  assert.equal(await home.edit(join(home.path, "made.ts")), null);
});

test("a file that may not be removed goes away with a folder above it", async (home) => {
  const project = home.configure("preToolUse: {uneditableFiles: ['*.lock']}\n", CASES.filesBelow);
  await home.assertDenied(/\*\.lock.*File: sub\/deep\/x\.lock/, [
    "rm -rf sub",
    "rm -r sub/*",
    "mv sub src/",
    "find sub -delete",
    "git rm -r sub",
    `cd / && rm -r ${project}/sub/deep`,
  ]);
  await home.assertAllowed(["rm -rf node_modules pkg", "rm -r pkg/node_modules/m", "rm -r other"]);
});

test.slow("a folder that is too large to be looked through is a doubt", async (home) => {
  const project = home.configure("preToolUse: {uneditableFiles: ['*.lock']}\n");
  Deno.mkdirSync(join(project, "many"));
  for (let i = 0; i <= 5_000; i++) Deno.writeTextFileSync(join(project, "many", String(i)), "");
  assert.equal(await home.bash("rm -r many"), null);
  const noted = lastMetadata(home);
  assert.deepEqual(noted["doubts"], ["many holds more files than can be looked through"]);
  home.configure("preToolUse: {uneditableFiles: ['*.lock'], strict: true}\n");
  assert.match((await home.bash("rm -r many"))!, /only when it runs/);
});

test("a denial advises no pause where none can be kept", async (home) => {
  const rules = "preToolUse: {uneditableFiles: [src/**]}\nstop: {commands: [{run: 'false'}]}\n";
  home.configure(`database: {enabled: false}\n${rules}`, ["src/a.ts"]);
  const stop = async () => String((await home.send("Stop")).reason);
  for (const reason of [(await home.edit("src/a.ts"))!, await stop()]) {
    assert.doesNotMatch(reason, /guard pause/);
    assert.match(reason, /They can change the rule in the configuration \(`conclaude config path`/);
  }
  home.configure(rules);
  Deno.mkdirSync(join(home.path, ".conclaude"), { recursive: true });
  Deno.writeTextFileSync(home.database, "no database at all ".repeat(500));
  for (const reason of [(await home.edit("src/a.ts"))!, await stop()]) {
    assert.match(
      reason,
      /This mends it: `conclaude doctor --fix`\. .*`conclaude guard pause --session/,
    );
  }
  await home.run("doctor", "--fix");
  await home.run("guard", "pause", "--session", SESSION.slice(0, 8));
  assert.equal(await home.edit("src/a.ts"), null);
});
