/** Whether letters are those of words or of a secret that was drawn by lot: what stands beside each other in it tells. */

/** By the first letter, those that follow it in most words and names of programs. */
const FOLLOWERS: Readonly<Record<string, string>> = {
  ...{ a: "bcdgilmnprstuy", b: "aeilorsuy", c: "aehiklortu", d: "acdeilorstu" },
  ...{ e: "acdefgilmnopqrstvwxy", f: "aeilou", g: "eirs", h: "aeiot", i: "acdefglmnoprstvz" },
  ...{ j: "aou", k: "eis", l: "adeilostuy", m: "abeimops", n: "acdefgiknopstuv" },
  ...{ o: "abcdfgklmnoprstuvw", p: "aeiloprstu", q: "u", r: "acdegikmnorstuvy" },
  ...{ s: "acehikopstuy", t: "acehilmoprstuy", u: "bdeilmnprst", v: "aei", w: "aehino" },
  ...{ x: "pt", y: "nps", z: "eo" },
};
/** Fewer tell nothing: an abbreviation looks like that, too. */
const MIN_LETTERS = 10;
/** Of the names in programs one in a hundred has fewer such pairs, of random letters one in fifty has more. */
const MIN_SHARE = 0.65;

/** Whether most letters of a value follow each other as in no word, whatever else is in it. */
export function isScrambled(value: string): boolean {
  const runs = value.toLowerCase().match(/[a-z]+/g) ?? [];
  let letters = 0;
  let pairs = 0;
  let common = 0;
  for (const run of runs) {
    letters += run.length;
    pairs += run.length - 1;
    for (let at = 1; at < run.length; at++) {
      if (FOLLOWERS[run[at - 1]!]!.includes(run[at]!)) common++;
    }
  }
  return letters >= MIN_LETTERS && common < MIN_SHARE * pairs;
}
