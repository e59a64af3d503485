/** Which values a template needs, told without rendering it. */
import { TEMPLATE_FUNCTIONS } from "./template_functions.ts";
import { type Expression, parseTemplate } from "./template_syntax.ts";

/** A value that a template names. */
export interface NamedPath {
  /** `run-tests.output` */
  readonly path: string;
  /** Its first part: a step, a variable, `task`. */
  readonly head: string;
  /** True: the template has something to say when it does not exist (`default`, `or`, `not`). */
  readonly mayBeMissing: boolean;
}

/**
 * The values that a template names, also through the texts that it includes by a constant name.
 *
 * @param include The text of a name; null when there is none, then nothing of it is named.
 * @throws TemplateError when a template is wrong.
 */
export function pathsOf(
  template: string,
  include: (name: string) => string | null = () => null,
): NamedPath[] {
  const seen = new Set<string>();
  const paths: NamedPath[] = [];

  function read(text: string, own: ReadonlySet<string>): void {
    for (const part of parseTemplate(text)) {
      if (part.kind === "tag") visit(part.expression, own, false);
    }
  }

  function visit(expression: Expression, own: ReadonlySet<string>, mayBeMissing: boolean): void {
    if (expression.kind === "constant") return;
    if (expression.kind === "path") {
      const head = expression.path[0]!;
      if (!own.has(head)) paths.push({ path: expression.path.join("."), head, mayBeMissing });
      return;
    }
    const { name, args } = expression;
    const takesMissing = TEMPLATE_FUNCTIONS.get(name)?.takesMissing === true;
    for (const arg of args) visit(arg, own, takesMissing);
    if (name === "include") readIncluded(args, own);
  }

  function readIncluded([name, ...pairs]: readonly Expression[], own: ReadonlySet<string>): void {
    if (name?.kind !== "constant" || typeof name.value !== "string") return;
    const keys = pairs.flatMap((one, index) =>
      index % 2 === 0 && one.kind === "constant" ? String(one.value) : []
    );
    const call = JSON.stringify([name.value, keys]);
    const text = seen.has(call) ? null : include(name.value);
    seen.add(call);
    if (text !== null) read(text, new Set([...own, ...keys]));
  }

  read(template, new Set());
  return paths;
}
