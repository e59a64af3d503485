/**
 * A place with mounts of its own: `/tmp` is empty there, and a home lies on a small file system. Nothing outside sees
 * or suffers what happens in it.
 */
import { dirname, join } from "node:path";
import { programCommand } from "../../src/build/program.ts";
import { REPOSITORY } from "./process.ts";

/** The home inside. */
export const INNER_HOME = "/mnt/home";

/** The file systems inside, until the end of the block. */
export interface PrivateMounts extends AsyncDisposable {
  /** Goes before a command to run it inside. */
  readonly through: readonly string[];
  /** Where a path of the inside is found from outside. */
  outside(path: string): string;
  /** A copy of a database of the inside, for SQLite: it does not follow paths of another mount namespace. */
  copyOut(database: string): string;
  /** Runs shell commands inside. @throws {Error} When one fails. */
  run(script: string): Promise<void>;
}

/**
 * Makes the place; see `needsMounts()`.
 *
 * @param script Further shell commands to prepare it.
 */
export async function privateMounts(script = "true"): Promise<PrivateMounts> {
  const keeper = new Deno.Command("unshare", {
    args: ["-m", "sh", "-ec", `${prepare()}\n${script}\necho ready\nexec cat`],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = keeper.stdout.getReader();
  const { value } = await reader.read();
  if (!new TextDecoder().decode(value).includes("ready")) throw new Error("cannot mount");
  const outside = (path: string) => `/proc/${keeper.pid}/root${path}`;
  const copies = Deno.makeTempDirSync({ prefix: "conclaude-copies-" });
  const through = ["nsenter", "-t", String(keeper.pid), "-m", "--"];
  return {
    through,
    outside,
    copyOut(database) {
      const copy = join(Deno.makeTempDirSync({ dir: copies }), "copy.db");
      for (const end of ["", "-wal"]) {
        try {
          Deno.copyFileSync(outside(database) + end, copy + end);
        } catch (thrown) {
          if (end === "" || !(thrown instanceof Deno.errors.NotFound)) throw thrown;
        }
      }
      return copy;
    },
    async run(script) {
      const [command, ...args] = [...through, "sh", "-ec", script];
      const { success } = await new Deno.Command(command!, { args }).output();
      if (!success) throw new Error(`failed inside: ${script}`);
    },
    async [Symbol.asyncDispose]() {
      await keeper.stdin.close();
      await reader.cancel();
      await keeper.status;
      Deno.removeSync(copies, { recursive: true });
    },
  };
}

/** The program itself may lie below `/tmp` and has to be seen inside, too. */
function prepare(): string {
  const kept = [dirname(programCommand()[0]), REPOSITORY, Deno.env.get("DENO_DIR") ?? ""]
    .filter((folder) => folder.startsWith("/tmp/"));
  return [
    "mount -t tmpfs -o size=64m tmpfs /mnt",
    `mkdir /mnt/outer ${INNER_HOME}`,
    "mount --bind /tmp /mnt/outer",
    "mount -t tmpfs -o size=8m,mode=1777 tmpfs /tmp",
    "mount -t tmpfs -o size=8m,mode=1777 tmpfs /var/tmp",
    "mount -t tmpfs -o size=8m,mode=0755 tmpfs /run",
    `mount -t tmpfs -o size=2m,mode=0700 tmpfs ${INNER_HOME}`,
    ...kept.map((folder) =>
      `mkdir -p '${folder}' && mount --bind '/mnt/outer${folder.slice("/tmp".length)}' '${folder}'`
    ),
  ].join("\n");
}
