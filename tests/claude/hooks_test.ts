import assert from "node:assert/strict";
import { UserError } from "../../src/base/errors.ts";
import {
  chooseEvents,
  commandDeadlineMs,
  hookCommand,
  hookTimeoutSeconds,
  planHooks,
  type Program,
} from "../../src/claude/settings/hooks.ts";
import { DEFAULT_EVENTS, KNOWN_EVENTS } from "../../src/claude/settings/lanes.ts";
import { it } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

const program: Program = { kind: "path", path: "/usr/local/bin/conclaude" };

Deno.test("KNOWN_EVENTS names each of the 33 events once, and every default event among them", () => {
  assert.equal(new Set(KNOWN_EVENTS).size, 33);
  assert.equal(DEFAULT_EVENTS.length, 17);
  assert.ok(DEFAULT_EVENTS.every((event) => KNOWN_EVENTS.includes(event)));
});

Deno.test("planHooks() gives tool events a matcher for what decides, one for the rest, and SessionStart its sources", () => {
  const matchers = planHooks(program, DEFAULT_EVENTS)
    .filter(({ matcher }) => matcher !== undefined)
    .map(({ event, matcher }) => [event, matcher]);
  assert.deepEqual(matchers, [
    ["SessionStart", "startup|resume|clear|compact|fork"],
    ["SessionStart", "startup|resume"],
    [
      "PreToolUse",
      "^(?:(?:Bash|PowerShell|Monitor|Write|Edit|MultiEdit|NotebookEdit|Skill|Agent|Task)$|mcp__)",
    ],
    ["PermissionRequest", "*"],
    ...["PostToolUse", "PostToolUseFailure"].flatMap((event) => [
      [event, "^(?:(?:Bash|PowerShell|Monitor|Skill|ExitPlanMode|Agent|Task)$|mcp__)"],
      [event, "^(?!(?:Bash|PowerShell|Monitor|Skill|ExitPlanMode|Agent|Task)$|mcp__)"],
    ]),
  ]);
});

Deno.test("planHooks() lets Claude Code wait for what runs commands of a configuration, and for nothing else", () => {
  const times = planHooks(program, DEFAULT_EVENTS).filter(({ timeout }) => timeout !== 10)
    .map(({ event, timeout }) => [event, timeout]);
  assert.deepEqual(times, [
    ["SessionStart", 60],
    ["UserPromptSubmit", 30],
    ["SubagentStop", 600],
    ["Stop", 600],
    ["Stop", 60],
  ]);
  for (const event of ["Stop", "UserPromptSubmit"]) {
    const left = hookTimeoutSeconds(event) * 1000 - commandDeadlineMs(event);
    assert.ok(left >= 5000 && commandDeadlineMs(event) > 0);
  }
});

Deno.test("planHooks() puts a drain that nobody waits for beside Stop and SessionStart, and beside no other event", () => {
  const [stop, drain, ...others] = planHooks(program, ["Stop"], { strict: true });
  assert.deepEqual([stop?.role, stop?.async, others], ["event", undefined, []]);
  assert.deepEqual(drain, {
    event: "Stop",
    role: "drain",
    matcher: undefined,
    command: "/usr/local/bin/conclaude hook Drain",
    exec: undefined,
    timeout: 60,
    onFailure: undefined,
    async: true,
  });
  const drains = planHooks(program, KNOWN_EVENTS).filter(({ role }) => role === "drain");
  assert.deepEqual(drains.map(({ event }) => event), ["SessionStart", "Stop"]);
});

Deno.test("no two handlers of an event are for the same tool, and every tool but one that nobody asks about has one", () => {
  const names =
    "Bash PowerShell Monitor Read Edit Write TodoWrite TaskCreate BashOutput Skill Agent Task ExitPlanMode";
  const tools = [...names.split(" "), "mcp__github__search", "Agents", "x__mcp__"];
  const some = { asked: ["Read"], followed: ["Edit", "mcp__github__search"] };
  for (const named of [undefined, some, { asked: ["*"], followed: ["*"] }]) {
    const plan = planHooks(program, DEFAULT_EVENTS, { tools: named });
    for (const event of ["PreToolUse", "PostToolUse", "PostToolUseFailure"]) {
      for (const tool of tools) {
        const those = plan.filter((entry) => entry.event === event && isFor(entry.matcher, tool));
        if (event !== "PreToolUse") assert.equal(those.length, 1, `${event} of ${tool}`);
        const waits = those.some(({ async }) => !async);
        const list = named?.[event === "PreToolUse" ? "asked" : "followed"] ?? [];
        const usual = event === "PreToolUse"
          ? /^(?:Bash|PowerShell|Monitor|Edit|Write|Skill|Agent|Task|mcp__.*)$/
          : /^(?:Bash|PowerShell|Monitor|Skill|Agent|Task|ExitPlanMode|mcp__.*)$/;
        assert.equal(waits, usual.test(tool) || list.includes(tool) || list.includes("*"), tool);
      }
    }
  }
});

function isFor(matcher: string | undefined, tool: string): boolean {
  return matcher === undefined || matcher === "*" || new RegExp(matcher).test(tool);
}

Deno.test("hookCommand() quotes a path only when the shell needs it", () => {
  const commandFor = (path: string) => hookCommand({ kind: "path", path }, "Stop");
  assert.equal(commandFor("/usr/local/bin/conclaude"), "/usr/local/bin/conclaude hook Stop");
  assert.equal(commandFor("/a b/conclaude"), "'/a b/conclaude' hook Stop");
  assert.equal(commandFor("/it's/$x/conclaude"), `'/it'\\''s/$x/conclaude' hook Stop`);
});

it.unix("hookCommand() makes a path that a real shell starts, whatever is in its name", async () => {
  using folder = tempFolder();

  for (
    const name of ["plain", "two words", "it's", `"$HOME" \`x\``, "a\nb", "*?[;]&|<>()#~é"]
  ) {
    const path = `${folder.path}/${name}`;
    await Deno.writeTextFile(path, '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", hookCommand({ kind: "path", path }, "Stop")],
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "hook Stop --conclaude\n", name);
  }
});

Deno.test("hookCommand() writes a Windows path with forward slashes, for Git Bash", () => {
  const path = "C:\\Users\\Ana Maria\\conclaude.exe";
  assert.equal(
    hookCommand({ kind: "path", path }, "Stop"),
    "'C:/Users/Ana Maria/conclaude.exe' hook Stop",
  );
});

Deno.test("hookCommand() leaves a ready command line as it is, and a name to the shell's PATH", () => {
  const line = "deno run -A '/my clone/main.ts'";
  assert.equal(hookCommand({ kind: "line", line }, "Stop"), `${line} hook Stop --conclaude`);
  assert.equal(hookCommand({ kind: "name", name: "conclaude" }, "Stop"), "conclaude hook Stop");
});

Deno.test("hookCommand() marks a program whose name does not say that it is ours", () => {
  const commandFor = (path: string) => hookCommand({ kind: "path", path }, "Stop");
  for (const path of ["/bin/conclaude", "/opt/conclaude-linux-x86_64", "C:/bin/conclaude.exe"]) {
    assert.equal(commandFor(path), `${path} hook Stop`);
  }
  for (const path of ["/bin/cc-state", "/bin/conclaude-notify", "/opt/conclaude/bin/cc"]) {
    assert.equal(commandFor(path), `${path} hook Stop --conclaude`);
  }
});

Deno.test("chooseEvents() keeps the person's order, drops repetitions, and takes nothing for the default", () => {
  assert.deepEqual(chooseEvents(["Stop", "SessionStart", "Stop"]), ["Stop", "SessionStart"]);
  assert.deepEqual(chooseEvents([]), DEFAULT_EVENTS);
});

Deno.test("chooseEvents() refuses an unknown event as a usage error and suggests the nearest", () => {
  const failureOf = (name: string): UserError => {
    try {
      chooseEvents(["Stop", name]);
    } catch (thrown) {
      if (thrown instanceof UserError) return thrown;
    }
    return assert.fail(`${name} was accepted`);
  };
  assert.equal(failureOf("PostTooluse").next, "conclaude install-hooks --help");
  assert.match(failureOf("PostTooluse").why, /; did you mean `PostToolUse`\?$/);
  assert.match(failureOf("sessionstrat").why, /; did you mean `SessionStart`\?$/);
  assert.equal(failureOf("PostTooluse").exitCode, 2);
  assert.match(failureOf("banana").why, /; it has SessionStart, /);
});
