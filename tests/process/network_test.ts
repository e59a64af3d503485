import assert from "node:assert/strict";
import { join } from "node:path";
import { bundleCommand, surroundings } from "../../src/build/program.ts";
import { REPOSITORY } from "../support/process.ts";
import { observed, tempHome } from "../support/program.ts";
import { slowTest } from "../support/lanes.ts";

/** Stands before the program: when it leaves, it tries to speak to a port, as code might that came in with a library. */
const PROBE = `
const leave = Deno.exit;
const say = (word) => Deno.stderr.writeSync(new TextEncoder().encode("NETWORK " + word + "\\n"));
Deno.exit = (code) => {
  const tries = [
    () => Deno.connect({ hostname: "127.0.0.1", port: PORT }),
    () => fetch("http://127.0.0.1:PORT/", { signal: AbortSignal.timeout(2000) }),
    () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  ];
  Promise.all(tries.map(async (attempt) => {
    try {
      await attempt();
      return "open";
    } catch (thrown) {
      return thrown.name;
    }
  })).then((words) => { say(words.join(" ")); leave(code); });
};
`;

const CLOSED = /^NETWORK NotCapable NotCapable NotCapable$/m;

/** The verbs that have the network to begin with end without it. */
const VERBS: readonly (readonly string[])[] = [
  ["status"],
  ["--json", "doctor"],
  ["session", "list"],
  ["daemon", "status"],
  ["daemon", "logs"],
  ["daemon", "stop"],
];

// Nothing can stand before what is compiled.
slowTest("neither a hook nor a verb nor the daemon can speak to the network", async () => {
  using home = tempHome();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const probe = join(home.path, "probe.js");
  Deno.writeTextFileSync(probe, PROBE.replaceAll("PORT", String(listener.addr.port)));
  const [deno, run, ...rest] = bundleCommand();
  const begin = (args: readonly string[]) =>
    new Deno.Command(deno, {
      args: [run, `--preload=${probe}`, ...rest, ...args],
      clearEnv: true,
      env: {
        ...surroundings(Deno.env.get("DENO_DIR") ?? join(REPOSITORY, "dist", "runtime-cache")),
        HOME: home.path,
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  const stderrOf = async (child: Deno.ChildProcess) =>
    new TextDecoder().decode((await child.output()).stderr);

  const hook = begin(["hook", "PostToolUse"]);
  const writer = hook.stdin.getWriter();
  const payload = observed("PostToolUse.Edit", { PROJECT: home.path, HOME: home.path });
  await writer.write(new TextEncoder().encode(JSON.stringify(payload)));
  await writer.close();
  assert.match(await stderrOf(hook), CLOSED, "hook");

  for (const args of VERBS) {
    const child = begin(args);
    await child.stdin.close();
    assert.match(await stderrOf(child), CLOSED, args.join(" "));
  }

  const daemon = begin(["daemon", "run", "--port", "0"]);
  await daemon.stdin.close();
  for (let hasStopped = false; !hasStopped;) {
    const stop = begin(["--json", "daemon", "stop"]);
    await stop.stdin.close();
    const { stdout } = await stop.output();
    hasStopped = JSON.parse(new TextDecoder().decode(stdout)).stopped;
  }
  assert.match(await stderrOf(daemon), CLOSED, "daemon");
});
