/** A proof is looked for from the end of a transcript, however long its lines are. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { lookForProof } from "../../src/policy/requirements/proof.ts";
import type { Proof } from "../../src/policy/requirements/standing.ts";
import { skillLine } from "../support/required_project.ts";
import { it } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
const MEGABYTE = 1_048_576;
const PROOF: Proof = { of: "skill", id: 'toolu_é"1', sessionId: SESSION, agentId: null };

/** Where a proof is found in a transcript of these lines. */
function found(lines: readonly unknown[], proof: Proof = PROOF, end = "\n"): unknown {
  using folder = tempFolder();

  const near = join(folder.path, `${SESSION}.jsonl`);
  const texts = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line));
  Deno.writeTextFileSync(near, texts.join("\n") + end);
  const said = lookForProof(proof, "check", { near, sessionId: SESSION });
  return "foundIn" in said ? said.foundIn === near : said.missing;
}

const shown = skillLine("check", PROOF.id!);
const long = (bytes: number) => JSON.stringify({ type: "user", text: "é".repeat(bytes / 2) });

Deno.test("the line is found wherever it stands, between lines of any length", () => {
  for (const size of [0, 100, 262_000, 262_144, MEGABYTE, 8 * MEGABYTE]) {
    assert.equal(found([long(size), shown, long(size)]), true, `${size}`);
    assert.equal(found([shown, long(size), long(size), long(size)]), true, `first, ${size}`);
  }
  assert.equal(found([long(100), shown], PROOF, ""), true, "a last line without a break");
  for (let size = 262_000; size < 262_400; size += 7) {
    assert.equal(found([long(100), shown, "x".repeat(size)]), true, `on the edge, ${size}`);
  }
});

Deno.test("the last line about a use counts, and a line that is no JSON is skipped", () => {
  const failed = {
    type: "user",
    message: { content: [{ tool_use_id: PROOF.id, is_error: true }] },
  };
  const torn = JSON.stringify(shown).slice(0, -3);
  assert.equal(found([shown, long(MEGABYTE), failed]), "not shown");
  assert.equal(found([torn, shown]), true);
  assert.equal(found([torn]), "not shown");
  assert.equal(found([]), "not shown");
});

it.slow("a proof more than 50 MB above the end is not found", () => {
  const filler = Array.from({ length: 51 }, () => long(MEGABYTE));
  assert.equal(found([shown, ...filler]), "not shown");
  assert.equal(found([...filler, shown, ...filler.slice(0, 40)]), true);
});

Deno.test("a folder, a pipe or a name that leads elsewhere is no transcript", () => {
  using folder = tempFolder();

  const near = join(folder.path, "project", `${SESSION}.jsonl`);
  Deno.mkdirSync(near, { recursive: true });
  const look = (proof: Proof) => lookForProof(proof, "check", { near, sessionId: SESSION });
  const missing = { missing: "no transcript" };
  assert.deepEqual(look(PROOF), missing);
  Deno.writeTextFileSync(join(folder.path, "other.jsonl"), JSON.stringify(shown));
  assert.deepEqual(look({ ...PROOF, sessionId: "../other" }), missing);
  Deno.removeSync(near);
  if (Deno.build.os !== "windows") {
    assert.ok(new Deno.Command("mkfifo", { args: [near] }).outputSync().success);
    assert.deepEqual(look(PROOF), missing);
  }
});
