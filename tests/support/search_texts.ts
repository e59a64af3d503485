/** Texts that somebody or something might type into a search: most are nonsense to FTS5, some of it dangerous. */
import { seededRandom } from "./tool_uses.ts";

const PIECES = [
  '"',
  "'",
  "`",
  "(",
  ")",
  "((",
  "*",
  "^",
  "+",
  "-",
  ":",
  "{title text}:",
  "title:",
  "terms : ",
  "AND",
  "OR",
  "NOT",
  "NEAR(",
  "NEAR(a b, 10)",
  ", 5)",
  "foo AND (",
  "rowid",
  "memory_index",
  "'; DROP TABLE observations; --",
  "SELECT * FROM sqlite_master",
  "%_",
  "/^(a+)+$/",
  "[\\w.-]+@(?:x|y)*",
  "(?<=\\p{L})",
  "\\",
  "\\u0000",
  "\0",
  "\x07",
  "\x1b[31m",
  "\ud800",
  "\udc00",
  "\uffff",
  "\u200b",
  "\u202e",
  "e\u0301",
  "🙂",
  "👩‍👩‍👧",
  "🇩🇪",
  "parseHookEvent",
  "src/hook/run.ts:12:3",
  "C:\\work\\a.cs",
  "--flag=1",
  "v1.2.3-rc.4",
  "E2304",
  "0x7fff",
  "NaN",
  "1e999",
  "2026-13-45",
  "since last march",
  "between 2026-01-01 and",
  "two weeks ago",
  "scheduler",
  "renderer",
  "the",
  "port",
  "crash",
  "Überprüfung",
  "naïve",
  "настройка",
  "إعداد",
  "הגדרה",
  "設定",
  "データベース",
  "数据库",
  "库",
  "설정",
  "ตั้งค่า",
  "ſt",
  "İ",
  "ß",
  "ﷺ",
  "ǃ",
  "ǀ",
  "projectǀ1ǃ",
  "\t",
  "\n",
  "\u2028",
];

/** So many search texts, the same for the same seed. */
export function searchTexts(count: number, seed = 1): string[] {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const anyLetter = () => String.fromCharCode(below(0x1_0000));
  return Array.from({ length: count }, (_, at) => {
    const pieces = Array.from({ length: below(at % 50 === 0 ? 400 : 9) }, () => {
      const kind = below(10);
      if (kind === 0) return anyLetter();
      if (kind === 1) return Array.from({ length: 1 + below(12) }, anyLetter).join("");
      return PIECES[below(PIECES.length)]!;
    });
    const text = pieces.join(["", " ", " ", '"'][below(4)]);
    return at % 500 === 0 ? text.repeat(1 + below(2_000)).slice(0, 1_000_000) : text;
  });
}
