/** What is changed in the code that the bundler has made, for what it costs to start. */
import { parse } from "acorn";

/**
 * Code in which what it imports of some packages is there and of no use.
 *
 * @throws {Error} When it does not import each of them once.
 */
export function withoutImports(code: string, packages: readonly string[]): string {
  return packages.reduce((rest, name) => {
    const [before, after, ...more] = rest.split(new RegExp(`import ([\\w$]+) from"${name}";`));
    if (after === undefined || more.length !== 1) throw new Error(`${name} is not imported once`);
    return `${before}var ${after}=null;${more[0]}`;
  }, code);
}

/**
 * Puts functions of a module in brackets, which makes the engine compile each where it first reads it: otherwise it reads
 * a function once to find its end, and a second time when it is called. They come first in the code, since what stands in
 * brackets is not there before its line.
 *
 * @param called Names of those that are called at every start.
 */
export function compileAtOnce(code: string, called: ReadonlySet<string>): string {
  let eager = "", rest = "";
  let at = 0;
  for (const node of parse(code, { ecmaVersion: "latest", sourceType: "module" }).body) {
    if (node.type !== "FunctionDeclaration" || !called.has(node.id.name)) continue;
    const { id, start, end } = node;
    const kind = code.slice(start, id.start).trimEnd(); // `function`, `async function`, `function*`
    eager += `var ${id.name}=(${kind}${code.slice(id.end, end)});`;
    rest += code.slice(at, start);
    at = end;
  }
  return eager + rest + code.slice(at);
}

/**
 * Takes `node:module` out of a file. The bundler lets one that holds a CommonJS module load it at once, and that costs as
 * much as a verb's own work. Nothing but built-in modules is ever asked for, and seldom.
 *
 * @throws {Error} When the bundler does it in another way than it did.
 */
export async function withoutEagerRequire(file: string): Promise<void> {
  const code = await Deno.readTextFile(file);
  const [line, name] = /import\{createRequire as ([\w$]+)\}from"node:module";/.exec(code) ?? [];
  if (line === undefined) throw new Error(`${file} does not load node:module any more`);
  const lazy = code.replace(line, "")
    .replace(`=${name}(import.meta.url)`, "=name=>process.getBuiltinModule(name)");
  if (lazy.includes("createRequire")) throw new Error(`${file} asks for createRequire elsewhere`);
  await Deno.writeTextFile(file, lazy);
}
