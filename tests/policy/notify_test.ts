import assert from "node:assert/strict";
import { notificationOf, type NotificationPolicy } from "../../src/policy/notify.ts";

const ALL: NotificationPolicy = {
  hooks: ["*"],
  showErrors: true,
  showSuccess: true,
  showSystemEvents: true,
};

Deno.test("notificationOf() has words for what failed and what went well, with and without a context", () => {
  const of = (hookName: string, status: "success" | "blocked", context: string | null) =>
    notificationOf(ALL, { hookName, status, context });
  assert.deepEqual(of("Stop", "success", null), {
    title: "Conclaude - Stop",
    body: "All checks passed",
    isUrgent: false,
  });
  assert.equal(of("Stop", "blocked", null)!.body, "Command failed");
  assert.equal(of("PreToolUse", "blocked", "a\nb\u0007")!.body, "blocked: a b");
  assert.ok(of("Stop", "blocked", "x".repeat(5000))!.body.length <= 300);
});

Deno.test("notificationOf() tells of a failure by that word, also where only the event's name is one", () => {
  const of = (hookName: string, status: "success" | "skipped" | "timeout") =>
    notificationOf(ALL, { hookName, status, context: "Bash" })!.body;
  assert.equal(of("PostToolUseFailure", "success"), "failure: Bash");
  assert.equal(of("StopFailure", "skipped"), "failure: Bash");
  assert.equal(of("Stop", "timeout"), "timeout: Bash");
  assert.equal(of("PostToolUse", "success"), "success: Bash");
});

const SHOWN: readonly (readonly [switchedOff: keyof NotificationPolicy, hookName: string])[] = [
  ["showErrors", "PostToolUseFailure"],
  ["showErrors", "StopFailure"],
  ["showSuccess", "PostToolUse"],
  ["showSuccess", "Notification"],
  ["showSystemEvents", "SessionEnd"],
  ["showSystemEvents", "PreCompact"],
];
for (const [key, hookName] of SHOWN) {
  Deno.test(`notificationOf() shows ${hookName} with ${key} and not without`, () => {
    const event = { hookName, status: "success", context: null } as const;
    assert.notEqual(notificationOf(ALL, event), null);
    assert.equal(notificationOf({ ...ALL, [key]: false }, event), null);
    const other = { ...ALL, showErrors: false, showSuccess: false, showSystemEvents: false };
    assert.notEqual(notificationOf({ ...other, [key]: true }, event), null);
    assert.equal(notificationOf({ ...ALL, hooks: ["Other"] }, event), null);
  });
}
