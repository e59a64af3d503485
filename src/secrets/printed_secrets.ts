/** What a command prints that asks for a secret: `vault kv get -field=password app`. Its output is one, whatever it looks like. */
import { VALUE_MASK } from "./assignments.ts";
import { isOddWord, isPlain, SECRET_WORD, SUFFIX } from "./secret_names.ts";

const r = String.raw;
const NAME = `${SECRET_WORD}${SUFFIX}`;

/** A command that prints secrets and little else. */
interface PrintingForm {
  readonly pattern: RegExp;
  readonly example: string;
  readonly counterexample: string;
}

function form(pattern: string, example: string, counterexample: string): PrintingForm {
  return { pattern: new RegExp(r`(?<![\w.-])(?:${pattern})`, "i"), example, counterexample };
}

/** Commands as they stand in a script; between the program and what it is asked for stand other arguments. */
const SOME = r`[^|;&\n]{0,400}?`;

// deno-fmt-ignore: a form is a line
export const PRINTING_FORMS: readonly PrintingForm[] = [
  form(r`printenv\s+\w{0,60}${NAME}(?!\w)`, "printenv DB_PASSWORD", "printenv PATH"),
  form(r`(?:echo|printf)\s${SOME}\$\{?(?!(?:OLD)?PWD)\w{0,60}${NAME}(?![\w-])`, 'echo "$API_KEY"', "echo $PWD"),
  form(r`(?:echo|printf)\s${SOME}\$\((?:pass|vault|op|openssl|gh auth|bw|aws)\s`, "echo $(pass show a)", "echo $(date)"),
  form(r`(?:node|bun|deno|python[\d.]{0,4}|ruby|perl|php)\s${SOME}(?:env(?:iron)?[.[({]{1,2}(?:get\(|fetch\()?["']?\w{0,60}${NAME}(?![\w-])|token_hex|token_urlsafe|randomBytes|SecureRandom|random_bytes)`, `python -c 'print(os.environ["API_KEY"])'`, "python -c 'print(1)'"),
  form(r`kubectl\s${SOME}(?:secrets?[/ ]${SOME}(?:jsonpath|template|-o)|create token|view-secret)`, "kubectl get secret db -o jsonpath='{.data.x}'", "kubectl get secrets"),
  form(r`vault\s${SOME}(?:-field[= ]|kv get|token (?:create|lookup)|print token|read )`, "vault kv get -field=password app", "vault status"),
  form(r`op\s+(?:read|item get)\s`, "op read op://dev/db/x", "op signin"),
  form(r`(?:go)?pass\s+(?:show|generate|[\w@.-]{1,60}/[\w@./-]+)`, "pass show work/db", "pass ls"),
  form(r`(?:gh|glab)\s+auth token`, "gh auth token", "gh auth status"),
  form(r`(?:terraform|tofu|terragrunt|pulumi)\s${SOME}(?:output|config get)${SOME}(?:${NAME}(?![\w-])|--show-secrets)`, "terraform output -raw db_password", "terraform output -raw url"),
  form(r`aws\s${SOME}(?:get-secret-value|get-login-password|with-decryption|get-session-token|configure get\s+[\w.-]*(?:secret|token))`, "aws ecr get-login-password", "aws s3 ls"),
  form(r`az\s${SOME}(?:--expose-token|get-access-token|keyvault secret show|keys list|credential show)`, "az account get-access-token", "az account show"),
  form(r`gcloud\s${SOME}(?:print-(?:access|identity)-token|secrets versions access)`, "gcloud auth print-access-token", "gcloud auth list"),
  form(r`heroku\s+config|doppler\s+(?:run|secrets)|railway\s+variables|chamber\s+(?:read|export|env)`, "heroku config:get X", "heroku ps"),
  form(r`bw\s+get|rbw\s+get|lpass\s+show|keyring\s+get|credstash\s+get|secret-tool\s+lookup|keepassxc-cli\s+show|security\s+find-\w+-password`, "bw get password x", "bw list folders"),
  form(r`ansible-vault\s+(?:view|decrypt)|sops\s${SOME}(?:-d|decrypt)|dotnet\s+user-secrets\s+list|rails\s+(?:secret|credentials:show)|php\s+artisan\s+key:generate|mix\s+phx\.gen\.secret`, "sops -d f.txt", "sops -e f.txt"),
  form(r`openssl\s+rand|pwgen|apg|makepasswd|mkpasswd|pwqgen|gpg2?\s${SOME}--gen-random|wg\s+(?:genkey|genpsk|show)`, "openssl rand -hex 32", "openssl version"),
  form(r`[^|;&\n]{0,200}/dev/u?random`, "head -c 32 /dev/urandom", "head -c 32 /dev/zero"),
  form(r`(?:cat|head|tail|bat)\s${SOME}(?:/run/secrets/|\.?secrets/[\w./-]*[\w-](?![\w.-])|${NAME}(?:\.(?:txt|secret))?(?![\w./-])|\.(?:token|pass|secret)(?!\w)|\.vault-token)`, "cat /run/secrets/db", "cat docs/secrets.md"),
  form(r`(?:jq|yq)\s${SOME}\.${SOME}${NAME}["'\])}]{0,3}(?![\w-])`, "yq .db.password values.yaml", "yq .db.host values.yaml"),
  form(r`(?:grep|rg|awk|sed|cut)\s${SOME}${NAME}[^\n]{0,200}(?:cut\s|sed\s|awk\s|print \$|\\K|\(\?<=|//)`, "grep ^DB_PASSWORD= .env | cut -d= -f2", "grep -rn password src"),
  form(r`(?:psql|mysql|mariadb|sqlite3|sqlcmd)\s${SOME}select\s[^;\n]{0,200}?${NAME}(?![\w-])`, "sqlite3 a.db 'select secret from t'", "sqlite3 a.db 'select id from t'"),
  form(r`(?:redis-cli|etcdctl|consul)\s${SOME}get\s${SOME}${NAME}(?![\w-])`, "redis-cli GET session_secret", "redis-cli GET counter"),
  form(r`(?:npm|pnpm|yarn)\s+(?:config get\s+\S{0,200}_(?:authToken|password|auth)|token create)|git\s${SOME}config\s${SOME}\.${NAME}(?![\w-])`, "npm config get //r.example/:_authToken", "npm config get registry"),
  form(r`(?:kubeadm|k3s)\s+token\s+(?:create|generate)|docker\s+swarm\s+join-token|(?:flyctl|fly)\s+tokens|argocd\s+admin\s+initial-password`, "kubeadm token create", "kubeadm version"),
];

/** Tools that are called by what they are asked for: `mcp__vault__read_secret`. */
const ASKING_TOOL =
  /(?:get|read|show|fetch|reveal|retrieve|decrypt|view|lookup)[\w-]{0,40}(?:secret|passw(?:or)?d|credential)(?!s?_?(?:names|list))/i;
const MAX_COMMAND_CHARS = 4_000;

/** Whether a tool use asks for a secret. */
export function printsSecret(toolName: unknown, toolInput: unknown): boolean {
  const { command } = Object(toolInput);
  if (typeof command !== "string") {
    return typeof toolName === "string" && ASKING_TOOL.test(toolName);
  }
  return command.length <= MAX_COMMAND_CHARS &&
    PRINTING_FORMS.some(({ pattern }) => pattern.test(command));
}

/** A line of one word, perhaps in quotes. */
const ALONE = /^(\s*["']?)([^\s"']{4,4096})(["']?\s*)$/;
const TOLD = /^(?:ok|done|true|false|null|none|error|warning|success|[a-z]+[:.!])$/i;
/** The string of an answer in JSON whose key says nothing of a secret. */
const IN_JSON =
  /("(?:value|secretstring|plaintext|data|stdout|text|notes?)"\s{0,20}:\s{0,20}")((?:[^"\\\n]|\\[^\n]){4,4000})(?=")/gi;

/** The output of such a command without its secrets: a line of one word is one, among other lines only if it looks like one. */
export function withoutPrinted(output: string, onSecret: (secret: string) => void): string {
  const mask = (secret: string) => {
    onSecret(secret);
    return VALUE_MASK;
  };
  if (/^\s*[{[]/.test(output)) {
    return output.replace(
      IN_JSON,
      (whole, before: string, value: string) =>
        isPlain(value) || /\s/.test(value) ? whole : before + mask(value),
    );
  }
  const lines = output.split("\n");
  const isOnly = lines.filter((line) => line.trim() !== "").length === 1;
  return lines.map((line, index) => {
    const [, before = "", word = "", behind = ""] = ALONE.exec(line) ?? [];
    if (word === "" || isPlain(word) || TOLD.test(word)) return line;
    // The first line of an entry of `pass` is its password.
    return isOnly || index === 0 || isOddWord(word) ? before + mask(word) + behind : line;
  }).join("\n");
}
