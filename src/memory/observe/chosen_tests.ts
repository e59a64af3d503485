/** Which tests a run takes that chooses them by their names. */

/** A run, as far as it says what it chooses. */
interface Choice {
  readonly runner: string;
  /** The flags by which it does, as one text. */
  readonly narrowing: string;
}

/** `pytest -k test_add` takes every test whose name has the word in it, `dotnet test --filter Cart` whose whole name. */
const PLAIN_WORD: Readonly<Record<string, RegExp>> = {
  pytest: /^-k=(\w+)$/,
  phpunit: /^--filter=([\w:]+)$/,
  pest: /^--filter=([\w:]+)$/,
  "dotnet test": /^--filter=(?:FullyQualifiedName~)?([\w.]+)$/,
};
/** Characters that mean the same in a pattern of Go and in one of JavaScript; a slash leads to a part of a test. */
const PLAIN_PATTERN = /^-run=([\w|^$()]+)$/;

/** Tells of a test, as the runner names it, whether a run that chooses by names has taken it. */
export function chosenBy(target: Choice): (name: string) => boolean {
  if (target.runner === "go test") return goPattern(target);
  if (target.runner === "mvn" || target.runner === "gradle") return jvmPattern(target);
  const [, word] = PLAIN_WORD[target.runner]?.exec(target.narrowing) ?? [];
  if (word === undefined) return () => false;
  return target.runner === "pytest"
    ? (name) => name.replace(/\[.*/, "").endsWith(`::${word}`)
    : (name) => name.includes(word);
}

const SCRIPT = /^(?:-t|--testNamePattern|-g|--grep|-f|--fgrep)=([\w -]+)$/;
/** How a run is told to take each test whose name has one of these texts in it: they are the first group. */
const NAME_PARTS: Readonly<Record<string, RegExp>> = {
  jest: SCRIPT,
  vitest: SCRIPT,
  mocha: SCRIPT,
  "bun test": SCRIPT,
  script: SCRIPT,
  "node --test": /^--test-name-pattern=([\w -]+)$/,
  "deno test": /^--filter=([\w -]+)$/,
  "playwright test": SCRIPT,
  rspec: /^(?:-e|--example)=([\w -]+)$/,
  "cargo test": /^([\w:]+(?: [\w:]+)*)$/,
  "cargo nextest run": /^([\w:]+(?: [\w:]+)*)$/,
  pytest: /^-k=(\w+(?: or \w+)*)$/,
  "dotnet test": /^--filter=(?:Name|DisplayName)[~=](\w+)$/,
};
/** What stands between several such texts. */
const BETWEEN: Readonly<Record<string, RegExp>> = {
  "cargo test": / /,
  "cargo nextest run": / /,
  pytest: / or /,
};

/** The names of tests that a run is told to take, each whole or its end; none where it is told in another way. */
export function chosenNames({ runner, narrowing }: Choice): readonly string[] {
  const kind = runner.startsWith("script ") ? "script" : runner;
  const [, chosen] = NAME_PARTS[kind]?.exec(narrowing) ?? [];
  const between = BETWEEN[kind];
  if (chosen === undefined) return [];
  return between === undefined ? [chosen] : chosen.split(between);
}

/**
 * Tells of a test whether one of the names that a run was told to take is its whole name, or the end of it. A part of a
 * name may be one of another test as well, which has passed in its place.
 */
export function isOfName(chosen: readonly string[]): (name: string) => boolean {
  return (name) => {
    const plain = name.replace(/ [>›] /g, " ");
    return chosen.some((one) =>
      plain === one || plain.endsWith(one) && /[ :.]/.test(plain[plain.length - one.length - 1]!)
    );
  };
}

/** `-Dtest=CartTest#adds,OrderTest`, `--tests org.x.CartTest.adds --tests 'Order*'` */
const JVM_PATTERN = /^(?:-Dtest|--tests)=([\w.$*#,]+)$/;
const PACKAGE = /^(?:[a-z]\w*\.)+(?=[A-Z*])/;

/** Tells of a test of the JVM (`CartTest.adds`, `CartTest > adds()`) whether a run has taken it that chooses by names. */
function jvmPattern({ narrowing }: Choice): (name: string) => boolean {
  const values = narrowing.split(/ (?=--tests=)/).map((flag) => JVM_PATTERN.exec(flag)?.[1]);
  if (values.includes(undefined)) return () => false;
  const patterns = values.join(",").split(",").map((value) => {
    const plain = value.replace(PACKAGE, "").replace("#", ".");
    return new RegExp(`^${plain.replace(/[.$]/g, "\\$&").replace(/\*/g, ".*")}(?:[.$].*)?$`);
  });
  return (name) => {
    const plain = name.replaceAll(" > ", ".").replace(/\(.*/, "").replace(PACKAGE, "");
    return patterns.some((pattern) => pattern.test(plain));
  };
}

/** Tells of a Go test whether a run has taken it, the whole of it, that chooses by names. */
function goPattern({ narrowing }: Choice): (name: string) => boolean {
  const [, pattern] = PLAIN_PATTERN.exec(narrowing) ?? [];
  if (pattern === undefined) return () => false;
  try {
    const names = new RegExp(pattern);
    return (name) => names.test(name);
  } catch {
    return () => false;
  }
}
