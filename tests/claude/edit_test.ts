import assert from "node:assert/strict";
import { UserError } from "../../src/base/errors.ts";
import { type Edit, installInto, type InstallPlan } from "../../src/claude/settings/edit.ts";
import { hookTimeoutSeconds, planHooks, type Program } from "../../src/claude/settings/hooks.ts";
import { DEFAULT_EVENTS, type HookEvent, matcherOf } from "../../src/claude/settings/lanes.ts";
import CASES from "../testdata/claude_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

/** A settings file that is not taken, and what the refusal says of it. */
type Refused = readonly [text: string, says: string];

const program: Program = { kind: "path", path: "/usr/local/bin/conclaude" };

function planFor(events: readonly HookEvent[] = DEFAULT_EVENTS): InstallPlan {
  return { program, entries: planHooks(program, events) };
}

function install(text: string, events?: readonly HookEvent[]): Edit {
  const edit = installInto(text, planFor(events));
  assert.equal(installInto(edit.text, planFor(events)).text, edit.text, "a second run changed it");
  return edit;
}

function uninstall(text: string): string {
  return installInto(text, { program, entries: [] }).text;
}

function refusalOf(text: string): UserError {
  assert.throws(() => uninstall(text), UserError, text);
  try {
    installInto(text, planFor());
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown;
  }
  return assert.fail(`${text} was accepted`);
}

function pretty(settings: unknown): string {
  return JSON.stringify(settings, null, 2) + "\n";
}

const own = (event: string) => ({
  type: "command",
  command: `/usr/local/bin/conclaude hook ${event}`,
  timeout: hookTimeoutSeconds(event),
});
const drain = {
  type: "command",
  command: "/usr/local/bin/conclaude hook Drain",
  timeout: 60,
  async: true,
};
/** The matchers of the lane that Claude Code waits for. */
const ASKED = matcherOf(["these", "asked"])!;
const FOLLOWED = matcherOf(["these", "followed"])!;
const drainGroup = { hooks: [drain] };
const foreign = { type: "command", command: "guard --strict" };

Deno.test("installInto() makes a file from nothing, as a person would have written it", () => {
  const { text, added } = install("", ["PreToolUse", "Stop"]);
  assert.equal(
    text,
    pretty({
      hooks: {
        PreToolUse: [{ matcher: ASKED, hooks: [own("PreToolUse")] }],
        Stop: [{ hooks: [own("Stop")] }, drainGroup],
      },
    }),
  );
  assert.deepEqual(added, ["PreToolUse", "Stop"]);
});

Deno.test("installInto() adds all default events and nothing else", () => {
  const settings = JSON.parse(install('{"model":"opus"}').text);
  assert.deepEqual(Object.keys(settings), ["model", "hooks"]);
  assert.deepEqual(Object.keys(settings.hooks), DEFAULT_EVENTS);
});

Deno.test("installInto() keeps a foreign hook inside the same entry", () => {
  const shared = {
    matcher: ASKED,
    note: "mine",
    hooks: [foreign, { ...own("PreToolUse"), timeout: 5 }],
  };
  const { text, updated } = install(pretty({ hooks: { PreToolUse: [shared] } }), ["PreToolUse"]);
  assert.equal(
    text,
    pretty({ hooks: { PreToolUse: [{ ...shared, hooks: [foreign, own("PreToolUse")] }] } }),
  );
  assert.deepEqual(updated, ["PreToolUse"]);
});

Deno.test("installInto() moves its hook out of a foreign entry rather than change the entry's matcher", () => {
  const before = { PreToolUse: [{ matcher: "Bash", hooks: [own("PreToolUse"), foreign] }] };
  const { text } = install(pretty({ hooks: before }), ["PreToolUse"]);
  assert.deepEqual(JSON.parse(text).hooks.PreToolUse, [
    { matcher: "Bash", hooks: [foreign] },
    { matcher: ASKED, hooks: [own("PreToolUse")] },
  ]);
});

Deno.test("installInto() corrects its own command, timeout and matcher in place", () => {
  const stale = {
    type: "command",
    command: "/old/conclaude hook SessionStart",
    statusMessage: "…",
  };
  const before = pretty({
    hooks: {
      SessionStart: [{ matcher: "startup|resume|clear|compact", hooks: [stale] }, {
        hooks: [foreign],
      }],
    },
    model: "opus",
  });
  const { text, updated, added } = install(before, ["SessionStart"]);
  assert.equal(
    text,
    pretty({
      hooks: {
        SessionStart: [
          {
            matcher: "startup|resume|clear|compact|fork",
            hooks: [{
              ...stale,
              command: "/usr/local/bin/conclaude hook SessionStart",
              timeout: 10,
            }],
          },
          { hooks: [foreign] },
          { matcher: "startup|resume", hooks: [drain] },
        ],
      },
      model: "opus",
    }),
  );
  assert.deepEqual([updated, added], [["SessionStart"], []]);
});

Deno.test("installInto() removes a matcher of its own entry where the event has none", () => {
  const before = { Stop: [{ matcher: "x", hooks: [own("Stop")] }] };
  assert.deepEqual(JSON.parse(install(pretty({ hooks: before }), ["Stop"]).text).hooks, {
    Stop: [{ hooks: [own("Stop")] }, drainGroup],
  });
});

Deno.test("installInto() takes a missing matcher for everything, and leaves it missing", () => {
  const before = pretty({ hooks: { PermissionRequest: [{ hooks: [own("PermissionRequest")] }] } });
  assert.equal(install(before, ["PermissionRequest"]).text, before);
});

Deno.test("installInto() narrows the one handler of an older version, and puts the other lane beside it", () => {
  const older = { matcher: "*", hooks: [{ ...own("PostToolUse"), statusMessage: "…" }] };
  const { text, updated, added } = install(pretty({ hooks: { PostToolUse: [older] } }), [
    "PostToolUse",
  ]);
  assert.equal(
    text,
    pretty({
      hooks: {
        PostToolUse: [{ ...older, matcher: FOLLOWED }, {
          matcher: matcherOf(["others", "followed"]),
          hooks: [{ ...own("PostToolUse"), async: true }],
        }],
      },
    }),
  );
  assert.deepEqual([updated, added], [["PostToolUse"], []]);
});

Deno.test("installInto() turns its own form without a shell into a command line", () => {
  for (const command of ["/old/conclaude", "/usr/local/bin/conclaude hook Stop"]) {
    const handler = { type: "command", command, args: ["hook", "Stop"], timeout: 10 };
    const { text } = install(pretty({ hooks: { Stop: [{ hooks: [handler] }] } }), ["Stop"]);
    assert.equal(text, pretty({ hooks: { Stop: [{ hooks: [own("Stop")] }, drainGroup] } }));
  }
});

Deno.test("installInto() takes out of its own handler what keeps it from being asked, run or waited for", () => {
  const command = "/usr/local/bin/conclaude hook Stop";
  const handler = { type: "command", command, timeout: hookTimeoutSeconds("Stop") };
  for (
    const alien of [{ if: "Bash(ls)" }, { async: true }, { asyncRewake: true }, {
      shell: "powershell",
    }]
  ) {
    const { text, updated } = install(
      pretty({ hooks: { Stop: [{ hooks: [{ ...handler, ...alien }, foreign] }, drainGroup] } }),
      ["Stop"],
    );
    assert.deepEqual(JSON.parse(text).hooks, { Stop: [{ hooks: [handler, foreign] }, drainGroup] });
    assert.deepEqual(updated, ["Stop"]);
  }
  const usual = pretty({
    hooks: { Stop: [{ hooks: [{ ...handler, async: false, shell: "bash" }] }, drainGroup] },
  });
  assert.equal(install(usual, ["Stop"]).text, usual);
});

Deno.test("installInto() leaves one of its hooks an event, however many there were", () => {
  const twice = [{ hooks: [own("Stop"), foreign, own("Stop")] }, { hooks: [own("Stop")] }];
  const { text } = install(pretty({ hooks: { Stop: twice } }), ["Stop"]);
  assert.equal(text, pretty({ hooks: { Stop: [{ hooks: [own("Stop"), foreign] }, drainGroup] } }));
});

Deno.test("installInto() puts the drain beside the Stop of an older installation, and calls that an update", () => {
  const before = { hooks: { Stop: [{ hooks: [own("Stop"), foreign] }] }, model: "opus" };
  const { text, added, updated } = install(pretty(before), ["Stop"]);
  assert.equal(text, pretty({ ...before, hooks: { Stop: [...before.hooks.Stop, drainGroup] } }));
  assert.deepEqual([added, updated], [[], ["Stop"]]);
});

Deno.test("installInto() corrects a drain where it stands, and drops a second one", () => {
  const stop = { hooks: [own("Stop")] };
  for (
    const wrong of [
      { ...drain, command: "/old/conclaude hook Drain" },
      { ...drain, async: false },
      { ...drain, async: "yes" },
      { type: "command", command: drain.command, timeout: 60 },
      { ...drain, timeout: 600 },
      { ...drain, asyncRewake: true },
      { ...drain, if: "Bash(ls)" },
      { ...drain, onFailure: "block" },
      { type: "command", command: "/usr/local/bin/conclaude", args: ["hook", "Drain"] },
    ]
  ) {
    const groups = [{ hooks: [foreign, wrong] }, stop, { hooks: [wrong] }];
    const { text, updated } = install(pretty({ hooks: { Stop: groups } }), ["Stop"]);
    const right = JSON.parse(text).hooks.Stop;
    assert.deepEqual(right, [{ hooks: [foreign, drain] }, stop], JSON.stringify(wrong));
    assert.deepEqual(updated, ["Stop"]);
  }
});

Deno.test("installInto() takes away a drain that no Stop is wanted beside, or that stands under another event", () => {
  const whole = install("", ["Stop", "SessionEnd"]).text;
  const { text, removed } = install(whole, ["SessionEnd"]);
  assert.deepEqual(JSON.parse(text).hooks, { SessionEnd: [{ hooks: [own("SessionEnd")] }] });
  assert.deepEqual(removed, ["Stop"]);
  const stray = { hooks: { SessionEnd: [{ hooks: [own("SessionEnd"), drain] }] } };
  const mended = install(pretty(stray), ["SessionEnd"]);
  assert.deepEqual(JSON.parse(mended.text).hooks, JSON.parse(text).hooks);
  assert.deepEqual([mended.updated, mended.removed], [["SessionEnd"], []]);
});

Deno.test("openFile() refuses a handler that says twice whether it is waited for", () => {
  const twice = '{"hooks":{"Stop":[{"hooks":[{"type":"command","async":true,"async":false}]}]}}';
  assert.match(refusalOf(twice).why, /`hooks\.Stop\[0\]\.hooks\[0\]\.async` occurs more than once/);
});

Deno.test("installInto() takes its hooks from events that are no longer wanted", () => {
  const before = install(pretty({ hooks: { Stop: [{ hooks: [foreign] }] } })).text;
  const { text, removed } = install(before, ["SessionEnd"]);
  assert.deepEqual(JSON.parse(text).hooks, {
    Stop: [{ hooks: [foreign] }],
    SessionEnd: [{ hooks: [own("SessionEnd")] }],
  });
  assert.equal(removed.length, DEFAULT_EVENTS.length - 1);
});

Deno.test("installInto() repairs a timeout or a matcher of its own that is not valid", () => {
  const before = { Stop: [{ matcher: 5, hooks: [{ ...own("Stop"), timeout: 0 }] }] };
  const { text } = install(pretty({ hooks: before }), ["Stop"]);
  assert.equal(text, pretty({ hooks: { Stop: [{ hooks: [own("Stop")] }, drainGroup] } }));
});

Deno.test("installInto() writes in the style of the file", () => {
  const stop = JSON.stringify({ Stop: [{ hooks: [own("Stop")] }, drainGroup] });
  assert.equal(install('{"a":[1,2]}', ["Stop"]).text, `{"a":[1,2],"hooks":${stop}}`);
  assert.equal(
    install('{"a": [1, 2]}', ["Stop"]).text,
    '{"a": [1, 2], "hooks": {"Stop": [{"hooks": [{"type": "command", ' +
      '"command": "/usr/local/bin/conclaude hook Stop", "timeout": 600}]}, ' +
      '{"hooks": [{"type": "command", "command": "/usr/local/bin/conclaude hook Drain", ' +
      '"timeout": 60, "async": true}]}]}}',
  );
  const tabs = JSON.stringify({ a: 1 }, null, "\t").replaceAll("\n", "\r\n");
  const withHooks = { a: 1, hooks: { Stop: [{ hooks: [own("Stop")] }, drainGroup] } };
  assert.equal(
    install(tabs, ["Stop"]).text,
    JSON.stringify(withHooks, null, "\t").replaceAll("\n", "\r\n"),
  );
  assert.equal(
    install("\uFEFF" + JSON.stringify({ a: 1 }, null, 4), ["Stop"]).text,
    "\uFEFF" + JSON.stringify(withHooks, null, 4),
  );
});

Deno.test("installInto() keeps numbers, escapes and blank lines as they were typed", () => {
  const before = '{\n  "n": 1.0e2,\n\n  "s": "\\u00e9\\/",   "t" : true\n}';
  const { text } = install(before);
  assert.ok(text.startsWith(before.slice(0, -2) + ',\n  "hooks": {'));
  assert.equal(uninstall(text), before);
});

Deno.test("installInto() with no entries gives back what was there before, byte for byte, where something was", () => {
  for (
    const before of [
      '{"a": [1, 2]}',
      '{ "a" : 1 }\n\n',
      '{\r\n\t"a": 1\r\n}\r\n',
      '\uFEFF{"a":1}',
      pretty({ hooks: { Stop: [{ hooks: [foreign] }] }, z: { y: [] } }),
      '{"hooks": {"//": "mine"}}',
    ]
  ) {
    assert.equal(uninstall(install(before).text), before);
  }
});

Deno.test("installInto() with no entries keeps foreign hooks and whatever was empty before", () => {
  const before = {
    hooks: {
      Notification: [],
      Stop: [{ hooks: [] }, { matcher: "x", hooks: [own("Stop"), foreign] }, {
        hooks: [own("Stop")],
      }],
      SessionEnd: [{ hooks: [own("SessionEnd")] }],
      "//": "a remark",
    },
  };
  assert.equal(
    uninstall(pretty(before)),
    pretty({
      hooks: {
        Notification: [],
        Stop: [{ hooks: [] }, { matcher: "x", hooks: [foreign] }],
        "//": "a remark",
      },
    }),
  );
});

Deno.test("installInto() with no entries does not touch a file without our hooks", () => {
  for (
    const text of [
      "",
      " \n",
      "{}",
      '{"hooks":{}}',
      pretty({ hooks: { Stop: [{ hooks: [foreign] }] } }),
    ]
  ) {
    assert.equal(uninstall(text), text);
  }
});

Deno.test("a file with comments is refused as JSONC, with the place of the first", () => {
  for (const [text, place] of rowsOf<Refused>(CASES.commented)) {
    const { why } = refusalOf(text);
    assert.match(why, /JSONC comments/);
    assert.ok(why.includes(place), why);
  }
});

Deno.test("a malformed file is refused as malformed, also when it holds a URL", () => {
  for (const [text, place] of rowsOf<Refused>(CASES.malformed)) {
    const { why } = refusalOf(text);
    assert.match(why, /^malformed JSON on /);
    assert.doesNotMatch(why, /JSONC/);
    assert.ok(why.includes(place), `${text}: ${why}`);
  }
});

Deno.test("a file without Claude Code's shape is refused, and the place is named", () => {
  for (const [text, why] of rowsOf<Refused>(CASES.shapeless)) {
    assert.match(refusalOf(text).why, new RegExp(why));
  }
});
