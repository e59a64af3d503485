/**
 * A message with its placeholders filled, all at once: what stands for one may look like another, or like a sign of a
 * replacement. A name in braces that stands for nothing stays.
 */
export function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(
    /\{(\w+)\}/g,
    (whole, name: string) => Object.hasOwn(values, name) ? values[name]! : whole,
  );
}
