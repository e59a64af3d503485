/** Tables and lists with signs that tell what is left, and those that tell something else. */
import assert from "node:assert/strict";
import { leftOpenIn } from "../../../src/memory/said/open.ts";
import { openAfter } from "../../support/left_sessions.ts";

const table = (...rows: readonly string[]) =>
  [rows[0]!, rows[0]!.replace(/[^|]+/g, "---"), ...rows.slice(1)].join("\n");
const STEPS = table(
  "| Step | Status |",
  "| Add schema | ✅ |",
  "| Backfill `old` rows | ⏳ |",
  "| Drop old column | ❌ Not started |",
);

const LEFT: readonly (readonly [message: string, ...left: string[]])[] = [
  [
    `Done.\n\n## Remaining work\n\n${table(
      "| Step | Status |",
      "| Build | ✅ |",
      "| Test | ❌ 2 failed |",
    ),
      table(
        "| Task | Effort |",
        "| Backfill old rows | small |",
        "| Drop old column | medium |",
      )}\n\nTell me when.`,
    "Backfill old rows",
    "Drop old column",
  ],
  [
    `## Remaining work\n${
      table("| # | Step | Owner |", "| 1 | Backfill old rows | Ann |", "| 2 | `drop()` | Bob |")
    }`,
    "Backfill old rows",
    "`drop()`",
  ],
  [
    `These steps are still open:\n\n${
      table("| Step | Done |", "| Schema | ✅ |", "| Docs | ❌ |")
    }`,
    "Docs",
  ],
  ["Remaining tasks:\n\nTask | Effort\n--- | ---\nBackfill old rows | small", "Backfill old rows"],
  [`It works.\n\n${STEPS}\n\nAll tests pass.`, "Backfill `old` rows", "Drop old column"],
  [
    table(
      "| Feature | State |",
      "| Export | Done |",
      "| Import | Not started |",
      "| Search | **In progress** |",
      "| Tags | TODO |",
      "| Users | pending |",
      "| Themes | ❌ dropped |",
      "| ~~Ads~~ | ❌ |",
    ),
    "Import",
    "Search",
    "Tags",
    "Users",
  ],
  [table("| Done | Task |", "| [x] | API |", "| [ ] | UI |"), "UI"],
  ["- ✅ Add schema\n- ❌ Drop old column", "Drop old column"],
  [
    "Built. Steps so far:\n\n1. ✅ Add schema\n2. ❌ Drop old column\n3. ✅ Backfill",
    "Drop old column",
  ],
];
const NONE: readonly string[] = [
  table("| Feature | Ours | Theirs |", "| Export | ✅ | ❌ |", "| Import | ❌ | ✅ |"),
  table("| Test | Status |", "| login | ✅ |", "| logout | ❌ |"),
  table("| Order | Status |", "| 1 | done |", "| 2 | pending |"),
  table("| Job | Status |", "| import | done |", "| export | pending |"),
  table("| Step | Status |", "| Add schema | ✅ |", "| Backfill | Done |"),
  table("| Step | Status |", "| Add schema | ❌ |", "| Backfill | ❌ |"),
  table("| Task | Effort |", "| Backfill old rows | small |"),
  `The command prints:\n\n${table("| Task | Status |", "| a | done |", "| b | pending |")}`,
  `## Remaining work\n\n${table("| Task | Status |", "| Backfill | ✅ |")}`,
  `Like this:\n\`\`\`\n${STEPS}\n\`\`\``,
  "Editors may:\n- ✅ Add users\n- ❌ Delete users",
  "What guests can do with tasks:\n- ✅ Add notes\n- ❌ Delete notes",
  "Status:\n- ✅ the form is sent\n- ❌ the old one threw.",
];

Deno.test("the rows of a table that are left are told, each by the cell that names it", () => {
  for (const [message, ...left] of LEFT) assert.deepEqual(leftOpenIn(message), left, message);
});

Deno.test("a table of what is compared, tested or shown leaves nothing open", () => {
  for (const message of NONE) assert.deepEqual(leftOpenIn(message), [], message);
});

Deno.test("a row that was left is over once it was done, by its name or number", () => {
  const left = { asked: "Move the orders", said: STEPS, file: "src/orders.ts" };
  const after = (asked: string, said: string) =>
    openAfter([left], [{ asked, said, file: "src/orders.ts" }]);
  assert.deepEqual(after("backfill the old rows", "The old rows are backfilled."), [
    "Drop old column",
  ]);
  assert.deepEqual(after("do both", "Both are done."), []);
  const rows = table("| Part | Size |", "| Export | small |", "| Import | big |");
  const asked = { asked: "What is left?", said: `These:\n\n${rows}` };
  assert.deepEqual(openAfter([asked]), ["Export", "Import"]);
});

Deno.test("a long message of bars is read once", () => {
  const began = performance.now();
  leftOpenIn("| Step | Status |\n|-|-|\n".repeat(5_000));
  leftOpenIn(`| a | b |\n|---|---|\n| ${" ".repeat(50_000)}x | ${"-".repeat(50_000)}x |`);
  assert.ok(performance.now() - began < 2_000);
});
