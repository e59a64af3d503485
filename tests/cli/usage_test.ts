import assert from "node:assert/strict";
import { stage } from "./support.ts";

Deno.test("a command line that makes no sense is told as what, why and next, and exits with 2", async () => {
  using place = stage();
  const cases: readonly (readonly [args: readonly string[], what: string, next: RegExp])[] = [
    [["doctr"], 'Unknown command "doctr"', /did you mean `conclaude doctor`\?/],
    [["session", "lst"], 'Unknown command "session lst"', /`conclaude session list`/],
    [["frobnicate"], 'Unknown command "frobnicate"', /`conclaude --help`/],
    [["install-hooks", "--dry-rn"], "Unknown flag --dry-rn", /`--dry-run`/],
    [["session", "list", "--jsno"], "Unknown flag --jsno", /`--json`/],
    [["install-hooks", "--scope", "usr"], 'Cannot read --scope "usr"', /`--scope user`/],
    [["session", "show"], "Missing argument: id", /`conclaude session show --help`/],
    [["session", "list", "--limit", "none"], 'Cannot read "none" for limit', /--help/],
    [["doctor", "now"], 'Unexpected argument "now"', /`conclaude doctor --help`/],
    [["install-hooks", "--events", "Stopp"], 'Cannot install a hook for "Stopp"', /Stop/],
    [["install-hooks", "--settings", ""], 'Cannot read "" for settings', /--help/],
    [["install-hooks", "--settings="], 'Cannot read "" for settings', /--help/],
    [["uninstall-hooks", "--settings", " "], 'Cannot read " " for settings', /--help/],
    [["install-hooks", "--events", ""], 'Cannot read "" for events', /--help/],
    [["install-hooks", "--events", "Stop,"], 'Cannot read "" for events', /--help/],
    [["install-hooks", "--command", ""], 'Cannot read "" for command', /--help/],
    [["uninstall-hooks", "--command="], 'Cannot read "" for command', /--help/],
    [
      ["install-hooks", "--scope", "user", "--settings", "my s.json"],
      "Cannot use --scope and --settings together",
      /`conclaude install-hooks --settings 'my s.json'` or `conclaude install-hooks --scope user`/,
    ],
    [
      ["uninstall-hooks", "--settings=s.json", "--scope=local"],
      "Cannot use --scope and --settings together",
      /`conclaude uninstall-hooks --settings s.json`/,
    ],
    [["status", "--db"], "Cannot read the flag --db", /--db/],
  ];
  await Promise.all(cases.map(async ([args, what, next]) => {
    const { code, stdout, stderr } = await place.run(args);
    const [first, why, then] = stderr.split("\n");
    assert.deepEqual([code, stdout, first], [2, "", what]);
    assert.match(why!, /^ {2}why: {2}\S/);
    assert.match(then!, /^ {2}next: \S/);
    assert.match(then!, next);
  }));
});

Deno.test("with --json a wrong command line is one object on stdout, wherever the flag stands", async () => {
  using place = stage();
  for (const args of [["doctr", "--json"], ["--json", "doctr"]]) {
    const { code, stdout, stderr } = await place.run(args);
    assert.deepEqual([code, stderr], [2, ""]);
    assert.deepEqual(JSON.parse(stdout), {
      error: {
        what: 'Unknown command "doctr"',
        why: '`conclaude` has no command "doctr"',
        next: "did you mean `conclaude doctor`?",
        code: 2,
      },
    });
  }
});
