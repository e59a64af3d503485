/**
 * Whether two paths may be of one folder or file: one may be told from the root, or whole. Empty is the project's folder,
 * where a command is that goes nowhere.
 */
export function areSameFolder(one: string, other: string): boolean {
  if (one === "" || other === "") return one === other;
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}
