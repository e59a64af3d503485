/** Requirements: what is asked before a tool runs, and what satisfies it. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { executions, lastMetadata, type Row } from "../support/look.ts";
import { runProgram } from "../support/program.ts";
import { OTHER_SESSION, RequiredProject, SESSION } from "../support/required_project.ts";
import { testWith } from "../support/fixtures.ts";
import { configureUser } from "../support/on_home.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const PLAN = "requirements: {commit_plan: {autoResolveSkill: arch-review}}\n";
const REVIEW = `requirements:
  pre_commit_review:
    scope: single_use
    triggerTools: [{tool: Bash, commandPattern: 'git\\s+(commit|cherry-pick|revert|merge)'}]
`;
const FOUR = `requirements:
  commit_plan: {autoResolveSkill: arch-review}
  adr_reviewed: {autoResolveSkill: arch-review}
  tdd_planned: {autoResolveSkill: arch-review}
  solid_reviewed: {}
`;

Deno.test("without a file of the project, a person's own requirements ask for nothing", async () => {
  using project = new RequiredProject("{}\n");
  Deno.removeSync(join(project.path, ".conclaude.yaml"));
  configureUser(project.home, PLAN);
  assert.equal(await project.edit(), null);
  assert.equal(await project.start(), "");
});

Deno.test("a person's own requirements count where the project has a file, unless it drops them", async () => {
  using project = new RequiredProject("{}\n");
  configureUser(project.home, PLAN);
  assert.match((await project.edit())!, /commit_plan/);
  project.configure("inherit: false\n");
  assert.equal(await project.edit(), null);
  project.configure("requirements: {commit_plan: {triggerTools: [Write]}}\n");
  assert.equal(await project.edit(), null);
  assert.match((await project.use("Write", { file_path: "src/b.ts" }))!, /commit_plan/);
  project.write(".conclaude.local.yaml", "requirements: {commit_plan: {enabled: false}}\n");
  assert.equal(await project.use("Write", { file_path: "src/b.ts" }), null);
});

const test = testWith(() => new RequiredProject(PLAN));

test("an edit is denied while a requirement is open, and triggers nothing", async (project) => {
  const reason = (await project.edit())!;
  assert.match(reason, /"commit_plan" is open/);
  assert.match(reason, /`conclaude req satisfy commit_plan --session cad0ac4d`/);
  assert.match(reason, /`\/arch-review`/);
  assert.deepEqual(project.state("commit_plan"), []);
  assert.equal(await project.stop(), null);
  const [row] = executions(project.home);
  assert.deepEqual([row!["status"], (row!["metadata"] as Row)["rules"]], [
    "blocked",
    ["requirements.commit_plan"],
  ]);
});

test("the command of a denial lifts it, for this session alone", async (project) => {
  await project.follow((await project.edit())!);
  assert.equal(await project.edit(), null);
  assert.match((await project.edit({ session_id: OTHER_SESSION }))!, /commit_plan/);
  const [row] = project.state("commit_plan");
  assert.deepEqual([row!["session_id"], row!["satisfied_by"]], [SESSION, "cli_bypass"]);
  assert.deepEqual(JSON.parse(String(row!["metadata"])), { bypass: true });
});

test("a satisfaction of the branch counts for every session of it, and for no other branch", async (project) => {
  await project.req("satisfy", "commit_plan", "--branch", "feature/x");
  assert.equal(await project.edit(), null);
  assert.equal(await project.edit({ session_id: OTHER_SESSION }), null);
  project.git("switch", "-q", "-c", "feature-x");
  assert.match((await project.edit())!, /commit_plan/);
});

test("a short id and a whole one are the same session", async (project) => {
  await project.send("SessionStart");
  await project.req("satisfy", "commit_plan", "--session", "cad0ac4d");
  assert.equal(await project.edit(), null);
  await project.req("clear", "commit_plan");
  await project.req("satisfy", "commit_plan", "--session", SESSION.toUpperCase());
  assert.equal(await project.edit(), null);
  assert.equal(project.state("commit_plan").length, 1);
});

test("a plan may be written, wherever a path to it leads", async (project) => {
  project.write("docs/plans/old.md", "x");
  Deno.symlinkSync(join(project.path, "src"), join(project.path, "docs/plans/link"));
  const write = (file_path: string) => project.use("Write", { file_path });
  assert.equal(await write(`${project.path}/.claude/plans/a.md`), null);
  assert.equal(await write("docs/plans/a.md"), null);
  assert.equal(await write(`${project.home.path}/.claude/plans/a.md`), null);
  assert.notEqual(await write(`${project.path}/docs/plansx/a.md`), null);
  assert.notEqual(await write("docs/plans/../../src/a.ts"), null);
  assert.notEqual(await write("docs/plans/link/a.ts"), null);
});

test("a shell command that changes files of the project is an edit", async (project) => {
  await project.assertDenied(/commit_plan/, CASES.editsByShell);
  await project.assertAllowed(CASES.noEdits);
});

const it = testWith(() => new RequiredProject(REVIEW));

it("a review is asked for each commit, and used up by one that succeeded", async (project) => {
  await project.send("SessionStart");
  await project.assertDenied(/pre_commit_review/, CASES.commits);
  await project.assertAllowed(CASES.noCommits);
  await project.req("satisfy", "pre_commit_review", "--session", "cad0ac4d");
  assert.equal(await project.bash("git commit -m x"), null);
  await project.send("PostToolUseFailure", {
    tool_name: "Bash",
    tool_use_id: "toolu_1",
    tool_input: { command: "git commit -m x" },
    error: "nothing to commit",
  });
  assert.equal(await project.bash("git commit -m x"), null);
  await project.used("Bash", { command: "ls" });
  assert.equal(await project.bash("git commit -m x"), null);
  assert.equal(project.shell("git commit -q --allow-empty -m x"), true);
  await project.used("Bash", { command: "git commit -m x" });
  assert.deepEqual(project.state("pre_commit_review"), []);
  assert.match((await project.bash("git commit -m x"))!, /pre_commit_review/);
  await project.req("satisfy", "pre_commit_review", "--branch", "feature/x");
  for (let commit = 0; commit < 2; commit++) {
    assert.equal(await project.act("git commit -q --allow-empty -m x"), null);
  }
});

Deno.test("several open requirements are told in one answer, a skill that resolves them once", async () => {
  using project = new RequiredProject(
    FOUR.replace("solid_reviewed: {}", "solid_reviewed: {enabled: false}"),
  );
  const reason = (await project.edit())!;
  assert.equal(reason.split("**Execute**: `/arch-review`").length, 2);
  assert.match(reason, /satisfy commit_plan adr_reviewed tdd_planned --session/);
});

Deno.test("a skill satisfies what is mapped to it, and what is configured to be", async () => {
  using project = new RequiredProject(FOUR);
  const skill = (name: string) => project.skill(name);
  await skill("requirements-framework:no-such-skill");
  assert.deepEqual(project.state("commit_plan"), []);
  await skill("requirements-framework:arch-review");
  for (const name of ["commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"]) {
    const [row] = project.state(name);
    assert.deepEqual([row!["satisfied_by"], JSON.parse(String(row!["metadata"])).skill], [
      "skill",
      "requirements-framework:arch-review",
    ]);
  }
  assert.equal(await project.edit(), null);
  project.configure("requirements: {own: {satisfiedBySkill: [my-review], replanTtl: 100}}\n");
  assert.match((await project.edit())!, /own/);
  await skill("/my-review");
  assert.equal(await project.edit(), null);
  project.age(99);
  assert.equal(await project.edit(), null);
  project.age(2);
  assert.match((await project.edit())!, /own/);
});

Deno.test("the skill that a denial names satisfies, whatever its name is", async () => {
  for (const skill of ["my-skill", "/my-skill", "plug:thing", "/plug:thing --fast"]) {
    using project = new RequiredProject(`requirements: {a2: {autoResolveSkill: "${skill}"}}\n`);
    const [, named] = /\*\*Execute\*\*: `\/([^` ]+)[^`]*` \(satisfies a2\)/
      .exec((await project.edit())!)!;
    await project.skill(named!);
    assert.equal(await project.edit(), null, skill);
  }
});

test("a slash command that a person types satisfies like the skill of its name", async (project) => {
  await project.type("help");
  assert.notEqual(await project.edit(), null);
  await project.type("arch-review");
  assert.equal(await project.edit(), null);
});

Deno.test("a satisfaction counts in subfolders and worktrees of its branch, and not on a branch of a similar name", async () => {
  using project = new RequiredProject(PLAN, "feature/auth");
  await project.send("SessionStart");
  await project.req("satisfy", "commit_plan", "--session", "cad0ac4d");
  assert.equal(await project.edit({ cwd: join(project.path, "src") }), null);
  project.git("switch", "-q", "-c", "feature-auth");
  assert.notEqual(await project.edit(), null);
  assert.notEqual(await project.edit({ cwd: join(project.path, "src") }), null);
  const worktree = join(project.home.path, "tree");
  project.git("worktree", "add", "-q", worktree, "feature/auth");
  Deno.copyFileSync(join(project.path, ".conclaude.yaml"), join(worktree, ".conclaude.yaml"));
  assert.equal(await project.edit({ cwd: worktree }), null);
});

test("on no branch and outside of a repository all passes, and it is said", async (project) => {
  project.git("checkout", "-q", "--detach");
  assert.match(await project.start(), /not in force here, for HEAD is detached/);
  assert.equal(await project.edit(), null);
  assert.match(String(lastMetadata(project.home)["requirements"]), /HEAD/);
  Deno.removeSync(join(project.path, ".git"), { recursive: true });
  assert.match(await project.start(), /no git repository/);
  assert.equal(await project.edit(), null);
  assert.match(
    (await project.run("req", "satisfy", "commit_plan", "--session", SESSION)).stderr,
    /no git/,
  );
});

test("a name that does not exist is refused with the nearest, and nothing is recorded", async (project) => {
  await project.send("SessionStart");
  const { code, stderr } = await project.run("req", "satisfy", "commit_plan", "comit_plan");
  assert.equal(code, 1);
  assert.match(stderr, /Unknown requirement "comit_plan"\n.*did you mean "commit_plan"/);
  assert.deepEqual(project.state("commit_plan"), []);
});

Deno.test("the same denial within seconds is told in short, and is still one", async () => {
  using project = new RequiredProject(FOUR);
  const [first, second] = [(await project.edit())!, (await project.edit())!];
  assert.ok(second.length < first.length / 2);
  assert.match(second, /`conclaude req satisfy [^`]+ --session cad0ac4d`/);
});

Deno.test("guards and requirements deny in one answer, with both ways out", async () => {
  using project = new RequiredProject(`preToolUse: {uneditableFiles: [src/**]}\n${PLAN}`);
  const reason = (await project.edit())!;
  assert.match(reason, /uneditableFiles/);
  assert.match(reason, /commit_plan/);
  await project.follow(reason);
  assert.equal(await project.edit(), null);
});

test("an agent can satisfy nothing, unless the policy lets it", async (project) => {
  const verbs = ["satisfy a", "approve a", "clear --all", "pause", "disable a", "import", "init"];
  const commands = verbs.map((verb) => `conclaude req ${verb}`);
  await project.assertDenied(/only a person/, [
    ...commands,
    "sh -c '~/.local/bin/conclaude req satisfy x'",
  ]);
  await project.assertAllowed(["conclaude req status", "echo 'conclaude req satisfy x'"]);
  project.configure(`preToolUse: {protectPolicy: false}\n${PLAN}`);
  assert.equal(await project.bash("conclaude req satisfy commit_plan"), null);
});

Deno.test("one wrong requirement is named and left out, the others hold", async () => {
  using project = new RequiredProject(
    "requirements:\n  commit_plan: {}\n  broken: {scope: sesion}\n  worse: {triggerTools: [{tool: Bash, commandPattern: '('}]}\n",
  );
  const answer = await project.send("SessionStart", { source: "startup" });
  assert.match(
    String(answer!["systemMessage"]),
    /requirements\.broken\.scope.*requirements\.worse/,
  );
  const reason = (await project.edit())!;
  assert.match(reason, /commit_plan/);
  assert.doesNotMatch(reason, /broken|worse/);
  const { code, stdout, stderr } = await project.run("config", "validate");
  assert.equal(code, 1);
  assert.match(stdout + stderr, /requirements\.broken\.scope[\s\S]*expected session or branch/);
});

Deno.test("the branch of the working tree counts in which something is done, whoever's project it is", async () => {
  using project = new RequiredProject(
    "requirements: {guarded: {type: guard, triggerTools: [Edit, {tool: Bash, commandPattern: 'git\\s+commit'}]}}\n",
    "main",
  );
  const tree = join(project.home.path, "tree");
  project.git("worktree", "add", "-q", "-b", "feat", tree);
  Deno.mkdirSync(join(tree, "src"), { recursive: true });
  Deno.copyFileSync(join(project.path, ".conclaude.yaml"), join(tree, ".conclaude.yaml"));
  const inTree = { file_path: join(tree, "src", "a.ts") };
  assert.match((await project.edit())!, /branch main is protected/);
  assert.equal(await project.use("Edit", inTree), null);
  assert.equal(await project.bash("git commit -m x", { cwd: tree }), null);
  assert.equal(await project.bash(`git -C ${tree} commit -m x`), null);
  assert.equal(await project.bash(`cd ${tree} && git commit -m x`), null);
  assert.match((await project.bash("git commit -m x"))!, /main is protected/);
  assert.match((await project.bash(`git -C ${project.path} commit -m x`, { cwd: tree }))!, /main/);
  assert.match(
    (await project.bash(`cd ${project.path} && git commit -m x`, { cwd: tree }))!,
    /req satisfy guarded --session cad0ac4d --branch main`/,
  );
});

it("from a working tree without a branch, what is done in another one counts there", async (project) => {
  const tree = join(project.home.path, "tree");
  project.git("worktree", "add", "-q", "--detach", tree);
  Deno.copyFileSync(join(project.path, ".conclaude.yaml"), join(tree, ".conclaude.yaml"));
  const cwd = { cwd: tree };
  const commands = [`cd ${project.path} && git commit -m x`, `git -C ${project.path} commit`];
  for (const command of commands) {
    assert.match((await project.bash(command, cwd))!, /pre_commit_review/, command);
  }
  assert.equal(await project.bash("git commit -m x", cwd), null);
  const { requirements } = lastMetadata(project.home);
  assert.match(String(requirements), /HEAD is detached/);
});

Deno.test("a requirement without a word about it has all its defaults", async () => {
  using project = new RequiredProject("requirements:\n  commit_plan:\n");
  assert.match((await project.edit())!, /commit_plan/);
});

test("a command that only the running shell can decide is noted, and denied by a strict policy", async (project) => {
  const commands = [
    "rm $FILE",
    'for f in $(a); do rm "$f"; done',
  ];
  for (const command of commands) {
    assert.equal(await project.bash(command), null, command.slice(0, 80));
    const { unsure, doubts } = lastMetadata(project.home);
    assert.ok(unsure !== undefined || doubts !== undefined, command.slice(0, 80));
  }
  project.configure(`preToolUse: {strict: true}\n${PLAN}`);
  for (const command of commands) assert.notEqual(await project.bash(command), null);
});

it("a command that may be the one a requirement is about is noted, and denied by a strict policy", async (project) => {
  const commands = CASES.doubtfulCommits;
  const others = ["git log $REF", 'echo "$COMMIT"', "npm run $SCRIPT"];
  for (const command of commands) {
    assert.equal(await project.bash(command), null, command);
    assert.ok(lastMetadata(project.home)["unsure"], command);
  }
  project.configure(`preToolUse: {strict: true}\n${REVIEW}`);
  await project.assertDenied(/pre_commit_review|only known when/, commands);
  await project.assertAllowed(others);
});

Deno.test("an anchored pattern is searched in each command by itself, however it is spaced", async () => {
  using project = new RequiredProject(`requirements:
  begun: {triggerTools: [{tool: Bash, commandPattern: '^git commit'}]}
  ended: {triggerTools: [{tool: Bash, commandPattern: 'publish$'}]}
`);
  await project.assertDenied(/begun|ended/, CASES.anchoredDenied);
  await project.assertAllowed(["echo git commit", "git log && ls", "npm publish --help"]);
});

it("a command is recognized in an array, behind an alias, and behind another program", async (project) => {
  await project.assertDenied(/pre_commit_review/, CASES.recognizedCommits);
});

Deno.test("a strict policy denies what may fall under a requirement only until that is satisfied", async () => {
  using project = new RequiredProject(`preToolUse: {strict: true}
requirements:
  released: {triggerTools: [{tool: Bash, commandPattern: 'npm\\s+publish'}]}
  tagged: {triggerTools: [{tool: Bash, commandPattern: 'git\\s+tag'}]}
`);
  const reason = (await project.bash("npm $VERB"))!;
  assert.match(reason, /"released" may forbid it.*npm…/);
  assert.doesNotMatch(reason, /tagged/);
  await project.follow(reason);
  assert.equal(await project.bash("npm $VERB"), null);
});

Deno.test("the first denial of a strict policy names all that forbids, and what lifts each", async () => {
  using project = new RequiredProject(`preToolUse: {strict: true}
requirements:
  ship: {triggerTools: [{tool: Bash, commandPattern: 'ship'}]}
  tagged: {triggerTools: [{tool: Bash, commandPattern: 'git\\s+tag'}]}
`);
  const command = "git push --force; git tag v1; $X a";
  const reason = (await project.bash(command))!;
  assert.match(reason, /git push/);
  assert.match(reason, /"ship" may forbid it/);
  assert.match(reason, /"tagged" is open/);
  assert.match(
    reason,
    /a command that only the running shell knows may be what requirements\.ship/,
  );
  assert.equal((await project.follow(reason)).length, 3, reason);
  assert.equal(await project.bash(command), null);
});

Deno.test("a denial shows what to think of, also where several requirements are open", async () => {
  using project = new RequiredProject(
    "requirements: {plan: {checklist: [who reads it, what breaks]}, adr: {checklist: [is it new]}, tdd: {}}\n",
  );
  assert.match(
    (await project.edit())!,
    /\| tdd \|[^]*\n- \[ \] plan: who reads it\n- \[ \] plan: what breaks\n- \[ \] adr: is it new\n/,
  );
});

Deno.test("a command that only shows help or rehearses triggers no requirement", async () => {
  using project = new RequiredProject(
    "requirements: {released: {triggerTools: [{tool: Bash, commandPattern: '(npm|cargo)\\s+publish|gh\\s+pr'}]}}\n",
  );
  await project.assertAllowed(CASES.releasesAllowed);
  await project.assertDenied(/released/, CASES.releasesDenied);
});

test("files that git ignores are no edits of a shell command", async (project) => {
  project.write(".gitignore", "build/\n");
  project.write("build/x", "1");
  assert.equal(await project.bash("rm -rf build && echo x > build/log.txt"), null);
  assert.notEqual(await project.bash("rm -rf build src"), null);
});

Deno.test("git is asked which files it ignores only where that decides", async () => {
  const protecting = (branch: string) =>
    `requirements: {branch: {type: guard, guardType: protected_branch, protectedBranches: [${branch}]}}\n`;
  using project = new RequiredProject(protecting("main"));
  const [tools, asked] = ["tools", "asked"].map((name) => join(project.home.path, name));
  Deno.mkdirSync(tools!);
  const git =
    `#!/bin/sh\n[ "$1" = check-ignore ] && : > ${asked}\nPATH=/usr/bin:/bin exec git "$@"\n`;
  Deno.writeTextFileSync(join(tools!, "git"), git, { mode: 0o755 });
  project.environment = { PATH: `${tools}:/usr/bin:/bin` };
  assert.equal(await project.bash("echo x > src/b.ts"), null);
  assert.equal(existsSync(asked!), false);
  project.configure(protecting("feature/x"));
  assert.match((await project.bash("echo x > src/b.ts"))!, /feature\/x is protected/);
  assert.equal(existsSync(asked!), true);
});

/** A project on `feature/x` with another working tree of it, on `other`. */
function withWorktree(config: string): RequiredProject & { readonly tree: string } {
  const project = new RequiredProject(config);
  const tree = join(project.home.path, "tree");
  project.git("worktree", "add", "-q", "-b", "other", tree);
  return Object.assign(project, { tree });
}

Deno.test("the command of a denial in another working tree lifts it, in whichever of them it is given", async () => {
  for (const from of ["tree", "path"] as const) {
    for (const cwd of ["tree", "path"] as const) {
      using project = withWorktree(PLAN);
      await project.send("SessionStart");
      const edit = () => project.edit({ cwd: project[cwd] }, join(project.tree, "src", "a.ts"));
      // A working tree without a configuration asks for nothing by itself.
      const claude = { env: { HOME: project.home.path }, cwd: project[from] };
      if (cwd === "tree") {
        Deno.copyFileSync(
          join(project.path, ".conclaude.yaml"),
          join(project.tree, ".conclaude.yaml"),
        );
      }
      const [, command] = /`conclaude (req [^`]+)`/.exec((await edit())!)!;
      assert.match(command!, / --branch other$/);
      const { code, stdout, stderr } = await runProgram(command!.split(" "), claude);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      assert.match(stdout, /for session cad0ac4d on other/);
      assert.equal(await edit(), null, `given in ${from}, denied in ${cwd}`);
      assert.notEqual(await project.edit(), null);
    }
  }
});

Deno.test("without a branch named, a session's requirement is about the branch of the folder", async () => {
  using project = withWorktree(PLAN);
  await project.send("SessionStart");
  const inTree = { env: { HOME: project.home.path }, cwd: project.tree };
  const status = await runProgram(["req", "status", "--session", "cad0ac4d"], inTree);
  assert.match(status.stdout, /^other, session cad0ac4d: 0 of 1 satisfied/);
  await runProgram(["req", "satisfy", "commit_plan", "--session", "cad0ac4d"], inTree);
  assert.deepEqual(project.state("commit_plan").map(({ branch }) => branch), ["other"]);
});

Deno.test("a skill satisfies also in the other working tree in which the session was denied", async () => {
  using project = withWorktree(PLAN);
  const edit = () => project.edit({}, join(project.tree, "src", "a.ts"));
  assert.match((await edit())!, /`\/arch-review`/);
  await project.skill("arch-review");
  assert.equal(await edit(), null);
  assert.equal(await project.edit(), null);
});

test("a session of another project is refused by name, and nothing is recorded", async (project) => {
  const elsewhere = join(project.home.path, "elsewhere");
  Deno.mkdirSync(elsewhere);
  project.git("init", "-q", elsewhere);
  await project.send("SessionStart", { cwd: elsewhere });
  for (const verb of [["satisfy", "commit_plan"], ["clear", "--all"], ["explain", "commit_plan"]]) {
    const { code, stderr } = await project.run("req", ...verb, "--session", "cad0ac4d");
    assert.equal(code, 1);
    assert.match(stderr, /cad0ac4d does not work in this project[^]*elsewhere/);
  }
  assert.deepEqual(project.state("commit_plan"), []);
});

/** A project whose configuration switches the database off. */
const OFF = `database: {enabled: false}\n${PLAN}`;

Deno.test("without a database requirements forbid nothing, and it is said", async () => {
  using project = new RequiredProject(OFF);
  const stopOnly = `database: {enabled: false}\nrequirements: {evidence: {stopOnly: true}}\n`;
  assert.equal(await project.edit(), null);
  assert.match(await project.start(), /not in force here, for the database is switched off/);
  assert.match((await project.run("req", "status")).stdout, /database is switched off/);
  assert.equal((await project.run("explain", "Edit", "src/a.ts")).code, 0);
  project.configure(stopOnly);
  assert.equal(await project.edit(), null);
  assert.equal(await project.stop(), null);
  project.configure(PLAN);
  const payload = { session_id: SESSION, cwd: project.path, tool_name: "Edit" };
  const { stdout } = await runProgram(["hook", "PreToolUse", "--no-db"], {
    stdin: { ...payload, tool_input: { file_path: "src/a.ts" } },
    env: { HOME: project.home.path },
  });
  assert.equal(stdout, "");
});

Deno.test("without a database a strict policy denies, and says that it has to be switched on", async () => {
  using project = new RequiredProject(`preToolUse: {strict: true}\n${OFF}`);
  const reason = (await project.edit())!;
  assert.match(reason, /"commit_plan"[^]*database\.enabled: true/);
  assert.doesNotMatch(reason, /req satisfy/);
  assert.match(await project.start(), /denied here, for the database is switched off/);
  assert.equal((await project.run("explain", "Edit", "src/a.ts")).code, 1);
  project.configure(`preToolUse: {strict: true}\n${PLAN}`);
  assert.match((await project.edit())!, /req satisfy/);
});

Deno.test("verbs about requirements and guards are refused where no database can keep the answer", async () => {
  using project = new RequiredProject(OFF);
  const lines = [
    ["req", "satisfy", "commit_plan", "--session", SESSION],
    ["req", "satisfy", "commit_plan", "--branch", "feature/x"],
    ["req", "clear", "--all"],
    ["req", "pause", "--session", SESSION],
    ["guard", "pause", "--session", SESSION],
  ];
  for (const args of lines) {
    const { code, stdout, stderr } = await project.run(...args);
    assert.deepEqual([code, stdout], [1, ""], args.join(" "));
    assert.match(stderr, /why: .*database is switched off[^]*next: /);
  }
  const { code, stderr } = await project.run("--no-db", "req", "satisfy", "commit_plan");
  assert.equal(code, 1);
  assert.match(stderr, /without `--no-db`/);
});

Deno.test("a tool use of no session is not denied what no session can satisfy", async () => {
  using project = new RequiredProject(`preToolUse: {strict: true}\n${PLAN}`);
  assert.equal(await project.edit({ session_id: undefined }), null);
  const { requirements } = lastMetadata(project.home);
  assert.equal(requirements, "the event names no session");
});

it("a commit that was broken off, or goes on in the background, keeps its review", async (project) => {
  const commit = { command: "git commit -m x" };
  await project.req("satisfy", "pre_commit_review", "--session", SESSION);
  await project.used("Bash", commit, { tool_response: { stdout: "", interrupted: true } });
  await project.used("Bash", commit, { tool_response: { stdout: "", backgroundTaskId: "b1" } });
  assert.equal(await project.bash("git commit -m x"), null);
  assert.equal(project.shell("git commit -q --allow-empty -m x"), true);
  await project.used("Bash", commit, { tool_response: { stdout: "", interrupted: false } });
  assert.notEqual(await project.bash("git commit -m x"), null);
});

for (const key of ["commandPatern", "command_pattern", "pattern"]) {
  Deno.test(`a trigger with the unknown key ${key} switches its requirement off, and it is named`, async () => {
    using project = new RequiredProject(
      `requirements: {a: {triggerTools: [{tool: Bash, ${key}: "git commit"}]}, b: {triggerTools: [Write]}}\n`,
    );
    const { systemMessage } = (await project.send("SessionStart", { source: "startup" }))!;
    assert.match(String(systemMessage), /Switched off by it: the requirements a\./);
    assert.equal(await project.bash("ls"), null);
    assert.notEqual(await project.use("Write", { file_path: "src/a.ts" }), null);
    const doctor = await project.run("doctor");
    assert.match(doctor.stdout, /switched off by mistakes in them: the requirements a;/);
    const { code, stdout } = await project.run("config", "validate");
    assert.equal(code, 1);
    assert.ok(stdout.includes(`requirements.a.triggerTools[0].${key}`), stdout);
    if (key !== "pattern") assert.match(stdout, /write "commandPattern" instead/);
  });
}

Deno.test("all requirements with mistakes are named, at the start and by doctor, up to twenty", async () => {
  const names = Array.from({ length: 22 }, (_, i) => `r${String(i).padStart(2, "0")}`);
  const broken = (count: number) =>
    `requirements: {${
      names.slice(0, count).map((name) => `${name}: {scope: none}`).join(", ")
    }, good: {}}\n`;
  using project = new RequiredProject(broken(5));
  const told = async () =>
    String((await project.send("SessionStart", { source: "startup" }))!["systemMessage"]);
  assert.match(await told(), /the requirements r00, r01, r02, r03, r04\./);
  assert.match((await project.run("doctor")).stdout, /the requirements r00, r01, r02, r03, r04;/);
  assert.match(await project.req("status"), /which switch off r00, r01, r02, r03, r04;/);
  project.configure(broken(22));
  assert.match(await told(), /r18, r19 and 2 more\./);
});
