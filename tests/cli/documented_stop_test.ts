/** What the page about stops shows works as it stands. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { hook } from "../support/program.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";
import { it } from "../support/fixtures.ts";

/** The example of the page that begins with a section. */
function example(section: string): Record<string, unknown> {
  const page = Deno.readTextFileSync(new URL("../../docs/stops.md", import.meta.url));
  const [, text] = new RegExp("```yaml\\n(" + section + ":[^]*?)```").exec(page)!;
  return parse(text!);
}

it.unix("the stop command of the documentation is right with shell scripts and without", async () => {
  const { commands } = example("stop")["stop"] as { commands: readonly { run: string }[] };
  const { run } = commands.find(({ run }) => run.includes("shellcheck"))!;
  using project = new RequiredProject(JSON.stringify({ stop: { commands: [{ run }] } }));
  const tools = join(project.home.path, "tools");
  Deno.mkdirSync(tools);
  // Fails without a file, as the real one does, and for a file that says so.
  const script = '#!/bin/sh\n[ $# -gt 0 ] || exit 3\n! grep -q wrong "$@"\n';
  Deno.writeTextFileSync(join(tools, "shellcheck"), script, { mode: 0o755 });
  const stop = async () => {
    const payload = { session_id: SESSION, cwd: project.path, hook_event_name: "Stop" };
    const env = { PATH: `${tools}:/usr/local/bin:/usr/bin:/bin` };
    const { stdout } = await hook("Stop", payload, project.home, { env });
    return JSON.parse(stdout).decision ?? null;
  };
  assert.equal(await stop(), null, "there is none");
  project.write("src/a.sh", "echo wrong\n");
  project.git("add", "src/a.sh");
  assert.equal(await stop(), "block");
  project.write("src/a.sh", "echo right\n");
  assert.equal(await stop(), null);
  project.write("src/b.ts", "// FIXME\n");
  assert.equal(await stop(), "block");
});
