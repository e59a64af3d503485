/** `printenv STRIPE_SECRET_KEY`: commands that print one secret and nothing else. Their whole output is it. */
import { isNoSecret, NAME, SUFFIX, VALUE_MASK } from "./secret_names.ts";

const OWN_NAME = String.raw`[\w.-]{0,60}?${NAME}${SUFFIX}(?![\w-])`;
/** The same for a variable; the folder that a shell is in has such a name, too. */
const VARIABLE = String.raw`(?!(?:OLD)?PWD(?![\w-]))${OWN_NAME}`;
const ARGUMENTS = String.raw`[^;|&<>\r\n]{0,400}?`;
/** Where an answer is reduced to a part of it, that part is its value. */
const ONLY_VALUE = String.raw`(?!${ARGUMENTS}--query[ =](?!\S{0,200}value))`;
/** What it says beside the secret, thrown away. */
const QUIET = String.raw`(?:[ \t]*2>(?:/dev/null|&1))?`;
/** What only decodes it, or takes its line break away. */
const THROUGH = String
  .raw`(?:[ \t]*\|[ \t]*(?:base64[ \t]+(?:-d|-D|--decode)|tr[ \t]+-d[ \t]+\S{1,8}|head[ \t]+-n?[ \t]?1|cat|xargs|jq[ \t]+(?:-r|--raw-output)[ \t]+["']?\.[\w.[\]]{0,60}?value["']?))*`;
/** What runs a command elsewhere: in a container, on another machine, in a shell of its own. */
const ELSEWHERE = String
  .raw`(?:(?:docker|docker-compose|podman|nerdctl|kubectl|oc|fly|flyctl|heroku|railway|nomad|vagrant|lxc|ssh|env|direnv|chamber|` +
  String.raw`aws-vault|doppler|op|(?:ba|z|da)?sh)[ \t]${ARGUMENTS}(?<=[\s"']))?`;
/** A variable as a program reads it: `env.X`, `environ["X"]`, `ENV.fetch('X')`, `getenv("X")`. */
const READ = String
  .raw`[\w.$]{0,40}?env(?:iron)?(?:\.get|\.fetch)?[.[({]\\?["']?${VARIABLE}\\?["']?[\])}]?` +
  String.raw`(?:[ \t]{0,2}(?:,|\|\||\?\?)[ \t]{0,2}(?:\\?["']){2})?`;
const COMMANDS: readonly string[] = [
  String.raw`${ELSEWHERE}printenv[ \t]+${VARIABLE}["']{0,2}`,
  String
    .raw`${ELSEWHERE}(?:echo|printf[ \t]+["']?%s(?:\\n)?["']?)[ \t]+(?:-n[ \t]+)?\\?["']?\\?\$\{?${VARIABLE}\}?\\?["']{0,2}`,
  String.raw`(?:node|bun|tsx)[ \t]${ARGUMENTS}(?:-p|-pe|--print)[ \t]+["']?${READ};?["']?`,
  String
    .raw`(?:node|bun|tsx|deno|(?:uv[ \t]+run[ \t]+)?python[\d.]{0,4}|ruby|perl|php)[ \t][^|&<>\r\n]{0,400}?(?<=[\s"';.])` +
  String.raw`(?:log|print|puts|echo|write|p)[ \t(]{1,4}${READ}[)\s;]{0,4}["']?`,
  String
    .raw`(?:kubectl|oc)[ \t]${ARGUMENTS}secrets?[ \t/]${ARGUMENTS}jsonpath=${ARGUMENTS}data${ARGUMENTS}`,
  String.raw`vault[ \t]${ARGUMENTS}-field[= ]["']?${OWN_NAME}${ARGUMENTS}`,
  String.raw`op[ \t]+read[ \t]${ARGUMENTS}/${OWN_NAME}["']?${ARGUMENTS}`,
  String.raw`(?:go)?pass[ \t]+(?:show[ \t]+)(?:-o[ \t]+)?[\w@./-]{1,200}`,
  String.raw`gh[ \t]+auth[ \t]+token${ARGUMENTS}`,
  String.raw`terraform[ \t]+output[ \t]+-raw[ \t]+${OWN_NAME}`,
  String.raw`aws[ \t]${ARGUMENTS}get-secret-value[ \t]${ARGUMENTS}SecretString${ARGUMENTS}`,
  String.raw`heroku[ \t]+config:get[ \t]${ARGUMENTS}(?:${OWN_NAME}|\w{1,60}_KEY\b)${ARGUMENTS}`,
  String
    .raw`gcloud[ \t]+auth[ \t]+(?:application-default[ \t]+)?print-(?:access|identity)-token${ARGUMENTS}`,
  String.raw`aws[ \t]${ARGUMENTS}get-login-password${ARGUMENTS}`,
  String.raw`bw[ \t]+get[ \t]+password[ \t]${ARGUMENTS}`,
  String
    .raw`security[ \t]+find-(?:generic|internet)-password[ \t]${ARGUMENTS}(?<=[ \t])-w(?:[ \t]${ARGUMENTS})?`,
  String.raw`doppler[ \t]+secrets[ \t]+get[ \t]${ARGUMENTS}--plain${ARGUMENTS}`,
  String
    .raw`jq[ \t]+(?:-r|--raw-output)[ \t]+["']?\.${OWN_NAME}["']?[ \t]+[^\s;|&<>]{1,400}`,
  String
    .raw`cat[ \t]+["']?(?:/run/secrets/[\w.-]{1,100}|(?:~|\$HOME|/root|/home/[\w.-]{1,64})/\.vault-token)["']?`,
  String.raw`gcloud[ \t]${ARGUMENTS}secrets[ \t]+versions access[ \t]${ARGUMENTS}`,
  String
    .raw`aws[ \t]${ARGUMENTS}get-parameters?(?:-by-path)?[ \t](?=${ARGUMENTS}--with-decryption)${ONLY_VALUE}${ARGUMENTS}`,
  String.raw`az[ \t]+keyvault secret[ \t]+show[ \t]${ONLY_VALUE}${ARGUMENTS}`,
  String
    .raw`(?:npm|pnpm|yarn)[ \t]+config get[ \t]+["']?[\w./:@-]{0,200}?_(?:authToken|password|auth)["']?${ARGUMENTS}`,
  String
    .raw`pulumi[ \t](?=${ARGUMENTS}(?:${OWN_NAME}|--show-secrets))${ARGUMENTS}(?:config get|stack output)[ \t]${ARGUMENTS}`,
  String.raw`chamber read[ \t]${ARGUMENTS}`,
  String.raw`consul[ \t]+kv get[ \t]${ARGUMENTS}/?${OWN_NAME}["']?`,
  String.raw`secret-tool lookup[ \t]${ARGUMENTS}`,
  String
    .raw`sops (?=${ARGUMENTS}(?:-d|decrypt)[ \t])${ARGUMENTS}--extract[ =]${ARGUMENTS}`,
  String
    .raw`gpg2?[ \t]${ARGUMENTS}(?:-\w{0,4}d|--decrypt)[ \t]${ARGUMENTS}(?:secret|pass|token|key|credential)[\w.-]{0,60}\.(?:gpg|pgp|asc)["']?`,
  // The key that signs is told by its number, which is no secret.
  String
    .raw`git (?:(?:(?:-c +\S{1,200}|--[a-z][\w=./-]{0,200}) +){1,4}(?=config --))?config +(?:--?[a-z-]{1,20}[ \t]+){0,4}(?:get[ \t]+)?["']?(?!user\.signing)[^\s"';|&<>]{0,200}?\.${OWN_NAME}["']?`,
];
/** Before it a folder, a machine or a variable of its own, as people write it. */
const ASKING = String
  .raw`^\s*(?:cd[ \t]+\S{1,400}[ \t]*&&[ \t]*)?(?:sudo[ \t]+)?(?:\w{1,40}=\S{0,200}[ \t]+){0,3}(?:` +
  COMMANDS.join("|") + String.raw`)${QUIET}${THROUGH}(?:[ \t]*;[ \t]*echo)?\s*$`;
const MAX_CHARS = 4_096;

/** Masks in a tool use's payload what such a command printed, in place. */
export function maskAsked(payload: unknown): void {
  const holder = Object(payload);
  const { command } = Object(holder["tool_input"]);
  const response: unknown = holder["tool_response"];
  const output = typeof response === "string" ? response : Object(response)["stdout"];
  if (typeof command !== "string" || typeof output !== "string" || command.length > 2_000) return;
  asking ??= new RegExp(ASKING, "i");
  if (!asking.test(command)) return;
  const isEntry = /(?:^|[\s;&])(?:go)?pass[ \t]+show[ \t]/.test(command);
  const masked = withoutSecret(output, isEntry);
  if (typeof response === "string") holder["tool_response"] = masked;
  else (response as Record<string, unknown>)["stdout"] = masked;
}
let asking: RegExp | undefined;

/** An answer in JSON has the secret below this name. */
const VALUE_IN_JSON = /("value"\s{0,20}:\s{0,20}")((?:[^"\\\r\n]|\\[^\r\n]){1,4000})(?=")/gi;

/** The output with its only line masked; of an entry the first one, of JSON the value. */
function withoutSecret(output: string, isEntry: boolean): string {
  if (/^\s*\{/.test(output)) {
    return output.replace(
      VALUE_IN_JSON,
      (whole, kept: string, value: string) => isNoSecret("", value) ? whole : kept + VALUE_MASK,
    );
  }
  const line = output.trim().split(/\r?\n/)[0]!.trim();
  const isOnly = output.trim() === line;
  if (line.length < 4 || line.length > MAX_CHARS || !isOnly && !isEntry) return output;
  if (isNoSecret("", line) || line.startsWith("[redacted:")) return output;
  // A sentence is what a command says that found none.
  return /^\S+$/.test(line) ? output.replace(line, () => VALUE_MASK) : output;
}
