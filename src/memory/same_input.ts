/** Whether two records are of one input of a tool, each cut short in its own way by `summarizeInput()`. */

const CUT = "…";
/** Said where entries of a container are left out. */
const MISSING_ITEMS = /^… \d+ more$/;

/**
 * Whether one value can be a shorter copy of the other: equal as far as both go. An object may lack fields.
 *
 * @param one As it was recorded, or whole. @param other The same.
 */
export function isSameInput(one: unknown, other: unknown): boolean {
  if (one === CUT || other === CUT) return true;
  if (typeof one === "string" && typeof other === "string") return isSameText(one, other);
  if (Array.isArray(one) && Array.isArray(other)) return areSameItems(one, other);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return one === other;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [one, other].map((value) =>
    Object.keys(value).filter((key) => key !== CUT)
  ) as [string[], string[]];
  const common = left.filter((key) => Object.hasOwn(other, key));
  const isCut = Object.hasOwn(one, CUT) || Object.hasOwn(other, CUT);
  // A field that explains it may be told once and not another time.
  const isPart = common.length === Math.min(left.length, right.length) &&
    (common.length > 0 || left.length === right.length);
  return (isCut || isPart) &&
    common.every((key) => isSameInput(Reflect.get(one, key), Reflect.get(other, key)));
}

function isSameText(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.endsWith(CUT) && long.startsWith(short.slice(0, -CUT.length))) return true;
  // A text as long as its copy may, but for the mark, be the shorter one.
  return long.endsWith(CUT) && short.startsWith(long.slice(0, -CUT.length));
}

function areSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  const [left, right] = [one, other].map((items) => {
    const last = items.at(-1);
    const isCut = typeof last === "string" && MISSING_ITEMS.test(last);
    return { isCut, items: isCut ? items.slice(0, -1) : items };
  }) as [Items, Items];
  const [short, long] = left.items.length <= right.items.length ? [left, right] : [right, left];
  if (short.items.length < long.items.length && !short.isCut) return false;
  return short.items.every((item, at) => isSameInput(item, long.items[at]));
}

interface Items {
  readonly isCut: boolean;
  readonly items: readonly unknown[];
}
