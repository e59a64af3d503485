/** What must be true before Claude stops: what holds a stop back, for how long, and what lifts it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  executions,
  filesWith,
  lastMetadata,
  query,
  queryValue,
  type Row,
} from "../support/look.ts";
import { hook, type RunOptions } from "../support/program.ts";
import { needsTools } from "../support/requirements.ts";
import { pause } from "../support/wait.ts";
import { gitSync, makeRepository } from "../support/git.ts";
import { type GuardedHome, guardedHome, SESSION } from "../support/guarded.ts";
import { testWith } from "../support/fixtures.ts";
import { configureUser } from "../support/on_home.ts";
import { RequiredProject } from "../support/required_project.ts";
import { parse } from "yaml";

type Options = Omit<RunOptions, "stdin"> & {
  readonly active?: boolean;
  /** What Claude said last. */
  readonly said?: string;
};

/** One Stop. @returns The parsed answer. */
async function stopAnswer(home: GuardedHome, { active = false, said, ...options }: Options = {}) {
  const fields = {
    transcript_path: join(home.path, "t.jsonl"),
    stop_hook_active: active,
    ...(said === undefined ? {} : { last_assistant_message: said }),
  };
  return await home.send("Stop", fields, options) ?? {};
}

/** Why a Stop is held back; null when Claude may stop. */
async function stop(home: GuardedHome, options: Options = {}): Promise<string | null> {
  const { decision, reason } = await stopAnswer(home, options);
  if (decision === undefined) return null;
  assert.equal(decision, "block");
  return reason;
}

const start = (home: GuardedHome, source = "startup") => home.send("SessionStart", { source });

const metadataOf = (row: Row | undefined) => row!["metadata"] as Row;

/** A command that lasts, as no other test run on this machine has it. */
const nap = (number: number) => `sleep ${number * 10_000_000 + Deno.pid}`;

/** How many processes have these words in their command line. */
function processesWith(words: string): number {
  const { stdout } = new Deno.Command("ps", { args: ["-eo", "stat=,args="] }).outputSync();
  return new TextDecoder().decode(stdout).split("\n")
    .filter((line) => line.includes(words) && !/^Z/.test(line)).length;
}

const test = testWith(guardedHome);
const it = testWith(guardedHome, needsTools("ps", "timeout"));

test("a command that fails holds the stop back, with its status, its message and its first lines", async (home) => {
  const run = "for i in 1 2 3 4 5; do echo line $i >&2; done; exit 3";
  home.configure(
    `stop: {commands: [{run: "${run}", showStderr: true, maxOutputLines: 2, message: "Mend it"}]}`,
  );
  const reason = (await stop(home))!;
  assert.match(reason, /^stop\.commands\[0\] failed with exit code 3: for i in/);
  assert.match(reason, /\nMend it\nStderr:\nline 1\nline 2\n\.\.\. \(3 lines omitted\)\n/);
  assert.doesNotMatch(reason, /line 3/);
  const row = executions(home).at(-1)!;
  assert.equal(row["status"], "blocked");
  assert.match(String(row["error_message"]), /exit code 3/);
  assert.deepEqual(metadataOf(row)["rules"], ["stop.commands[0]"]);
});

test("with `when: changed` a command runs only where a tool that can change files was used since the last stop", async (home) => {
  home.configure('stop: {commands: [{run: "exit 3", when: changed}]}');
  const used = (tool_name: string) => home.send("PostToolUse", { tool_name });
  assert.equal(await stop(home), null);
  await used("Read");
  assert.equal(await stop(home), null);
  await used("Bash");
  assert.match((await stop(home))!, /failed with exit code 3/);
  assert.match((await stop(home, { active: true }))!, /failed with exit code 3/);
});

test("with `when: changed` the gate before a use counts, and what is kept of the use after the stop does not", async (home) => {
  home.configure(
    'preToolUse: {uneditableFiles: ["*.lock"]}\nstop: {commands: [{run: "test ! -e broken", when: changed}]}',
  );
  const at = (event: string, tool_use_id: string, file = "a.ts") =>
    home.send(event, {
      tool_name: "Edit",
      tool_input: { file_path: file, old_string: "1", new_string: "2" },
      tool_use_id,
    });
  const broken = join(home.path, "project", "broken");
  await at("PreToolUse", "a");
  assert.equal(await stop(home), null);
  await Deno.writeTextFile(broken, "");
  await at("PostToolUse", "a");
  await at("PreToolUse", "b", "a.lock");
  assert.equal(await stop(home), null);
  await at("PreToolUse", "c");
  assert.match((await stop(home))!, /failed with exit code 1/);
});

test("a command of several lines ends at the first that fails, and names it", async (home) => {
  const project = home.configure(
    'stop: {commands: [{run: "# c\\n\\ntrue\\nfalse\\necho no > said"}, {run: "echo no > said"}]}',
  );
  assert.match((await stop(home))!, /^stop\.commands\[0\] failed with exit code 1: false\n/);
  assert.throws(() => Deno.statSync(join(project, "said")));
});

test("lines of a command share variables, and constructs may span lines", async (home) => {
  const project = home.configure(`stop:
  commands:
    - run: |
        name=tide
        if [ "$name" = tide ]; then
          greeting=high
        fi
        say() {
          echo "$1 $name"
        }
        for word in $greeting low; do
          say $word
        done > said.txt
        cat <<END >> said.txt
        in $name
        false
        END
        ! grep -q never said.txt
        [ "$(wc -l < said.txt)" -eq 4 ] && \\
          echo done >> said.txt
    - run: ! "! grep -q tide said.txt\\necho no >> said.txt"
preToolUse: {preventRootAdditions: false}
`);
  assert.match((await stop(home))!, /^stop\.commands\[1\] .*: ! grep -q tide said\.txt\n/);
  const said = Deno.readTextFileSync(join(project, "said.txt"));
  assert.equal(said, "high tide\nlow tide\nin tide\nfalse\ndone\n");
});

test("commands run in the configuration's folder, in Claude Code's environment, and know whom they serve", async (home) => {
  const project = home.configure(`stop:
  commands:
    - run: |
        pwd
        echo "$CONCLAUDE_CONFIG_DIR $CONCLAUDE_SESSION_ID $CONCLAUDE_HOOK_EVENT"
        echo "$CONCLAUDE_CWD $CONCLAUDE_TRANSCRIPT_PATH $OF_CLAUDE"
        false
      showStdout: true
`);
  Deno.mkdirSync(join(project, "deep"));
  const fields = { cwd: join(project, "deep"), transcript_path: "/t.jsonl" };
  const { reason } = await home.send("Stop", fields, { env: { OF_CLAUDE: "yes" } });
  const said = `${project} ${SESSION} Stop\n${project}/deep /t.jsonl yes\n`;
  assert.ok(reason.includes(`Stdout:\n${project}\n${said}`), reason);
});

test("commands run also where the environment says what to load, and see it", async (home) => {
  home.configure(
    'stop: {commands: [{run: "echo $LD_LIBRARY_PATH $OF_CLAUDE $CONCLAUDE_HOOK_EVENT; false", showStdout: true}]}',
  );
  const env = { LD_LIBRARY_PATH: home.path, OF_CLAUDE: "a b" };
  const through = ["env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  assert.match((await stop(home, { through }))!, new RegExp(`Stdout:\n${home.path} a b Stop\n`));
});

test.ps("a command that takes too long is ended, with its process group", async (home) => {
  home.configure(`stop: {commands: [{run: "${nap(1)} & ${nap(1)}", timeout: 1}]}`);
  const startedAt = performance.now();
  const reason = (await stop(home))!;
  assert.match(reason, /^stop\.commands\[0\] timed out after 1 second: sleep 1/);
  assert.ok(performance.now() - startedAt < 6000);
  assert.equal(processesWith(nap(1)), 0);
});

it.slow("a command that ignores SIGTERM is killed", async (home) => {
  home.configure(
    `stop: {commands: [{run: "trap '' TERM\\necho begun\\n${nap(2)}\\n${
      nap(2)
    }", timeout: 1, showStdout: true}]}`,
  );
  const reason = (await stop(home))!;
  assert.match(reason, /timed out after 1 second: sleep 2\d+\n/);
  assert.match(reason, /Stdout:\nbegun\n/);
  assert.equal(processesWith(nap(2)), 0);
});

test.ps("a process that a command leaves in the background lives on, and does not hold the hook", async (home) => {
  home.configure(
    `stop: {commands: [{run: "${
      nap(3)
    } &\\necho begun\\nfalse", showStdout: true, showStderr: true}]}`,
  );
  const startedAt = performance.now();
  assert.match((await stop(home))!, /Stdout:\nbegun\n/);
  assert.ok(performance.now() - startedAt < 5000);
  assert.equal(processesWith(nap(3)), 1);
  new Deno.Command("sh", { args: ["-c", `kill $(pgrep -f '^${nap(3)}')`] }).outputSync();
});

test("lines that still come when a command has ended are counted, as long as more come", async (home) => {
  const command = '{run: "seq 1 300000 &\\nfalse", showStdout: true, maxOutputLines: 2}';
  home.configure(`stop: {commands: [${command}]}`);
  assert.match((await stop(home))!, /Stdout:\n1\n2\n.*299998/);
});

test.ps("a hook that gets SIGTERM ends its command", async (home) => {
  home.configure(`stop: {commands: [{run: "${nap(4)}; true"}]}`);
  const payload = { session_id: SESSION, cwd: join(home.path, "project") };
  const running = hook("Stop", payload, home, { through: ["timeout", "-s", "TERM", "2"] });
  const { stdout } = await running;
  assert.doesNotMatch(stdout, /block/);
  assert.equal(processesWith(nap(4)), 0);
  assert.equal(executions(home).at(-1)!["error_message"], "interrupted");
});

it.slow("a hook that is killed right after it was told to leave has recorded that, also when its command does not leave", async (home) => {
  home.configure(`stop: {commands: [{run: "trap '' TERM; ${nap(5)}; ${nap(5)}; ${nap(5)}"}]}`);
  const payload = { session_id: SESSION, cwd: join(home.path, "project") };
  await hook("Stop", payload, home, { through: ["timeout", "-s", "TERM", "-k", "0.8", "2"] });
  assert.equal(executions(home).at(-1)!["error_message"], "interrupted");
  for (let tries = 0; tries < 100 && processesWith(nap(5)) > 0; tries++) {
    await pause(100);
  }
  assert.equal(processesWith(nap(5)), 0);
});

test.unix("where nobody can tell which line failed, none is named", async (home) => {
  home.configure('stop: {commands: [{run: "true\\nfalse"}, {run: "exit 4"}]}');
  // A process of its own: the runtime reads TMPDIR.
  const options = { env: { HOME: home.path, TMPDIR: "/proc" }, through: ["env"] };
  assert.match((await stop(home, options))!, /^stop\.commands\[0\] failed with exit code 1\n/);
  home.configure('stop: {commands: [{run: "exit 4"}]}');
  assert.match((await stop(home, options))!, /failed with exit code 4: exit 4\n/);
});

test.slow("100 MB of output are counted and not kept", async (home) => {
  home.configure(
    'stop: {commands: [{run: "yes tide | head -n 20000000\\nfalse", showStdout: true, maxOutputLines: 2}]}',
  );
  const reason = (await stop(home))!;
  assert.match(reason, /Stdout:\ntide\ntide\n\.\.\. \(19999998 lines omitted\)\n/);
  assert.ok(reason.length < 1000);
});

test("a command that is not there, and a script that is none, hold the stop back and say so", async (home) => {
  home.configure("{}");
  const write = (run: string) =>
    home.configure(`stop: {commands: [{run: "${run}", showStderr: true}]}`);
  write("no-such-command --x");
  assert.match((await stop(home))!, /exit code 127: no-such-command --x\nStderr:\n.*not found/);
  write("if true");
  assert.match((await stop(home))!, /exit code 2: if true\nStderr:\n.*syntax error/);
});

test("without bash a command runs in the system's shell", async (home) => {
  const tools = join(home.path, "tools");
  home.configure('stop: {commands: [{run: "A=1\\n[ \\"$A\\" = 1 ]\\nexit 4"}]}');
  Deno.mkdirSync(tools);
  for (const name of ["cat", "sleep"]) Deno.symlinkSync(`/bin/${name}`, join(tools, name));
  const env = { HOME: home.path, PATH: tools };
  assert.match((await stop(home, { env }))!, /failed with exit code 4: exit 4\n/);
});

test("the output of a command is masked before it is stored", async (home) => {
  const secret = "ghp_" + "a1B2".repeat(9);
  home.configure('stop: {commands: [{run: "cat ../token; false", showStdout: true}]}');
  Deno.writeTextFileSync(join(home.path, "token"), secret);
  assert.ok((await stop(home))!.includes(secret));
  Deno.removeSync(join(home.path, "token"));
  assert.deepEqual(filesWith(home.path, secret), []);
  assert.match(String(executions(home).at(-1)!["error_message"]), /redacted/);
});

test("rounds: 3 are two blocks and then a stop, and then anew", async (home) => {
  home.configure("stop: {rounds: 3}");
  for (const _again of [1, 2]) {
    assert.match((await stop(home))!, /^Round 1\/3 completed, continuing\.\.\.\n/);
    assert.match((await stop(home, { active: true }))!, /^Round 2\/3 completed/);
    assert.equal(await stop(home, { active: true }), null);
  }
  assert.equal(queryValue(home, "SELECT count(*) FROM counters WHERE type = 'stop_rounds'"), 0);
  home.configure("stop: {rounds: 1}");
  assert.equal(await stop(home), null);
});

test("rounds are counted once each when stops come at the same time", async (home) => {
  home.configure("stop: {rounds: 5, maxBlocks: 8}");
  await start(home);
  const reasons = await Promise.all(
    Array.from({ length: 10 }, (_, i) => stop(home, { said: `${i}`, through: [] })),
  );
  const rounds = reasons.map((reason) => reason?.split(" ", 2)[1] ?? "through").sort();
  assert.equal(rounds.join(" "), "1/5 1/5 2/5 2/5 3/5 3/5 4/5 4/5 through through");
});

test("rounds are not counted while a command fails", async (home) => {
  const project = home.configure('stop: {rounds: 2, commands: [{run: "test -e ../green"}]}');
  assert.match((await stop(home))!, /^stop\.commands\[0\]/);
  Deno.writeTextFileSync(join(project, "..", "green"), "");
  assert.match((await stop(home, { active: true }))!, /^Round 1\/2/);
  assert.equal(await stop(home, { active: true }), null);
});

test("infinite goes on when the commands succeed, and says the command's message when they do not", async (home) => {
  const project = home.configure(
    'stop: {infinite: true, commands: [{run: "false", message: "M"}]}',
  );
  const red = (await stop(home))!;
  assert.match(red, /\nM\n/);
  assert.doesNotMatch(red, /continue working/);
  const config = join(project, ".conclaude.yaml");
  Deno.writeTextFileSync(config, 'stop: {infinite: true, commands: [{run: "true"}]}');
  assert.match((await stop(home))!, /^continue working on the task\n/);
  Deno.writeTextFileSync(config, "stop: {infinite: true, infiniteMessage: Go, rounds: 2}");
  assert.match((await stop(home))!, /^Round 1\/2/);
  assert.match((await stop(home, { active: true }))!, /^Go\n/);
});

test("infinite takes over for the rest of the turn when the rounds are over", async (home) => {
  home.configure("stop: {infinite: true, infiniteMessage: Go, rounds: 3}");
  for (const _turn of [1, 2]) {
    assert.match((await stop(home))!, /^Round 1\/3/);
    assert.match((await stop(home, { active: true }))!, /^Round 2\/3/);
    for (const _stop of [3, 4, 5, 6]) {
      assert.match((await stop(home, { active: true }))!, /^Go\n/);
    }
    assert.equal(await stop(home, { active: true }), null);
  }
});

test("the shell's own messages count the lines that a person wrote", async (home) => {
  home.configure("");
  const cases = [["nothing-like-it", 1], ["# first\n\ntrue\ntrue\nnothing-like-it", 5]] as const;
  for (const [run, line] of cases) {
    home.configure(`stop: {commands: [{run: ${JSON.stringify(run)}, showStderr: true}]}`);
    assert.match((await stop(home))!, new RegExp(`Stderr:\nconclaude: (line )?${line}: nothing`));
  }
});

test("a continued stop is judged again, six times in a row, then let through, and the person is told", async (home) => {
  home.configure('stop: {commands: [{run: "false"}]}');
  assert.match((await stop(home, { active: true }))!, /stop 1 of at most 6/);
  for (let block = 2; block <= 6; block++) {
    assert.match((await stop(home, { active: true }))!, new RegExp(`stop ${block} of at most 6`));
  }
  const { decision, systemMessage } = await stopAnswer(home, { active: true });
  assert.equal(decision, undefined);
  assert.match(
    systemMessage,
    /after 6 stops in a row.*\nstop\.commands\[0\] failed with exit code 1: false$/s,
  );
  const row = executions(home).at(-1);
  assert.deepEqual([row!["status"], metadataOf(row)["rules"]], ["success", ["stop.commands[0]"]]);
  // The next turn begins a new row.
  assert.match((await stop(home))!, /stop 1 of at most 6/);
  assert.match((await stop(home, { active: true }))!, /stop 2 of at most 6/);
  assert.match((await stop(home))!, /stop 1 of at most 6/);
});

test("the command in a block lifts it for the session, and resume brings it back", async (home) => {
  const project = home.configure(
    'stop: {infinite: true, commands: [{run: "echo x >> ../ran; false"}]}',
  );
  const reason = (await stop(home))!;
  const [, command] = /`conclaude ([^`]+)`/.exec(reason)!;
  const paused = await home.run(...command!.split(" "));
  assert.equal(paused.code, 0, paused.stderr);
  assert.equal(await stop(home), null);
  assert.equal(await stop(home, { active: true }), null);
  assert.equal(lastMetadata(home)["paused"], true);
  assert.equal(Deno.readTextFileSync(join(project, "..", "ran")), "x\n");
  await home.run("guard", "resume", "--session", SESSION.slice(0, 8));
  assert.notEqual(await stop(home), null);
});

test("files that appeared in the project's folder hold the stop back, those that were there do not", async (home) => {
  const project = home.configure("preToolUse: {preventRootAdditions: true}");
  Deno.writeTextFileSync(join(project, "old.txt"), "");
  await start(home);
  assert.equal(await stop(home), null);
  Deno.writeTextFileSync(join(project, "b.txt"), "");
  Deno.writeTextFileSync(join(project, "a.txt"), "");
  Deno.writeTextFileSync(join(project, ".hidden"), "");
  Deno.mkdirSync(join(project, "folder"));
  assert.match((await stop(home))!, /^Unauthorized root additions detected: a\.txt, b\.txt\n/);
  assert.deepEqual(lastMetadata(home)["rules"], ["preToolUse.preventRootAdditions"]);
  Deno.removeSync(join(project, "a.txt"));
  Deno.renameSync(join(project, "b.txt"), join(project, "folder", "b.txt"));
  assert.equal(await stop(home), null);
});

test("preventRootAdditionsMessage is said when a stop is held for new files, with their names", async (home) => {
  const project = home.configure(
    "preToolUse: {preventRootAdditions: true, preventRootAdditionsMessage: 'Put {file_path} into src ({tool})'}",
  );
  await start(home);
  for (const name of ["a.txt", "b.txt"]) Deno.writeTextFileSync(join(project, name), "");
  const reason = (await stop(home))!;
  assert.match(reason, /detected: a\.txt, b\.txt\nPut a\.txt, b\.txt into src \(Stop\)\n/);
  assert.doesNotMatch(reason, /They were not there/);
});

test("a compaction keeps what was known of the folder, a new start looks again", async (home) => {
  const project = home.configure("preToolUse: {preventRootAdditions: true}");
  await start(home);
  Deno.writeTextFileSync(join(project, "new.txt"), "");
  await start(home, "compact");
  assert.match((await stop(home))!, /new\.txt/);
  await start(home, "resume");
  assert.equal(await stop(home), null);
});

test("where nobody looked when the session began, new files are known from the first stop on", async (home) => {
  const project = home.configure("preToolUse: {preventRootAdditions: true}");
  Deno.writeTextFileSync(join(project, "old.txt"), "");
  assert.equal(await stop(home), null);
  Deno.writeTextFileSync(join(project, "new.txt"), "");
  assert.match((await stop(home))!, /detected: new\.txt\n/);
});

test.git("files that git ignores are no additions", async (home) => {
  const project = home.configure("preToolUse: {preventRootAdditions: true}");
  makeRepository(project);
  Deno.writeTextFileSync(join(project, ".gitignore"), "*.log\n");
  await start(home);
  Deno.writeTextFileSync(join(project, "build.log"), "");
  assert.equal(await stop(home), null);
  Deno.writeTextFileSync(join(project, "-new ü.txt"), "");
  assert.match((await stop(home))!, /detected: -new ü\.txt\n/);
});

test("new files hold at most stop.maxBlocks stops, and a switch turns the rule off", async (home) => {
  const project = home.configure("stop: {maxBlocks: 2}\npreToolUse: {preventRootAdditions: true}");
  await start(home);
  Deno.writeTextFileSync(join(project, "mine.txt"), "");
  assert.notEqual(await stop(home), null);
  assert.notEqual(await stop(home, { active: true }), null);
  assert.match((await stopAnswer(home, { active: true })).systemMessage, /mine\.txt/);
  assert.equal(await stop(home), null);
  Deno.writeTextFileSync(join(project, "another.txt"), "");
  assert.match((await stop(home))!, /detected: another\.txt/);
  home.configure("preToolUse: {preventRootAdditions: false}");
  assert.equal(await stop(home), null);
});

test("a command that fails and a new file are told in one answer", async (home) => {
  home.configure(
    'stop: {commands: [{run: "echo x > made.txt; false"}]}\npreToolUse: {preventRootAdditions: true}',
  );
  await start(home);
  const reason = (await stop(home))!;
  assert.match(reason, /stop\.commands\[0\][\s\S]*made\.txt/);
  assert.equal(reason.match(/conclaude guard pause/g)!.length, 1);
});

test("the first prompt of a session decides about messages at its stops; no command runs with them", async (home) => {
  home.configure(`stop:
  commands: [{run: "echo x >> ../ran"}]
  promptPrefixBlocking:
    prefixes: ["/review*", "Check *"]
    messages: [{text: Look again, times: 2}, {text: Now sum up}]
`);
  const prompt = (text: string) => home.send("UserPromptSubmit", { prompt: text });
  await prompt("Check the tides");
  await prompt("and nothing else");
  assert.match((await stop(home))!, /^Look again\n/);
  assert.match((await stop(home, { active: true }))!, /^Look again\n/);
  assert.match((await stop(home, { active: true }))!, /^Now sum up\n/);
  assert.throws(() => Deno.statSync(join(home.path, "ran")));
  assert.equal(await stop(home, { active: true }), null);
  assert.equal(Deno.readTextFileSync(join(home.path, "ran")), "x\n");
  const [row] = query(home, "SELECT * FROM prompt_queues");
  assert.deepEqual([row!["initial_prompt"], row!["queue_position"]], ["Check the tides", 2]);
});

test("a session that began otherwise gets no message", async (home) => {
  home.configure("stop: {promptPrefixBlocking: {prefixes: ['Check*'], messages: [{text: M}]}}");
  const send = (prompt: unknown) => home.send("UserPromptSubmit", { prompt });
  assert.equal(await send(null), null);
  assert.equal(await send("Please check"), null);
  await send("Check it");
  assert.equal(await stop(home), null);
});

test("a user's own commands count in every project, and run in its folder", async (home) => {
  Deno.mkdirSync(join(home.path, "project"));
  configureUser(home, 'stop: {commands: [{run: "pwd; false", showStdout: true}]}');
  assert.match((await stop(home))!, new RegExp(`Stdout:\n${home.path}/project\n`));
  assert.match((await stop(home, { active: true }))!, /stop 2 of at most 6/);
});

test("without a database a stop is held back once, and what would have to be counted is not", async (home) => {
  home.configure('stop: {rounds: 3, commands: [{run: "false"}]}\ndatabase: {enabled: false}\n');
  assert.match((await stop(home))!, /^stop\.commands\[0\]/);
  const { decision, systemMessage } = await stopAnswer(home, { active: true });
  assert.deepEqual([decision, /without a database/.test(systemMessage)], [undefined, true]);
  home.configure("stop: {rounds: 3}\ndatabase: {enabled: false}\n");
  assert.equal(await stop(home), null);
});

test("config validate names what is wrong with stop", async (home) => {
  home.configure("stop: {rounds: 0, infinte: true, commands: [{run: a, timeout: 4000}]}");
  const { code, stdout, stderr } = await home.run("config", "validate");
  assert.equal(code, 1);
  const told = stdout + stderr;
  assert.match(told, /stop\.rounds\n.*from 1 to 10000, found 0/);
  assert.match(told, /stop\.infinte\n.*\n.*infinite/);
  assert.match(told, /stop\.commands\[0\]\.timeout\n.*from 1 to 3600, found 4000/);
});

const RULE = "preToolUse: {preventRootAdditions: true}\n";

/** A project of which only the rule about new files speaks, with its session begun. */
async function begun(): Promise<RequiredProject> {
  const project = new RequiredProject(RULE);
  await project.start();
  return project;
}

Deno.test("files that were there at a stop under a pause count as known afterwards", async () => {
  using project = await begun();
  project.write("LICENSE", "x\n");
  const reason = (await project.stop())!;
  assert.match(reason, /detected: LICENSE\n[^]*count as known afterwards/);
  await project.follow(reason);
  assert.equal(await project.stop(), null);
  await project.run("guard", "resume", "--session", "cad0ac4d");
  assert.equal(await project.stop(), null);
  project.write("more.txt", "x\n");
  assert.match((await project.stop())!, /detected: more\.txt\n/);
});

Deno.test("a file that is committed is no addition, however it came into the folder", async () => {
  using project = new RequiredProject(RULE);
  project.git("switch", "-q", "-c", "docs");
  for (const name of ["DOC.md", "-d ü.md"]) project.write(name, "x\n");
  project.git("add", "--", "DOC.md", "-d ü.md");
  project.git("commit", "-q", "-m", "documents");
  project.git("switch", "-q", "feature/x");
  await project.start();
  project.git("merge", "-q", "docs");
  assert.equal(await project.stop(), null);
  project.write("staged.txt", "x\n");
  project.git("add", "staged.txt");
  assert.match((await project.stop())!, /detected: staged\.txt\n/);
});

Deno.test("a stop that is held once a turn does not say how many more there will be", async () => {
  using project = await begun();
  project.write("new.txt", "x\n");
  assert.doesNotMatch((await project.stop())!, /of at most/);
  assert.equal(await project.stop({ stop_hook_active: true }), null);
  assert.equal(lastMetadata(project.home)["inRow"], 1);
  project.configure(`stop: {maxBlocks: 2}\n${RULE}`);
  assert.match((await project.stop())!, /stop 1 of at most 2/);
  assert.match((await project.stop({ stop_hook_active: true }))!, /stop 2 of at most 2/);
});

test.git("the stop command of the documentation is right with shell scripts and without", async (home) => {
  const page = Deno.readTextFileSync(new URL("../../docs/stops.md", import.meta.url));
  const { stop: { commands } } = parse(/```yaml\n(stop:[^]*?)```/.exec(page)![1]!);
  const { run } = commands.find(({ run }: { run: string }) => run.includes("shellcheck"));
  const project = home.configure(JSON.stringify({ stop: { commands: [{ run }] } }));
  makeRepository(project, { files: { "src/a.ts": "x\n" } });
  const tools = join(home.path, "tools");
  Deno.mkdirSync(tools);
  // Fails without a file, as the real one does, and for a file that says so.
  const script = '#!/bin/sh\n[ $# -gt 0 ] || exit 3\n! grep -q wrong "$@"\n';
  Deno.writeTextFileSync(join(tools, "shellcheck"), script, { mode: 0o755 });
  const env = { PATH: `${tools}:/usr/local/bin:/usr/bin:/bin` };
  assert.equal(await stop(home, { env }), null, "there is none");
  Deno.writeTextFileSync(join(project, "src/a.sh"), "echo wrong\n");
  gitSync(project, "add", "src/a.sh");
  assert.notEqual(await stop(home, { env }), null);
  Deno.writeTextFileSync(join(project, "src/a.sh"), "echo right\n");
  assert.equal(await stop(home, { env }), null);
  Deno.writeTextFileSync(join(project, "src/b.ts"), "// FIXME\n");
  assert.notEqual(await stop(home, { env }), null);
});
