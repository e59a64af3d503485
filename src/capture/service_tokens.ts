/** The tokens of services that begin with letters of their own: what each looks like, at its full length. */

/** Beginnings that no ordinary text has. */
const UNMISTAKABLE: readonly string[] = [
  String.raw`GOCSPX-[\w-]{28,}`, // Google, the secret of an OAuth client
  "glsa_[A-Za-z\\d]{32}_[a-f\\d]{8}", // Grafana
  "glc_eyJ[\\w-]{24}[\\w+/-]*={0,2}", // Grafana Cloud
  "sntry[su]_[\\w-]{25}[\\w+/=-]{20,}", // Sentry
  "tskey-(?:auth|api|client|scim|webhook)-[A-Za-z\\d]{8,32}-[A-Za-z\\d]{16,}", // Tailscale
  "CCIPAT_[A-Za-z\\d]{16,32}_[a-f\\d]{40}", // CircleCI
  "NRAK-[A-Z\\d]{27}", // New Relic
  "PMAK-[a-f\\d]{24}-[a-f\\d]{34}", // Postman
  "rubygems_[a-f\\d]{48}",
  String.raw`pscale_(?:tkn|pw|oauth)_[\w-]{24}[\w.=-]{8,}`, // PlanetScale
  "figd_[\\w-]{38,}", // Figma
  "pplx-[A-Za-z\\d]{48,}", // Perplexity
];

/** Beginnings that ordinary words may end in: `cache-key-…`. */
const AMBIGUOUS: readonly string[] = [
  "1//0[\\w-]{40,}", // Google, a refresh token
  String.raw`[\w~.]{3}\dQ~[\w~.-]{31,34}`, // Azure, the secret of an application
  "dapi[a-f\\d]{32}(?:-\\d)?", // Databricks
  String.raw`[A-Za-z\d]{14}\.atlasv1\.[\w-]{60,}`, // Terraform Cloud
  "sbp_(?:v0_)?[a-f\\d]{40}", // Supabase, of a person
  // Supabase, of a project. A name in a program has no digits and capitals at once.
  "sb_secret_(?=[\\w-]{0,30}\\d)(?=[\\w-]{0,30}[A-Z])[\\w-]{22}_[\\w-]{8,}",
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
];

/**
 * What stands before those: no letter, and no sign that joins words or stands in base64; but the sign of a diff's line, an
 * escaped character, and the end of a colour.
 */
const START = String
  .raw`(?<=(?:^|[\r\n]|\\[nrt])[+-]?|[^\w+-]|%[\dA-F]{2}|\\u[\da-f]{4}|\[[\d;]{0,16}m)`;

/** One pattern for them all, for they are suspected together. */
export function serviceToken(): RegExp {
  return new RegExp(`${UNMISTAKABLE.join("|")}|${START}(?:${AMBIGUOUS.join("|")})`, "g");
}
