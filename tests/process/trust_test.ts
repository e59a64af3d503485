/** Configuration counts only where nobody but the user could have written it, or where a person says that it does. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { slowTest } from "../support/lanes.ts";
import { git } from "../support/git.ts";
import { answerOf, type Finished, startHook, startProgram } from "../support/process.ts";
import { jsonOf, type TempHome, tempHome } from "../support/program.ts";
import { needsUsers } from "../support/requirements.ts";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/process_cases.json" with { type: "json" };

const SESSION = "5e551022-0000-4000-8000-000000000011";
const RULES = "preToolUse: {uneditableFiles: ['*.lock'], preventRootAdditions: false}\n";
const STRICT = "preToolUse: {strict: true, uneditableFiles: ['*.lock']}\n";
/** The user at the keyboard, and somebody else. */
const ME = 41001;
const OTHER = 41002;

/** Starts as a user with a group of his own, with the umask of Ubuntu. */
const as = (uid: number, gid = uid) => [
  "setpriv",
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
  "sh",
  "-c",
  'umask 002; exec "$@"',
  "sh",
];

function put(path: string, text: string, { uid = 0, mode = 0o644 } = {}): string {
  Deno.mkdirSync(join(path, ".."), { recursive: true });
  Deno.writeTextFileSync(path, text);
  Deno.chownSync(path, uid, uid);
  Deno.chmodSync(path, mode);
  return path;
}

function folder(path: string, { uid = 0, mode = 0o755 } = {}): string {
  Deno.mkdirSync(path, { recursive: true });
  Deno.chownSync(path, uid, uid);
  Deno.chmodSync(path, mode);
  return path;
}

/** A folder for everybody, like `/tmp`, with a home of the user's in it. */
function sharedPlace() {
  const place = tempHome();
  folder(place.path, { mode: 0o1777 });
  const home = folder(join(place.path, "home"), { uid: ME, mode: 0o700 });
  const me: Who = { home, through: as(ME) };
  return { place, home, me, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

interface Who {
  readonly home: string | TempHome;
  readonly through?: readonly string[];
  readonly args?: readonly string[];
}

async function send(event: string, cwd: string, fields: object, { home, ...start }: Who) {
  const payload = { session_id: SESSION, cwd, ...fields };
  return answerOf(await startHook(event, payload, home, { cwd, ...start }));
}

/** Why an Edit of `a.lock` is denied; null where it is not. */
async function edit(cwd: string, who: Who): Promise<string | null> {
  const answer = await send("PreToolUse", cwd, {
    tool_name: "Edit",
    tool_input: { file_path: join(cwd, "a.lock") },
  }, who);
  return answer?.hookSpecificOutput.permissionDecisionReason ?? null;
}

async function bash(cwd: string, command: string, who: Who): Promise<string | null> {
  const fields = { tool_name: "Bash", tool_input: { command } };
  const answer = await send("PreToolUse", cwd, fields, who);
  return answer?.hookSpecificOutput.permissionDecisionReason ?? null;
}

async function told(cwd: string, who: Who, source = "startup"): Promise<string> {
  return (await send("SessionStart", cwd, { source }, who))?.systemMessage ?? "";
}

function run(words: readonly string[], cwd: string, { home, ...start }: Who): Promise<Finished> {
  const HOME = typeof home === "string" ? home : home.path;
  return startProgram(words, { cwd, env: { HOME }, ...start });
}

/** Removes the database: a version that was in force before a change would stay so. */
function forgetVersions(home: string): void {
  for (const end of ["", "-wal", "-shm"]) {
    rmSync(join(home, `.conclaude/conclaude.db${end}`), { force: true });
  }
}

const it = testWith(sharedPlace, needsUsers());

it.slow("no event reads or runs files of another user in a shared folder", async ({ place, home, me }) => {
  const project = folder(join(home, "../own/proj"), { uid: ME });
  folder(join(project, ".."), { uid: ME });
  const proof = join(place.path, "proof");
  const theirs = `
stop: {commands: [{run: "touch ${proof}"}]}
subagentStop: {commands: [{run: "touch ${proof}"}]}
userPromptSubmit: {commands: [{run: "touch ${proof}"}]}
preToolUse: {uneditableFiles: ['*.lock']}
`;
  for (const name of [".conclaude.yaml", ".conclaude.yml", ".conclaude.local.yaml"]) {
    const path = put(join(place.path, name), theirs, { uid: OTHER, mode: 0o666 });
    assert.equal(await told(project, me), "", name);
    assert.equal(await edit(project, me), null, name);
    for (const event of ["Stop", "SubagentStop"]) {
      for (const stop_hook_active of [false, true]) {
        assert.equal((await send(event, project, { stop_hook_active }, me))?.decision, undefined);
      }
    }
    await send("UserPromptSubmit", project, { prompt: "go on" }, me);
    Deno.removeSync(path);
  }
  assert.throws(() => Deno.statSync(proof), Deno.errors.NotFound);
  // Whoever opens a pipe waits for somebody to write.
  await new Deno.Command("mkfifo", { args: [join(place.path, ".conclaude.yaml")] }).output();
  const stopped = await send("Stop", project, { stop_hook_active: true }, me);
  assert.equal(stopped?.decision, undefined);
  const { files, searched } = jsonOf(await run(["config", "path", "--json"], project, me));
  assert.deepEqual({ files, searched }, { files: [], searched: [`${home}/.conclaude`, project] });
});

it.slow("a project's file counts where its owner and mode, and those of the folders up to the root, are safe", async ({ home, me }) => {
  const project = join(home, "proj");
  const path = join(project, "a/b/.conclaude.yaml");
  const repository = join(project, "a");
  const cases: Readonly<Record<string, { readonly why?: RegExp; readonly change: () => void }>> = {
    "the user's own": { change: () => {} },
    "root's": { change: () => Deno.chownSync(path, 0, 0) },
    "the user's with his own group, as with umask 002": {
      change: () =>
        [path, join(path, ".."), repository].forEach((each) => {
          Deno.chmodSync(each, each === path ? 0o664 : 0o2775);
        }),
    },
    "below a folder above the root that everybody may write": {
      change: () => Deno.chmodSync(project, 0o777),
    },
    "below a folder above the root of somebody else": {
      change: () => Deno.chownSync(project, OTHER, OTHER),
    },
    "somebody else's": {
      change: () => Deno.chownSync(path, OTHER, OTHER),
      why:
        /b\/\.conclaude\.yaml belongs to another user \(uid 41002\).*conclaude config trust \S+\/a\/b\b/s,
    },
    "for everybody": {
      change: () => Deno.chmodSync(path, 0o646),
      why: /everybody may write \S+\/b\/\.conclaude\.yaml \(mode 0646\).*chmod o-w \S+\.yaml/s,
    },
    "for another group": {
      change: () => {
        Deno.chownSync(path, ME, OTHER);
        Deno.chmodSync(path, 0o664);
      },
      why: /the group 41002 may write \S+\.conclaude\.yaml \(mode 0664\).*chmod g-w/s,
    },
    "root's for another group": {
      change: () => {
        Deno.chownSync(path, 0, OTHER);
        Deno.chmodSync(path, 0o664);
      },
      why: /the group 41002 may write.*conclaude config trust/s,
    },
    "in a folder of somebody else": {
      change: () => Deno.chownSync(join(path, ".."), OTHER, OTHER),
      why: /\/a\/b belongs to another user/,
    },
    "in a folder for everybody, where only owners remove": {
      change: () => Deno.chmodSync(join(path, ".."), 0o1777),
      why: /everybody may write \S+\/a\/b \(mode 1777\)/,
    },
    "below a root of somebody else": {
      change: () => Deno.chownSync(repository, OTHER, OTHER),
      why: /\/a belongs to another user/,
    },
    "below a root for another group": {
      change: () => {
        Deno.chownSync(repository, ME, 0);
        Deno.chmodSync(repository, 0o775);
      },
      why: /the group 0 may write \S+\/a \(mode 0775\)/,
    },
  };
  for (const [name, { change, why }] of Object.entries(cases)) {
    forgetVersions(home);
    folder(project, { uid: ME });
    for (const each of [repository, join(repository, "b"), join(repository, ".git")]) {
      folder(each, { uid: ME });
    }
    put(join(repository, ".git/HEAD"), "ref: refs/heads/main\n", { uid: ME });
    put(path, RULES, { uid: ME });
    change();
    const denied = await edit(join(path, ".."), me);
    const notice = await told(join(path, ".."), me);
    const looked = await run(["config", "path"], join(path, ".."), me);
    const { stdout: doctor } = await run(["doctor"], join(path, ".."), me);
    if (why === undefined) {
      assert.match(denied ?? "allowed", /\*\.lock/, name);
      assert.doesNotMatch(notice, /Left out/, name);
      assert.doesNotMatch(looked.stdout, /Left out/, name);
      assert.doesNotMatch(doctor, /left out/, name);
    } else {
      assert.doesNotMatch(denied ?? "allowed", /\*\.lock/, name);
      assert.match(notice, why, name);
      assert.match(looked.stdout, why, name);
      assert.match(doctor, why, name);
      assert.doesNotMatch(await told(join(path, ".."), me, "compact"), /Left out/, name);
    }
  }
});

it("the user's own file counts as a project's does", async ({ home, me }) => {
  const project = folder(join(home, "proj"), { uid: ME });
  const path = put(join(home, ".conclaude/config.yaml"), RULES, { uid: ME });
  folder(join(home, ".conclaude"), { uid: ME, mode: 0o700 });
  assert.match((await edit(project, me))!, /\*\.lock/);
  for (const bad of [() => Deno.chmodSync(path, 0o666), () => Deno.chownSync(path, OTHER, OTHER)]) {
    bad();
    forgetVersions(home);
    assert.equal(await edit(project, me), null);
    assert.match(await told(project, me), /Left out: \S+\/\.conclaude\/config\.yaml/);
  }
});

slowTest("a folder that a person trusts counts, whoever may write there", async () => {
  using home = tempHome();
  using mount = tempHome();
  // Root in a container, on a mount of the user's outside.
  const project = folder(join(mount.path, "work space"), { uid: ME });
  await git(mount.path, "init", "-q", project);
  put(join(project, ".conclaude.yaml"), RULES, { uid: ME });
  put(join(project, ".conclaude/workflows/w.yaml"), "name: w\n", { uid: ME });
  const root = { home };
  assert.doesNotMatch(await edit(project, root) ?? "", /\*\.lock/);
  assert.match(await told(project, root), /`conclaude config trust '\S+\/work space'`/);
  const trust = (dir: string, ...more: string[]) =>
    run(["config", "trust", dir, ...more], mount.path, root);
  const first = await trust("work space");
  assert.equal(first.code, 0, first.stderr);
  assert.match((await edit(project, root))!, /\*\.lock/);
  assert.equal(await told(project, root), "");
  assert.match((await trust(project)).stdout, /already/);
  const listed = jsonOf(await run(["config", "path", "--json"], project, root));
  assert.deepEqual([listed.trusted, listed.leftOut], [[project], []]);
  assert.match((await trust("work space", "--remove")).stdout, /no longer/);
  assert.doesNotMatch(await edit(project, root) ?? "", /\*\.lock/);
  // One above it, over a link, with all that lies below; a neighbour with the same beginning is none.
  Deno.symlinkSync(mount.path, join(home.path, "link"));
  await run(["config", "trust", "link"], home.path, root);
  assert.match((await edit(project, root))!, /\*\.lock/);
  await run(["config", "trust", "link", "--remove"], home.path, root);
  await trust(folder(join(mount.path, "work"), {}));
  assert.doesNotMatch(await edit(project, root) ?? "", /\*\.lock/);
  const missing = await trust("nowhere");
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /no folder/);
}, needsUsers());

it("a link counts where it lies and where it leads", async ({ place, home, me }) => {
  const real = folder(join(home, "disk/real"), { uid: ME });
  folder(join(home, "disk"), { uid: ME });
  put(join(real, ".conclaude.yaml"), RULES, { uid: ME });
  Deno.symlinkSync(join(home, "disk"), join(home, "link"));
  assert.match((await edit(join(home, "link/real"), me))!, /\*\.lock/);
  Deno.removeSync(join(real, ".conclaude.yaml"));
  const targets = {
    own: put(join(home, "dot/own.yaml"), RULES, { uid: ME }),
    theirs: put(join(place.path, "theirs.yaml"), RULES, { uid: OTHER }),
    mineAmongThem: put(join(place.path, "mine.yaml"), RULES, { uid: ME }),
  };
  folder(join(home, "dot"), { uid: ME });
  const denied = async (target: string) => {
    forgetVersions(home);
    Deno.symlinkSync(target, join(real, ".conclaude.yaml"));
    const reason = await edit(real, me);
    Deno.removeSync(join(real, ".conclaude.yaml"));
    return /\*\.lock/.test(reason ?? "");
  };
  assert.equal(await denied(targets.own), true);
  assert.equal(await denied(targets.theirs), false);
  assert.equal(await denied(targets.mineAmongThem), false);
  // A link on the way, or a folder above, where others may write lets them lead it elsewhere.
  const open = folder(join(home, "open"), { uid: ME, mode: 0o777 });
  Deno.symlinkSync(targets.own, join(open, "on.yaml"));
  assert.equal(await denied(join(open, "on.yaml")), false);
  folder(join(open, "sub"), { uid: ME });
  assert.equal(await denied(put(join(open, "sub/in.yaml"), RULES, { uid: ME })), false);
});

const test = testWith(tempHome);

test.users("workflows, prompts and matchers count as the configuration does", async (home) => {
  const project = folder(join(home.path, "proj"), {});
  const root = { home };
  const own = (name: string, text: string) => put(join(project, ".conclaude", name), text);
  const paths = [
    own(
      "workflows/w.yaml",
      "name: w\ndescription: one\nsteps: [{name: a, type: agent, prompt: p}]\n",
    ),
    own("prompts/p.md", "Say SECRETWORD.\n"),
    own("workflow-matchers.yaml", "- {name: all, match: {}, workflow: w}\n"),
  ];
  const files = async () => jsonOf(await run(["workflow", "files", "--json"], project, root));
  const ofW = (list: { name: string; faults: string[] }[]) => list.find(({ name }) => name === "w");
  const before = await files();
  assert.deepEqual([ofW(before.files)?.faults, before.matchers.names], [[], ["all"]]);
  assert.equal(await told(project, root), "");
  for (const path of paths) Deno.chownSync(path, OTHER, OTHER);
  const after = await files();
  assert.match(
    ofW(after.files)!.faults.join(),
    /w\.yaml belongs to another user.*config trust \S+\/proj`/,
  );
  assert.deepEqual(after.matchers.names, []);
  assert.match(after.matchers.warnings.join(), /matchers\.yaml: it is left out/);
  Deno.chownSync(paths[0]!, 0, 0);
  const preview = await run(["workflow", "preview", "w"], project, root);
  assert.doesNotMatch(preview.stdout + preview.stderr, /SECRETWORD/);
  assert.equal(preview.code, 1);
  const notice = await told(project, root);
  assert.match(notice, /workflow-matchers\.yaml: .*prompts\/p\.md: /s);
  assert.doesNotMatch(notice, /workflows\/w\.yaml/);
  const { stdout } = await run(["doctor"], project, root);
  assert.match(stdout, /prompts\/p\.md\s+is\s+left\s+out/);
});

test.users("a rule about prompts does not tell Claude a file of another user", async (home) => {
  const project = folder(join(home.path, "proj"), {});
  put(
    join(project, ".conclaude.yaml"),
    "userPromptSubmit: {contextRules: [{pattern: deploy, prompt: 'Read @notes.md'}]}\n",
  );
  const notes = put(join(project, "notes.md"), "THEIRWORDS");
  const ask = async () =>
    JSON.stringify(await send("UserPromptSubmit", project, { prompt: "deploy" }, { home }));
  assert.match(await ask(), /THEIRWORDS/);
  Deno.chownSync(notes, OTHER, OTHER);
  assert.doesNotMatch(await ask(), /THEIRWORDS/);
});

test.unix("a strict policy stays in force when others are given the right to write its file", async (home) => {
  const project = folderOf(home, "proj");
  const path = join(project, ".conclaude.yaml");
  Deno.writeTextFileSync(path, STRICT);
  assert.equal(await bash(project, "echo hi", { home }), null);
  for (const [at, mode, back] of [[path, 0o666, 0o644], [project, 0o777, 0o755]] as const) {
    Deno.chmodSync(at, mode);
    assert.match(await told(project, { home }), /its version before is in force/);
    assert.match(await edit(project, { home }) ?? "allowed", /uneditableFiles/);
    Deno.chmodSync(at, back);
    assert.equal(await bash(project, "echo hi", { home }), null);
  }
});

test.slowUnix("an agent may neither let others write the policy nor make a `.git` that ends the search for it", async (home) => {
  const project = folderOf(home, "proj");
  Deno.mkdirSync(join(project, "src/deep"), { recursive: true });
  Deno.writeTextFileSync(join(project, ".conclaude.yaml"), RULES);
  for (const command of CASES.openingPolicy) {
    assert.match(await bash(project, command, { home }) ?? command, /only a person/, command);
  }
  for (const command of CASES.openingElsewhere) {
    assert.equal(await bash(project, command, { home }), null, command);
  }
  const deep = join(project, "src/deep");
  assert.match((await edit(deep, { home }))!, /\*\.lock/);
  for (const command of CASES.makingRepositories) {
    assert.match(await bash(deep, command, { home }) ?? command, /end the search/, command);
  }
  for (const command of ["git init other", "git init /tmp/elsewhere", "git status"]) {
    assert.equal(await bash(deep, command, { home }), null, command);
  }
});

test.unix("the search ends at the repository, and goes on through checkouts inside of it", async (home) => {
  const outer = folderOf(home, "outer");
  Deno.writeTextFileSync(join(outer, ".conclaude.yaml"), RULES);
  const ids = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
  const inner = join(outer, "inner");
  await git(outer, "init", "-q", inner);
  await git(inner, ...ids, "commit", "-q", "--allow-empty", "-m", "x");
  assert.equal(await edit(inner, { home }), null);
  // A `.git` that git passes over ends no search.
  const plain = join(outer, "plain");
  Deno.mkdirSync(join(plain, ".git"), { recursive: true });
  assert.match((await edit(plain, { home }))!, /\*\.lock/);
  // A worktree inside of its main checkout, and a submodule.
  Deno.writeTextFileSync(join(inner, ".conclaude.local.yaml"), RULES);
  await git(inner, "worktree", "add", "-q", "trees/t");
  assert.match((await edit(join(inner, "trees/t"), { home }))!, /\*\.lock/);
  await git(outer, "init", "-q", "library");
  await git(join(outer, "library"), ...ids, "commit", "-q", "--allow-empty", "-m", "x");
  await git(
    inner,
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    "../library",
    "sub",
  );
  assert.match((await edit(join(inner, "sub"), { home }))!, /\*\.lock/);
  // A worktree beside it has its own root.
  await git(inner, "worktree", "add", "-q", "../beside");
  assert.equal(await edit(join(outer, "beside"), { home }), null);
});

function folderOf(home: TempHome, name: string): string {
  const path = join(home.path, name);
  Deno.mkdirSync(path, { recursive: true });
  return path;
}
