/**
 * Runs the tests of a lane: `deno run --allow-all tests/run.ts fast`. Words that follow go to `deno test`; a path among
 * them takes the place of the lane's own.
 *
 * On Linux, where the system lets it, the run has its temporary folders for itself: what other programs left there
 * decides no test.
 */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { homeOfAccount } from "../src/operations/require_person.ts";
import { SLOW_MARK } from "./support/lanes.ts";

const CLONE = fileURLToPath(new URL("..", import.meta.url));
const FLAGS = [
  "--no-check",
  "--allow-all",
  // As the program is built: a pattern that would backtrack for ever goes on in linear time.
  "--v8-flags=--enable-experimental-regexp-engine-on-excessive-backtracks",
  "--parallel",
];

/** A lane starts `deno test` once for each run, one after the other. */
interface Lane {
  readonly runs: () => readonly (readonly string[])[];
  /** How much its tests do. */
  readonly size: "fast" | "slow" | "whole";
}

// Beside its own folder, what the fast lane leaves out of others or does in small.
const slowRuns = () => [["tests/slow"], [`--filter=${SLOW_MARK}`, ...filesThatKnowLanes()]];

const LANES: Readonly<Record<string, Lane>> = {
  fast: { runs: () => [["--ignore=tests/client,tests/slow", "tests"]], size: "fast" },
  slow: { runs: slowRuns, size: "slow" },
  whole: { runs: slowRuns, size: "whole" },
  executable: { runs: () => [["tests/process"]], size: "slow" },
};

/** What a test file calls that leaves some of it to the slow lane. */
const KNOWS_LANES = /support\/lanes\.ts|\.(?:slow(?:Unix)?|sized)\(/;

/** Test files that do more in the slow lane; those of processes run on the executable. */
function filesThatKnowLanes(folder = join(CLONE, "tests")): string[] {
  return Array.from(Deno.readDirSync(folder)).flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return /^(?:process|client|slow)$/.test(name) ? [] : filesThatKnowLanes(path);
    return name.endsWith("_test.ts") && KNOWS_LANES.test(Deno.readTextFileSync(path))
      ? [relative(CLONE, path)]
      : [];
  }).sort();
}

/** Mounts memory on folders, each behind its options, and goes on with the command that follows them and `--`. */
const MOUNT = `while [ "$1" != -- ]; do mount -t tmpfs -o "$1" tmpfs "$2" || exit; shift 2; done
shift
exec "$@"`;

/** The words that give a command folders for itself; none where the system does not let it. */
function withOwn(folders: ReadonlyMap<string, string>): readonly string[] {
  if (Deno.build.os !== "linux") return [];
  const isRoot = Deno.uid() === 0;
  const user = isRoot ? [] : ["--user", "--map-current-user", "--keep-caps"];
  const mounts = [...folders].flatMap(([folder, options]) => [options, folder]);
  // Whoever may mount may also read what the mode of a file keeps from its user.
  const drop = isRoot ? [] : ["setpriv", "--ambient-caps=-all"];
  const words = ["unshare", ...user, "--mount", "sh", "-c", MOUNT, "sh", ...mounts, "--", ...drop];
  try {
    const [command, ...args] = [...words, "true"];
    return new Deno.Command(command!, { args, stderr: "null" }).outputSync().success ? words : [];
  } catch {
    return [];
  }
}

/** Where this user's own databases are. A session in one of them may refuse a test what only a person may do. */
function foldersOfHomes(): [folder: string, options: string][] {
  return [Deno.env.get("HOME") ?? "", ...homeOfAccount()].flatMap((home) => {
    try {
      return [[Deno.realPathSync(join(home, ".conclaude")), `mode=0700,uid=${Deno.uid()}`]];
    } catch {
      return []; // Nothing is there.
    }
  });
}

/** Where programs of this user, and those that root starts as others, keep what a home does not take: with mount options. */
function foldersWithoutHome(): [folder: string, options: string][] {
  const own = Deno.uid();
  return ["/tmp", "/var/tmp", "/dev/shm"].flatMap((place) => {
    const mine = `conclaude-${own}`;
    try {
      Deno.mkdirSync(`${place}/${mine}`, { mode: 0o700 });
    } catch (thrown) {
      // Not every machine has each of these places.
      if (!(thrown instanceof Deno.errors.AlreadyExists)) return [];
    }
    return Array.from(Deno.readDirSync(place), ({ name }) => name)
      .filter((name) => own === 0 ? /^conclaude-\d+$/.test(name) : name === mine)
      .map((name): [string, string] => [
        `${place}/${name}`,
        `mode=0700,uid=${name.slice("conclaude-".length)}`,
      ]);
  });
}

const [name = "", ...more] = Deno.args;
const lane = LANES[name];
if (lane === undefined) {
  console.error(`There is no lane "${name}". Lanes: ${Object.keys(LANES).join(", ")}.`);
  Deno.exit(2);
}
const temporary = Deno.makeTempDirSync({ prefix: "conclaude-tests-" });
try {
  const owned = new Map([[temporary, "mode=1777"]]);
  if (Deno.build.os === "linux") {
    for (const [folder, options] of [...foldersWithoutHome(), ...foldersOfHomes()]) {
      owned.set(folder, options);
    }
  }
  const own = withOwn(owned);
  if (own.length === 0) {
    console.error("No mounts here: tests share the temporary folders with others.");
  }
  const hasPaths = more.some((word) => !word.startsWith("-"));
  for (const paths of hasPaths ? [[]] : lane.runs()) {
    const [command, ...args] = [...own, Deno.execPath(), "test", ...FLAGS, ...more, ...paths];
    const child = new Deno.Command(command!, {
      args,
      cwd: CLONE,
      env: {
        TMPDIR: temporary,
        CONCLAUDE_LANE: lane.size,
        // Many tests wait for locks and processes: half as many files again as there are processors keep these busy.
        DENO_JOBS: String(Math.ceil(navigator.hardwareConcurrency * 1.5)),
      },
    }).spawn();
    const end = () => child.kill("SIGTERM");
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", end);
    Deno.exitCode ||= (await child.status).code;
    if (Deno.build.os !== "windows") Deno.removeSignalListener("SIGTERM", end);
  }
} finally {
  Deno.removeSync(temporary, { recursive: true });
}
