/** What a command has changed is found afterwards, told, and undone by the command that is told. */
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { git, gitSync, makeRepository } from "../support/git.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import { type GuardedHome, guardedHome, SESSION } from "../support/guarded.ts";
import { query } from "../support/look.ts";
import { runProgram, type TempHome } from "../support/program.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };
import { pause } from "../support/wait.ts";

const test = testWith(guardedHome);

/** A hook of a session in which nobody accepts what has become of the policy. @returns Its answer. */
const send = (
  home: GuardedHome,
  event: string,
  fields: object = {},
  env: Record<string, string> = {},
) => home.send(event, fields, { holds: true, env });

/** What the hook before a tool use decides; undefined where it leaves that to others. */
const decided = async (home: GuardedHome, fields: object) =>
  (await send(home, "PreToolUse", fields))?.hookSpecificOutput?.permissionDecision;

/** An edit of a protected file. */
const LOCKED = {
  tool_name: "Edit",
  tool_use_id: "toolu_e",
  tool_input: { file_path: "yarn.lock", old_string: "v1", new_string: "v2" },
};

const POLICY = `preToolUse:
  uneditableFiles:
    - "*.lock"
    - { pattern: "src/generated/**", writtenBy: "node gen.js*" }
    - { pattern: "infra/**", effects: block }
    - .env
  preventAdditions: ["dist/**", "src/one/**", "src/two/**", "src/three/**", "src/four/**"]
`;

const FILES = {
  ".conclaude.yaml": POLICY,
  ".gitignore": ".env\n",
  "yarn.lock": "v1\n",
  "Cargo.lock": "v1\n",
  "src/a.ts": "a\n",
  "src/generated/api.ts": "x\n",
  "infra/main.tf": "r\n",
};

/** A repository in the home. @returns Its path. */
function laid({ project }: GuardedHome, files: Record<string, string> = FILES): string {
  makeRepository(project, { files });
  Deno.writeTextFileSync(join(project, ".env"), "A=1\n");
  return project;
}

/** Also protects the main branch. */
const PROTECTED = {
  ...FILES,
  ".conclaude.yaml": POLICY + "requirements:\n  main: {type: guard, guardType: protected_branch}\n",
};

/** Gives a project a remote. @returns The remote's path. */
async function addOrigin(home: TempHome, project: string): Promise<string> {
  const other = join(home.path, "other.git");
  await git(home.path, "clone", "-q", "--bare", project, other);
  await git(project, "remote", "add", "origin", other);
  await git(project, "fetch", "-q");
  return other;
}

let uses = 0;

/** Runs a command in a folder. @returns Its exit code. */
async function inShell(cwd: string, command: string): Promise<number> {
  const { code } = await new Deno.Command("/bin/sh", {
    args: ["-c", command],
    cwd,
    env: {
      GIT_CONFIG_GLOBAL: "/dev/null",
      ...{ GIT_AUTHOR_NAME: "Ana", GIT_AUTHOR_EMAIL: "a@example.com" },
      ...{ GIT_COMMITTER_NAME: "Ana", GIT_COMMITTER_EMAIL: "a@example.com" },
    },
    stdout: "null",
    stderr: "null",
  }).output();
  return code;
}

/** Runs a command between the hooks of a tool use, as Claude Code does. @returns What Claude is told after it. */
async function bash(
  home: GuardedHome,
  command: string,
  { session = SESSION, run = command, asked = true, folder = "", env = {} }: {
    readonly session?: string;
    /** Where the session works, from the project. */
    readonly folder?: string;
    /** What really runs. */
    readonly run?: string;
    /** Whether the hook before is asked; a command that the guards deny is run all the same. */
    readonly asked?: boolean;
    /** The environment of the hooks, beside `HOME`. */
    readonly env?: Record<string, string>;
  } = {},
) {
  const cwd = join(home.project, folder);
  const id = { session_id: session, cwd, tool_use_id: `toolu_${++uses}` };
  const use = { ...id, tool_name: "Bash", tool_input: { command } };
  const before = asked ? await send(home, "PreToolUse", use, env) : null;
  const code = await inShell(cwd, run);
  const tool_response = { stdout: "", stderr: "", interrupted: false };
  const after = code === 0
    ? await send(home, "PostToolUse", { ...use, tool_response }, env)
    : await send(home, "PostToolUseFailure", { ...use, error: `exit ${code}` }, env);
  const context = (answer: typeof after) => answer?.hookSpecificOutput?.additionalContext ?? "";
  return {
    before: context(before),
    denied: before?.hookSpecificOutput?.permissionDecision === "deny",
    after: after?.reason ?? context(after),
    blocks: after?.decision === "block",
  };
}

const stop = (home: GuardedHome) => send(home, "Stop");

/** How many violations `status` tells. */
async function openIn(home: GuardedHome): Promise<number> {
  return JSON.parse((await home.run("status", "--json")).stdout).violations;
}

/** The command that a text tells to undo something with. */
function undoIn(text: string): string {
  return /undo: `([^`]+)`/.exec(text)?.[1] ?? assert.fail(`no undo in: ${text}`);
}

test.git("a protected file that a command changed is told, and comes back by the command told", async (home) => {
  const project = laid(home);
  for (const [run, file, was] of rowsOf<readonly [string, string, string]>(CASES.undone)) {
    const { after, blocks } = await bash(home, "python3 magic.py", { run });
    assert.match(after, new RegExp(file), run);
    assert.equal(blocks, false);
    const undo = undoIn(after);
    assert.equal((await bash(home, undo)).after, "", run);
    assert.equal(Deno.readTextFileSync(join(project, file)), was, run);
  }
  assert.equal(await stop(home).then((answer) => answer.decision), undefined);
});

test.git("a file beside the project, or in a new folder, is told where a rule names it", async (home) => {
  const policy = 'preToolUse: {uneditableFiles: ["../shared/**/*.txt", "src/**/*.lock"]}\n';
  const project = laid(home, { ...FILES, ".conclaude.yaml": policy });
  const beside = join(project, "../shared/a.txt");
  await bash(home, "ls", { run: `mkdir ../shared; echo a > ${beside}`, asked: false });
  assert.match((await bash(home, "npm run x", { run: `echo b > ${beside}` })).after, /a\.txt/);
  const made = await bash(home, "npm run x", { run: "mkdir src/deep && echo x > src/deep/x.lock" });
  assert.match(made.after, /x\.lock/);
  // A folder with too many files is not read to its end: what comes into view there later may be old.
  const many = "cd src; touch $(seq 600); cd ../../shared; touch $(seq -f %g.txt 20) $(seq 999)";
  await bash(home, "true", { run: many });
  await pause(2_100);
  const run = "cd src; touch $(seq 601 700); cd ../../shared; rm $(seq 999); touch new.txt";
  const { after } = await bash(home, "npm run x", { run });
  assert.deepEqual(after.match(/`rm .+`/g), [`\`rm -- ${resolve(project, "../shared/new.txt")}\``]);
});

test.git("a file that git is made to take for unchanged is told all the same", async (home) => {
  const project = laid(home);
  await bash(home, "ls");
  for (const [file, run] of rowsOf<readonly [string, string]>(CASES.disguised)) {
    const { after } = await bash(home, "sh x.sh", { run });
    assert.match(after, new RegExp(file), run);
    assert.equal(gitSync(project, "status", "--short"), "", run);
    const undo = undoIn(after);
    await bash(home, undo);
    const name = undo.split(" ").at(-1)!;
    const kept = gitSync(project, "--no-replace-objects", "show", `HEAD:${name}`);
    assert.equal(Deno.readTextFileSync(join(project, name)).trim(), kept.trim(), undo);
  }
});

test.git("a file that git does not know is told by its content, not by its times", async (home) => {
  const project = laid(home);
  Deno.writeTextFileSync(join(project, "infra/new.tf"), "n\n");
  await bash(home, "ls");
  const same = "git stash -u; git stash pop; cp -p .env e; rm .env; mv e .env; touch .env";
  assert.equal((await bash(home, "sh x.sh", { run: same })).after, "");
  const other = "git stash -u; git stash pop; echo N > infra/new.tf; chmod 600 .env";
  assert.match((await bash(home, "sh x.sh", { run: other })).after, /new\.tf[^]*\.env/);
});

test.git("beside a stash, too, new and ignored files are told, but for those that it brings back", async (home) => {
  const project = laid(home);
  await git(project, "config", "user.email", "a@example.com");
  await git(project, "config", "user.name", "Ana");
  Deno.writeTextFileSync(join(project, "infra/new.tf"), "kept\n");
  await bash(home, "ls");
  assert.equal((await bash(home, "git stash -q -u")).after, "");
  for (const [run, file] of rowsOf<readonly [string, string]>(CASES.besideAStash)) {
    assert.match((await bash(home, "python3 magic.py", { run })).after, new RegExp(file), run);
  }
  Deno.removeSync(join(project, "infra/new.tf"));
  await bash(home, "ls");
  assert.equal((await bash(home, "git stash pop -q")).after, "");
});

test.git("a file that comes with a merge in conflict, and goes with it, is no violation", async (home) => {
  const project = laid(home);
  const script = `git switch -qc feature; echo 1 > src/generated/two.ts; echo f > src/a.ts
    git add -A; git commit -qm f; git switch -q -; echo m > src/a.ts; git commit -qam m`;
  await bash(home, script, { asked: false });
  const merges = ["merge -q feature", "merge --abort", "cherry-pick feature -X theirs"];
  for (const verb of [...merges, "reset -q --soft HEAD~1", "stash -q"]) {
    assert.equal((await bash(home, `git ${verb}`)).after, "", verb);
  }
  assert.deepEqual([...Deno.readDirSync(join(project, "src/generated"))].length, 1);
  const removed = await bash(home, "npm run x", { run: "rm src/generated/api.ts" });
  assert.match(removed.after, /api\.ts.*undo: `git .*restore/);
});

test.git("in another working tree the told command brings a file back from there", async (home) => {
  const project = laid(home);
  const env = { CLAUDE_PROJECT_DIR: project };
  await bash(home, "git worktree add -q ../tree", { env });
  for (const [file, was] of [["yarn.lock", "v1\n"], ["src/generated/api.ts", "x\n"]] as const) {
    for (const [folder, name] of [["", `../tree/${file}`], ["../tree", file]] as const) {
      assert.ok((await bash(home, `echo y > ${name}`, { env, folder, run: "true" })).denied, name);
    }
    const told = await bash(home, "npm run x", { env, folder: "../tree", run: `echo y > ${file}` });
    const undo = undoIn(told.after);
    assert.match(undo, /^git -C \S+\/tree restore /);
    await bash(home, undo, { env });
    assert.equal(Deno.readTextFileSync(join(home.path, "tree", file)), was);
  }
});

/** A step of a story: what a person does and sees, a command of Claude and what it is told, or a stop that is not held. */
interface Step {
  readonly person?: string;
  /** Without it, the command that Claude was told. */
  readonly claude?: string;
  /** What really runs, and in which folder. */
  readonly does?: string;
  readonly in?: string;
  /** Where Claude Code was started. */
  readonly begun?: string;
  /** A pattern of what is told; without one, nothing is. */
  readonly tells?: string;
  /** How many violations are open then. */
  readonly open?: number;
  readonly stops?: boolean;
}

for (const [what, steps] of Object.entries<readonly Step[]>(CASES.stories)) {
  test.git(`${what}: what is told and undone`, async (home) => {
    const project = laid(home);
    let undo = "";
    for (const { person, claude = undo, does = claude, in: folder = "", ...step } of steps) {
      const env = { CLAUDE_PROJECT_DIR: join(project, step.begun ?? "") };
      if (step.stops) {
        assert.equal((await send(home, "Stop", {}, env)).decision, undefined);
      } else if (person?.startsWith("conclaude ")) {
        assert.equal((await home.run(...person.split(" ").slice(1))).code, 0, person);
      } else if (person !== undefined) {
        assert.equal(await inShell(join(project, folder), person), 0, person);
      } else {
        const { before, after, denied } = await bash(home, claude, { run: does, folder, env });
        assert.match(before + after, new RegExp(step.tells ?? "^$", "s"), claude);
        assert.equal(denied, false, claude);
        undo = /undo: `([^`]+)`/.exec(before + after)?.[1] ?? "";
      }
      if (step.open !== undefined) assert.equal(await openIn(home), step.open, claude);
    }
  });
}

test.git("a commit that was made elsewhere during the session carries no change in unseen", async (home) => {
  const project = laid(home);
  await addOrigin(home, project);
  await git(project, "switch", "-qc", "old");
  await git(project, "worktree", "add", "-q", "../tree", "-b", "tree");
  Deno.writeTextFileSync(join(project, "../tree/Cargo.lock"), "v2\n");
  await git(join(project, "../tree"), "commit", "-qam", "x", "--date=2001-01-01T00:00Z");
  await bash(home, "ls");
  assert.equal((await bash(home, "git merge -q tree")).after, "");
  await git(project, "tag", "base");
  for (const [made, brings] of rowsOf<readonly [string, string]>(CASES.madeElsewhere)) {
    // Git tells times in seconds.
    await pause(1_000);
    await bash(home, "sh x.sh", { run: made, asked: false });
    const { after } = await bash(home, brings);
    assert.match(after, /yarn\.lock/, brings);
    await bash(home, undoIn(after));
    assert.equal(Deno.readTextFileSync(join(project, "yarn.lock")), "v1\n");
    assert.equal((await bash(home, "git switch -qf old && git reset -q --hard base")).after, "");
  }
  // The owner of a lock file may write it in any working tree.
  const installed = "cd ../tree && echo v3 > yarn.lock && git commit -qam z";
  await bash(home, "cd ../tree && yarn install", { run: installed });
  assert.equal((await bash(home, "git merge -q tree")).after, "");
  await pause(1_000);
  const dated = "GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git commit -qam w";
  const weakened = `cd ../tree && echo 'preToolUse: {}' > .conclaude.yaml && ${dated}`;
  await bash(home, "sh x.sh", { run: weakened, asked: false });
  assert.ok((await bash(home, "git merge -q tree")).blocks);
  assert.equal(await decided(home, LOCKED), "deny");
});

test.git("what only a commit changes is told, and a further commit undoes it", async (home) => {
  const project = laid(home);
  await bash(home, "ls");
  for (const [run, file, status] of rowsOf<readonly [string, string, string]>(CASES.committed)) {
    const { after } = await bash(home, "sh x.sh", { run });
    assert.match(after, new RegExp(`${file}[^]*undo`), run);
    assert.equal(await openIn(home), 1, run);
    assert.equal((await bash(home, undoIn(after))).after, "", run);
    assert.equal(gitSync(project, "diff", "--stat", "first", "HEAD", "--", file), "", run);
    assert.equal(gitSync(project, "status", "--short"), status, run);
    assert.equal(await openIn(home), 0, run);
  }
});

test.git("a branch may move once a person has satisfied what protects it", async (home) => {
  const project = laid(home, PROTECTED);
  await git(project, "switch", "-qc", "feature");
  await git(project, "commit", "-q", "--allow-empty", "-m", "x");
  const merge = "git switch -q main && git merge -q --no-edit feature; git switch -q feature";
  await bash(home, "true");
  assert.ok((await bash(home, merge, { asked: false })).blocks);
  await git(project, "branch", "-f", "main", "main~1");
  assert.equal(await openIn(home), 0);
  await bash(home, "true");
  const satisfied = await home.run("req", "satisfy", "main", "--branch", "main");
  assert.equal(satisfied.code, 0, satisfied.stderr);
  const { denied, after, blocks } = await bash(home, merge);
  assert.deepEqual([denied, after, blocks], [false, "", false]);
});

test.git("what a tool of an MCP server changed is told after it, or at the next command", async (home) => {
  const project = laid(home);
  const file = join(project, "yarn.lock");
  for (const asksAfter of [true, false]) {
    const use = {
      tool_name: "mcp__shell__run",
      tool_use_id: `toolu_${++uses}`,
      tool_input: { command: "update everything" },
    };
    assert.equal(await send(home, "PreToolUse", use), null);
    Deno.writeTextFileSync(file, `evil ${asksAfter}\n`);
    const answer = asksAfter
      ? await send(home, "PostToolUse", { ...use, tool_response: {} })
      : null;
    const next = asksAfter ? { before: "", after: "" } : await bash(home, "ls");
    const told = answer?.hookSpecificOutput?.additionalContext ?? next.before + next.after;
    assert.match(told, /yarn\.lock/);
    await bash(home, undoIn(told));
    assert.equal(Deno.readTextFileSync(file), "v1\n");
  }
});

test.git("no look is taken before a tool of an MCP server whose name only looks", async (home) => {
  laid(home);
  const use = { tool_input: { query: "x" } };
  const tools = [["mcp__x__find_file", 0], ["mcp__x__find_and_replace", 1]] as const;
  for (const [tool_name, looks] of tools) {
    assert.equal(await send(home, "PreToolUse", { ...use, tool_name }), null);
    assert.equal(query(home, "SELECT * FROM effect_snapshots").length, looks);
  }
});

test.git("a new file where none may be made is told, and removed by the command told", async (home) => {
  const project = laid(home);
  Deno.mkdirSync(join(project, "dist"));
  for (const file of ["dist/new.js", "src/generated/new.ts", "new.lock"]) {
    const { after } = await bash(home, `node x.js ${file}`, { run: `echo > ${file}` });
    assert.match(after, new RegExp(file));
    await bash(home, undoIn(after));
    assert.throws(() => Deno.statSync(join(project, file)));
  }
});

test.git("a rule with `effects: block` holds Claude until the file is back", async (home) => {
  laid(home);
  const { after, blocks } = await bash(home, "tofu fmt infra", { run: "echo x > infra/main.tf" });
  assert.equal(blocks, true);
  const held = await stop(home);
  assert.equal(held.decision, "block");
  assert.match(held.reason, /infra\/main\.tf/);
  await bash(home, undoIn(after));
  assert.equal((await stop(home)).decision, undefined);
});

test.git("a policy file that changed while a session was active stays in force as it was", async (home) => {
  const project = laid(home);
  const config = join(project, ".conclaude.yaml");
  await bash(home, "ls");
  const { after, blocks } = await bash(home, "node x.js", {
    run: "echo 'capture: {}' > .conclaude.yaml",
  });
  assert.equal(blocks, true);
  assert.match(after, /\.conclaude\.yaml/);
  assert.equal(await decided(home, LOCKED), "deny");
  assert.match((await stop(home)).reason, /config undo \.conclaude\.yaml/);
  const begun = await send(home, "SessionStart", { session_id: "other", source: "startup" });
  assert.match(begun.systemMessage, /version before is in force/);
  const { code, stderr } = await home.run("explain", "Edit", "yarn.lock");
  assert.equal(code, 1, stderr);
  assert.match(stderr, /\.conclaude\.yaml was changed .*its version before is in force/);
  const dry = await runProgram(["hook", "--dry-run"], {
    env: { HOME: home.path },
    cwd: project,
    stdin: { session_id: SESSION, cwd: project, hook_event_name: "PreToolUse", ...LOCKED },
  });
  assert.match(dry.stdout, /PreToolUse of Edit: denied/);
  assert.match(dry.stderr, /its version before is in force/);
  const { stdout: valid } = await home.run("config", "validate");
  assert.match(valid, /^warning: \.conclaude\.yaml was changed .*conclaude config accept/m);
  assert.equal((await bash(home, undoIn(after), { run: "true" })).after, "");
  const undone = await home.run("config", "undo", ".conclaude.yaml");
  assert.equal(undone.code, 0, undone.stderr);
  assert.equal(Deno.readTextFileSync(config), POLICY);
  assert.equal((await stop(home)).decision, undefined);
  assert.equal(await decided(home, LOCKED), "deny");
});

test.git("a policy file that a command makes unreadable stays in force as it was", async (home) => {
  const project = laid(home);
  const config = join(project, ".conclaude.yaml");
  await bash(home, "ls");
  for (const run of CASES.policyTouched) {
    const { after, blocks } = await bash(home, "node x.js", { run });
    assert.equal(blocks, true, run);
    assert.match(after, /config undo \.conclaude\.yaml/, run);
    assert.equal((await home.run("explain", "Edit", "yarn.lock")).code, 1, run);
    const undone = await home.run("config", "undo", ".conclaude.yaml");
    assert.equal(undone.code, 0, undone.stderr);
    assert.equal(Deno.readTextFileSync(config), POLICY);
    assert.equal(Deno.statSync(config).mode! & 0o022, 0);
    if (run.includes("commit")) await git(project, "commit", "-qam", "back");
    assert.equal((await stop(home)).decision, undefined, run);
  }
});

test.git("a policy stays in force in a folder that a command opens to others", async (home) => {
  const project = laid(home);
  await bash(home, "ls");
  assert.equal((await bash(home, "node x.js", { run: "chmod 777 ." })).blocks, true);
  assert.equal((await home.run("explain", "Edit", "yarn.lock")).code, 1);
  Deno.chmodSync(project, 0o755);
  assert.equal((await stop(home)).decision, undefined);
});

test.git("a configuration of the home that a command makes is not in force until a person accepts it", async (home) => {
  laid(home);
  await bash(home, "ls");
  await bash(home, "node x.js", {
    run:
      "mkdir -p ../.conclaude; echo 'preToolUse: {protectPolicy: false}' > ../.conclaude/config.yaml",
  });
  const begun = await send(home, "SessionStart", { session_id: "other", source: "startup" });
  assert.match(begun.systemMessage, /config\.yaml was changed while a session was active/);
  assert.equal((await home.run("explain", "Edit", ".conclaude.yaml")).code, 1);
});

for (const [what, file, run] of rowsOf<readonly [string, string, string]>(CASES.newPolicies)) {
  test.git(`a new policy file ${what} is not in force until a person accepts it`, async (home) => {
    const project = laid(home);
    const folder = file.startsWith("tree") ? "tree" : "src";
    await bash(home, "ls", { folder: "src" });
    const { after } = await bash(home, "node x.js", { run, folder: "src" });
    const lock = { tool_name: "Edit", tool_input: { file_path: join(project, "yarn.lock") } };
    const edit = () => decided(home, { cwd: join(project, folder), ...lock });
    assert.equal(await edit(), "deny");
    const told = folder === "tree" ? await bash(home, "ls", { folder }) : { after, before: "" };
    assert.match(told.after + told.before, /conclaude[^ ]*\.yaml[^]*undo: `conclaude config undo /);
    const at = { env: { HOME: home.path }, cwd: join(project, folder) };
    assert.equal((await runProgram(["explain", "Edit", "../yarn.lock"], at)).code, 1);
    Deno.writeTextFileSync(join(project, ".conclaude.yaml"), `${POLICY}# later\n`);
    assert.equal(await edit(), "deny");
    const undone = await runProgram(["config", "undo", join(project, file)], at);
    assert.equal(undone.code, 0, undone.stderr);
    assert.throws(() => Deno.lstatSync(join(project, file)));
  });
}

test.git("a person accepts a changed policy file, and then it is in force", async (home) => {
  laid(home);
  await bash(home, "ls");
  await bash(home, "node x.js", { run: "rm .conclaude.yaml" });
  assert.equal(await openIn(home), 1);
  assert.equal((await stop(home)).decision, "block");
  const accepted = await home.run("config", "accept");
  assert.match(accepted.stdout, /1 change accepted/);
  assert.equal((await stop(home)).decision, undefined);
  assert.equal((await bash(home, "echo", { run: "echo x > yarn.lock" })).after, "");
});

test.git("what a person imports counts as accepted", async (home) => {
  const project = laid(home);
  await bash(home, "ls");
  Deno.mkdirSync(join(project, ".claude"));
  Deno.writeTextFileSync(
    join(project, ".claude/requirements.yaml"),
    "version: '1.0'\nenabled: true\nrequirements: {adr: {enabled: true, scope: session, trigger_tools: [Edit], message: m}}\n",
  );
  const { code, stderr } = await home.run("req", "import");
  assert.equal(code, 0, stderr);
  assert.match(Deno.readTextFileSync(join(project, ".conclaude.yaml")), /adr:/);
  assert.equal((await stop(home)).decision, undefined);
  assert.equal((await home.run("explain", "Edit", "src/a.ts")).stderr, "");
});

test.git("with no session active a changed policy file is in force at once", async (home) => {
  const project = laid(home);
  const edit = (session_id: string) => decided(home, { session_id, ...LOCKED });
  assert.equal(await edit(SESSION), "deny");
  await send(home, "SessionEnd", { reason: "other" });
  Deno.writeTextFileSync(join(project, ".conclaude.yaml"), "preToolUse: {}\n");
  assert.equal(await edit("5e551011-0000-4000-8000-000000000002"), undefined);
});

test.git("a version of the policy that git brings is in force at once, and that is said", async (home) => {
  const project = laid(home);
  await git(project, "switch", "-qc", "free");
  Deno.writeTextFileSync(join(project, ".conclaude.yaml"), "preToolUse: {}\n");
  await git(project, "commit", "-qam", "Free");
  await git(project, "switch", "-q", "main");
  await pause(1_100);
  await bash(home, "ls");
  const { after } = await bash(home, "git switch -q free");
  assert.equal(after, "");
  assert.equal((await stop(home)).decision, undefined);
  const write = { tool_name: "Write", tool_input: { file_path: "yarn.lock", content: "v2" } };
  assert.equal(await send(home, "PreToolUse", { ...write, tool_use_id: "toolu_w" }), null);
});

test.git("a protected branch that a command moved comes back by the command told", async (home) => {
  const project = laid(home, PROTECTED);
  const was = gitSync(project, "rev-parse", "main").trim();
  await git(project, "switch", "-qc", "work");
  for (const run of CASES.movedBranches) {
    const { after, blocks } = await bash(home, "sh x.sh", { run });
    assert.equal(blocks, true, run);
    assert.match((await stop(home)).reason, /^Changed without being allowed/);
    assert.equal((await bash(home, undoIn(after))).denied, false);
    assert.equal(gitSync(project, "rev-parse", "main").trim(), was, run);
    assert.equal((await stop(home)).decision, undefined);
  }
});

test.git("a remote counts for what it told itself, and not for what a command writes in its name", async (home) => {
  const project = laid(home, PROTECTED);
  const other = await addOrigin(home, project);
  const colleague = join(home.path, "colleague");
  await git(home.path, "clone", "-q", other, colleague);
  await git(project, "switch", "-qc", "work");
  await bash(home, "ls");
  const move = "git commit -q --allow-empty -m x; git branch -f main; ";
  for (
    const forge of [
      "git update-ref refs/remotes/origin/main main",
      "mkdir -p .git/refs/remotes/o; git rev-parse main > .git/refs/remotes/o/main",
      "git push -q origin main",
    ]
  ) {
    const { after, blocks } = await bash(home, "sh x.sh", { run: move + forge });
    assert.match(after, /refs\/heads\/main \(protected branch\)/, forge);
    assert.equal(blocks, true, forge);
    const isPush = forge.includes("push");
    assert.equal(/remotes\/origin\/main.*it was pushed/.test(after), isPush, after);
    if (isPush) break;
    await bash(home, "sh x.sh", {
      run: "git branch -f main work~1; git update-ref -d refs/remotes/o/main; " +
        "git update-ref refs/remotes/origin/main main; git reset -q --hard main",
    });
    assert.equal((await stop(home)).decision, undefined, forge);
  }
  assert.equal((await stop(home)).decision, "block");
  assert.equal((await home.run("config", "accept")).code, 0);
  await git(colleague, "pull", "-q");
  await git(colleague, "commit", "-q", "--allow-empty", "-m", "of a colleague");
  await git(colleague, "push", "-q");
  const run = "git fetch -q; git branch -f main origin/main; git merge -q main";
  assert.equal((await bash(home, "sh x.sh", { run })).after, "");
  assert.equal((await stop(home)).decision, undefined);
});

test.git("a protected branch goes where its own remote branch goes, and a push that cannot be read is told", async (home) => {
  const project = laid(home, PROTECTED);
  await addOrigin(home, project);
  await git(project, "switch", "-qc", "work");
  await git(project, "commit", "-q", "--allow-empty", "-m", "of work");
  await git(project, "push", "-q", "origin", "work");
  await pause(1_100);
  await bash(home, "ls");
  const reset = "git switch -q main; git reset -q --hard origin/work; git switch -q work";
  const { after, blocks } = await bash(home, reset);
  assert.match(after, /refs\/heads\/main \(protected branch\)/);
  assert.equal(blocks, true);
  await bash(home, undoIn(after));
  assert.equal((await stop(home)).decision, undefined);
  const pushed = await bash(home, 'git push -q origin "work:$(echo niam | rev)"');
  assert.match(pushed.after, /remotes\/origin\/main.*it was pushed/);
  assert.equal(pushed.blocks, true);
  const run = "git remote add new ../other.git; git push -q new work:main";
  assert.match((await bash(home, "sh x.sh", { run })).after, /remotes\/new\/main.*it was pushed/);
});

test.git("what changes beside a command that only looks is not called its work", async (home) => {
  const project = laid(home);
  await bash(home, "ls");
  for (const [n, command] of ["cat src/a.ts", "git diff -- src/a.ts"].entries()) {
    Deno.writeTextFileSync(join(project, "src/generated/api.ts"), `by a person ${n}\n`);
    const { before, after } = await bash(home, command);
    assert.match(before + after, /by whom is unknown[^]*src\/generated\/api\.ts/, command);
    assert.doesNotMatch(before + after, /This command changed/, command);
    await git(project, "restore", ".");
    await bash(home, "ls");
  }
});

test.git("a branch that a person moved holds a stop as changed by whom is unknown, and may be put back", async (home) => {
  const project = laid(home, PROTECTED);
  await git(project, "switch", "-qc", "work");
  await bash(home, "ls");
  await git(project, "switch", "-q", "main");
  await git(project, "commit", "-q", "--allow-empty", "-m", "by hand");
  await git(project, "switch", "-q", "work");
  const { reason } = await stop(home);
  assert.match(
    reason,
    /^Changed meanwhile, by whom is unknown[^]*refs\/heads\/main[^]*undo it\. A/,
  );
  assert.equal((await bash(home, undoIn(reason))).denied, false);
  assert.equal((await stop(home)).decision, undefined);
});

test.git("hooks of git, its settings and those of Claude Code are policy", async (home) => {
  const project = laid(home);
  Deno.mkdirSync(join(project, ".git/hooks"), { recursive: true });
  Deno.mkdirSync(join(project, ".claude"));
  await bash(home, "ls");
  for (const [run, file] of rowsOf<readonly [string, string]>(CASES.gitPolicyChanged)) {
    const { after, blocks } = await bash(home, "sh x.sh", { run });
    assert.match(after, new RegExp(file), run);
    assert.equal(blocks, true, run);
    const [, ...words] = undoIn(after).split(" ");
    const undone = await home.run(...words);
    assert.equal(undone.code, 0, undone.stderr);
    assert.equal((await stop(home)).decision, undefined, run);
  }
  for (const run of CASES.gitPolicyKept) {
    const { before, denied, after, blocks } = await bash(home, "sh x.sh", { run });
    assert.deepEqual([before, denied, after, blocks], ["", false, "", false], run);
  }
});

test.git("a day of ordinary work brings no violation", async (home) => {
  const project = laid(home);
  const other = await addOrigin(home, project);
  const colleague = join(home.path, "colleague");
  await git(home.path, "clone", "-q", other, colleague);
  Deno.writeTextFileSync(join(colleague, "yarn.lock"), "v2\n");
  await git(colleague, "commit", "-qam", "Update");
  await git(colleague, "push", "-q");
  for (const [command, run = command] of rowsOf<readonly [string, string?]>(CASES.ordinaryDay)) {
    const { before, after, blocks } = await bash(home, command, { run });
    const told = before.replace(/^conclaude: in doubt: .*$/m, "");
    assert.deepEqual([told, after, blocks], ["", "", false], command);
  }
  assert.equal((await stop(home)).decision, undefined);
});

test.git("what a person's editor changes between tool uses is told as such, and holds nothing", async (home) => {
  const project = laid(home);
  await bash(home, "ls");
  Deno.writeTextFileSync(join(project, "yarn.lock"), "by hand\n");
  const { before, after } = await bash(home, "ls");
  // At once before the next command, or after it where the last look was a moment ago.
  assert.match(before + after, /^Changed meanwhile, by whom is unknown[^]*yarn\.lock/);
  assert.equal((await bash(home, "ls")).before, "");
  const stopped = await stop(home);
  assert.equal(stopped.decision, undefined);
  assert.match(stopped.systemMessage, /by whom is unknown: yarn\.lock\. A person accepts it/);
  assert.equal((await stop(home)).systemMessage, undefined);
  const shown = async (...args: string[]) => (await home.run(...args)).stdout;
  const name = "yarn.lock (preToolUse.uneditableFiles[0])";
  assert.ok((await shown("audit", "list")).includes("violated: yarn.lock"));
  for (const state of ["open", "settled"]) {
    if (state === "settled") await git(project, "restore", ".");
    const lines = (await shown("session", "show")).split("\n");
    assert.match(
      lines[lines.indexOf(`  ${name}`) + 1]!,
      new RegExp(`${state}; by whom is unknown`),
    );
    assert.ok((await shown("session", "log")).includes(`  ${name}, violated, ${state}\n`));
    assert.equal((await shown("config", "accept", "--dry-run")).includes(name), state === "open");
    assert.equal(await openIn(home), state === "open" ? 1 : 0);
  }
});

test.git("a policy file that a session of another working tree changed is not in force", async (home) => {
  const project = laid(home);
  await git(project, "worktree", "add", "-q", "../tree");
  assert.equal(await decided(home, LOCKED), "deny");
  await send(home, "SessionEnd", { reason: "other" });
  const session = "5e551011-0000-4000-8000-000000000002";
  const run = "echo 'preToolUse: {}' > ../project/.conclaude.yaml";
  await bash(home, "node x.js", { folder: "../tree", session, run });
  assert.equal(await decided(home, { session_id: `${session.slice(0, -1)}3`, ...LOCKED }), "deny");
});

test.git("what a session in another project may do excuses nothing here", async (home) => {
  laid(home);
  await bash(home, "ls");
  makeRepository(join(home.path, "other"), { files: { "yarn.lock": "v1\n" } });
  const session = "5e551011-0000-4000-8000-000000000002";
  await bash(home, "yarn install", { folder: "../other", session });
  assert.match((await bash(home, "sh x.sh", { run: "echo e > yarn.lock" })).after, /yarn\.lock/);
});

test.git("two sessions at once do not tell of each other's installs and edits", async (home) => {
  const project = laid(home);
  const session = "5e551011-0000-4000-8000-000000000002";
  await bash(home, "ls", { session });
  await bash(home, "yarn add x", { run: "echo v2 > yarn.lock" });
  const { before } = await bash(home, "ls", { session });
  assert.equal(before, "");
  assert.equal(Deno.readTextFileSync(join(project, "yarn.lock")), "v2\n");
});

test.git("another session hears of a further change, and what it is told undoes both", async (home) => {
  const project = laid(home);
  await bash(home, "python3 magic.py", { run: "echo v2 > yarn.lock" });
  await bash(home, "git commit -qam x");
  const session = "5e551011-0000-4000-8000-000000000002";
  await bash(home, "ls", { session });
  await pause(1_100);
  const { after } = await bash(home, "python3 magic.py", { session, run: "echo v3 > yarn.lock" });
  assert.match((await home.run("session", "show", SESSION)).stdout, /^ {4}open; by whom is/m);
  assert.equal((await bash(home, undoIn(after), { session })).after, "");
  assert.equal(Deno.readTextFileSync(join(project, "yarn.lock")), "v1\n");
  assert.equal((await send(home, "Stop", { session_id: session })).decision, undefined);
});
