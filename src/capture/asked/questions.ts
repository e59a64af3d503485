/** Which commands print secrets, and how: `vault kv get -field=password app`, `openssl rand -hex 32`. */
import { NAME, SUFFIX } from "../secret_names.ts";

/**
 * What stands in the output of such a command:
 * - `word`: one secret and nothing else;
 * - `words`: secrets on lines of their own, maybe beside other lines;
 * - `entry`: a secret on the first line, and what belongs to it below;
 * - `settings`: names and values, of which some are secrets;
 * - `said`: a line of text with a secret in it;
 * - `named`: secrets behind their names, which these give away, as long as nothing cuts them off.
 */
export type Answer = "word" | "words" | "entry" | "settings" | "said" | "named";

interface Question {
  /** The program, as a regular expression. */
  readonly program: string;
  /** Each stands somewhere among its arguments, as whole words. */
  readonly asks: readonly string[];
  /** With this it prints something else. */
  readonly unless?: string;
  readonly answer: Answer;
}

const OWN_NAME = String.raw`[^\s"']{0,200}?${NAME}${SUFFIX}(?![\w-])`;
const NAMED = String.raw`[^\s]{0,200}?${OWN_NAME}["'\])}]{0,4}`;
/** The name of a variable; the folder that a shell is in has such a name, too. */
export const VARIABLE = String
  .raw`(?!(?:OLD)?PWD(?![\w-]))[\w.-]{0,60}?${NAME}${SUFFIX}(?![\w-])`;
/** Whatever stands before it; a command of more characters is not read. */
const BEFORE = "^[^]{0,2000}?";
/** A variable as a program reads it: `env.X`, `environ["X"]`, `ENV.fetch('X')`, `getenv("X")`. */
const READ = String
  .raw`[\w.$]{0,40}?env(?:iron)?(?:\.get|\.fetch)?[.[({]["']?${VARIABLE}["']?[\])}]?` +
  String.raw`(?:[ \t]{0,2}(?:,|\|\||\?\?)[ \t]{0,2}(?:["']){2})?`;
/** Where an answer is reduced to a part of it, that part is not its value. */
const OTHER_PART = String.raw`--query[ =](?!\S{0,200}(?:value|secret))\S*`;
/** What a program of a language calls to draw a secret by lot. */
const DRAWS =
  "(?:token_(?:hex|urlsafe|bytes)|randomBytes|SecureRandom|random_bytes|get_random_secret_key|generate_key|random\\.choices?\\()";
const LANGUAGES = String.raw`node|bun|tsx|deno|python[\d.]{0,4}|ruby|perl|php`;
const SELECT = String
  .raw`${BEFORE}select\s[\w.,"\s]{0,200}?${NAME}${SUFFIX}(?![\w-])[\w.,"\s]{0,200}?\sfrom\s[^]*`;

/** A row of the table, where nothing but the program and its arguments is to be told. */
function rows(answer: Answer, entries: readonly (readonly [string, ...string[]])[]): Question[] {
  return entries.map(([program, ...asks]) => ({ program, asks, answer }));
}

const QUESTIONS: readonly Question[] = [
  ...rows("word", [
    ["printenv", `^${VARIABLE}$`],
    ["node|bun|tsx", "-p|-pe|--print", `${READ};?`],
    [
      LANGUAGES,
      String.raw`${BEFORE}[\s;.](?:log|print|puts|echo|write|p)[ \t(]{1,4}${READ}[)\s;]{0,4}`,
    ],
    ["kubectl|oc", "secrets?(?:/[^ ]+)?", "[^ ]*jsonpath=[^]*data[^]*|[^ ]*template[^]*data[^]*"],
    ["vault", String.raw`-field[= ]${OWN_NAME}`],
    ["op", String.raw`read`, "op://[^]*"],
    ["op", "item get", "--fields?(?:=[^ ]*)?"],
    ["(?:go)?pass", "^show -o"],
    ["gh|glab", "auth token"],
    ["terraform|tofu|terragrunt", "output", "-raw|-json", NAMED],
    ["terraform|tofu|terragrunt", `output ${NAMED}`],
    ["aws", "get-secret-value", "[^ ]*SecretString"],
    ["aws", "get-login-password"],
    ["aws", "configure get", String.raw`[\w.-]{0,100}?(?:secret_access_key|session_token)`],
    ["az", "acr login", "--expose-token"],
    ["az", "account get-access-token", "--query", "accessToken"],
    ["kubectl|oc", "create token"],
    ["kubectl|oc", "view-secret", "[\\w.-]{1,253} [\\w.-]{1,253}"],
    ["heroku", "^config:get", String.raw`${OWN_NAME}|\w{1,60}_KEY`],
    ["gcloud", "auth(?: application-default)? print-(?:access|identity)-token"],
    ["gcloud", "secrets versions access"],
    ["bw", "get (?:password|totp|notes)"],
    ["security", "find-(?:generic|internet)-password", "-\\w{0,4}w"],
    ["doppler", "secrets get", "--plain"],
    ["jq|yq", `(?:eval |e )?\\.${NAMED}`],
    [
      "cat|head|tail",
      // As secret_files.ts knows them.
      String
        .raw`[^ ]*/run/secrets/[\w.-]{1,100}|(?:[^ ]*/)?\.?secrets/(?:[\w-]{1,60}/){0,3}(?![\w-]{0,60}(?:user|login|host|port|name|mail|version|readme))[\w-]{1,100}` +
      String
        .raw`(?:\.(?:txt|secret|token|key|pass(?:word|wd)?))?|[^ ]{0,200}?${NAME}(?:\.(?:txt|secret))?|[^ ]{1,200}[^ /]\.(?:token|pass(?:word|wd)?|secret)|(?:[^ ]*/)?master\.key`,
    ],
    ["npm|pnpm|yarn", "config get", String.raw`[\w./:@-]{0,200}?_(?:authToken|password|auth)`],
    ["pulumi", "config get|stack output", `--show-secrets|${NAMED}`],
    ["chamber", "read"],
    ["consul", `kv get`, NAMED],
    ["secret-tool", "lookup"],
    ["sops", "-d|decrypt|--decrypt", "--extract(?:=[^]*)?"],
    [
      "gpg2?",
      String.raw`-\w{0,4}d|--decrypt`,
      String.raw`[^ ]*(?:secret|pass|token|key|credential)[\w.-]{0,60}\.(?:gpg|pgp|asc)`,
    ],
    [
      "git",
      String
        .raw`^(?:(?:-[cC] [^ ]{1,200}|--[a-z][^ ]{0,200}) ){0,4}config (?:--?[a-z-]{1,20} ){0,4}(?:get )?(?!user\.signing)[^\s;]{0,200}?\.${OWN_NAME}`,
    ],
    ["keyring", "^get"],
    ["credstash", "get"],
    ["lpass", "show", "-\\w{0,4}p|--password"],
    ["rbw", "get"],
    ["keepassxc-cli", "show", "-\\w{0,4}[sa]|--show-protected|--attributes"],
    ["redis-cli", `h?get [^]{0,200}?${NAME}${SUFFIX}(?:[:./][^ ]*)?`],
    ["(?:psql|mysql|mariadb|sqlite3|sqlcmd)", SELECT],
    ["g?awk", "-F ?=", `${BEFORE}${NAME}[^]*`],
    ["sed", String.raw`${BEFORE}(?<!\S)s[/|#,][^]{0,80}?${NAME}${SUFFIX}["']?[ \t]*[=:][^]*`],
    [
      "grep",
      "-\\w{0,8}o\\w{0,8}",
      String.raw`${BEFORE}(?:${NAME}${SUFFIX}[=:]\\K|\(\?<=[^)]{0,60}?${NAME}${SUFFIX}[=:]\))[^]*`,
    ],
    ["kubeadm|k3s", "token (?:create|generate)"],
    ["docker", "swarm join-token", "-q|--quiet"],
    ["openssl", "^rand"],
    ["pwgen|apg|makepasswd|mkpasswd|pwqgen|pwmake", "[^]*"],
    ["gpg2?", "--gen-random"],
    [LANGUAGES, `${BEFORE}${DRAWS}[^]*`],
    ["php", "(?:[^ ]*/)?artisan key:generate"],
    ["(?:[^ ]*/)?rails", "^secret"],
    ["mix", String.raw`phx\.gen\.secret`],
    ["wg", "genkey|genpsk|show(?: [^ ]+)? (?:private-key|preshared-keys)|showconf"],
    ["curl", String.raw`[^ ]*/latest/api/token`],
  ]),
  ...rows("words", [
    ["redis-cli", "config get", "requirepass|masterauth"],
    ["etcdctl", "get", NAMED],
    ["vault", "token (?:create|lookup)|print token"],
    ["(?:flyctl|fly)", "tokens create[^]*"],
    ["npm", "token create"],
    ["g?awk", `${BEFORE}${NAME}[^]*`],
    ["cut", `[^ ]*(?:secrets?|credentials)`],
    ["pass", "^generate"],
  ]),
  ...rows("entry", [
    ["(?:go)?pass", "^show"],
    ["gopass", "^[\\w@.-]{1,100}/[\\w@./-]{1,200}$"],
    ["argocd", "admin initial-password"],
  ]),
  ...rows("settings", [
    ["kubectl|oc", "view-secret"],
    ["kubectl|oc", "get", "secrets?(?:/[^ ]+)?", "(?:-o|--output)[ =]?(?:json|yaml)"],
    ["vault", "kv get|read"],
    ["op", "item get"],
    ["aws", "get-secret-value"],
    ["heroku", "^config"],
    ["doppler", "secrets"],
    ["railway", "variables"],
    ["bw", "get item|list items"],
    ["chamber", "export|env"],
    ["ansible-vault", "view|decrypt"],
    ["sops", "-d|decrypt|--decrypt"],
    ["lpass", "show"],
    ["keepassxc-cli", "show"],
    ["az", "storage account keys list"],
    ["az", "acr credential show"],
    ["dotnet", "user-secrets list"],
    ["(?:[^ ]*/)?rails", "credentials:show"],
  ]),
  ...rows("named", [["grep|rg|egrep", `${BEFORE}${NAME}[^]*`]]),
  {
    program: "aws",
    asks: ["get-parameters?(?:-by-path)?", "--with-decryption"],
    unless: OTHER_PART,
    answer: "word",
  },
  { program: "az", asks: ["keyvault secret show"], unless: OTHER_PART, answer: "word" },
];

/** What a command prints that is asked for a secret; undefined where it is not. */
export function answerOf([program = "", ...args]: readonly string[]): Answer | undefined {
  if (READS_RANDOM.test(args.join(" "))) return "word";
  const text = args.join(" ");
  return QUESTIONS.find(({ program: form, asks, unless }) =>
    whole(form).test(program) && asks.every((ask) => amongWords(ask).test(text)) &&
    (unless === undefined || !amongWords(unless).test(text))
  )?.answer;
}

/** Whatever reads it: `head -c 32 /dev/urandom`, `dd if=/dev/random`. */
const READS_RANDOM = /(?<![^ =])\/dev\/u?random(?![^ ])/;

const patterns = new Map<string, RegExp>();

function whole(form: string): RegExp {
  return compiled(`^(?:${form})$`);
}

function amongWords(form: string): RegExp {
  return compiled(String.raw`(?<![^\s])(?:${form})(?![^\s])`);
}

function compiled(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, "i");
  patterns.set(source, known);
  return known;
}
