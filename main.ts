/**
 * conclaude: one program, several faces. This file only chooses one, and each is loaded when it is wanted: a hook must
 * not pay for the command line.
 */

if (Deno.args[0] === "hook") {
  const { runHook } = await import("./src/hook/run.ts");
  await runHook(Deno.args.slice(1));
} else {
  const { runCli } = await import("./src/cli/run.ts");
  await runCli(Deno.args);
}
