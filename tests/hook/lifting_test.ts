/** What a denial prints as the way out lifts it, whatever has become of the database. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { change } from "../support/on_home.ts";
import { runProgram } from "../support/program.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";
import { rowsOf } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };
import { removeFolder } from "../support/folders.ts";

const RULES = "database: {busyTimeoutMs: 100}\n" +
  "preToolUse: {uneditableFiles: [src/**], preventRootAdditions: false, strict: true}\n" +
  "stop: {commands: [{run: 'false'}]}\n";

/** A kind of trouble, and whether what ends it is a command of the shell. */
interface Trouble {
  readonly name: string;
  /** @returns What ends it, where no printed command does. */
  readonly make: (project: RequiredProject) => (() => void) | void;
  readonly says: RegExp;
}

/** Takes the database away, with what lies beside it. */
function remove({ home }: RequiredProject): void {
  for (const end of ["", "-wal", "-shm"]) removeFolder(home.database + end);
}

const TROUBLES: readonly Trouble[] = [
  {
    name: "a newer schema",
    make: (project) => change(project.home, "PRAGMA user_version = 99"),
    says: /newer conclaude.*install the newest conclaude, or /,
  },
  {
    name: "no database at all",
    make: (project) => {
      remove(project);
      Deno.writeTextFileSync(project.home.database, "no database at all ".repeat(500));
    },
    says: /`conclaude doctor --fix`/,
  },
  {
    name: "a folder",
    make: (project) => {
      remove(project);
      Deno.mkdirSync(project.home.database);
    },
    says: /is a folder.*`mv \S+ \S+\.folder`/,
  },
  {
    name: "another program's database",
    make: (project) => {
      remove(project);
      change(project.home, "CREATE TABLE requirements (x)");
    },
    says: /another program's database.*`export CONCLAUDE_DB_PATH=/,
  },
  {
    name: "a database that another process holds",
    make: (project) => {
      const lock = project.lock();
      return () => lock.release();
    },
    says: /is locked.*end the process that `fuser -v \S+` shows/,
  },
];

/** Does what a text tells a person to do. @returns The variables that count from then on. */
async function obey(
  text: string,
  project: RequiredProject,
  end: (() => void) | void,
  chosen: Record<string, string> = {},
): Promise<Record<string, string>> {
  const env = { ...chosen };
  for (const [, command] of text.matchAll(/`([^`]+)`/g)) {
    const [word, ...rest] = command!.split(" ");
    if (word === "fuser") end?.();
    else if (word === "mv") Deno.renameSync(rest[0]!, rest[1]!);
    else if (word === "export") env["CONCLAUDE_DB_PATH"] = rest[0]!.split("=")[1]!;
    else if (word === "conclaude") {
      const { stderr } = await runProgram(rest, {
        env: { HOME: project.home.path, ...env },
        cwd: project.path,
      });
      assert.equal(stderr, "", command);
    }
  }
  return env;
}

async function ask(
  project: RequiredProject,
  event: string,
  more: { readonly fields?: Record<string, unknown>; readonly env?: Record<string, string> } = {},
): Promise<string | null> {
  const payload = {
    session_id: SESSION,
    cwd: project.path,
    hook_event_name: event,
    ...more.fields,
  };
  const { code, stdout, stderr } = await runProgram(["hook", event], {
    env: { HOME: project.home.path, ...more.env },
    stdin: JSON.stringify(payload),
    cwd: project.path,
  });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  if (stdout === "") return null;
  const { reason, hookSpecificOutput } = JSON.parse(stdout);
  return reason ?? hookSpecificOutput?.permissionDecisionReason ?? null;
}

const EDIT = { tool_name: "Edit", tool_input: { file_path: "src/a.ts" } };

for (const { name, make, says } of TROUBLES) {
  for (const [event, fields] of [["PreToolUse", EDIT], ["Stop", {}]] as const) {
    Deno.test(`${name}: the way out that a rule names lifts it at ${event}`, async () => {
      using project = new RequiredProject(RULES);
      await project.start();
      const end = make(project);
      const text = await ask(project, event, { fields });
      assert.ok(text !== null, "it is denied");
      assert.match(text, says);
      const env = await obey(text, project, end);
      assert.equal(await ask(project, event, { fields, env }), null, text);
    });
  }

  Deno.test(`${name}: what a strict policy prints lets requirements be known again`, async () => {
    using project = new RequiredProject(
      "database: {busyTimeoutMs: 100}\npreToolUse: {strict: true}\nrequirements: {a: {}}\n",
    );
    await project.start();
    const end = make(project);
    const text = await ask(project, "PreToolUse", { fields: EDIT });
    assert.match(text!, /whether "a" is satisfied cannot be read/);
    assert.match(text!, says);
    const env = await obey(text!, project, end);
    const known = await ask(project, "PreToolUse", { fields: EDIT, env });
    assert.match(known!, /the requirement "a" is open/);
    await obey(known!, project, undefined, env);
    assert.equal(await ask(project, "PreToolUse", { fields: EDIT, env }), null);
  });
}

Deno.test("a session whose id begins like another one's is named by as much of it as tells it", async () => {
  for (
    const [other, told] of [
      [`${SESSION.slice(0, 8)}-0000-4000-8000-000000000000`, SESSION.slice(0, 10)],
      [`${SESSION.slice(0, -1)}f`, SESSION],
    ]
  ) {
    using project = new RequiredProject(
      "preToolUse: {uneditableFiles: [src/b.ts]}\nrequirements: {a: {stopOnly: true}}\n" +
        "stop: {commands: [{run: 'false'}]}\n",
    );
    await project.start({ session_id: other });
    await project.start();
    const named = [
      await project.edit({}, "src/b.ts"),
      (await project.edit(), await project.stop()),
    ].flatMap((text) => [...text!.matchAll(/--session (\S+?)[`;]/g)].map(([, id]) => id!));
    assert.deepEqual(named, [told, told, told]);
    const { code, stdout } = await project.run("guard", "pause", "--session", told!);
    assert.equal(code, 0);
    assert.ok(stdout.includes(`--session ${told}`), stdout);
    assert.equal(await project.edit({}, "src/b.ts"), null);
    await project.req("satisfy", "a", "--session", told!);
    assert.equal(await project.stop(), null);
  }
});

Deno.test("a blocked prompt names a way out that works, also where no pause can be kept", async () => {
  const config = (more: string) =>
    `${more}userPromptSubmit: {slashCommands: {commands: {"go*": [{run: exit 2}]}}}\n`;
  using project = new RequiredProject(config("database: {enabled: false}\n"));
  const held = () => ask(project, "UserPromptSubmit", { fields: { prompt: "/go" } });
  assert.match((await held())!, /change the rule in the configuration/);
  project.configure(config(""));
  Deno.mkdirSync(join(project.home.path, ".conclaude"), { recursive: true });
  Deno.writeTextFileSync(project.home.database, "no database at all ".repeat(500));
  const text = await held();
  assert.match(text!, /`conclaude doctor --fix`/);
  await obey(text!, project, undefined);
  assert.equal(await held(), null);
});

/** A way to be denied: the configuration, and what is done then. */
interface Case {
  readonly title: string;
  readonly config: string;
  readonly branch?: string;
  readonly before?: keyof typeof BEFORE;
  readonly act: readonly [act: keyof typeof ACTS, what?: string];
}

const BEFORE = {
  edit: (project: RequiredProject) => project.edit(),
  /** The branch differs from main by two lines. */
  enlarge: (project: RequiredProject) => {
    project.git("branch", "main", "HEAD");
    project.write("more.txt", "1\n2\n");
    return Promise.resolve();
  },
  accompany: (project: RequiredProject) =>
    project.start({ session_id: "12345678-0000-4000-8000-000000000001" }),
};

/** Each gives the reason of the denial; null when it may be done. */
const ACTS = {
  edit: (project: RequiredProject) => project.edit(),
  bash: (project: RequiredProject, command: string) => project.bash(command),
  write: (project: RequiredProject, file_path: string) => project.use("Write", { file_path }),
  async request(project: RequiredProject, command: string) {
    const use = { tool_name: "Bash", tool_input: { command } };
    const answer = await project.send("PermissionRequest", use);
    const output = answer?.["hookSpecificOutput"] as { decision: { message?: string } } | undefined;
    return output?.decision.message ?? null;
  },
  stop: (project: RequiredProject) => project.stop(),
};

for (
  const { title, config, branch, before, act: [name, what = ""] } of rowsOf<Case>(CASES.denials)
) {
  Deno.test(`the way out that a denial names lifts it: ${title}`, async () => {
    using project = new RequiredProject(config, branch);
    await project.send("SessionStart", { source: "startup" });
    if (before !== undefined) await BEFORE[before](project);
    const act = () => ACTS[name](project, what);
    const reason = await act();
    assert.ok(reason !== null, "it is denied");
    assert.match(reason, /^(?:Block|Bash|Tool|##|no\n)/, "it says what");
    assert.match(
      reason,
      /Only a person can lift this\. They can [^]*\. Do not do it yourself\.|do not run that yourself/,
    );
    const commands = await project.follow(reason);
    assert.ok(commands.length > 0, reason);
    const named = `--session ${SESSION.slice(0, 8)}`;
    assert.ok(commands.every((command) => command.includes(named)), reason);
    assert.equal(await act(), null, "it is lifted");
  });
}
