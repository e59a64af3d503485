/**
 * conclaude: one program, several faces. This file only chooses one, and each is loaded when it is wanted: a hook must
 * not pay for the command line.
 */

// Global flags may stand before the verb; a hook with them must still be a hook, for it may never leave with status 2.
let verb = 0;
while (Deno.args[verb]?.startsWith("--")) verb += Deno.args[verb] === "--db" ? 2 : 1;
// Only the daemon has a socket to open, and whoever talks to it; nothing else may ever speak to the network.
if (Deno.args[verb] !== "daemon") Deno.permissions.revokeSync({ name: "net" });
// What a person asks of a hook is the command line's to answer.
const isAsked = ["--help", "-h", "--dry-run"].some((flag) => Deno.args.includes(flag));

if (Deno.args[verb] === "hook" && !isAsked) {
  const { runHook } = await import("./src/hook/run.ts");
  await runHook(Deno.args.toSpliced(verb, 1));
} else {
  const { runCli } = await import("./src/cli/run.ts");
  await runCli(Deno.args);
}
