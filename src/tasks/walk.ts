/** The files below a folder, by their paths from there on, with `/`. */
export async function* walk(root: string, folder = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(`${root}/${folder}`)) {
    if (isDirectory) yield* walk(root, `${folder}${name}/`);
    else yield `${folder}${name}`;
  }
}
