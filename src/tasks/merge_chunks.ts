/**
 * Puts the small files that a bundler's splitting makes into one: a process pays for every file that it opens, 0.3 ms,
 * and much less for code in it that it does not run.
 */

/** Which files become one, and how. */
export interface Merging {
  /** The file that everything else loads first; it takes in what it imports. */
  readonly into: string;
  /**
   * Files that are taken in as well, with what they import: they run when they are wanted, but are not opened then. They
   * stay beside it, for whoever else may want them.
   */
  readonly alsoOf: RegExp;
  /** Bundles a file with all that it imports, but for the files `outside`. */
  readonly bundle: (entry: string, output: string, outside: readonly string[]) => Promise<void>;
}

const ENTRY = "merged_entry.js";
const MERGED = "merged.js";

/** Merges files of a folder of minified modules, and makes the others import from the one that is left. */
export async function mergeChunks(
  folder: string,
  { into, alsoOf, bundle }: Merging,
): Promise<void> {
  const code = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".js")) code.set(name, await Deno.readTextFile(`${folder}/${name}`));
  }
  const roots = [...code.keys()].filter((file) => file === into || alsoOf.test(file));
  const reached = [...reach(roots, code)];
  const merged = reached.filter((file) => file === into || !alsoOf.test(file));
  const lines = merged.map((file, i) => {
    const names = exportsOf(code.get(file)!)
      .map((name) => file === into ? name : `${name} as ${merging(i, name)}`);
    return names.length === 0
      ? `import "./${file}";`
      : `export { ${names.join(", ")} } from "./${file}";`;
  });
  await Deno.writeTextFile(`${folder}/${ENTRY}`, lines.join("\n"));
  const outside = [...code.keys()].filter((file) => !reached.includes(file));
  await bundle(`${folder}/${ENTRY}`, `${folder}/${MERGED}`, outside);
  await Deno.remove(`${folder}/${ENTRY}`);
  for (const file of merged) await Deno.remove(`${folder}/${file}`);
  await Deno.rename(`${folder}/${MERGED}`, `${folder}/${into}`);
  for (const file of code.keys()) {
    if (merged.includes(file)) continue;
    const linked = code.get(file)!.replace(IMPORT, (whole, keyword, names, from) => {
      const i = merged.indexOf(from);
      if (i < 0) return whole;
      const list = names === undefined
        ? undefined
        : namesIn(names).map(([name, local]) =>
          `${from === into ? name : merging(i, name)} as ${local}`
        );
      return list === undefined
        ? `${keyword}"./${into}"`
        : `${keyword}{${list.join(",")}}from"./${into}"`;
    });
    await Deno.writeTextFile(`${folder}/${file}`, linked);
  }
}

/** `import{a as b}from"./x.js"`, `export{a}from"./x.js"` and `import"./x.js"`, as minified code has them. */
const IMPORT = /\b(import|export)(?:\{([^}]*)\}from)?"\.\/([\w-]+\.js)"/g;

/** What the `i`-th file calls this, under a name that no other one has. */
function merging(i: number, name: string): string {
  return `m${i}_${name}`;
}

function reach(roots: readonly string[], code: ReadonlyMap<string, string>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const [, , , from] of code.get(file)!.matchAll(IMPORT)) waiting.push(from!);
  }
  return reached;
}

/** The names that a file gives out: `export{a as b,c}` at its end. */
function exportsOf(code: string): string[] {
  const [, list = ""] = /\bexport\{([^}]*)\};?\s*$/.exec(code) ?? [];
  return namesIn(list).map(([, name]) => name);
}

/** `a as b,c` as `[["a", "b"], ["c", "c"]]`. */
function namesIn(list: string): [name: string, as: string][] {
  return list.split(",").filter((part) => part.trim() !== "").map((part) => {
    const [name, as = name] = part.trim().split(/\s+as\s+/);
    return [name!, as!];
  });
}
