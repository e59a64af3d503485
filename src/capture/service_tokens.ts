/** The tokens of services that begin with letters of their own: what each looks like, at its full length. */

/** Digits and letters in base64, not the long name of something in a program: that has no digits and capitals at once. */
const ENCODED = "(?=[\\w+/-]{0,60}\\d)(?=[\\w+/-]{0,60}[A-Z])(?=[\\w+/-]{0,60}[a-z])";

/** Beginnings that no ordinary text has. */
const UNMISTAKABLE: readonly string[] = [
  String.raw`GOCSPX-[\w-]{28,}`, // Google, the secret of an OAuth client
  "glsa_[A-Za-z\\d]{32}_[a-f\\d]{8}", // Grafana
  `glc_${ENCODED}[\\w+/-]{32,}={0,2}`, // Grafana Cloud
  "sntry[su]_[\\w+/=-]{45,}", // Sentry
  "tskey-(?:auth|api|client|scim|webhook)-[A-Za-z\\d]{8,32}-[A-Za-z\\d]{16,}", // Tailscale
  "CCIPAT_[A-Za-z\\d]{16,32}_[a-f\\d]{40}", // CircleCI
  "NRAK-[A-Z\\d]{27}", // New Relic
  "NRI[IQ]-[\\w-]{32}", // New Relic, to insert and to query
  "NRRA-[a-f\\d]{42}", // New Relic, REST
  "PMAK-[a-f\\d]{24}-[a-f\\d]{34}", // Postman
  "rubygems_[a-f\\d]{48}",
  String.raw`pscale_(?:tkn|pw|oauth)_[\w-]{24}[\w.=-]{8,}`, // PlanetScale
  "figd_[\\w-]{38,}", // Figma
  "pplx-[A-Za-z\\d]{48,}", // Perplexity
  "GR1348941[\\w-]{20,}", // GitLab, to register runners
  "HRKU-[\\w-]{36,}", // Heroku
  "nfp_[A-Za-z\\d]{36,}", // Netlify
  "vercel_blob_rw_(?=\\w{0,60}\\d)\\w{16,}",
  "CLOJARS_[a-z\\d]{60}",
  String.raw`snyk_[us]at\.[a-f\d]{8}\.[\w.-]{20,}`,
  "nvapi-[\\w-]{60,}", // NVIDIA
  "pcsk_[A-Za-z\\d]{4,8}_[A-Za-z\\d]{50,}", // Pinecone
  "lsv2_(?:pt|sk)_[a-f\\d]{32}_[a-f\\d]{10}", // LangSmith
  "jina_[A-Za-z\\d]{32}[\\w-]{28,}",
  String.raw`access_token\$(?:production|sandbox)\$[a-z\d]{16}\$[a-f\d]{32}`, // Braintree
  "FLWSECK(?:_TEST)?-[A-Za-z\\d]{16,}(?:-X)?", // Flutterwave
  "shippo_(?:live|test)_[a-f\\d]{40}",
  "x(?:keysib|smtpsib)-[a-f\\d]{64}-[A-Za-z\\d]{16}", // Brevo
  "CFPAT-[\\w-]{43}", // Contentful
  "rdme_[a-z\\d]{70}", // ReadMe
  "fio-u-[\\w-]{64}", // Frame.io
  "ops_eyJ[\\w+/-]{80,}={0,2}", // 1Password
  "AKCp[A-Za-z\\d]{60,}", // Artifactory
  "cmVmdGtu[A-Za-z\\d]{56}", // Artifactory, a reference
  String.raw`dt0c01\.[A-Z\d]{24}\.[A-Z\d]{64}`, // Dynatrace
  "bedrock-api-key-[A-Za-z\\d]{30}[\\w+/-]{10,}={0,2}",
];

/** The same without the signs of base64. */
const MIXED = "(?=[\\w-]{0,60}\\d)(?=[\\w-]{0,60}[A-Z])(?=[\\w-]{0,60}[a-z])";
/** Longer is something else, for example a piece of base64. */
const END = "(?![\\w+/])";
const UUID = "[a-f\\d]{8}-(?:[a-f\\d]{4}-){3}[a-f\\d]{12}";

/** Beginnings that ordinary words may end in: `cache-key-…`. */
const AMBIGUOUS: readonly string[] = [
  "1//0[\\w-]{40,}", // Google, a refresh token
  "dapi[a-f\\d]{32}(?:-\\d)?", // Databricks
  "sbp_(?:v0_)?[a-f\\d]{40}", // Supabase, of a person
  // Supabase, of a project. A name in a program has no digits and capitals at once.
  "sb_secret_(?=[\\w-]{0,30}\\d)(?=[\\w-]{0,30}[A-Z])[\\w-]{31,}",
  String.raw`dp\.(?:[ps]t|ct|sa)\.(?:[\w-]{2,35}\.)?[A-Za-z\d]{40,}`, // Doppler
  "bkua_[A-Za-z\\d]{40,}", // Buildkite
  "pul-[a-f\\d]{40}", // Pulumi
  "fm2_[\\w+/-]{40,}={0,2}", // Fly
  "fo1_[\\w-]{43,}", // Fly, short
  "ntn_[A-Za-z\\d]{40,}", // Notion
  "secret_(?=[A-Za-z]{0,42}\\d)[A-Za-z\\d]{43}(?!\\w)", // Notion, of old
  "key-(?=[a-z]{0,31}\\d)[a-z\\d]{32}(?![\\w-])", // Mailgun
  "ATBB[A-Za-z\\d]{32}(?![A-Za-z\\d+/])", // Bitbucket; longer is a piece of base64
  "gsk_[A-Za-z\\d]{52,}", // Groq
  "xai-[A-Za-z\\d]{80,}", // xAI
  "r8_[A-Za-z\\d]{37,}", // Replicate
  "ABSK[A-Za-z\\d+/]{100,}={0,2}", // Amazon Bedrock
  `LTAI${MIXED}[A-Za-z\\d]{16,26}${END}`, // Alibaba
  `AKID${MIXED}[A-Za-z\\d]{32}${END}`, // Tencent
  `AQVN${MIXED}[\\w-]{35,38}${END}`, // Yandex, a key
  `y[0-3]_${MIXED}[\\w-]{50,}`, // Yandex
  String.raw`v1\.0-[a-f\d]{24}-[a-f\d]{100,}`, // Cloudflare, the key of its authority
  `cf(?:ut|at|k)_${MIXED}[A-Za-z\\d]{40,}`, // Cloudflare
  `vc[piark]_${MIXED}[A-Za-z\\d]{24,}`, // Vercel
  `rnd_${MIXED}[A-Za-z\\d]{28,}${END}`, // Render
  "oy2[a-z\\d]{43}(?!\\w)", // NuGet
  `cio${MIXED}[A-Za-z\\d]{32}${END}`, // crates.io
  "sgp_(?:(?:[a-f\\d]{16}|local)_)?[a-f\\d]{40}", // Sourcegraph
  `sgp_${MIXED}[A-Za-z\\d]{64}${END}`, // Segment
  `napi_(?=[A-Za-z]{0,60}\\d)[A-Za-z\\d]{60,}${END}`, // Neon, of an account
  `sdk-${UUID}(?![\\w-])`, // LaunchDarkly
  `mob-${UUID}(?![\\w-])`, // the same
  `api-${UUID}(?![\\w-])`, // the same
  "sq[upa]_[a-f\\d]{40}", // SonarQube
  "pn[ub]_[A-Za-z\\d]{36}", // Prefect
  `csk-(?:[a-z\\d]{40,}|${MIXED}[A-Za-z\\d]{40,})`, // Cerebras
  `sk-lf-${UUID}`, // Langfuse
  "sk_[a-f\\d]{48}(?!\\w)", // ElevenLabs
  `npg_${MIXED}[A-Za-z\\d]{12,}${END}`, // Neon
  `dbt[cu]_${MIXED}[\\w-]{36,}`, // dbt
  "fc-(?=[a-f]{0,31}\\d)[a-f\\d]{32}(?![\\w-])", // Firecrawl
  "ATTA[a-f\\d]{60,}", // Trello
  "tvly-(?=[\\w-]{0,40}\\d)(?:(?:dev|prod)-)?[A-Za-z\\d][\\w-]{27,}", // Tavily
  `fw_${MIXED}[A-Za-z\\d]{22,}${END}`, // Fireworks
  "e2b_[a-f\\d]{40}",
  "rzp_(?:live|test)_[A-Za-z\\d]{14,}", // Razorpay
  `access-(?:production|sandbox)-${UUID}`, // Plaid
  `EZ[AT]K${MIXED}[A-Za-z\\d]{54}${END}`, // EasyPost
  `re_${MIXED}[A-Za-z\\d]{8}_[A-Za-z\\d]{24}${END}`, // Resend
  `pat-(?:na|eu|ap)\\d-${UUID}`, // HubSpot
  String.raw`sk\.eyJ[\w-]{20,}\.[\w-]{20,}`, // Mapbox
  String.raw`sl\.(?:u\.)?(?=[\w-]{0,60}\d)[\w-]{125,}`, // Dropbox
  String.raw`pat[A-Za-z\d]{14}\.[a-f\d]{64}`, // Airtable
  `ph[xc]_${MIXED}[A-Za-z\\d]{40,}`, // PostHog
  `aio_${MIXED}[A-Za-z\\d]{28}${END}`, // Adafruit
  `hbp_${MIXED}[A-Za-z\\d]{36}${END}`, // Honeybadger
  "key_[a-f\\d]{64}", // Cursor
  String.raw`tfp_${MIXED}[\w-]{36,}[\w.=-]*`, // Typeform
  `ico-${MIXED}[A-Za-z\\d]{32}${END}`, // Infracost
  `pa-${MIXED}[\\w-]{43}(?![\\w-])`, // Voyage
  String.raw`s\.${MIXED}[A-Za-z\d]{24}(?![\w+/(-]|\.\w)`, // Vault, of old
  `dG9rO${ENCODED}[A-Za-z\\d+/]{40,}={0,2}`, // Intercom
  "1/\\d{10,20}(?:/\\d{10,20})?:[a-f\\d]{32}(?!\\w)", // Asana
  "2/\\d{10,20}(?:/\\d{10,20})?:[a-f\\d]{32}(?!\\w)", // the same, newer
];

/** The same that begin with letters of any kind, and what stands in their midst. */
const TOLD_WITHIN: readonly (readonly [literal: string, pattern: string])[] = [
  ["Q~", String.raw`[\w~.]{3}\dQ~[\w~.-]{31,34}`], // Azure, the secret of an application
  [".atlasv1.", String.raw`[A-Za-z\d]{14}\.atlasv1\.[\w-]{60,}`], // Terraform Cloud
  ["AZDO", "[A-Za-z\\d]{76}AZDO[A-Za-z\\d]{4}(?!\\w)"], // Azure DevOps
  // Square, and Facebook. A picture in base64 has long rows of one letter.
  ["EAA", `(?<!/)EAA(?!\\w{0,60}AAAA)${MIXED}[\\w-]{57,}(?![+/=])`],
  ["-us", "[a-f\\d]{32}-us\\d{1,2}(?![\\w-])"], // Mailchimp
  // Twitter, a bearer's
  [
    "AAAAAAAAAAAAAAAAAAAA",
    "A{20,24}(?!A)[A-Za-z\\d]{1,60}%(?:2[BF]|3D)(?:[A-Za-z\\d]|%(?:2[BF]|3D)){30,}",
  ],
  ["NRAL", "[A-Za-z\\d]{36}NRAL(?!\\w)"], // New Relic, a licence
];

/**
 * What stands before those: no letter, and no sign that joins words or stands in base64; but the sign of a diff's line, an
 * escaped character, and the end of a colour.
 */
const START = String
  .raw`(?<=(?:^|[\r\n]|\\[nrt])[+-]?|[^\w+-]|%[\dA-F]{2}|\\u[\da-f]{4}|\[[\d;]{0,16}m)`;

/** One pattern for those whose letters a text has, for they are suspected together. */
export function serviceToken(text: string): RegExp {
  const begins = (pattern: string) => text.includes(beginningOf(pattern));
  const ambiguous = AMBIGUOUS.filter(begins);
  const told = TOLD_WITHIN.filter(([literal]) => text.includes(literal));
  const forms = [
    ...UNMISTAKABLE.filter(begins),
    // The letters first: what stands before them costs more to look at.
    `(?=${anyOf(ambiguous.map(beginningOf))})${START}(?:${anyOf(ambiguous)})`,
    ...told.map(([, pattern]) => `(?=${pattern})${START}${pattern}`),
  ];
  return new RegExp(anyOf(forms), "g");
}

/** What matches where one of the patterns does: nowhere without any. */
function anyOf(patterns: readonly string[]): string {
  return patterns.length === 0 ? "(?!)" : patterns.join("|");
}

/** The letters that each match of a pattern begins with, or nothing. */
function beginningOf(pattern: string): string {
  const [, letters = "", next = ""] = /^([\w/-]*)(.?)/.exec(pattern) ?? [];
  return /[?*{]/.test(next) ? letters.slice(0, -1) : letters;
}
