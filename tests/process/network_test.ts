import assert from "node:assert/strict";
import { join } from "node:path";
import { bundleCommand } from "../../src/build/program.ts";
import { finished, spawnAlone, usualVariables } from "../support/process.ts";
import { observed, tempHome } from "../support/program.ts";
import { it, rowsOf } from "../support/fixtures.ts";
import CASES from "../testdata/process_cases.json" with { type: "json" };

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

const OPEN = /^NETWORK open open open$/m;
const CLOSED = /^NETWORK NotCapable NotCapable NotCapable$/m;

/** The verbs that end without the network, also those that have it to begin with. */
const VERBS = rowsOf<readonly string[]>(CASES.verbsWithoutNetwork);

// Nothing can stand before what is compiled.
it.slow("of hooks, verbs, the MCP server and the daemon, only a team can speak to the network", async () => {
  using home = tempHome();
  await using listener = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("here"),
  );
  const probe = join(home.path, "probe.js");
  Deno.writeTextFileSync(probe, PROBE.replaceAll("PORT", String(listener.addr.port)));
  const [deno, run, ...rest] = bundleCommand();
  const begin = (args: readonly string[]) =>
    spawnAlone(deno, [run, `--preload=${probe}`, ...rest, ...args], {
      env: usualVariables({ HOME: home.path }),
    });
  const payload = observed("PostToolUse.Edit", { PROJECT: home.path, HOME: home.path });
  const hook = await finished(begin(["hook", "PostToolUse"]), payload);
  assert.match(hook.stderr, CLOSED, "hook");
  for (const args of VERBS) {
    assert.match((await finished(begin(args))).stderr, CLOSED, args.join(" "));
  }
  assert.match((await finished(begin(["--db", home.database, "team", "status"]))).stderr, OPEN);
  const daemon = finished(begin(["daemon", "run", "--port", "0"]));
  for (let hasStopped = false; !hasStopped;) {
    hasStopped = JSON.parse((await finished(begin(["--json", "daemon", "stop"]))).stdout).stopped;
  }
  assert.match((await daemon).stderr, CLOSED, "daemon");
});
