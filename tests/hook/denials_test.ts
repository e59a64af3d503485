/** Every denial says what, why, and how to go on; the command in it, really run, lifts it. */
import assert from "node:assert/strict";
import { RequiredProject, SESSION } from "../support/required_project.ts";
import { rowsOf } from "../support/rows.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

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
    assert.match(reason, /do not run (?:it|that) yourself/);
    const commands = await project.follow(reason);
    assert.ok(commands.length > 0, reason);
    const named = `--session ${SESSION.slice(0, 8)}`;
    assert.ok(commands.every((command) => command.includes(named)), reason);
    assert.equal(await act(), null, "it is lifted");
  });
}
