/**
 * Makes a reader of JSON that parses a text only once as long as it is asked for the same text. Several parts of a hook
 * read the same section of the configuration.
 */
export function parseOnce<Value>(): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, value: JSON.parse(text) };
    return last.value;
  };
}
