/** What a list shows where it does not fit the terminal. */
import assert from "node:assert/strict";
import { columnsOf } from "../../src/base/columns.ts";
import { tableText } from "../../src/operations/table.ts";

const TITLE = "Refuse expired tokens in every service of the gateway, and tell callers why";
const context = (columns: number) => ({
  globals: { columns, color: false } as never,
  cwd: "/work",
  locations: { home: "/home/ana" } as never,
});
const lines = (columns: number, row: Readonly<Record<string, string>>) =>
  tableText(
    context(columns),
    [row],
    Object.fromEntries(Object.keys(row).map((name) => [name, () => row[name]!])),
    "",
  ).split("\n");

Deno.test("the last column of a list gets what the others can spare", () => {
  const path = "services/gateway/src/authentication/tokens.ts";
  const [, row] = lines(80, { ID: "1a2b3c4d", FILE: path, TITLE });
  assert.equal(columnsOf(row!), 80);
  assert.match(row!, /^1a2b3c4d {2}servic…ns\.ts {2}Refuse expired tokens.*…/);
});

Deno.test("a last column that is not the widest shares the room with the widest", () => {
  const [, row] = lines(80, { ID: "1a2b3c4d", TITLE, "CLAIMED BY": "agent-".repeat(8) });
  const [, title = "", claimer = ""] = row!.split("  ");
  assert.ok(Math.abs(columnsOf(title) - columnsOf(claimer)) < 3, row!);
});

Deno.test("the first column, which names the row, is cut only when the others are narrow", () => {
  const row = { RULE: "preToolUse.toolUsageValidation[0]", FILE: "src/a/path/of/a/file.ts", TITLE };
  for (const columns of [80, 60, 50]) {
    assert.match(lines(columns, row).join("\n"), /^preT.*n\[0\] {2}/m);
  }
  assert.match(lines(30, row).join("\n"), /^preToo\S*…\S+ {2}\S{12}$/m);
});

Deno.test("where next to nothing is left for the last column, what does not fit stands below its row", () => {
  const row = {
    ID: "1a2b3c4d",
    STATUS: "ended",
    "LAST SEEN": "290d ago",
    BRANCH: "feature/expired-tokens",
    PROJECT: "~/services/gateway/main",
  };
  const [, first, second] = lines(84, { ...row, TITLE });
  assert.match(first!, /feature\/expired-tokens {2}~\/services\/gateway\/main$/);
  assert.equal(second, `    ${TITLE}`);
  const [head, short] = lines(84, { ...row, TITLE: "yes" });
  assert.match(head!, /TITLE$/);
  assert.match(short!, /yes$/);
});

Deno.test("no line of a list is wider than the terminal", () => {
  const rows = { ID: "1a2b3c4d", KIND: "edit", PLACE: "src/a/very/long/path/of/a/file.ts", TITLE };
  for (const columns of [30, 40, 60, 80, 120]) {
    assert.ok(lines(columns, rows).every((line) => columnsOf(line) <= columns), `${columns}`);
  }
});
