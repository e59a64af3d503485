/** Names of steps and of their variables. */

/** Names that templates use for something else. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(["task", "bead", "previous"]);

/** Why a step cannot have a name; null when it can. */
export function nameFault(name: string): string | null {
  if (name === "") return "a step requires a name";
  if (!/^[A-Za-z0-9_][\w-]*$/.test(name)) {
    return 'a step\'s name has letters, digits, "-" and "_" only';
  }
  return RESERVED_NAMES.has(name) ? "templates use this name for something else" : null;
}

/** Why a variable cannot have a name; null when it can, or when there is none. */
export function outputFault(output: string | null): string | null {
  if (output === null) return null;
  if (!/^[A-Za-z_][\w-]*$/.test(output)) {
    return 'output must be a name of letters, digits, "-" and "_"';
  }
  if (!RESERVED_NAMES.has(output)) return null;
  return `output must not be "${output}": templates use this name for something else`;
}

/**
 * What is wrong with the names of a whole workflow: templates find steps and variables in one place, so none may be
 * there twice.
 */
export function doubleNames(
  all: readonly { readonly name: string; readonly output: string | null }[],
): string[] {
  const errors = new Set<string>();
  const names = new Set<string>();
  for (const { name } of all) {
    if (name !== "" && names.has(name)) errors.add(`duplicate step name "${name}"`);
    names.add(name);
  }
  for (const { name, output } of all) {
    if (output === null || output === name || !names.has(output)) continue;
    errors.add(`step "${name}": output "${output}" is the name of another step`);
  }
  return [...errors];
}
