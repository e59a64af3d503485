import assert from "node:assert/strict";
import fc from "fast-check";
import { installInto, planRemoval } from "../../src/claude/settings/edit.ts";
import { planHooks, type Program } from "../../src/claude/settings/hooks.ts";
import { KNOWN_EVENTS } from "../../src/claude/settings/lanes.ts";
import { runs } from "../support/lanes.ts";
import { roleOf, splitWords } from "../../src/claude/settings/own_handler.ts";
import { it } from "../support/fixtures.ts";

/** Handlers and groups of other tools, some of them not valid. */
const foreignHandler = fc.oneof(
  fc.record({ type: fc.constant("command"), command: fc.string() }),
  fc.record({ type: fc.constant("http"), url: fc.webUrl(), timeout: fc.integer() }),
  fc.jsonValue({ maxDepth: 1 }),
).filter((handler) => roleOf(handler) === undefined);
const foreignGroup = fc.record({
  matcher: fc.constantFrom("*", "Bash", "Edit|Write", ""),
  hooks: fc.array(foreignHandler, { maxLength: 3 }),
  note: fc.jsonValue({ maxDepth: 1 }),
}, { requiredKeys: ["hooks"] });
const foreignHooks = fc.dictionary(
  fc.constantFrom(...KNOWN_EVENTS, "//"),
  fc.array(foreignGroup, { maxLength: 3 }),
  { maxKeys: 6 },
);
const settings = fc.tuple(
  fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 }),
  fc.option(foreignHooks, { nil: undefined }),
).map(([rest, hooks]) => hooks === undefined ? rest : { ...rest, hooks });

const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\r\n"), maxLength: 3 });

/** One formatting: how a parsed value becomes a text. */
const format = fc.oneof(
  fc.record({
    indent: fc.constantFrom<string | number>(0, 1, 2, 4, "\t"),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    mark: fc.constantFrom("", "\uFEFF"),
    end: fc.constantFrom("", "\n"),
  }).map(({ indent, lineEnd, mark, end }) => (value: unknown) =>
    mark + (JSON.stringify(value, null, indent) + end).replaceAll("\n", lineEnd)
  ),
  fc.array(space, { minLength: 1, maxLength: 9 }).map((spaces) => (value: unknown) => {
    const tokens = JSON.stringify(value).match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:]+/g) ?? [];
    return tokens.map((token, index) => (spaces[index % spaces.length] ?? "") + token).join("");
  }),
);

const text = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(settings, format).map(([value, write]) => write(value)) },
  { weight: 1, arbitrary: space },
);

const plan = fc.record({
  program: fc.constantFrom(
    { kind: "path", path: "/usr/local/bin/conclaude" } as const,
    { kind: "path", path: "/opt/my tools/state engine" } as const,
    { kind: "name", name: "cc-state" } as const,
    { kind: "line", line: "deno run -A '/my clone/main.ts'" } as const,
  ),
  events: fc.uniqueArray(fc.constantFrom(...KNOWN_EVENTS), { minLength: 1 }),
  strict: fc.boolean(),
  exec: fc.boolean(),
}).map(({ program, events, ...options }) => ({
  program,
  entries: planHooks(program, events, options),
}));

function read(settings: string): Record<string, unknown> {
  return JSON.parse(settings.replace(/^\uFEFF/, "").trim() || "{}");
}

/** Every handler in a file with its event and the rest of its group, ours left out. */
function foreignIn(settings: string, program: Program) {
  const hooks = (read(settings)["hooks"] ?? {}) as Record<string, { hooks: unknown[] }[]>;
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap(({ hooks: handlers, ...group }) =>
      handlers.filter((handler) => roleOf(handler, { program }) === undefined)
        .map((handler) => ({ event, group, handler }))
    )
  );
}

it.sized("installing and uninstalling gives back the bytes of any settings in any formatting", () => {
  fc.assert(
    fc.property(text, plan, (before, plan) => {
      const installed = installInto(before, plan).text;
      const removal = planRemoval(installed, { ...plan, backup: before });
      assert.deepEqual(removal, { kind: "restored", text: before });
    }),
    { numRuns: runs(250) },
  );
});

it.sized("installing twice is the same as installing once, to the byte", () => {
  fc.assert(
    fc.property(text, plan, (before, plan) => {
      const once = installInto(before, plan);
      const twice = installInto(once.text, plan);
      assert.deepEqual(twice, { text: once.text, added: [], updated: [], removed: [] });
    }),
    { numRuns: runs(150) },
  );
});

it.sized("a program that replaces another leaves each event with exactly the hooks of ours that it has", () => {
  fc.assert(
    fc.property(text, plan, plan, (before, first, second) => {
      const installed = installInto(installInto(before, first).text, second);
      const hooks = read(installed.text)["hooks"] as Record<string, { hooks: unknown[] }[]>;
      for (const { event, role, command, exec, timeout, onFailure, async } of second.entries) {
        const ours = (hooks[event] ?? []).flatMap((group) => group.hooks)
          .filter((handler) => roleOf(handler, second) === role && Object(handler).async === async);
        const strict = onFailure === undefined ? {} : { onFailure };
        const unwaited = async === undefined ? {} : { async };
        const [program, ...args] = exec ? splitWords(command)! : [command];
        const started = exec ? { command: program, args } : { command };
        assert.deepEqual(ours, [{
          type: "command",
          ...started,
          timeout,
          ...strict,
          ...unwaited,
        }]);
      }
    }),
    { numRuns: runs(150) },
  );
});

it.sized("foreign hooks and every other key survive installing and uninstalling", () => {
  fc.assert(
    fc.property(text, plan, (before, plan) => {
      const installed = installInto(before, plan).text;
      const left = installInto(installed, { ...plan, entries: [] }).text;
      for (const after of [installed, left]) {
        assert.deepEqual(foreignIn(after, plan.program), foreignIn(before, plan.program));
        assert.deepEqual({ ...read(after), hooks: 0 }, { ...read(before), hooks: 0 });
      }
    }),
    { numRuns: runs(150) },
  );
});

it.sized("without a backup uninstalling still gives back the bytes wherever nothing was empty", () => {
  const hasEmpty = (before: string, events: readonly string[]) => {
    const value = read(before);
    const hooks = value["hooks"] as Record<string, unknown[]> | undefined;
    return Object.keys(value).length === 0 ||
      (hooks !== undefined &&
        (Object.keys(hooks).length === 0 || events.some((event) => hooks[event]?.length === 0)));
  };
  fc.assert(
    fc.property(text, plan, (before, plan) => {
      fc.pre(!hasEmpty(before, plan.entries.map(({ event }) => event)));
      const installed = installInto(before, plan).text;
      assert.equal(installInto(installed, { ...plan, entries: [] }).text, before);
    }),
    { numRuns: runs(150) },
  );
});
