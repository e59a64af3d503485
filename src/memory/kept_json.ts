/**
 * A list or an object that a row keeps as JSON. One that is damaged is as if it were not there: what else the rows say is
 * told all the same, and `doctor` names it.
 *
 * @param instead What stands for it; of the same kind.
 */
export function keptJson<Value extends object>(text: unknown, instead: Value): Value {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null &&
        Array.isArray(value) === Array.isArray(instead)
      ? value as Value
      : instead;
  } catch {
    return instead;
  }
}
