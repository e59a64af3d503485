/**
 * Makes a reader of JSON that parses the same text only once in a row, since several parts of a hook read the same
 * section of the configuration.
 */
export function parseOnce<Value>(): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, value: JSON.parse(text) };
    return last.value;
  };
}
