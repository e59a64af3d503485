/** What there is one of is told as one, in every verb that counts. */
import assert from "node:assert/strict";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runVerb } from "../support/verb.ts";

/** `1 captures`; not `1 was`. */
const ONE_TOLD_AS_MANY = /(?<![\d.:-])1 (?:[a-z]+ )?(?!(?:was|is|has|stays|says)\b)[a-z]{2,}s\b/;

Deno.test("a count of one is written in the singular", async () => {
  using temp = await tempDatabase();
  const payload = JSON.stringify({ tool_input: { file_path: "/p/a.ts", content: "a" } });
  saveEvent(temp.db, {
    atMs: Date.now() - 3 * 86_400_000,
    capture: { payload },
    counters: ["edits"],
  });
  temp.db.close();

  const copy = `${temp.folder}/copy.jsonl`;
  const fresh = { home: temp.folder, database: `${temp.folder}/fresh.db` };
  const rows = [
    [temp, "status", "--verbose"],
    [temp, "queue", "drain"],
    [temp, "status", "--verbose"],
    [temp, "memory", "stats"],
    [temp, "memory", "search", "a.ts"],
    [temp, "export", "--output", copy],
    [fresh, "import", copy, "--dry-run"],
    [fresh, "import", copy],
    [temp, "queue", "prune", "--older-than", "1d", "--keep-raw", "0", "--dry-run"],
    [temp, "queue", "prune", "--older-than", "1d", "--keep-raw", "0"],
    [temp, "counter", "reset", "edits", "--session", "cad0ac4d"],
  ] as const;
  for (const [at, ...args] of rows) {
    const { code, stdout, stderr } = await runVerb(args, at);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    assert.match(stdout, /\b1\b/, args.join(" "));
    assert.doesNotMatch(stdout, ONE_TOLD_AS_MANY, args.join(" "));
  }
});
