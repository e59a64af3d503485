/** Git in a folder of a test: `await git(folder, "init")`. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: [...args],
    cwd: folder,
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`git ${args.join(" ")}: ${text.decode(stderr)}`);
  return text.decode(stdout);
}
