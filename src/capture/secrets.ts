/** The secrets that have a form of their own: what each looks like. What gives them away stands in `clues.ts`. */
import { maskCommands } from "./commands.ts";
import { maskConfigured } from "./configured.ts";
import { maskNamedForms } from "./named_forms.ts";
import { maskPlaced } from "./placed_secrets.ts";
import { maskPiped } from "./piped.ts";
import { serviceToken } from "./service_tokens.ts";
import { ASKED, type Clue, CLUES, COMMAND, PIPED } from "./clues.ts";
import { isSuspect } from "./triggers.ts";

/** From a cell of a line to the one beside it. */
const BESIDE = String
  .raw`\\{0,7}["']?[ \t]{0,40}(?:[,:;|/\t ]|\r?\n|\\{1,7}(?:t|r?\\{0,7}n))[ \t]{0,40}\\{0,7}["']?`;
/** An id of AWS and what leads to the secret on its line, also over the time of its end. Not closed: group 1 goes on. */
const AWS_PAIR = String
  .raw`((?:AKIA|ASIA)[A-Z0-9]{16}${BESIDE}(?:\d{4}-\d\d-[\dT:.Z+-]{2,30}${BESIDE})?`;

/** A sign of base64 in an address. */
const URL_SIGN = "(?:[\\w.~/-]|%2[BF]|%3D)";
const WITHIN = "(?=[\\w.~%/-]{0,60}";
/** What is drawn by lot in an address, up to its end. */
const CODE =
  `(?:[\\da-f]{20,64}|${WITHIN}\\d)${WITHIN}[A-Z])${WITHIN}[a-z])${URL_SIGN}{20,512})(?![\\w.~%/-])`;

/**
 * By kind. A pattern is made when its kind is suspected, for a hook runs once and cold. Group 1 stays in front of the
 * mask. Global, without nested quantifiers; an unbounded run is never followed by something that may fail, unless it
 * cannot start inside itself.
 */
const PATTERNS: ReadonlyMap<string, (text: string) => RegExp> = new Map([
  ["github-token", () => /gh[pousr]_(?:[A-Za-z0-9]{30,}|\w{1,24}_eyJ[\w-]{25,}[\w.-]*)/g],
  [
    "jwt",
    () =>
      /(?<=^-?|[^\w-]-?|\\[nrt]-?)eyJ[\w-]{8,}\.(?:eyJ[\w-]{8,}(?:\.[\w-]*)?|[\w-]{0,1000}\.[\w-]{12,}\.[\w-]{16,}\.[\w-]{16,})/g,
  ],
  [
    "aws-session-token",
    () => new RegExp(`${AWS_PAIR}[A-Za-z0-9/+]{40}${BESIDE})[\\w+/=-]{16,}`, "g"),
  ],
  ["aws-secret-key", () => new RegExp(`${AWS_PAIR})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])`, "g")],
  ["aws-access-key", () => /(?:AKIA|ASIA)[A-Z0-9]{16}/g],
  ["gcp-api-key", () => /AIza[\w-]{35}/g],
  [
    "azure-sas",
    () =>
      /((?<=^|[^\w-]|\\[nrt]|u0026)sig=)(?:[A-Za-z0-9%+/]{20,}|(?=[\w%+/-]{0,40}\d)[\w%+/-]{20,})=*/g,
  ],
  [
    "url-signature",
    () =>
      /((?:[?&, ]|amp;|u0026|X-(?:Amz|Goog)-)Signature(?:=|%3D|\\{0,7}["'][ \t]{0,4}:[ \t]{0,4}\\{0,7}["']))(?=[\w%+/.~-]{0,40}\d)[\w%+/.~-]{20,}=*/g,
  ],
  [
    // The key of a weather service, and the code that a login is finished with.
    "url-key",
    () =>
      new RegExp(
        `((?:[?&]|amp;|u0026)(?:appid=(?=[\\da-f]{32}(?![\\w-]))|code=(?=${CODE})))${URL_SIGN}+`,
        "g",
      ),
  ],
  [
    "encoded-private-key",
    // "-----BEGIN", then "PRIVATE" in one of its three positions.
    () => /LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,40}?(?:UFJJVkFUR|BSSVZBVE|QUklWQVRF)[A-Za-z0-9+/]*={0,2}/g,
  ],
  ["github-pat", () => /github_pat_\w{22,}/g],
  [
    "gitlab-token",
    () => /gl(?:pat|dt|rtr?|cbt|ptt|soat|oas|ft|imt|agent|ffct|wt)-[\w-]{20,}(?:\.\w{2,16}){0,2}/g,
  ],
  ["slack-token", () => /(?:xox[a-z]-|xapp-)[\w%-]{10,}/g],
  ["slack-webhook", () => /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{20,}/g],
  ["discord-webhook", () => /(discord(?:app)?\.com\/api\/webhooks\/)\d{17,20}\/[\w-]{20,}/g],
  [
    "teams-webhook",
    () =>
      /(office(?:365)?\.com\/webhook(?:b2)?\/)[\w@-]{36,120}\/IncomingWebhook\/[\w-]{20,}(?:\/[\w-]{20,}){0,2}/g,
  ],
  [
    "zapier-webhook",
    () => /(hooks\.zapier\.com\/hooks\/(?:catch|standard)\/)\d{4,12}\/\w{6,}/g,
  ],
  ["stripe-key", () => /[sr]k_(?:live|test)_[A-Za-z0-9]{10,}/g],
  ["stripe-webhook-secret", () => /whsec_[A-Za-z0-9]{24,}/g],
  ["anthropic-key", () => /sk-ant-[\w-]{20,}/g],
  [
    "openai-key",
    () =>
      /(?<=^|[^A-Za-z0-9]|\\[nrt])sk-(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,}|[A-Za-z0-9]{20,}[\w-]*)/g,
  ],
  ["npm-token", () => /npm_[A-Za-z0-9]{36}/g],
  ["pypi-token", () => /pypi-AgE[\w-]{40,}/g],
  ["huggingface-token", () => /hf_[A-Za-z0-9]{30,}/g],
  ["digitalocean-token", () => /do[opr]_v1_[a-f0-9]{64}/g],
  ["twilio-key", () => /SK[0-9a-f]{32}/g],
  ["sendgrid-key", () => /SG\.[\w-]{16,}\.[\w-]{16,}/g],
  [
    "discord-token",
    // Where the first part is a number in base64 beyond doubt, the last one may be short.
    () =>
      /(?:M[Tjz]|N[DTjz]|O[DT])(?:[\w-]{20,28}\.[\w-]{6}\.[\w-]{27,}|[AEIMQUYcgk][w-z0-5](?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){4,5}[\w-]{2,4}\.[\w-]{5,7}\.[\w-]{20,})/g,
  ],
  ["service-token", serviceToken],
  ["docker-token", () => /dckr_[po]at_[\w-]{20,}/g],
  ["vault-token", () => /hv[sb]\.[\w-]{20,}/g],
  ["paseto", () => /v[1-4]\.(?:local|public)\.[\w-]{60,}(?:\.[\w-]+)?/g],
  [
    "password-hash",
    () =>
      /\$2[abxy]\$\d\d\$[./A-Za-z\d]{53}|\$apr1\$[./A-Za-z\d]{1,8}\$[./A-Za-z\d]{16,22}|\$argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,]{5,60}\$[\w+/-]{8,100}\$[\w+/-]{16,200}|\$(?:[56]\$(?:rounds=\d{1,9}\$)?[./A-Za-z\d]{1,16}|y\$[./A-Za-z\d]{1,8}\$[./A-Za-z\d]{1,86})\$[./A-Za-z\d]{43,86}/g,
  ],
  ["google-token", () => /ya29\.[\w-]{20,}/g],
  ["atlassian-token", () => /AT[AC]TT[\w=-]{20,}/g],
  ["linear-key", () => /lin_(?:api|oauth)_[A-Za-z0-9]{30,}/g],
  ["shopify-token", () => /shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32}/g],
  ["age-key", () => /AGE-SECRET-KEY-1[A-Z0-9]{50,}/g],
  [
    "setting",
    // `ENV DB_PASSWORD word` of a Dockerfile, `aws configure set aws_secret_access_key word`.
    () =>
      /((?:\bENV|\\[nrt]ENV|configure set)[ \t]{1,8}(?=[\w.-]{0,80}(?:PASSW|passw|SECRET|secret|TOKEN|token|KEY|key))[\w.-]{1,160}[ \t]{1,8})(?!\[redacted:|\$)[^\s"'\\]{4,}/g,
  ],
  [
    "smtp-login",
    () =>
      /((?:AUTH|auth) (?:PLAIN|LOGIN|XOAUTH2) {1,4})(?=[A-Za-z+/]{0,400}[\d=])[A-Za-z\d+/]{8,}={0,2}/g,
  ],
  ["square-token", () => /sq0[a-z]{3}-[\w-]{22,}/g],
  ["telegram-token", () => /\d{8,10}:AA[\w-]{30,}/g],
  [
    "bearer-token",
    // Also "Bearer " + "…".
    () =>
      /((?:Bearer|bearer|BEARER)(?:(?:\s|%20){1,4}|[ ]\\{0,7}["'`][ \t]{0,4}(?:\+|\.\.?)[ \t]{0,4}\\{0,7}["'`]))(?=[A-Za-z_.~+/-]*\d)[\w.~+/-]{16,}=*/g,
  ],
  ["url-password", urlPassword],
  [
    // joe:word@tcp(db:3306)/app, as Go writes it
    "dsn-password",
    () =>
      /((?<=^|[^\w.[-]|\\[nrt])[\w.-]{1,64}:)(?![$%{<]|\[redacted:)[^\s"'`\\<>]{1,256}?(?=@(?:tcp|unix)\()/g,
  ],
  [
    "url-user",
    () =>
      // In front of "x-oauth-basic" it may also be a word, but none that stands for a token.
      /(https?:\/\/)(?![\w.-]+%40|\$|\[redacted:)(?:(?=[^\s:@/"'<>\\]{0,255}\d)[^\s:@/"'<>\\]{16,256}(?=(?::[^\s@/"'<>\\]{0,256})?@)|(?![{%*]|[A-Z_]{1,40}:|[a-z_-]{0,20}token:)[^\s:@/"'<>\\]{4,256}(?=:x-oauth-basic@))/g,
  ],
]);

/** What stands in front of the `@` of an address, behind its user. */
function urlPassword(): RegExp {
  const user = String.raw`:\/\/(?:\[redacted:[a-z\d-]+\]|(?!\[redacted:)[^\s:@/"'<>\\]{0,200}):`;
  const plain = String.raw`[^\s/"'>\\]{1,256}(?=@)`;
  // No port, no path, and no other text behind a quote that closes the address: letters and digits, a host behind them.
  const odd = String
    .raw`(?!\d{1,5}[/"'>\\]|[A-Za-z]{1,40}/|v\d{1,3}/)(?=[^\s@]{0,255}\d)(?=[^\s@]{0,255}[A-Za-z])` +
    String
      .raw`(?:(?!:\/\/|\$[({\w])[^\s"'>\\@]|(?<=[^\s,=])\\{0,7}["'>](?=\w)|\\{1,7}(?=[^\s\\nrt"'>@])){2,256}` +
    String.raw`(?=@[\w-]{1,63}(?:[./:?\s"'\\]|$))`;
  return new RegExp(
    String
      .raw`(${user})(?!<|\$\w+@|\$?\{[\w.]+\}@|%(?:[a-z]|\(\w+\)s)@|x-oauth-basic@|\[redacted:)(?:${plain}|${odd})`,
    "g",
  );
}

/** What is suspected together, for it has a literal in common. */
const COMPANIONS: ReadonlyMap<string, readonly string[]> = new Map([
  // The secret is known by the id beside it.
  ["aws-access-key", ["aws-session-token", "aws-secret-key", "aws-access-key"]],
  ["url-password", ["url-password", "url-user"]],
  ["github-pat", ["github-pat", "docker-token"]],
  ["gitlab-token", ["gitlab-token", "service-token"]],
  ["jwt", ["jwt", "service-token"]],
  ["openai-key", ["openai-key", "service-token"]],
  ["stripe-key", ["stripe-key", "service-token"]],
]);

/** What one pattern cannot find. */
const BY_FUNCTION: ReadonlyMap<string, (text: string) => string> = new Map([
  [COMMAND, maskCommands],
  [PIPED, maskPiped],
  ["configured", maskConfigured],
  ["placed", maskPlaced],
  ["named", maskNamedForms],
  ["jwk", maskJwk],
  [ASKED, (text) => text],
]);

/** The text with the private parts of each key in JSON masked, a `JWK`: what says its kind has the public ones, too. */
function maskJwk(text: string): string {
  return text.replace(
    /\{[^{}]{0,8000}\}/g,
    (key) =>
      /["']kty\\{0,7}["']/.test(key)
        ? key.replace(JWK_PART, (_match, kept: string) => kept + "[redacted:jwk]")
        : key,
  );
}
const JWK_PART =
  /((?<=["'])(?:[dkpq]|d[pq]|qi)\\{0,7}["'](?:\s|\\{1,7}[nrt]){0,20}:(?:\s|\\{1,7}[nrt]){0,20}\\{0,7}["'])[\w-]{16,}={0,2}/g;

/**
 * The text with every secret of a known form masked as `[redacted:<kind>]`.
 *
 * @param also Kinds that are looked for at the end, whatever gives them away.
 */
export function maskKnownForms(text: string, also: readonly string[] = []): string {
  const suspected = CLUES.filter((clue: Clue) => isSuspect(text, clue)).map(({ kind }) => kind);
  const kinds = suspected.flatMap((kind) => COMPANIONS.get(kind) ?? [kind]).concat(also);
  // Several clues may tell of one.
  return new Set(kinds).values().reduce(maskKind, text);
}

function maskKind(text: string, kind: string): string {
  const byFunction = BY_FUNCTION.get(kind);
  if (byFunction !== undefined) return byFunction(text);
  const mask = `[redacted:${kind}]`;
  return text.replace(
    PATTERNS.get(kind)!(text),
    (_match, kept: unknown) => typeof kept === "string" ? kept + mask : mask,
  );
}
