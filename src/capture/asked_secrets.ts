/** `printenv STRIPE_SECRET_KEY`: commands that print one secret and nothing else. Their whole output is it. */
import { isNoSecret, NAME, SUFFIX, VALUE_MASK } from "./secret_names.ts";

const OWN_NAME = String.raw`[\w.-]{0,60}?${NAME}${SUFFIX}(?![\w-])`;
const ARGUMENTS = String.raw`[^;|&<>\r\n]{0,400}?`;
/** What only decodes it, or takes its line break away. */
const THROUGH = String
  .raw`(?:[ \t]*\|[ \t]*(?:base64[ \t]+(?:-d|-D|--decode)|tr[ \t]+-d[ \t]+\S{1,8}|head[ \t]+-n?[ \t]?1|cat|xargs))*`;
const COMMANDS: readonly string[] = [
  String.raw`printenv[ \t]+${OWN_NAME}`,
  String
    .raw`(?:echo|printf[ \t]+["']?%s(?:\\n)?["']?)[ \t]+(?:-n[ \t]+)?["']?\$\{?${OWN_NAME}\}?["']?`,
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
];
/** Before it a folder, a machine or a variable of its own, as people write it. */
const ASKING = String
  .raw`^\s*(?:cd[ \t]+\S{1,400}[ \t]*&&[ \t]*)?(?:sudo[ \t]+)?(?:\w{1,40}=\S{0,200}[ \t]+){0,3}(?:` +
  COMMANDS.join("|") + String.raw`)${THROUGH}(?:[ \t]*;[ \t]*echo)?\s*$`;
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

/** The output with its only line masked; of an entry the first one. */
function withoutSecret(output: string, isEntry: boolean): string {
  const line = output.trim().split(/\r?\n/)[0]!.trim();
  const isOnly = output.trim() === line;
  if (line.length < 4 || line.length > MAX_CHARS || !isOnly && !isEntry) return output;
  if (isNoSecret("", line) || line.startsWith("[redacted:")) return output;
  // A sentence is what a command says that found none.
  return /^\S+$/.test(line) ? output.replace(line, () => VALUE_MASK) : output;
}
