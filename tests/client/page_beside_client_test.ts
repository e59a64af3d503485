/** The page beside a session of the real Claude Code: what the command line says while it works, the page shows. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { missingBrowser, shownPage } from "../web/support/browser.ts";
import { makeRepository } from "../support/git.ts";
import { verbOf } from "../web/support/pages.ts";
import { everyScreenSaysIt } from "../web/support/screens_said.ts";
import { until } from "../support/wait.ts";
import { say, type Steps, test, use } from "./harness.ts";

const run = (command: string) => use("Bash", { command });

/** Works, and waits in between until the test has looked at the page. */
const stepsOf = (executable: string): Steps => [
  use("Write", { file_path: "{{PROJECT}}/song.txt", content: "one\ntwo\n" }),
  run("until [ -e looked-1 ]; do sleep 0.1; done"),
  use("Edit", { file_path: "{{PROJECT}}/song.txt", old_string: "two", new_string: "three" }),
  run("ls no-such-folder"),
  run("rm -rf ~"),
  run(`'${executable}' task create 'Oil the hinges'`),
  run("until [ -e looked-2 ]; do sleep 0.1; done"),
  say("The song is written."),
];

test(
  "every screen shows what the command line says while the real Claude Code works",
  async ({ executable, folder, runScenario }) => {
    await using shown = await shownPage();
    const project = join(folder, "shop");
    makeRepository(project, { branch: "main" });
    const running = runScenario("beside", {
      home: shown.home.path,
      project,
      steps: stepsOf(executable),
      args: ["--dangerously-skip-permissions"],
    });
    const { page, home } = shown;
    const began = until(
      "the session is there",
      async () => (await verbOf(home, "session", "list", "--status", "active")).sessions?.[0],
    );
    try {
      const { sessionId } = await began;
      const logged = (text: string) =>
        until(`the log has ${text}`, async () => {
          const { steps } = await verbOf(home, "session", "log", sessionId);
          return steps.some(({ subject }: { subject: string }) => subject.includes(text));
        });
      await logged("song.txt");
      await everyScreenSaysIt(shown, sessionId);
      await shown.go(`/session/${sessionId}`);
      // The client waits: what it does next comes while the page is open.
      await Deno.writeTextFile(join(project, "looked-1"), "");
      for (const text of ["looked-1", "no-such-folder", "rm -rf ~", "Oil the hinges"]) {
        await page.locator(".step", { hasText: text }).first().waitFor();
      }
      const counts = await everyScreenSaysIt(shown, sessionId);
      assert.ok(
        counts["audit list"]! > 0 && counts["task list"]! > 0 && counts["memory list"]! > 0,
      );
      await shown.go(`/session/${sessionId}`);
      await Deno.writeTextFile(join(project, "looked-2"), "");
      await page.locator(".step", { hasText: "The song is written." }).waitFor();
      await running;
      await everyScreenSaysIt(shown, sessionId);
      assert.deepEqual(shown.faults, []);
    } finally {
      for (const name of ["looked-1", "looked-2"]) {
        await Deno.writeTextFile(join(project, name), "");
      }
      await running;
    }
  },
  missingBrowser(),
);
