/** Secrets that a name gives away in a call or a declaration in which something else stands between the two. */
import type { Form } from "./forms.ts";
import { SAID_NAME, SUFFIX } from "./secret_names.ts";

export const QUOTE = String.raw`\\{0,7}["']`;
export const GAP = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){0,20}`;
export const OWN_NAME = `${SAID_NAME}${SUFFIX}(?![\\w-])`;
/** The same in quotes, with what may stand before it. */
const QUOTED_NAME = String.raw`${QUOTE}[\w./:-]{0,60}?${OWN_NAME}${QUOTE}`;
/** The same of no words that lists have for other things. */
const ITEM_NAME = String.raw`(?!\W{1,9}(?:token|auth)\W)${QUOTED_NAME}`;
const VALUE = String.raw`([^"'\x60\\\r\n]{1,400})(?=${QUOTE})`;
/** The same where a key is pressed behind it: `…{enter}`. */
const TYPED = String
  .raw`([^"'\x60\\\r\n]{1,400}?)(?=(?:\{\w{1,20}\}){0,3}${QUOTE})`;
/** What a field is told in a test. */
const EVENT = String.raw`\{${GAP}target:${GAP}\{${GAP}value:${GAP}`;
/** An argument in quotes, and the comma behind it. */
const ARGUMENT = String.raw`${QUOTE}[^"'\\\r\n]{1,80}${QUOTE},${GAP}`;

/** In each, group 1 stays, and what follows it is the value. */
export const NAMED_CALLS: readonly Form[] = [
  // mapOf("password" to "…")
  {
    hints: [" to "],
    pattern: String.raw`(${QUOTED_NAME} {1,4}to {1,4}${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // Map.of("username", "joe", "password", "…"), config.set("auth", "password", "…"), .option("password", "…")
  {
    hints: ["map.of(", ".set(", "option("],
    pattern: String
      .raw`((?:map\.of|\.set|\boption)\((?:${ARGUMENT}){0,8}?${QUOTED_NAME},${GAP}(?!${QUOTED_NAME},)${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // password: str = Field(default="…")
  {
    hints: ["field("],
    pattern: String
      .raw`(${OWN_NAME}[ \t]{0,4}:[ \t]{0,4}[\w.\[\] |]{1,40}=[ \t]{0,4}field\((?:default=)?${QUOTE})${VALUE}`,
  },
  // parser.add_argument("--password", default="…")
  {
    hints: ["default"],
    pattern: String
      .raw`(${QUOTE}--[\w-]{0,60}?${OWN_NAME}${QUOTE}[^()\r\n]{0,200}?\bdefault[ \t]{0,2}[=:][ \t]{0,2}${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // flag.String("password", "…", "what it is for")
  {
    hints: ["flag."],
    pattern: String
      .raw`(\bflag\.\w{1,20}\((?:&[\w.]{1,60},${GAP})?${QUOTED_NAME},${GAP}${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // #[arg(long, default_value = "…")] password: String
  {
    hints: ["default_value"],
    pattern: String
      .raw`(\bdefault_value(?:_t)?[ \t]{0,4}=[ \t]{0,4}${QUOTE})([^\s"'\\]{1,400})(?=${QUOTE}[^\[\]\r\n]{0,80}\)\]${GAP}(?:pub[ ])?\w{0,60}?${OWN_NAME}[ \t]{0,4}:)`,
    isOpen: true,
  },
  // CREATE SERVER x OPTIONS (user 'joe', password '…')
  {
    hints: ["options"],
    pattern: String.raw`(\boptions[ \t]{0,4}\([^()]{0,300}?\bpassword[ \t]{1,4}${QUOTE})${VALUE}`,
  },
  // <wsse:Password Type="#PasswordText">…</wsse:Password>
  {
    hints: ["#passwordtext"],
    pattern: String.raw`(#PasswordText${QUOTE}[^<>]{0,100}>)([^\s<>\\]{4,256})(?=\\{0,7}</|</)`,
  },
  // userEvent.type(screen.getByLabelText(/password/i), '…')
  {
    hints: ["/i), "],
    pattern: String.raw`(/[^/\r\n]{0,40}?${OWN_NAME}/i\), (?:${EVENT})?${QUOTE})${TYPED}`,
    isOpen: true,
  },
  // fireEvent.change(getByLabelText('Password'), { target: { value: '…' } })
  {
    hints: ["bylabel", "byplaceholder", "bytestid"],
    pattern: String
      .raw`(by(?:label|placeholder|testid)\w{0,10}\(${QUOTE}[^"'\\\r\n]{0,40}?${OWN_NAME}${QUOTE}\),${GAP}(?:${EVENT})?${QUOTE})${TYPED}`,
    isOpen: true,
  },
  // locator('input[name=password]').fill('…'), find_element(By.ID, "password").send_keys("…")
  {
    hints: [").fill(", ").type(", ").sendkeys(", ").send_keys("],
    pattern: String
      .raw`(\((?:by\.\w{1,20}[,(][ \t]{0,4})?${QUOTE}[^"'\r\n]{0,30}?(?:${QUOTE})?${OWN_NAME}(?:(?:${QUOTE})?\])?${QUOTE}\){1,2}\.(?:fill|type|send_?keys)\(${QUOTE})${TYPED}`,
    isOpen: true,
  },
  // expect(body.password).toBe('…')
  {
    hints: [").to"],
    pattern: String
      .raw`(\bexpect\([\w.$]{0,80}?${OWN_NAME}\)\.to(?:be|equal|strictequal)\(${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // check_password("…", hash)
  {
    hints: ["password("],
    pattern: String.raw`((?:check|verify)_?password\(${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // keychain.set("…", key: "password")
  {
    hints: ["key:"],
    pattern: String
      .raw`(\.set\(${QUOTE})([^"'\\\r\n]{1,400})(?=${QUOTE},${GAP}(?:for)?key:${GAP}${QUOTED_NAME})`,
  },
  // passwordField.typeText("…")
  {
    hints: [".typetext(", ".fill(", ".sendkeys(", ".send_keys("],
    pattern: String
      .raw`(${SAID_NAME}(?:\w{0,20}\.typetext|(?:_?(?:field|input|(?:text)?box|el(?:em(?:ent)?)?|locator))?\.(?:fill|send_?keys))\(${QUOTE})${TYPED}`,
    isOpen: true,
  },
  // fill_in 'Password', with: '…', fill_in 'user[password]', with: '…', fill_in :password, with: '…'
  {
    hints: ["fill_in"],
    pattern: String
      .raw`(\bfill_in[ (](?::|${QUOTE})[^"'\\\r\n]{0,60}?${OWN_NAME}\]?(?:${QUOTE})?,${GAP}with:${GAP}${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // std::string dbPassword{"…"}, password { "…" }
  {
    hints: ["word{", "word {"],
    pattern: String.raw`(password ?\{ ?${QUOTE})([^"'\\\r\n]{1,400})(?=${QUOTE} ?\})`,
  },
  // parametrize("password", ["…"])
  {
    hints: ["parametrize("],
    pattern: String.raw`(\bparametrize\(${ITEM_NAME},${GAP}\[${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // [("user", "joe"), ("password", "…")]
  {
    hints: ['("', "('", "(\\"],
    pattern: String
      .raw`(\((?<=[[(,] ?\()${ITEM_NAME},${GAP}${QUOTE})([^\s"'\x60\\]{6,400})(?=${QUOTE}\))`,
    isOpen: true,
  },
  // 1) "requirepass", and 2) "…" on the line below, as Redis lists it
  {
    hints: [") "],
    pattern: String
      .raw`(\d\) ${QUOTE}(?:requirepass|masterauth|[\w.:-]{0,60}?${OWN_NAME})${QUOTE}(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)[ ]{0,4}\d{1,3}\) ${QUOTE})${VALUE}`,
    isOpen: true,
  },
  // [password] => …, ["password"]=> string(12) "…", as PHP prints it
  {
    hints: ["] =>"],
    pattern: String.raw`(\[[\w.-]{0,60}?${OWN_NAME}\] =>[ \t]{1,4})([^\s"'\x60\\<>|]{6,256})`,
    isOpen: true,
  },
  {
    hints: ["]=>"],
    pattern: String.raw`(\[${QUOTED_NAME}\]=>${GAP}string\(\d{1,4}\) ${QUOTE})${VALUE}`,
  },
];
