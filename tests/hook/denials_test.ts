/** Every denial says what, why, and how to go on; the command in it, really run, lifts it. */
import assert from "node:assert/strict";
import { RequiredProject, SESSION } from "../support/required_project.ts";

/** A way to be denied: the configuration, and what is done then. */
interface Case {
  readonly title: string;
  readonly config: string;
  readonly branch?: string;
  /** Before it is done. */
  readonly before?: (project: RequiredProject) => Promise<unknown>;
  /** The reason of the denial; null when it may be done. */
  readonly act: (project: RequiredProject) => Promise<string | null>;
}

const edit = (project: RequiredProject) => project.edit();
const bash = (command: string) => (project: RequiredProject) => project.bash(command);
const write = (file_path: string) => (project: RequiredProject) =>
  project.use("Write", { file_path });
const request =
  (tool_name: string, tool_input: Record<string, unknown>) => async (project: RequiredProject) => {
    const answer = await project.send("PermissionRequest", { tool_name, tool_input });
    const output = answer?.["hookSpecificOutput"] as { decision: { message?: string } } | undefined;
    return output?.decision.message ?? null;
  };

const CASES: readonly Case[] = [
  {
    title: "a new file in the project's folder",
    config: "preToolUse: {preventRootAdditions: true}\n",
    act: write("new.txt"),
  },
  { title: "an uneditable file", config: "preToolUse: {uneditableFiles: [src/**]}\n", act: edit },
  {
    title: "a message of its own",
    config: "preToolUse: {uneditableFiles: [{pattern: src/**, message: no}]}\n",
    act: edit,
  },
  {
    title: "an addition",
    config: "preToolUse: {preventAdditions: [src/**]}\n",
    act: write("src/b.ts"),
  },
  {
    title: "a forbidden command",
    config:
      "preToolUse: {toolUsageValidation: [{tool: Bash, commandPattern: 'ls*', action: block}]}\n",
    act: bash("ls"),
  },
  {
    title: "a command that no rule allows",
    config:
      "preToolUse: {toolUsageValidation: [{tool: Bash, commandPattern: 'ls*', action: allow}]}\n",
    act: bash("date"),
  },
  { title: "a dangerous command", config: "{}\n", act: bash("rm -rf /") },
  { title: "a change of the policy", config: "{}\n", act: write(".conclaude.yaml") },
  { title: "an unknown command", config: "preToolUse: {strict: true}\n", act: bash("$X y") },
  {
    title: "a permission",
    config: "permissionRequest: {default: deny}\n",
    act: request("Bash", { command: "ls" }),
  },
  {
    title: "a dangerous permission",
    config: "{}\n",
    act: request("Bash", { command: "git push --force" }),
  },
  { title: "a requirement", config: "requirements: {a: {}}\n", act: edit },
  { title: "several requirements", config: "requirements: {a: {}, b: {}, c: {}}\n", act: edit },
  {
    title: "the same once more",
    config: "requirements: {a: {}, b: {}}\n",
    before: edit,
    act: edit,
  },
  {
    title: "a requirement with a message",
    config: "requirements: {a: {message: 'Do this', checklist: [one]}}\n",
    act: edit,
  },
  {
    title: "a review",
    config:
      "requirements: {a: {scope: single_use, triggerTools: [{tool: Bash, commandPattern: date}]}}\n",
    act: bash("date"),
  },
  { title: "a branch's requirement", config: "requirements: {a: {scope: branch}}\n", act: edit },
  { title: "a lasting one", config: "requirements: {a: {scope: permanent}}\n", act: edit },
  {
    title: "a protected branch",
    config: "requirements: {a: {type: guard}}\n",
    branch: "main",
    act: edit,
  },
  {
    title: "a large branch",
    config: "requirements: {a: {type: dynamic, thresholds: {block: 1}}}\n",
    before: (project) => {
      project.git("branch", "main", "HEAD");
      project.write("more.txt", "1\n2\n");
      return Promise.resolve();
    },
    act: edit,
  },
  {
    title: "a second session",
    config: "requirements: {a: {type: guard, guardType: single_session}}\n",
    before: (project) => project.start({ session_id: "12345678-0000-4000-8000-000000000001" }),
    act: edit,
  },
  {
    title: "a guard and a requirement",
    config: "preToolUse: {uneditableFiles: [src/**]}\nrequirements: {a: {}}\n",
    act: edit,
  },
  {
    title: "a stop",
    config: "requirements: {a: {stopOnly: true}}\n",
    before: edit,
    act: (project) => project.stop(),
  },
];

for (const { title, config, branch, before, act } of CASES) {
  Deno.test(`the way out that a denial names lifts it: ${title}`, async () => {
    using project = new RequiredProject(config, branch);
    await project.send("SessionStart", { source: "startup" });
    await before?.(project);
    const reason = await act(project);
    assert.ok(reason !== null, "it is denied");
    assert.match(reason, /^(?:Block|Bash|Tool|##|no\n)/, "it says what");
    assert.match(reason, /do not run (?:it|that) yourself/);
    const commands = await project.follow(reason);
    assert.ok(commands.length > 0, reason);
    const named = `--session ${SESSION.slice(0, 8)}`;
    assert.ok(commands.every((command) => command.includes(named)), reason);
    assert.equal(await act(project), null, "it is lifted");
  });
}
