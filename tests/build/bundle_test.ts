import assert from "node:assert/strict";
import { parse } from "acorn";
import { asFunction, splitProgram } from "../../src/build/bundle.ts";
import { it } from "../support/fixtures.ts";

const nameOf = (from: string) => from.startsWith(".") ? "7" : `"${from}"`;
const isRun = (from: string) => from === "./effect.js";

function call(code: string, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const run = new Function("$require", "$import", asFunction(code, nameOf, isRun));
  return run((name: string) => given[name], (name: string) => `lazy ${name}`);
}

Deno.test("a module becomes a function that gets what it imports and returns what it exports", () => {
  const code =
    `import{sep as s}from"node:path";import fs,{x}from"node:fs";import*as os from"node:os";` +
    `import{a as b,c}from"./x.js";import"./x.js";var q=[s,fs.x,x,os.y,b,c,this===undefined,"→"];` +
    `function later(){return import("./x.js")}export{q as all,later};`;
  const { all, later } = call(code, {
    "node:path": { sep: "/" },
    "node:fs": { x: 1 },
    "node:os": { y: 2 },
    "7": { a: 3, c: 4 },
  });
  assert.deepEqual(all, ["/", 1, 1, 2, 3, 4, true, "→"]);
  assert.equal((later as () => string)(), "lazy 7");
});

Deno.test("a module that the bundler writes in another way is refused", () => {
  for (
    const code of [
      `import one from"./x.js";one();`,
      `export const a=1;`,
      `export*from"./x.js";`,
      `await 1;`,
      `console.log(import.meta.url);`,
    ]
  ) assert.throws(() => asFunction(code, nameOf, isRun), Error);
});

Deno.test("of what a module takes nothing from, only what has an effect is loaded", () => {
  const loads = (code: string) => asFunction(code, nameOf, isRun).includes("$require");
  assert.equal(loads(`import"./x.js";import"node:fs";`), false);
  assert.equal(loads(`import"./effect.js";`), true);
});

it.slow("no module of the bundle changes later what it gives out: who imports it has the value", async () => {
  const changing = parse("[[0,function(){var a=1,c;function f(b){b=a;a=b}return{a:a}}]]", {
    ecmaVersion: "latest",
  });
  assert.deepEqual([...assigned(changing, [], new Set())], ["a"]);
  const { modules } = await splitProgram();
  assert.ok(modules.length > 100);
  for (const source of modules) {
    const given = new Set(
      /\nreturn\{([^}]*)\}\}\]\]$/.exec(source)![1]!.split(",").map((it) => it.split(":")[1]),
    );
    const changed = assigned(parse(source, { ecmaVersion: "latest" }), [], new Set<string>());
    assert.deepEqual([...changed].filter((name) => given.has(name)), [], source.slice(0, 200));
  }
});

// deno-lint-ignore no-explicit-any -- any node of the tree
type Node = any;

/** Names that functions inside a module's function assign to, and that are the module's own. */
function assigned(node: Node, scopes: readonly ReadonlySet<string>[], found: Set<string>) {
  if (Array.isArray(node)) { for (const one of node) assigned(one, scopes, found); }
  if (typeof node?.type !== "string") return found;
  const isOwn = (name: string) => !scopes.slice(1).some((scope) => scope.has(name));
  const targets = node.type === "AssignmentExpression"
    ? namesIn(node.left)
    : node.type === "UpdateExpression"
    ? namesIn(node.argument)
    : /^For(Of|In)/.test(node.type)
    ? namesIn(node.left)
    : [];
  for (const name of targets) if (isOwn(name)) found.add(name);
  const inner = /Function/.test(node.type)
    ? [...scopes, new Set([...node.params.flatMap(namesIn), ...declaredIn(node.body)])]
    : scopes;
  for (const [key, child] of Object.entries(node)) {
    if (key !== "type") assigned(child, inner, found);
  }
  return found;
}

function namesIn(pattern: Node): string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((it: Node) => namesIn(it.value ?? it.argument));
    case "ArrayPattern":
      return pattern.elements.flatMap(namesIn);
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

function declaredIn(node: Node): string[] {
  if (Array.isArray(node)) return node.flatMap(declaredIn);
  if (typeof node?.type !== "string") return [];
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
    return [node.id.name];
  }
  if (/Function/.test(node.type)) return [];
  const own = node.type === "VariableDeclaration"
    ? node.declarations.flatMap((it: Node) => namesIn(it.id))
    : node.type === "CatchClause"
    ? namesIn(node.param)
    : [];
  return [...own, ...Object.values(node).flatMap(declaredIn)];
}
