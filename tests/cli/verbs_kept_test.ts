/** Every verb, flag and argument that was ever there stays: scripts of people use them. */
import assert from "node:assert/strict";
import type { LazyVerb, Verb, VerbGroup } from "../../src/operations/verb.ts";
import { kebab } from "../../src/operations/usage.ts";
import { VERBS } from "../../src/operations/all_verbs.ts";
import "../support/program.ts";

const KEPT = new URL("../testdata/verbs.txt", import.meta.url);

/** A line for each verb, with its words: `task renew ID --agent-id --claim-token`. */
async function linesOf(
  target: Verb | VerbGroup | LazyVerb,
  words: readonly string[],
): Promise<string[]> {
  if (target.kind === "lazy") return linesOf(await target.load(), words);
  if (target.kind === "group") {
    const lines = Object.entries(target.verbs)
      .map(([name, verb]) => linesOf(verb, [...words, kebab(name)]));
    return (await Promise.all(lines)).flat();
  }
  const args = "kind" in target.args ? [target.args.parameter] : target.args;
  return [[
    ...words,
    ...args.map(({ placeholder }) => String(placeholder).replaceAll(" ", "-").toUpperCase()),
    ...Object.keys(target.flags).map((name) => `--${kebab(name)}`).sort(),
  ].join(" ")];
}

function parted(line: string) {
  const [words, ...flags] = line.split(/ (?=--)/);
  return { words, flags };
}

Deno.test("every verb keeps the flags and the arguments that it had", async () => {
  const all = Object.entries(VERBS).map(([name, verb]) => linesOf(verb, [kebab(name)]));
  const now = (await Promise.all(all)).flat().map(parted);
  for (const line of Deno.readTextFileSync(KEPT).trimEnd().split("\n")) {
    const { words, flags } = parted(line);
    const same = now.find((one) => one.words === words);
    assert.ok(same !== undefined, `${words} is gone`);
    for (const flag of flags) assert.ok(same.flags.includes(flag), `${words} has no ${flag}`);
  }
});
