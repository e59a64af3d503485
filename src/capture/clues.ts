/** What gives a secret away, as the cheap look searches for it: the literals of its form and of what stands beside it, and the words of its name. */

/** What gives a secret away whose form is its own. */
export interface Clue {
  /** What stands in the mask: `[redacted:<kind>]`; the pattern is found by it. */
  readonly kind: string;
  /** Every match contains one of these; up to six characters, none that JSON escapes. */
  readonly literals: readonly string[];
  /** How many letters, digits, `_` or `-` follow the literal at least; spares false alarms. */
  readonly run: number;
  /** What stands in front of the literal, where it begins with a common letter. */
  readonly lead?: string;
  /** The letters of the options that secrets stand behind; without them, those of many commands. */
  readonly options?: string;
}

/** The kind of what only the option of a command gives away; its masks do not name it. */
export const COMMAND = "command";
/** The same for what a command prints that is asked for a secret. */
export const ASKED = "asked";
/** The same for a password that a command reads from a pipe, or by its place. */
export const PIPED = "piped";

/**
 * In the order of masking. The literals are chosen for speed: the engine skips to a literal's first letter, and a rare
 * one ("K", "_") costs a tenth of a common one ("s", "e"). Those of Discord are how a number in base64 can begin.
 */
// deno-fmt-ignore: a clue is a line
export const CLUES: readonly Clue[] = [
  { kind: "github-token", run: 30, literals: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"] },
  { kind: "jwt", run: 8, lead: "e", literals: ["yJ"] },
  { kind: "aws-access-key", run: 16, literals: ["AKIA", "ASIA"] },
  { kind: "gcp-api-key", run: 35, literals: ["AIza"] },
  { kind: "azure-sas", run: 0, lead: "si", literals: ["g="] },
  { kind: "url-signature", run: 0, literals: ["z-Sign", "g-Sign", "&Sign", "AWS4-H"] },
  { kind: "url-key", run: 0, literals: ["appid=", "code="] },
  { kind: "encoded-private-key", run: 30, literals: ["LS0tLS"] },
  { kind: "age-key", run: 50, literals: ["KEY-1"] },
  { kind: "github-pat", run: 20, literals: ["_pat_", "_oat_"] },
  { kind: "gitlab-token", run: 23, literals: ["gl"] },
  { kind: "gitlab-token", run: 20, literals: ["GR1348"] },
  { kind: "slack-token", run: 4, literals: ["xox", "xapp-"] },
  { kind: "slack-webhook", run: 0, literals: ["k.com/"] },
  { kind: "discord-webhook", run: 17, literals: ["hooks/"] },
  { kind: "teams-webhook", run: 0, literals: ["gWebho"] },
  { kind: "zapier-webhook", run: 0, literals: ["zapier"] },
  { kind: "stripe-key", run: 10, literals: ["_live_", "_test_"] },
  { kind: "stripe-webhook-secret", run: 24, literals: ["whsec_"] },
  { kind: "sendgrid-key", run: 16, literals: ["SG."] },
  { kind: "anthropic-key", run: 20, literals: ["k-ant-"] },
  { kind: "pypi-token", run: 40, literals: ["-AgE"] },
  { kind: "openai-key", run: 20, lead: "s", literals: ["k-"] },
  { kind: "npm-token", run: 36, literals: ["pm_"] },
  { kind: "digitalocean-token", run: 64, literals: ["_v1_"] },
  { kind: "huggingface-token", run: 30, literals: ["hf_"] },
  { kind: "twilio-key", run: 32, literals: ["SK"] },
  { kind: "discord-token", run: 20, literals: ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"] },
  { kind: "vault-token", run: 20, literals: ["vs.", "vb."] },
  { kind: "google-token", run: 20, literals: ["ya29."] },
  { kind: "atlassian-token", run: 20, literals: ["ATATT", "ATCTT"] },
  { kind: "jwk", run: 0, literals: ["kty"] },
  { kind: "smtp-login", run: 0, literals: ["TH PLA", "TH LOG", "TH XOA", "th PLA", "th LOG"] },
  { kind: "linear-key", run: 30, literals: ["_api_"] },
  { kind: "linear-key", run: 30, lead: "lin", literals: ["_oauth"] },
  { kind: "shopify-token", run: 35, literals: ["hp"] },
  { kind: "setting", run: 0, literals: ["ENV ", "gure s"] },
  { kind: "configured", run: 0, lead: "Secure", literals: ["String"] },
  { kind: "configured", run: 0, lead: "IDENTI", literals: ["FIED "] },
  { kind: "configured", run: 0, lead: "identi", literals: ["fied "] },
  { kind: "configured", run: 0, literals: "Jwt,JWT,creds:,creds ,Creds:,Creds ,g in a,d in a,> AUTH,> auth,qlplus,qlldr,nv:set,fig:set,freerd,bw unl,mc ali,e:thin,e:oci,lt log,go log,net us,m push,t push,qctl a,qctl c,qladmi,keygen,xpect,--otp".split(",") },
  { kind: "configured", run: 0, lead: "htt", literals: ["p-basi"] },
  { kind: "configured", run: 0, lead: "f", literals: ["tp -"] },
  { kind: "configured", run: 0, lead: "s", literals: ["nyk au"] },
  { kind: "configured", run: 0, lead: "bun", literals: ["dle co"] },
  { kind: "configured", run: 0, lead: "ngro", literals: ["k "] },
  { kind: "configured", run: 0, lead: "n", literals: ["mcli "] },
  { kind: "configured", run: 0, lead: "sona", literals: ["r.logi"] },
  { kind: "configured", run: 0, literals: ["@", "Key is", "key is", "PAT is", "PAT: "] },
  { kind: "configured", run: 64, literals: ["0x", "0X"] },
  { kind: "configured", run: 0, lead: "so", literals: ["ps --s", "ps set"] },
  { kind: "placed", run: 0, literals: "jwt. JWT.en JWT.de JWT.si JWT.ve Hmac( HMAC.h HMAC.d HMAC.b HMAC.n _hmac( HMAC2 HMAC3 HMAC5 HMACSH KeySpe Key::f kdf2( kdf2Sy Fernet PDO( qli( qli_ ->real ql.con g2.con QLdb.c _sym_e _sym_d AES.ne AES.en AES.de AndPas Wallet _auth BasicA PT_USE YUSERP PT_PAS PT_XOA PT_KEY Fi.beg .auth( .login Client Stripe OpenAI".split(" ") },
  { kind: "placed", run: 0, lead: "mac", literals: [".new(", ".New("] },
  { kind: "placed", run: 0, lead: "create", literals: ["_user(", "_super"] },
  { kind: "placed", run: 0, lead: "bcrypt", literals: [".hash", ".compa", ".check", ".Gener"] },
  { kind: "placed", run: 0, lead: "bcryptjs", literals: [".hash", ".compa"] },
  { kind: "placed", run: 0, lead: "sign", literals: ["In(", "Up("] },
  { kind: "placed", run: 0, lead: "cre", literals: ["ds = (", "ds=(", "ds =(", "ds= ("] },
  { kind: "placed", run: 0, lead: "Plain", literals: ["Auth("] },
  { kind: "placed", run: 0, lead: "set", literals: ["Auth("] },
  { kind: "placed", run: 0, lead: "mysql_", literals: ["real_c"] },
  { kind: "placed", run: 0, lead: "gen", literals: ["_salt"] },
  { kind: "placed", run: 0, lead: "Key", literals: ["ToAcco"] },
  { kind: "placed", run: 0, literals: [".passw", "Sequel", "DBI->c", "URL.cr"] },
  { kind: "placed", run: 0, lead: "al", literals: ["golias"] },
  { kind: "named", run: 0, literals: ["#Passw", ".typeT"] },
  { kind: "named", run: 0, lead: "ord", literals: ["/i), ", ").toBe", ").toEq", ").toSt"] },
  { kind: "named", run: 0, lead: "fill", literals: ["_in"] },
  { kind: "named", run: 0, literals: [".send_", ".sendk", ".sendK", ".SendK", ".fill("] },
  { kind: "named", run: 0, lead: "ass", literals: ["word {"] },
  { kind: "named", run: 0, lead: "ass", literals: ["word{"] },
  { kind: "placed", run: 0, lead: "create", literals: ["Cipher", "Deciph"] },
  { kind: "placed", run: 0, lead: "Network", literals: ["Creden"] },
  { kind: "placed", run: 0, lead: "Password", literals: ["Creden", "Authen"] },
  { kind: "placed", run: 0, lead: "ricSecurity", literals: ["Key("] },
  { kind: "placed", run: 0, lead: "Sha", literals: ["KeyFor"] },
  { kind: "placed", run: 0, lead: "Signed", literals: ["String"] },
  { kind: "placed", run: 0, lead: "Manager.get", literals: ["Connec"] },
  { kind: "placed", run: 0, lead: "cookie", literals: ["Parser"] },
  { kind: "placed", run: 0, lead: "s", literals: ["crypt"] },
  { kind: "placed", run: 0, lead: "to", literals: ["CharAr"] },
  { kind: "configured", run: 0, lead: "o", literals: ["gin w", "gin: ", "gin i"] },
  { kind: "configured", run: 0, lead: " ", literals: ["+@", "~*"] },
  { kind: "configured", run: 0, lead: "SET", literals: ["USER "] },
  { kind: "configured", run: 0, lead: "set", literals: ["user "] },
  { kind: "configured", run: 0, lead: "from", literals: ["-liter"] },
  { kind: "configured", run: 0, lead: ":", literals: ["543", "6432:", "*:"] },
  { kind: ASKED, run: 0, literals: ['mmand"', '_name"', "e_path"] },
  { kind: "square-token", run: 26, literals: ["q0"] },
  { kind: "telegram-token", run: 30, lead: ":", literals: ["AA"] },
  { kind: "bearer-token", run: 0, literals: ["Bearer", "bearer", "BEARER"] },
  { kind: "url-password", run: 0, literals: ["://"] },
  { kind: "dsn-password", run: 0, literals: ["@tcp(", "@unix("] },
  { kind: "configured", run: 0, lead: "add", literals: ["-gener", "-intern"] },
  { kind: "paseto", run: 60, literals: [".local.", ".public."] },
  { kind: "password-hash", run: 0, literals: ["$2a$", "$2b$", "$2x$", "$2y$", "$apr1$", "$argon", "$5$", "$6$", "$y$"] },
  { kind: "service-token", run: 60, lead: "n", literals: ["api_"] },
  { kind: "service-token", run: 36, literals: ["sdk-", "mob-", "api-", "pa-"] },
  { kind: COMMAND, run: 0, literals: "curl ysql qlcmd mariad hpass mongo login mbclie penssl twine useradd usermod 7z".split(" ") },
  { kind: COMMAND, run: 0, lead: "redis", literals: ["-cli"] },
  { kind: COMMAND, run: 0, options: "p", literals: ["unrar", "rar a -"] },
  { kind: COMMAND, run: 0, options: "P", literals: ["zip", "quitto"] },
  { kind: COMMAND, run: 0, options: "p", literals: ["qlsh", "uget a", "uget u", "cftp", "upabas"] },
  { kind: COMMAND, run: 0, options: "u", literals: ["lftp"] },
  { kind: COMMAND, run: 0, options: "w", literals: ["ldap"] },
  { kind: COMMAND, run: 0, options: "t", literals: ["octl "] },
  { kind: COMMAND, run: 0, options: "a", lead: "htt", literals: ["p -", "ps -"] },
  { kind: PIPED, run: 0, literals: ["hpassw", "htpass", "wd --s"] },
  { kind: PIPED, run: 0, lead: "word", literals: ["-stdin"] },
  { kind: PIPED, run: 0, lead: "To-Secure", literals: ["String"] },
  { kind: PIPED, run: 0, lead: "sudo ", literals: ["-S"] },
  { kind: PIPED, run: 0, literals: ["|", "<<<", ">"] },
  { kind: "service-token", run: 27, literals: "SPX- 1//0 dapi v1. bp_ cret_ key- IPAT_ kua_ AK- gems_ pscale pul- 1_ gd_ ntn_ ATBB xai- 8_ NRI NRRA- EZAK EZTK AKID AQVN vly- re_ aio_ cio fc-".split(" ") },
  { kind: "service-token", run: 36, literals: "AKCp VmdGtu HRKU- fp_ vc y2 JARS_ gp_ qu_ qp_ qa_ pn vapi- jina_ 2b_ v2_ EAA xkeys xsmtp x_ hc_ me_ -u- ATTA key_ CFPAT- 0_ cf k_ x-".split(" ") },
  { kind: "service-token", run: 16, literals: ["LTAI", "FLWSEC", "fw_", "-produ", "-sandb", "k-api-", "b_rw_"] },
  { kind: "service-token", run: 0, lead: "sntr", literals: ["ys_", "yu_"] },
  { kind: "service-token", run: 0, lead: "d", literals: ["G9rO"] },
  { kind: "service-token", run: 24, lead: "dt", literals: ["0c01."] },
  { kind: "service-token", run: 32, lead: "i", literals: ["co-"] },
  { kind: "service-token", run: 27, lead: "rn", literals: ["d_"] },
  { kind: "service-token", run: 12, lead: "np", literals: ["g_"] },
  { kind: "service-token", run: 34, lead: "d", literals: ["bt"] },
  { kind: "service-token", run: 3, literals: ["yk_", "AZDO"] },
  { kind: "service-token", run: 0, literals: ["Q~", "dp.", "fm2_", "NRAL", "-us", "pat", "sl.", "$produ", "$sandb", "ABSK", "glc_", "s.", "1/", "2/", "AAAAAA"] },
];

/** Endings that a secret name may have behind its word. */
export const SUFFIXES =
  "base value confirm confirmation prod production staging dev test live string".split(" ");

/** A part of a secret name, with what may stand before it and what may go on behind it. */
export interface Fragment {
  readonly end: string;
  readonly starts: readonly string[];
  readonly tails?: readonly string[];
  /** It names a secret only where something stands near that looks like one. */
  readonly isVague?: boolean;
}

/** The words that make a name a secret one, searched by their rarest part. */
export const FRAGMENTS: readonly Fragment[] = [
  { end: "pass", starts: [""], tails: ["word", "wort", "wd", "phrase", "code", "ord"] },
  { end: "wort", starts: ["kenn"] },
  { end: "pw", starts: [""], tails: ["d"] },
  { end: "phrase", starts: ["seed", "recovery", "backup"] },
  { end: "cret", starts: ["se"] },
  { end: "ken", starts: ["to"] },
  { end: "uth", starts: ["a"] },
  { end: "key", starts: [] },
  { end: "lt", starts: ["sa"] },
  { end: "very", starts: ["reco"], tails: ["_code", "-code", "code"] },
  { end: "y-data", starts: ["client-ke"] },
  { end: "kie", starts: ["coo"] },
  { end: "dentia", starts: ["cre"], tails: ["ls", "l"] },
  { end: "creds", starts: [""], isVague: true },
  { end: "ogin", starts: ["l"], isVague: true },
  { end: "og in", starts: ["l"], isVague: true },
  { end: "ed in", starts: ["logg"], isVague: true },
  { end: "ignin", starts: ["s"], isVague: true },
  { end: "x-api", starts: [""], isVague: true },
  { end: "monic", starts: ["mne"] },
  { end: "_client", starts: ["oauth"] },
  { end: "_role", starts: ["service"] },
  { end: "box", starts: ["map"] },
  { end: "decov", starts: ["co"] },
  { end: "penai", starts: ["o"] },
  { end: "hropic", starts: ["ant"] },
  { end: "gun", starts: ["mail"] },
  { end: "dog", starts: ["data"] },
  { end: "ña", starts: ["contrase"] },
  { end: "woord", starts: ["wacht"] },
  { end: "ösenord", starts: ["l"] },
  ..."psk pepper _pat dsn senha hasło şifre пароль 密码 密碼 パスワード 비밀번호".split(" ")
    .map((end) => ({ end, starts: [""] })),
];

/** Whose key is a secret, by the last letter of the word. */
// deno-fmt-ignore
export const KEY_OWNERS: Readonly<Record<string, readonly string[]>> = {
  a: ["algolia"], b: ["db", "github", "gitlab"], c: ["hmac", "enc"], d: ["shared", "sendgrid", "resend"],
  e: ["private", "stripe", "role", "license", "licence", "database", "azure", "google", "kaggle", "storage", "supabase"], g: ["signing"],
  h: ["auth", "ssh"], i: ["api", "openai", "gemini"], l: ["mistral"], n: ["admin", "encryption", "subscription", "mailgun"], o: ["twilio"],
  p: ["app", "gcp"], q: ["groq"], r: ["master", "server", "signer", "deployer"], s: ["access", "aws", "maps", "functions", "aes"], t: ["account", "secret", "jwt", "wallet"], v: ["priv"], y: ["deploy"],
};

/** The last letters of those words that have others than ASCII, as JSON in ASCII has them. */
export const ESCAPED_FRAGMENTS: readonly Fragment[] =
  "00f1a 0142o 00f6senord 015fifre 044c 7801 78bc 30c9 d638".split(" ")
    .map((end) => ({ end, starts: ["u"] }));
