/** Verbs of a person beside the real Claude Code: what its agent starts is refused, what a person types is not. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { isThere, query } from "../support/look.ts";
import { personCalls } from "../support/person.ts";
import { say, test, use } from "./harness.ts";
import { until } from "../support/wait.ts";

const REFUSED = /Only a person may run/g;

/** A script of the agent: every verb, by the program and a copy, after a double fork, and by the daemon's socket. */
function tries(executable: string): string {
  const calls = personCalls("$CLAUDE_CODE_SESSION_ID").map((words) => words.join(" "));
  return [
    `cp '${executable}' ./harmless`,
    ...calls.flatMap((call) => [`'${executable}' ${call}`, `./harmless ${call}`]),
    ...calls.map((call) => `(setsid sh -c "./harmless ${call}; echo ended >>ends" &)`),
    `until [ "$(grep -c ended ends)" = ${calls.length} ]; do sleep 0.1; done`,
    `'${executable}' daemon start`,
    ...["questions/1/answer", "workflows/1/approve-merge", "workflows/1/reject-merge"].map((path) =>
      `curl -s --unix-socket ~/.conclaude/conclaude.sock -X POST http://localhost/${path} ` +
      `-H 'content-type: application/json' -d '${
        path.endsWith("answer") ? '{"answer":"y"}' : "{}"
      }'`
    ),
    `'${executable}' daemon stop`,
    "true",
  ].join("\n");
}

/** Types a command in a terminal of its own, below a login shell. @returns What stood on it. */
async function type(
  command: string,
  options: { readonly env: Record<string, string>; readonly cwd: string },
): Promise<string> {
  const { stdout } = await new Deno.Command("script", {
    args: ["-qec", `sh -lc '${command}; true'`, "/dev/null"],
    ...options,
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

test("the agent of the real Claude Code is refused every verb of a person, and a person is not", async ({ executable, folder, runScenario }) => {
  const out = join(folder, "person");
  const env = { HOME: join(out, "home") };
  let token = "";
  const person = async (): Promise<Record<string, string>> => {
    try {
      await until("Claude waits", () => isThere(join(out, "waiting")));
      const cwd = join(out, "project");
      const typed = await type(`${executable} guard pause`, { env, cwd });
      const { stdout } = await new Deno.Command(executable, {
        args: ["req", "pause"],
        cwd,
        env: { ...env, CONCLAUDE_TOKEN: token },
      }).output();
      return { typed, shown: new TextDecoder().decode(stdout) };
    } finally {
      await Deno.writeTextFile(join(out, "answered"), "");
    }
  };
  const [run, said] = await Promise.all([
    runScenario("person", {
      files: { "tries.sh": tries(executable) },
      steps: [
        use("Bash", {
          command: `sh tries.sh >${out}/tried 2>&1; cp ends ${out}/ends; ` +
            `touch ${out}/waiting; until [ -e ${out}/answered ]; do sleep 0.1; done`,
          description: "Try",
          timeout: 300_000,
        }),
        say("All done."),
      ],
      async afterInstall() {
        // Before the first session, as an installation would.
        const { stdout } = await new Deno.Command(executable, { args: ["token"], env })
          .output();
        token = new TextDecoder().decode(stdout).trim();
      },
    }),
    person(),
  ]);
  const tried = await Deno.readTextFile(join(out, "tried"));
  const calls = personCalls("").length;
  assert.equal(tried.match(REFUSED)?.length, 3 * calls, tried);
  assert.equal(tried.match(/PERSON_REQUIRED/g)?.length, 3, tried);
  assert.match(said["typed"]!, /The guards are lifted/);
  assert.match(said["shown"]!, /The requirements are lifted/);
  const pauses = query(run.database, "SELECT subject FROM pauses ORDER BY subject");
  assert.deepEqual(pauses.map(({ subject }) => subject), ["guards", "requirements"]);
});
