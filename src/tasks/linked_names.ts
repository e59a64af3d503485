/** Whether the modules of a bundle give out what the others import of them. */
import { parse } from "acorn";
import { posix } from "node:path";

/**
 * The names that are imported and not there, as `file: name of other`. Where modules are linked by the engine it says so
 * itself, when they are loaded; packed ones are not.
 *
 * @param code What every file of the bundle holds, by its path.
 */
export function missingNames(code: ReadonlyMap<string, string>): string[] {
  const bodies = [...code].map(([file, text]) =>
    [file, parse(text, { ecmaVersion: "latest", sourceType: "module" }).body] as const
  );
  const given = new Map(bodies.map(([file, body]) => [
    file,
    new Set(body.flatMap((node) => {
      if (node.type === "ExportDefaultDeclaration") return ["default"];
      if (node.type !== "ExportNamedDeclaration") return [];
      return node.specifiers.map(({ exported }) => wordOf(exported));
    })),
  ]));
  return bodies.flatMap(([file, body]) =>
    body.flatMap((node) => {
      if (node.type !== "ImportDeclaration" && node.type !== "ExportNamedDeclaration") return [];
      const from = String(node.source?.value ?? "");
      if (!from.startsWith(".")) return [];
      const other = posix.join(posix.dirname(file), from);
      return node.specifiers.flatMap((specifier) => {
        if (specifier.type === "ImportNamespaceSpecifier") return [];
        const name = specifier.type === "ImportSpecifier"
          ? wordOf(specifier.imported)
          : specifier.type === "ExportSpecifier"
          ? wordOf(specifier.local)
          : "default";
        return given.get(other)?.has(name) ? [] : [`${file}: ${name} of ${other}`];
      });
    })
  );
}

function wordOf(node: { type: "Identifier"; name: string } | { type: "Literal"; value?: unknown }) {
  return node.type === "Identifier" ? node.name : String(node.value);
}
