import assert from "node:assert/strict";
import { checkHooks } from "../../src/claude/settings/handler_schema.ts";
import { planHooks } from "../../src/claude/settings/hooks.ts";
import { KNOWN_EVENTS } from "../../src/claude/settings/lanes.ts";

const good = { type: "command", command: "guard" };

/** What is found in one handler under PostToolUse, as "field: problem". */
function findIn(handler: unknown): string[] {
  return checkHooks({ hooks: { PostToolUse: [{ hooks: [handler] }] } })
    .map(({ path, problem }) => `${path.replace("hooks.PostToolUse[0].hooks[0]", "")} ${problem}`);
}

Deno.test("checkHooks() accepts what conclaude writes for every event", () => {
  const hooks = Object.fromEntries(
    planHooks({ kind: "path", path: "/bin/conclaude" }, KNOWN_EVENTS).map((entry) => {
      const { event, matcher, command, timeout } = entry;
      return [event, [{ matcher, hooks: [{ type: "command", command, timeout }] }]];
    }),
  );
  assert.deepEqual(checkHooks({ hooks }), []);
});

Deno.test("checkHooks() accepts each handler type with all of its fields", () => {
  const common = { if: "Bash(git *)", timeout: 0.2, statusMessage: "…", once: true };
  const onFailure = "block";
  for (
    const handler of [
      {
        ...common,
        ...good,
        onFailure,
        args: ["x"],
        shell: "bash",
        async: true,
        asyncRewake: false,
      },
      {
        ...common,
        type: "http",
        url: "http://x",
        onFailure,
        headers: { a: "b" },
        allowedEnvVars: ["A"],
      },
      { ...common, type: "mcp_tool", server: "s", tool: "t", onFailure, input: { a: 1 } },
      { ...common, type: "prompt", prompt: "p", model: "m", continueOnBlock: true },
      { ...common, type: "agent", prompt: "p", model: "m" },
      { ...good, colour: "red" },
    ]
  ) {
    assert.deepEqual(findIn(handler), []);
  }
});

Deno.test("checkHooks() names the field and what it must be", () => {
  assert.deepEqual(findIn({ type: "grpc" }), [
    ".type must be one of command, http, mcp_tool, prompt, agent",
  ]);
  assert.deepEqual(findIn({ ...good, timeout: 0 }), [".timeout must be a number above 0"]);
  assert.deepEqual(findIn({ ...good, timeout: "5" }), [".timeout must be a number above 0"]);
  assert.deepEqual(findIn({ ...good, timeout: null }), [".timeout must be a number above 0"]);
  assert.deepEqual(findIn({ ...good, onFailure: "maybe" }), [
    '.onFailure must be "continue" or "block"',
  ]);
  assert.deepEqual(findIn({ ...good, args: ["a", 1] }), [".args must be an array of strings"]);
  assert.deepEqual(findIn({ type: "command" }), [".command must be a string"]);
  assert.deepEqual(findIn({ type: "http" }), [".url must be a URL"]);
  assert.deepEqual(findIn({ type: "http", url: "not a url" }), [".url must be a URL"]);
  assert.deepEqual(findIn({ type: "mcp_tool", server: "s" }), [".tool must be a string"]);
  assert.deepEqual(findIn({ type: "toString" }).length, 1);
  assert.deepEqual(findIn("guard"), [" must be an object"]);
});

Deno.test("checkHooks() looks at the groups as well as at the handlers", () => {
  const problemsOf = (groups: unknown) =>
    checkHooks({ hooks: { Stop: groups } }).map(({ path, problem }) => `${path} ${problem}`);
  assert.deepEqual(problemsOf({}), ["hooks.Stop must be an array"]);
  assert.deepEqual(problemsOf([5]), ["hooks.Stop[0] must be an object"]);
  assert.deepEqual(problemsOf([{ hooks: [good] }, good]), [
    "hooks.Stop[1].hooks must be an array of handlers",
  ]);
  assert.deepEqual(problemsOf([{ matcher: 5, hooks: [good] }]), [
    "hooks.Stop[0].matcher must be a string",
  ]);
});

Deno.test("checkHooks() says that only PreToolUse and PermissionRequest cost the whole file", () => {
  const hooks = Object.fromEntries(KNOWN_EVENTS.map((event) => [event, [{ hooks: [{}] }]]));
  const fatal = checkHooks({ hooks }).filter(({ discardsFile }) => discardsFile);
  assert.deepEqual(fatal.map(({ path }) => path), [
    "hooks.PreToolUse[0].hooks[0].type",
    "hooks.PermissionRequest[0].hooks[0].type",
  ]);
});

Deno.test("checkHooks() ignores unknown events and settings without hooks, as Claude Code does", () => {
  assert.deepEqual(checkHooks({ hooks: { "//": "mine", NoSuchEvent: 5 } }), []);
  assert.deepEqual(checkHooks({}), []);
  assert.deepEqual(checkHooks(null), []);
});
