/** Command lines that are wrong. */
import assert from "node:assert/strict";
import { isNext } from "../support/next.ts";
import { stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(stage);

test("a command line that makes no sense is told as what, why and next, and exits with 2", async (place) => {
  const cases: readonly (readonly [args: readonly string[], what: string, next: string])[] = [
    [["doctr", "--fix"], 'Unknown command "doctr"', "conclaude doctor --fix"],
    [["stat"], 'Unknown command "stat"', "conclaude status"],
    [["session", "lst"], 'Unknown command "session lst"', "conclaude session list"],
    [["db", "re"], 'Unknown command "db re"', "conclaude db --help"],
    [["frob"], 'Unknown command "frob"', "conclaude --help"],
    [["version"], 'Unknown command "version"', "conclaude --version"],
    [["help", "frob"], 'Unknown command "frob"', "conclaude --help"],
    [["--frob"], "Unknown flag --frob", "conclaude --help"],
    [["status", "-x"], "Unknown flag -x", "conclaude status --help"],
    [["status", "--session"], "Unknown flag --session", "conclaude status --help"],
    [["install-hooks", "--dry-rn"], "Unknown flag --dry-rn", "conclaude install-hooks --dry-run"],
    [["memory", "search", "-a", "b"], "Unknown flag -a", "conclaude memory search -- -a b"],
    [
      ["memory", "search", "rm", "-rf", "x"],
      "Unknown flag -r",
      "conclaude memory search rm -- -rf x",
    ],
    [["memory", "forget", "-a"], "Unknown flag -a", "conclaude memory forget --help"],
    [["session", "list", "--jsno"], "Unknown flag --jsno", "conclaude session list --json"],
    [
      ["install-hooks", "--scope", "usr"],
      'Cannot read --scope "usr"',
      "conclaude install-hooks --scope user",
    ],
    [["session", "show"], "Missing argument: id", "conclaude session show --help"],
    [["task", "create"], "Cannot tell what the title is", "conclaude task create --help"],
    [["task", "create", "--title"], "Missing value for --title", "conclaude task create --help"],
    [
      ["session", "list", "--limit", "none"],
      'Cannot read "none" for limit',
      "conclaude session list --help",
    ],
    ...["0x5", "1e1"].map((text) =>
      [
        ["session", "list", "--limit", text],
        `Cannot read "${text}" for limit`,
        "conclaude session list --help",
      ] as const
    ),
    [
      ["memory", "search", "x", "--since", "bogus"],
      "Cannot read the command line",
      "conclaude memory search --help",
    ],
    [["export", "--since", "bogus"], "Cannot read the command line", "conclaude export --help"],
    [
      ["reconcile", "--since", "bogus"],
      "Cannot read the command line",
      "conclaude reconcile --help",
    ],
    [
      ["memory", "forget", "--until", "bogus"],
      "Cannot read the command line",
      "conclaude memory forget --help",
    ],
    [
      ["session", "list", "--limit", "1", "--limit", "2"],
      "Cannot take --limit twice",
      "conclaude session list --help",
    ],
    [["doctor", "now"], 'Unexpected argument "now"', "conclaude doctor --help"],
    [
      ["status", "--db"],
      "Cannot read the flag --db",
      "conclaude --db ~/.conclaude/conclaude.db status",
    ],
    [["status", "--no-db=1"], "Cannot read the flag --no-db=1", "conclaude status --no-db"],
    [
      ["install-hooks", "--events", "Stopp"],
      'Cannot install a hook for "Stopp"',
      "conclaude install-hooks --help",
    ],
    [
      ["install-hooks", "--scope", "user", "--settings", "my s.json"],
      "Cannot use --scope and --settings together",
      "conclaude install-hooks --settings 'my s.json'",
    ],
    [
      ["uninstall-hooks", "--settings=s.json", "--scope=local"],
      "Cannot use --scope and --settings together",
      "conclaude uninstall-hooks --settings s.json",
    ],
  ];
  await Promise.all(cases.map(async ([args, what, next]) => {
    const { code, stdout, stderr } = await place.run(args);
    const [first, why, then] = stderr.split("\n");
    assert.deepEqual([code, stdout, first], [2, "", what]);
    assert.match(why!, /^ {2}why: {2}\S/);
    assert.equal(then, `  next: ${next}`);
    assert.ok(isNext(next), next);
  }));
});

test("an empty value is refused wherever a value is taken", async (place) => {
  const flags: readonly (readonly [verb: readonly string[], flags: readonly string[]])[] = [
    [["audit", "list"], ["--session", "--hook", "--tool", "--since", "--status", "--limit"]],
    [["audit", "stats"], ["--since"]],
    [["queue", "list"], ["--session", "--status", "--priority"]],
    [["counter", "list"], ["--session"]],
    [["counter", "get", "edits"], ["--session"]],
    [["counter", "increment", "edits", "--session", "s"], ["--by"]],
    [["counter", "reset", "--all"], ["--session"]],
    [["export"], ["--session", "--since", "--output"]],
    [["db", "checkpoint"], ["--mode"]],
    [["install-hooks"], ["--settings", "--events", "--command"]],
    [["uninstall-hooks"], ["--settings", "--command"]],
    [["status"], ["--db"]],
  ];
  const lines = [
    ...flags.flatMap(([verb, names]) =>
      names.flatMap((name) => [[...verb, name, ""], [...verb, `${name}=`], [...verb, name, " "]])
    ),
    ...[["session", "show"], ["queue", "show"], ["queue", "retry"], ["config", "validate"]]
      .map((verb) => [...verb, ""]),
    ...[["db", "backup"], ["db", "restore"]].map((verb) => [...verb, " "]),
    ["counter", "get", "", "--session", "s"],
    ["install-hooks", "--events", "Stop,"],
  ];
  const wrong = await Promise.all(lines.map(async (line) => {
    const { code, body } = await place.json(line);
    return code === 2 && body.error.code === 2 && isNext(body.error.next) ? [] : [line];
  }));
  assert.deepEqual(wrong.flat(), []);
});

test("a switch with a value is a wrong command line, told as JSON when it is --json", async (place) => {
  const { code, stdout, stderr } = await place.run(["--json=true", "status"]);
  assert.deepEqual([code, stderr], [2, ""]);
  assert.deepEqual(JSON.parse(stdout), {
    error: {
      what: "Cannot read the flag --json=true",
      why: "--json is a switch and takes no value",
      next: "conclaude --json status",
      code: 2,
    },
  });
});

test("with --json a wrong command line is one object on stdout, wherever the flag stands", async (place) => {
  for (const args of [["doctr", "--json"], ["--json", "doctr"]]) {
    const { code, stdout, stderr } = await place.run(args);
    assert.deepEqual([code, stderr], [2, ""]);
    assert.deepEqual(JSON.parse(stdout), {
      error: {
        what: 'Unknown command "doctr"',
        why: '`conclaude` has no command "doctr"; did you mean `doctor`?',
        next: "conclaude doctor",
        code: 2,
      },
    });
  }
});
