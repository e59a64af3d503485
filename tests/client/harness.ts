/**
 * Runs the real Claude Code, offline, on a script: what it is told by the model is fixed, what it does with hooks is its
 * own. The harness lies beside the clone, in `../shared/claude-code`.
 */
import { join } from "node:path";
import { compileBundle } from "../support/executables.ts";
import { isThere, textOf } from "../support/look.ts";
import { REPOSITORY } from "../support/process.ts";

export const HARNESS = join(REPOSITORY, "..", "shared", "claude-code");

/** A second hook beside each of ours: it writes down what Claude Code reported, without us. */
const WITNESS = 'node "$HARNESS_DIR/log-hook.mjs"';

/** Why the real client cannot be run here; null when it can. */
export function reasonToSkip(): string | null {
  if (!isThere(join(HARNESS, "run.sh"))) return "there is no ../shared/claude-code";
  return Deno.build.os === "linux" ? null : "the harness needs Linux";
}

/** Where a scenario's settings file lies: one that rewrites the user's needs the project's. */
export type SettingsPlace = "user" | "project" | "managed";

/**
 * Runs a command where `/etc` is a copy that holds the managed settings of `install-hooks --managed`, and nobody else's.
 * `$1` is a folder for the copy, `$2` the executable; empty for no managed settings.
 */
const WITH_MANAGED = `
mkdir -p "$1" && cp -a /etc/. "$1" 2>/dev/null
rm -rf "$1/claude-code" && mount --bind "$1" /etc || exit 70
[ -z "$2" ] || HOME=/nowhere "$2" install-hooks --managed >&2 || exit 71
shift 2; exec "$@"`;

/** What the model answers, one message after the other; with a `status` of HTTP an error in the place of one,
 * `sticky` ever again, with `delay_ms` so much later. */
export type Steps = readonly {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly status?: number;
  readonly sticky?: true;
  readonly delay_ms?: number;
}[];

/** An answer of the model that uses a tool. */
export const use = (name: string, input: Record<string, unknown>) => ({
  content: [{ type: "tool_use", name, input }],
});

/** An answer of the model in words. */
export const say = (text: string) => ({ content: [{ type: "text", text }] });

/** What a test of the real client works with. */
export interface ClientStage {
  readonly executable: string;
  /** Removed when the test ends. */
  readonly folder: string;
  /** Runs a scenario with our hooks in the user's settings, unless `at` names others. */
  readonly runScenario: (scenario: string, options?: ScenarioOptions) => Promise<ScenarioRun>;
}

/** A test with the real client; skipped, with the reason in its name, where there is none, or what `missing` says. */
export function test(
  name: string,
  body: (stage: ClientStage, context: Deno.TestContext) => Promise<void>,
  missing: string | null = null,
): void {
  const skipped = reasonToSkip() ?? missing;
  Deno.test({
    name: skipped === null ? name : `${name} (skipped: ${skipped})`,
    ignore: skipped !== null,
    async fn(context) {
      const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-client-" }));
      try {
        const executable = await findExecutable(folder);
        const stage: ClientStage = {
          executable,
          folder,
          runScenario: (name, options) => runScenario(name, { executable, folder, ...options }),
        };
        await body(stage, context);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** Everything that a run left behind. */
export interface ScenarioRun {
  /** The folder that Claude Code worked in. */
  readonly project: string;
  /** What the model was sent; empty when it was not asked. */
  readonly sentToModel: string;
  /** The last lines that the harness printed. */
  readonly summary: string;
  readonly database: string;
  /** What Claude Code reported to the second hook. */
  readonly payloads: readonly Payload[];
  /** Claude Code's own debug logs, one text for every process. */
  readonly logs: readonly string[];
  /** The command of our hooks, without the event. */
  readonly command: string;
}

/** What a hook was sent. */
export type Payload =
  & Readonly<Record<string, unknown>>
  & { readonly session_id: string; readonly hook_event_name: string };

/** The executable to test: `CONCLAUDE_BIN`, or one that is made for this run. */
export async function findExecutable(folder: string): Promise<string> {
  const given = Deno.env.get("CONCLAUDE_BIN");
  if (given) return given;
  const path = join(folder, "conclaude");
  await compileBundle(path);
  return path;
}

/** The real client: `CLAUDE_BIN`, or the one that the harness keeps, which it installs when it is first used. */
export async function findClaude(folder: string): Promise<string> {
  const given = Deno.env.get("CLAUDE_BIN");
  if (given) return given;
  const cache = Deno.env.get("HARNESS_CACHE") ??
    join(Deno.env.get("TMPDIR") ?? "/tmp", "cc-harness-cli");
  const path = join(cache, "node_modules", ".bin", "claude");
  if (isThere(path)) return path;
  const settings = join(folder, "no-hooks.json");
  await Deno.writeTextFile(settings, "{}");
  await new Deno.Command("bash", {
    args: [join(HARNESS, "run.sh"), settings, "one-bash", join(folder, "first")],
    env: { HARNESS_OUT: join(folder, "first-out"), SHELL: "/bin/bash" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  return path;
}

/** How a scenario is run. */
export interface ScenarioOptions {
  /** The program that the hooks start, where it is another one than the test's. */
  readonly executable?: string;
  readonly at?: SettingsPlace;
  readonly steps?: Steps;
  /** What lies in the project before, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Flags of `install-hooks`. */
  readonly flags?: readonly string[];
  /** Arguments of Claude Code, in the place of the harness's own. */
  readonly args?: readonly string[];
  /** Whether no second hook watches ours, and takes time beside them. */
  readonly isUnwatched?: boolean;
  /** After so many seconds Claude Code is sent SIGTERM. */
  readonly seconds?: number;
  /** A home that other runs have used, and a project: without them, each run has its own. */
  readonly home?: string;
  readonly project?: string;
  /** Done between the installation and the start of Claude Code. */
  readonly afterInstall?: () => void | Promise<void>;
}

/**
 * Installs our hooks and the witness into a settings file, and runs a scenario with it.
 *
 * @param scenario The name of one of the harness's own; with `steps`, any name.
 */
async function runScenario(
  scenario: string,
  options: ScenarioOptions & { readonly executable: string; readonly folder: string },
): Promise<ScenarioRun> {
  const { executable, folder, at = "user", steps, files = {}, flags = [] } = options;
  const out = join(folder, scenario);
  const project = options.project ?? join(out, "project");
  const home = options.home ?? join(out, "home");
  const settings = join(out, "settings.json");
  for (const made of [out, project]) await Deno.mkdir(made, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(project, name), text);
  }
  const script = join(out, "scenario.json");
  if (steps) {
    const { args } = options;
    await Deno.writeTextFile(script, JSON.stringify({ args, threads: [{ steps }] }));
  }
  await installHooks({ executable, project }, settings, flags);
  const command = options.isUnwatched ? "" : await addWitness(settings);
  await options.afterInstall?.();
  const isManaged = at === "managed";
  if (isManaged) await Deno.writeTextFile(settings, "{}");
  const runner = ["bash", join(HARNESS, "run.sh"), settings, steps ? script : scenario, project];
  const asRoot = Deno.uid() === 0 ? "-m" : "-rm";
  const { stdout, stderr } = await new Deno.Command("unshare", {
    args: [
      ...[asRoot, "bash", "-c", WITH_MANAGED, "managed", join(out, "etc")],
      ...[isManaged ? executable : "", ...runner],
    ],
    env: {
      HARNESS_OUT: out,
      HARNESS_HOME: home,
      HARNESS_SETTINGS_AT: isManaged ? "user" : at,
      HARNESS_FULL_API: "1",
      HARNESS_TIMEOUT: String(options.seconds ?? 600),
      CLAUDE_BIN: Deno.env.get("CLAUDE_BIN") ?? "",
      // The pseudo-terminal is for this shell; another one would start Claude Code in the background of it.
      SHELL: "/bin/bash",
    },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  return {
    project,
    sentToModel: textOf(join(out, "api.jsonl")),
    summary: [text(stdout), text(stderr)].join("\n"),
    database: join(home, ".conclaude", "conclaude.db"),
    payloads: readPayloads(join(out, "payloads")),
    logs: readLogs(out),
    command,
  };
}

/** The way a person does it: with the program's own command, in the project. */
async function installHooks(
  { executable, project }: { readonly executable: string; readonly project: string },
  settings: string,
  flags: readonly string[],
): Promise<void> {
  const { success, stderr } = await new Deno.Command(executable, {
    args: ["install-hooks", "--settings", settings, ...flags],
    cwd: project,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

interface Settings {
  readonly hooks: Record<string, { matcher?: string; hooks: { command: string }[] }[]>;
}

/** Puts the second hook under every event that ours are under. @returns Our command, without the event. */
async function addWitness(path: string): Promise<string> {
  const settings: Settings = JSON.parse(await Deno.readTextFile(path));
  const command =
    settings.hooks["Stop"]?.[0]?.hooks[0]?.command.replace(/ Stop(?: --conclaude)?$/, "") ?? "";
  for (const groups of Object.values(settings.hooks)) {
    for (const { matcher } of [...groups]) {
      const witness = { type: "command", command: WITNESS };
      groups.push({ ...(matcher === undefined ? {} : { matcher }), hooks: [witness] });
    }
  }
  await Deno.writeTextFile(path, JSON.stringify(settings, null, 2));
  return command;
}

function readPayloads(folder: string): Payload[] {
  return [...Deno.readDirSync(folder)]
    .map(({ name }) => Deno.readTextFileSync(join(folder, name)))
    // A witness that the client has ended leaves an empty file.
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text))
    // The scenario `reload` adds a witness of its own for a while, with a tag.
    .filter(({ tag }) => tag === undefined)
    .map(({ stdin }) => stdin);
}

function readLogs(folder: string): string[] {
  return [...Deno.readDirSync(folder)]
    .filter(({ name }) => name.endsWith(".debug.txt"))
    .map(({ name }) => Deno.readTextFileSync(join(folder, name)));
}
