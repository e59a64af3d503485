/** Requirements over a session: stops, starts, pauses, prompts, conditions. */
import assert from "node:assert/strict";
import { executions, lastMetadata, query, type Row } from "../support/look.ts";
import { OTHER_SESSION, RequiredProject, SESSION } from "../support/required_project.ts";
import { testWith } from "../support/fixtures.ts";
import { join } from "node:path";

const PLAN = "requirements: {commit_plan: {}}\n";
const EVIDENCE = "requirements: {evidence: {stopOnly: true, checklist: [show it]}}\n";
const other = { session_id: OTHER_SESSION };

Deno.test("a stop is held once a turn for what was done without its requirement, until it is satisfied", async () => {
  using project = new RequiredProject(EVIDENCE);
  assert.equal(await project.stop(), null);
  assert.equal(await project.edit(), null);
  const reason = (await project.stop())!;
  assert.match(reason, /evidence/);
  assert.equal(await project.stop({ stop_hook_active: true }), null);
  assert.equal(await project.stop(other), null);
  const row = executions(project.home).find(({ status }) => status === "blocked")!;
  assert.deepEqual([row["hook_name"], (row["metadata"] as Row)["rules"]], ["Stop", [
    "requirements.evidence",
  ]]);
  assert.notEqual(await project.stop(), null);
  await project.follow(reason);
  assert.equal(await project.stop(), null);
});

Deno.test("requirements and commands together never hold a session more than eight times", async () => {
  using project = new RequiredProject(
    `stop: {maxBlocks: 8, commands: [{run: test -f green}]}\n${EVIDENCE}`,
  );
  project.write("green", "");
  await project.edit();
  const [first = "", ...others] = await stopsInARow(project, () => {
    Deno.removeSync(`${project.path}/green`);
  });
  assert.match(first, /evidence/);
  assert.doesNotMatch(first, /test -f green/);
  assert.equal(others.length, 7);
  for (const reason of others) assert.match(reason, /test -f green/);
});

Deno.test("a requirement triggered after a command held the stop holds it once more", async () => {
  using project = new RequiredProject(`stop: {commands: [{run: test -f src/ok}]}\n${EVIDENCE}`);
  const continued = { stop_hook_active: true };
  assert.match((await project.stop())!, /test -f src\/ok/);
  project.write("src/ok", "");
  await project.edit();
  const held = (await project.stop(continued))!;
  assert.match(held, /evidence/);
  assert.doesNotMatch(held, /test -f/);
  assert.equal(await project.stop(continued), null);
  assert.match((await project.stop())!, /evidence/);
});

Deno.test("a requirement that comes late does not let commands hold more than eight times in all", async () => {
  using project = new RequiredProject(
    `stop: {maxBlocks: 8, commands: [{run: test -f green}]}\n${EVIDENCE}`,
  );
  let held = 0;
  for (let stops = 0; stops < 20; stops++) {
    if (stops === 7) await project.edit();
    if (await project.stop({ stop_hook_active: stops > 0 }) !== null) held++;
  }
  assert.equal(held, 8);
});

Deno.test("a stop that is let through tells also of requirements that are open", async () => {
  using project = new RequiredProject(
    `stop: {maxBlocks: 2, commands: [{run: "false"}]}\n${EVIDENCE}`,
  );
  await project.edit();
  assert.match((await project.stop())!, /stop 1 of at most 2[^]*evidence/);
  assert.match((await project.stop({ stop_hook_active: true }))!, /stop 2 of at most 2/);
  const { decision, systemMessage } = (await project.send("Stop", { stop_hook_active: true }))!;
  assert.equal(decision, undefined);
  assert.match(String(systemMessage), /Still open:\nstop\.commands.*\nrequirements\.evidence$/);
});

Deno.test("no message says that a stop was let through while requirements hold it", async () => {
  using project = new RequiredProject(
    `stop: {maxBlocks: 1, commands: [{run: "false"}]}\n${EVIDENCE}`,
  );
  const continued = { stop_hook_active: true };
  assert.notEqual(await project.stop(), null);
  await project.edit();
  const held = (await project.send("Stop", continued))!;
  assert.deepEqual([held["decision"], held["systemMessage"]], ["block", undefined]);
  const { decision, systemMessage } = (await project.send("Stop", continued))!;
  assert.equal(decision, undefined);
  assert.match(String(systemMessage), /requirements\.evidence/);
});

/** Why Claude is held, stop after stop until it may go; something happens after the first. */
async function stopsInARow(project: RequiredProject, then: () => void): Promise<string[]> {
  const reasons: string[] = [];
  for (let stops = 0; stops < 20; stops++) {
    const reason = await project.stop({ stop_hook_active: stops > 0 });
    if (reason === null) break;
    reasons.push(reason);
    if (stops === 0) then();
  }
  return reasons;
}

Deno.test("a stop looks only at the scopes that are verified", async () => {
  using project = new RequiredProject("hooks: {stop: {verifyScopes: []}}\n" + EVIDENCE);
  await project.edit();
  assert.equal(await project.stop(), null);
  project.configure("hooks: {stop: {verifyRequirements: false}}\n" + EVIDENCE);
  assert.equal(await project.stop(), null);
  project.configure("requirements: {evidence: {stopOnly: true, scope: branch}}\n");
  assert.equal(await project.stop(), null);
  project.configure(
    "hooks: {stop: {verifyScopes: [session, branch]}}\nrequirements: {evidence: {stopOnly: true, scope: branch}}\n",
  );
  assert.match((await project.stop())!, /evidence/);
});

const test = testWith(() => new RequiredProject(PLAN));

test("a satisfaction that expired after the work was done holds the stop", async (project) => {
  await project.req("satisfy", "commit_plan", "--session", SESSION, "--ttl", "100");
  assert.equal(await project.edit(), null);
  assert.equal(await project.stop(), null);
  project.age(101);
  assert.match((await project.stop())!, /commit_plan/);
});

Deno.test("a tool that a guard or the person refuses triggers nothing", async () => {
  using project = new RequiredProject(`preToolUse: {uneditableFiles: [src/a.ts]}\n${EVIDENCE}`);
  assert.notEqual(await project.edit(), null);
  assert.deepEqual(project.state("evidence"), []);
  const input = { file_path: "src/b.ts" };
  assert.equal(await project.use("Edit", input, { tool_use_id: "one" }), null);
  await project.send("PermissionRequest", { tool_name: "Edit", tool_input: input });
  assert.equal(await project.stop(), null);
  assert.equal(await project.use("Edit", input, { tool_use_id: "two" }), null);
  await project.send("PermissionRequest", { tool_name: "Edit", tool_input: input });
  await project.used("Edit", input, { tool_use_id: "two" });
  assert.match((await project.stop())!, /evidence/);
});

Deno.test("a tool use that another hook or Claude Code refused triggers nothing, one that ran does", async () => {
  const input = { file_path: "src/b.ts" };
  const ask = async (project: RequiredProject, tool_use_id: string) =>
    assert.equal(await project.use("Edit", input, { tool_use_id }), null);
  {
    using project = new RequiredProject(EVIDENCE);
    await ask(project, "refused");
    // Nothing tells that it did not run: what was done may be missing from the trail.
    assert.notEqual(await project.stop(), null);
    await project.used("Bash", { command: "ls" }, { tool_use_id: "other" });
    assert.equal(await project.stop(), null);
    await ask(project, "ran");
    await ask(project, "refused too");
    await project.used("Edit", input, { tool_use_id: "ran" });
    assert.match((await project.stop())!, /evidence/);
  }
  {
    using project = new RequiredProject(EVIDENCE);
    await ask(project, "refused");
    await ask(project, "failed");
    await project.send("PostToolUseFailure", {
      tool_name: "Edit",
      tool_input: input,
      tool_use_id: "failed",
      error: "half of it is written",
    });
    assert.match((await project.stop())!, /evidence/);
  }
  using project = new RequiredProject(EVIDENCE);
  const refuse = (tool_use_id: string) =>
    project.send("PermissionDenied", { tool_name: "Edit", tool_input: input, tool_use_id });
  await ask(project, "one");
  await refuse("one");
  assert.equal(await project.stop(), null);
  await ask(project, "two");
  assert.notEqual(await project.stop(), null);
  await refuse("two");
  assert.equal(await project.stop(), null);
});

Deno.test("a new session takes over what was satisfied just before, judged by when it first was", async () => {
  using project = new RequiredProject("requirements: {commit_plan: {}, main: {type: guard}}\n");
  await project.req("satisfy", "commit_plan", "main", "--session", SESSION);
  project.age(250);
  await project.start({ ...other, source: "resume" });
  assert.notEqual(await project.edit(other), null);
  const told = await project.start({ ...other, source: "clear" });
  assert.match(told, /Taken over from the session before: commit_plan$/);
  assert.equal(await project.edit(other), null);
  const [row] = query(
    project.home,
    "SELECT * FROM requirements WHERE session_id = ?",
    OTHER_SESSION,
  );
  assert.equal(row!["satisfied_by"], "carry_over");
  const metadata = JSON.parse(String(row!["metadata"]));
  assert.deepEqual([metadata.carried_from, metadata.original_satisfied_by], [
    SESSION,
    "cli_bypass",
  ]);
  // Twice 250 seconds: the first satisfaction is too old by now, however often it was carried.
  project.age(250);
  const third = { session_id: "33333333-0000-4000-8000-000000000003" };
  await project.start({ ...third, source: "startup" });
  assert.notEqual(await project.edit(third), null);
});

test("nothing is taken over after the window, nor where it is switched off", async (project) => {
  await project.req("satisfy", "commit_plan", "--session", SESSION);
  project.age(301);
  await project.start(other);
  assert.notEqual(await project.edit(other), null);
  project.configure(`hooks: {sessionStart: {carryOver: {windowSeconds: 1000}}}\n${PLAN}`);
  await project.start(other);
  assert.equal(await project.edit(other), null);
  const third = { session_id: "33333333-0000-4000-8000-000000000003" };
  project.configure(`hooks: {sessionStart: {carryOver: {enabled: false}}}\n${PLAN}`);
  await project.start(third);
  assert.notEqual(await project.edit(third), null);
});

Deno.test("a pause lifts requirements until the session ends, and is shown at its next start", async () => {
  using project = new RequiredProject(PLAN + "  \n");
  await project.send("SessionStart");
  await project.req("pause", "--session", SESSION, "--reason", "moving files");
  assert.equal(await project.edit(), null);
  assert.deepEqual(lastMetadata(project.home)["paused"], ["requirements"]);
  assert.match(
    await project.start({ source: "resume" }),
    /paused for this session\*\*: moving files/,
  );
  assert.equal(await project.stop(), null);
  await project.send("SessionEnd", { reason: "other" });
  assert.notEqual(await project.edit(), null);
  assert.doesNotMatch(await project.start({ source: "resume" }), /paused/);
});

Deno.test("the start of a session tells where things stand, in two formats or not at all", async () => {
  const config = "requirements: {commit_plan: {autoResolveSkill: arch-review}, a: {}, b: {}}\n";
  using project = new RequiredProject(config);
  await project.req("satisfy", "a", "--session", SESSION);
  const compact = await project.start();
  assert.match(compact, /^## Requirements: 1\/3 satisfied\nOpen: commit_plan; b\n/);
  assert.match(compact, /`\/arch-review`/);
  assert.match(compact, /`conclaude req satisfy commit_plan b --session cad0ac4d`/);
  project.configure(
    `hooks: {sessionStart: {briefingFormat: standard, customHeader: House rules}}\n${config}`,
  );
  assert.match(await project.start(), /^House rules\n## Requirements: 1\/3[^]*\| commit_plan \|/);
  project.configure(`hooks: {sessionStart: {injectContext: false}}\n${config}`);
  assert.equal(await project.start(), "");
});

test("a prompt that speaks of changes is answered with what is open", async (project) => {
  const prompt = async (text: string) => {
    const answer = await project.send("UserPromptSubmit", { prompt: text });
    return (answer?.["hookSpecificOutput"] as Row | undefined)?.["additionalContext"];
  };
  assert.match(String(await prompt("please commit this")), /1 unsatisfied: commit_plan/);
  assert.equal(await prompt("what does this do?"), undefined);
  assert.equal(await project.send("UserPromptSubmit", { prompt: null }), null);
  await project.req("satisfy", "commit_plan", "--session", SESSION);
  assert.equal(await prompt("please commit this"), undefined);
  await project.req("clear", "commit_plan");
  project.configure(`hooks: {promptSubmit: {remind: false}}\n${PLAN}`);
  assert.equal(await prompt("please commit this"), undefined);
});

test("an approved plan is answered with what is open", async (project) => {
  const answer = await project.used("ExitPlanMode", { plan: "x" });
  const output = answer!["hookSpecificOutput"] as Row;
  assert.match(String(output["additionalContext"]), /^## Plan validation required[^]*commit_plan/);
});

Deno.test("a protected branch is guarded until a person lifts it for the session, main like any other", async () => {
  using project = new RequiredProject("requirements: {protected: {type: guard}}\n", "main");
  const reason = (await project.edit())!;
  assert.match(reason, /branch main is protected; `git switch -c NAME`/);
  project.git("switch", "-q", "-c", "topic");
  assert.equal(await project.edit(), null);
  project.git("switch", "-q", "main");
  await project.req("satisfy", "protected", "--session", SESSION);
  assert.equal(await project.edit(), null);
  assert.notEqual(await project.edit(other), null);
});

Deno.test("a branch that has changed too many lines is refused, from exactly its limit on", async () => {
  const limit = "requirements: {size: {type: dynamic, cacheTtl: 0}}\n";
  using project = new RequiredProject(limit, "main");
  project.git("add", ".");
  project.git("commit", "-q", "-m", "configuration");
  project.write("big.txt", "line\n".repeat(500));
  assert.equal(await project.edit(), null);
  project.git("switch", "-q", "-c", "topic");
  assert.match((await project.edit())!, /branch topic has changed 500 lines, the limit is 400/);
  project.write("big.txt", "line\n".repeat(399));
  assert.equal(await project.edit(), null);
  const noted = lastMetadata(project.home);
  assert.deepEqual([noted["warned"], noted["branchLines"]], [["size"], 399]);
  project.git("add", ".");
  project.git("commit", "-q", "-m", "big");
  project.write("src/a.ts", "y\n");
  assert.match((await project.edit())!, /changed 401 lines/);
  const { stdout } = await project.run("req", "approve", "size", "--session", SESSION);
  assert.match(stdout, /Duration: 5m 0s/);
  assert.equal(await project.edit(), null);
  project.age(270);
  assert.equal(await project.edit(), null);
  project.age(30);
  assert.notEqual(await project.edit(), null);
});

Deno.test("where git cannot tell how large a branch is, it is said, and a strict policy denies", async () => {
  const limit = "requirements: {size: {type: dynamic, message: '{total} lines', cacheTtl: 0}}\n";
  using project = new RequiredProject(limit);
  // Git reads nothing of such a repository; its branch can be told all the same.
  Deno.writeTextFileSync(`${project.path}/.git/config`, "[core\n");
  assert.equal(await project.edit(), null);
  const { unknown } = lastMetadata(project.home);
  assert.match(String((unknown as Row)["size"]), /git did not tell/);
  assert.match(await project.start(), /0\/1 satisfied\nCannot be known: size \(git did not tell/);
  assert.match(await project.req("status"), /0 of 1 satisfied[^]*size +unknown .*git did not tell/);
  assert.match(await project.req("explain", "size"), /size is unknown[^]*Why: git did not tell/);
  const { stdout } = await project.run("explain", "Edit", "src/a.ts");
  assert.match(stdout, /^Allowed[^]*cannot be known: git did not tell/);
  project.configure(`preToolUse: {strict: true}\n${limit}`);
  const reason = (await project.edit())!;
  assert.match(reason, /"size" is open: git did not tell/);
  await project.follow(reason);
  assert.equal(await project.edit(), null);
});

Deno.test("a measured size is used again until its time is over", async () => {
  using project = new RequiredProject("requirements: {size: {type: dynamic}}\n", "main");
  project.git("switch", "-q", "-c", "topic");
  assert.equal(await project.edit(), null);
  project.write("big.txt", "line\n".repeat(500));
  assert.equal(await project.edit(), null);
  project.configure("requirements: {size: {type: dynamic, cacheTtl: 0}}\n");
  assert.notEqual(await project.edit(), null);
});

test("satisfactions stay after the end of their session, unless the configuration says otherwise", async (project) => {
  await project.req("satisfy", "commit_plan", "--session", SESSION);
  await project.send("SessionEnd", { reason: "other" });
  assert.equal(project.state("commit_plan").length, 1);
  project.configure(`hooks: {sessionEnd: {clearSessionState: true}}\n${PLAN}`);
  await project.send("SessionEnd", { reason: "other" });
  assert.equal(project.state("commit_plan").length, 0);
});

Deno.test("a skill that was used while the database was locked counts as soon as it can", async () => {
  using project = new RequiredProject(`database: {busyTimeoutMs: 100}\n${PLAN}`);
  assert.notEqual(await project.edit(), null);
  using lock = project.lock();
  await project.skill("requirements-framework:arch-review");
  lock.release();
  assert.equal(await project.edit(), null);
  assert.equal(project.state("commit_plan")[0]!["satisfied_by"], "skill");
});

Deno.test("where the state cannot be read a tool passes with a note, and is denied by a strict policy", async () => {
  using project = new RequiredProject(`database: {busyTimeoutMs: 100}\n${PLAN}`);
  assert.notEqual(await project.edit(), null);
  {
    using _lock = project.lock();
    assert.equal(await project.edit(), null);
  }
  project.configure(`preToolUse: {strict: true}\ndatabase: {busyTimeoutMs: 100}\n${PLAN}`);
  assert.notEqual(await project.edit(), null);
  using _lock = project.lock();
  assert.match((await project.edit())!, /"commit_plan" is satisfied cannot be read[^]*`fuser -v /);
});

test("prune forgets branches that are gone, and nothing where git names none", async (project) => {
  await project.req("satisfy", "commit_plan", "--branch", "gone");
  await project.req("satisfy", "commit_plan", "--branch", "feature/x");
  assert.match(await project.req("prune", "--dry-run"), /Would forget[^]*gone/);
  assert.equal(project.state("commit_plan").length, 2);
  await project.req("prune");
  assert.deepEqual(project.state("commit_plan").map(({ branch }) => branch), ["feature/x"]);
  project.git("update-ref", "-d", "refs/heads/feature/x");
  const { code, stderr } = await project.run("req", "prune");
  assert.equal(code, 1);
  assert.match(stderr, /git names none; nothing was removed/);
  assert.equal(project.state("commit_plan").length, 1);
});

const ALONE = "requirements: {alone: {type: guard, guardType: single_session}}\n";

Deno.test("sessions in one working tree see each other, in whichever folder of it they began", async () => {
  using project = new RequiredProject(ALONE);
  const other = { session_id: OTHER_SESSION, cwd: join(project.path, "src") };
  await project.start();
  await project.start(other);
  assert.match((await project.edit())!, /another session works .*: 77aa11bb/);
  assert.match((await project.edit(other))!, /another session works .*: cad0ac4d/);
  assert.match(
    await project.req("status", "--session", "cad0ac4d"),
    /alone +open .*another session works .*: 77aa11bb/,
  );
  await project.send("SessionEnd", { ...other, reason: "other" });
  assert.equal(await project.edit(), null);
  assert.match(await project.req("status", "--session", "cad0ac4d"), /alone +met/);
});

Deno.test("another working tree, and a repository inside of this one, are other places", async () => {
  using project = new RequiredProject(ALONE);
  const tree = join(project.path, "trees", "one");
  const nested = join(project.path, "nested");
  project.git("worktree", "add", "-q", "-b", "one", tree);
  project.git("init", "-q", nested);
  await project.start();
  await project.start({ session_id: OTHER_SESSION, cwd: tree });
  await project.start({ session_id: "88bb22cc-0000-4000-8000-000000000003", cwd: nested });
  assert.equal(await project.edit(), null);
  assert.match(await project.req("status", "--session", "cad0ac4d"), /alone +met/);
});
