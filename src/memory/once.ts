/** What is made when it is first asked for, and kept: who does not ask does not pay for it. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => made ??= make();
}
