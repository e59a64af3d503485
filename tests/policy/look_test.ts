/** The cheap look that spares most tool uses a parser. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../support/configuration.ts";
import { readUses } from "../../src/policy/guards/bash.ts";
import { WRITERS } from "../../src/policy/shell/writes.ts";
import { mayMean } from "../../src/policy/requirements/requirement_look.ts";
import type {
  Requirement,
  RequirementPolicy,
} from "../../src/policy/requirements/requirement_policy.ts";
import { commandText, triggeredBy, usesOf } from "../../src/policy/requirements/trigger_match.ts";
import { BASH } from "./spellings.ts";
import { runs } from "../support/lanes.ts";
import { it } from "../support/fixtures.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };

const EDITS = { tools: [], edits: true, commands: "" };

Deno.test("the cheap look lets no command pass that changes files, or may", () => {
  const unseen = [...BASH.forbidden, ...BASH.innocent, ...BASH.doubtful]
    .flatMap(([tool, command]) => tool === "Bash" ? [command] : [])
    .filter((command) => {
      const { steps, untold } = readUses(command, { tool: "Bash", folder: "/p", home: "/h" });
      const changed = steps.flatMap((step) => step.changed);
      // What is not a script is not run either; what lies too deep is named in the text.
      const commands = untold.commands.filter((why) =>
        !/^it (?:cannot be read|is nested)/.test(why)
      );
      return changed.length + commands.length + untold.files.length > 0;
    })
    .filter((command) => !mayMean(EDITS, command));
  assert.deepEqual(unseen, []);
});

Deno.test("the cheap look knows every program that changes files", () => {
  const calls = WRITERS.names.map((name) => [name, WRITERS.find(name)!] as const)
    .filter(([, { operands }]) => operands !== "tampered")
    .map(([name, { operands, begins, onlyWith }]) =>
      begins !== undefined && /^\^.*cp/.test(begins.source)
        ? `${name} ${name === "aws" ? "s3 " : ""}cp a b`
        : operands === "none" || onlyWith !== undefined
        ? `${name} a -o b --fix -w -i -d`
        : `${name} a b`
    );
  const unknown = [...calls, "tar a", "gtar a", "bsdtar a"].filter((call) => !mayMean(EDITS, call));
  assert.deepEqual(unknown, []);
});

it.sized("the cheap look lets no script pass that a requirement means", () => {
  const patterns = CASES.lookedFor;
  const words =
    "git commit push npm publish -m x a A=1 sudo env && ; | { } ! > 2>&1 >f ' \" \\ # cd";
  const quoted = ["'a b'", '"a b"'];
  const script = fc.array(
    fc.tuple(
      fc.constantFrom(...words.split(" "), ...quoted),
      fc.constantFrom(" ", " ", "  ", "\t", "\n", " \\\n", ""),
    ).map((pair) => pair.join("")),
    { maxLength: 10 },
  ).map((list) => list.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...patterns), script, (pattern, command) => {
      const requirement = requirementWith(pattern);
      const { steps, untold } = readUses(command, { tool: "Bash", folder: "/p", home: "/h" });
      // What is not a script is not run either.
      if (untold.commands.length > 0) return;
      const use = {
        tool: "Bash",
        commands: steps.flatMap(({ commands }) =>
          commands.map((words) => commandText(words, false))
        ),
        changesFiles: false,
      };
      if (triggeredBy([requirement], use).length === 0) return;
      assert.ok(mayMean(usesOf([requirement]), command), JSON.stringify([pattern, command]));
    }),
    { numRuns: runs(5_000), examples: [["^git commit", "git >f -m commit "]] },
  );
});

/** A requirement about shell commands like these. */
function requirementWith(pattern: string): Requirement {
  const { hook, problems } = parseConfig([{
    layer: "project",
    path: "/p/.conclaude.yaml",
    text: `requirements: {r: {triggerTools: [{tool: Bash, commandPattern: ${
      JSON.stringify(pattern)
    }}]}}`,
  }]);
  assert.deepEqual(problems, []);
  const { requirements }: RequirementPolicy = JSON.parse(hook.requirements);
  return requirements[0]!;
}
