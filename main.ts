/**
 * conclaude: one program, several faces. This file only chooses one, and each is loaded when it is wanted: a hook must
 * not pay for the command line.
 */
import { VERSION } from "./src/base/version.ts";

// Global flags may stand before the verb; a hook with them must still be a hook, for it may never leave with status 2.
let verb = 0;
while (Deno.args[verb]?.startsWith("--")) verb += Deno.args[verb] === "--db" ? 2 : 1;
// The daemon and who talks to it open a socket; a team's server is on the network. No other verb may use the network.
if (!["daemon", "ui", "team"].includes(Deno.args[verb] ?? "")) {
  Deno.permissions.revokeSync({ name: "net" });
}
// The command line answers what a person asks about a hook.
const isAsked = ["--help", "-h", "--dry-run"].some((flag) => Deno.args.includes(flag));

if (Deno.args.length === 1 && ["--version", "-V", "-v"].includes(Deno.args[0]!)) {
  console.log(VERSION);
} else if (Deno.args[verb] === "hook" && !isAsked) {
  try {
    const { runHook } = await import("./src/hook/run.ts");
    await runHook(Deno.args.toSpliced(verb, 1));
  } catch (thrown) {
    // `runHook()` catches its own faults, so the hook could not be read from the executable.
    const why = thrown instanceof Error ? thrown.message : thrown;
    console.log(JSON.stringify({ systemMessage: `conclaude could not keep this event: ${why}` }));
  }
} else {
  const { runCli } = await import("./src/cli/command_line.ts");
  await runCli(Deno.args, {
    mcp: async () => (await import("./src/mcp/run.ts")).mcp,
    daemon: async () => {
      const { takePage } = await import("./src/daemon/page_response.ts");
      takePage(async () => (await import("./src/web/page.ts")).page);
      return (await import("./src/daemon/daemon_verbs.ts")).daemon;
    },
    ui: async () => (await import("./src/daemon/daemon_verbs.ts")).ui,
    explain: async () => (await import("./src/hook/explain_verb.ts")).explain,
    hook: async () => (await import("./src/hook/hook_verb.ts")).hook,
  });
}
