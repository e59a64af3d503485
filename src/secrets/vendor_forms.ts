/** Tokens and keys of services, each known by letters of its own. */
import { ODD_RUN } from "./secret_names.ts";
import {
  type LiteralSearch,
  type MaskedSpan,
  maskOf,
  patternOf,
  searchFor,
} from "./secret_form.ts";

const r = String.raw;
/** Digits and letters of both cases: names in a program do not have all of them. */
const MIXED = r`(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}[a-z])`;
/** A run that goes on is something else, for example a piece of base64. */
const END = r`(?![\w+/])`;
const UUID = r`[a-f\d]{8}-(?:[a-f\d]{4}-){3}[a-f\d]{12}`;

/** A form that is searched by its literal, so that two hundred of them cost one look at a text. */
interface VendorForm {
  readonly name: string;
  readonly literal: string;
  readonly pattern: () => RegExp;
  /** How many characters of the token stand before its literal. */
  readonly lead: number;
  /** Whether ordinary words may end in the literal: then no letter, digit or dash stands before the token. */
  readonly isWord: boolean;
  readonly example: string;
  readonly counterexample: string;
}

// The examples are put together, so that no scanner takes this file for a leak.
const mixed = (length: number) => "aB3xY7".repeat(length).slice(0, length);
const hex = (length: number) => "0a1f9c".repeat(length).slice(0, length);
const uuid = "0a1f9c0a-0a1f-0a1f-0a1f-0a1f9c0a1f9c";

function form(
  name: string,
  literal: string,
  rest: string,
  [example, counterexample]: readonly [string, string],
  { lead = "", isWord = true }: { readonly lead?: string; readonly isWord?: boolean } = {},
): VendorForm {
  return {
    name,
    literal,
    pattern: () => new RegExp(lead + RegExp.escape(literal) + rest, "y"),
    lead: Number(/\{(\d+)\}$/.exec(lead)?.[1] ?? 0),
    isWord,
    example,
    counterexample,
  };
}

const ANYWHERE = { isWord: false };

// deno-fmt-ignore: a form is a line
export const VENDOR_FORMS: readonly VendorForm[] = [
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((literal) => form("github-token", literal, r`(?:[A-Za-z\d]{30,}|\w{1,24}_eyJ[\w-]{25,}[\w.-]*)`, [literal + mixed(36), `${literal}name`], ANYWHERE)),
  form("github-pat", "github_pat_", r`\w{22,}`, [`github_pat_${mixed(40)}`, "github_pat_name"], ANYWHERE),
  ...["glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glsoat-", "gloas-", "glft-", "glimt-", "glagent-", "glffct-", "glwt-"].map((literal) => form("gitlab-token", literal, r`[\w-]{20,}(?:\.\w{2,16}){0,2}`, [literal + mixed(20), `${literal}x`])),
  form("gitlab-token", "GR1348941", r`[\w-]{20,}`, [`GR1348941${mixed(20)}`, "GR1348941"]),
  ...["AKIA", "ASIA"].map((literal) => form("aws-access-key", literal, r`[A-Z\d]{16}${END}`, [`${literal}ABCDEFGH12345678`, `${literal}NAME`])),
  form("gcp-api-key", "AIza", r`[\w-]{35}`, [`AIza${mixed(35)}`, "AIzawa"], ANYWHERE),
  form("google-oauth-secret", "GOCSPX-", r`[\w-]{28,}`, [`GOCSPX-${mixed(28)}`, "GOCSPX-x"], ANYWHERE),
  form("google-token", "ya29.", r`[\w-]{20,}`, [`ya29.${mixed(40)}`, "ya29.x"]),
  form("google-refresh-token", "1//0", r`[\w-]{40,}`, [`1//0${mixed(60)}`, "1//0a"]),
  ...["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxp-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"].map((literal) => form("slack-token", literal, r`(?=[\w%-]{0,60}\d)[\w%-]{10,}`, [`${literal}12345678901-${mixed(24)}`, `${literal}name-of-it`], ANYWHERE)),
  ...["sk_live_", "sk_test_", "rk_live_", "rk_test_"].map((literal) => form("stripe-key", literal, r`[A-Za-z\d]{10,}`, [literal + mixed(24), `${literal}key`], ANYWHERE)),
  form("stripe-webhook-secret", "whsec_", r`[A-Za-z\d+/]{24,}={0,2}`, [`whsec_${mixed(32)}`, "whsec_name"], ANYWHERE),
  form("anthropic-key", "sk-ant-", r`[\w-]{20,}`, [`sk-ant-api03-${mixed(40)}`, "sk-ant-name"], ANYWHERE),
  ...["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"].map((literal) => form("openai-key", literal, r`[\w-]{20,}`, [literal + mixed(40), `${literal}x`])),
  form("openai-key", "sk-lf-", UUID, [`sk-lf-${uuid}`, "sk-lf-x"]),
  form("openai-key", "sk-", r`(?=[A-Za-z]{0,60}\d)[A-Za-z\d]{20,}[\w-]*`, [`sk-${mixed(48)}`, "sk-learn-examples"]),
  form("npm-token", "npm_", r`[A-Za-z\d]{36}`, [`npm_${mixed(36)}`, "npm_config_registry"], ANYWHERE),
  form("pypi-token", "pypi-AgE", r`[\w-]{40,}`, [`pypi-AgE${mixed(60)}`, "pypi-AgE"], ANYWHERE),
  form("huggingface-token", "hf_", r`[A-Za-z\d]{30,}`, [`hf_${mixed(34)}`, "hf_hub_download"]),
  ...["dop_v1_", "doo_v1_", "dor_v1_"].map((literal) => form("digitalocean-token", literal, r`[a-f\d]{64}`, [literal + hex(64), `${literal}x`], ANYWHERE)),
  form("twilio-key", "SK", r`[\da-f]{32}${END}`, [`SK${hex(32)}`, "SKIP"]),
  form("sendgrid-key", "SG.", r`[\w-]{16,}\.[\w-]{16,}`, [`SG.${mixed(22)}.${mixed(43)}`, "SG.name"]),
  ...["dckr_pat_", "dckr_oat_"].map((literal) => form("docker-token", literal, r`[\w-]{20,}`, [literal + mixed(27), `${literal}x`], ANYWHERE)),
  ...["hvs.", "hvb.", "hvr."].map((literal) => form("vault-token", literal, r`[\w-]{20,}`, [literal + mixed(90), `${literal}name`])),
  form("vault-token", "s.", r`${MIXED}[A-Za-z\d]{24}(?![\w+/(-]|\.\w)`, [`s.${mixed(24)}`, "s.name"]),
  ...["ATATT", "ACATT", "ATCTT"].map((literal) => form("atlassian-token", literal, r`[\w=-]{20,}`, [literal + mixed(180), literal])),
  ...["lin_api_", "lin_oauth_"].map((literal) => form("linear-key", literal, r`[A-Za-z\d]{30,}`, [literal + mixed(40), `${literal}x`], ANYWHERE)),
  ...["shpat_", "shpss_", "shpca_", "shppa_"].map((literal) => form("shopify-token", literal, r`[A-Fa-f\d]{32}`, [literal + hex(32), `${literal}x`], ANYWHERE)),
  form("age-key", "AGE-SECRET-KEY-1", r`[A-Z\d]{50,}`, [`AGE-SECRET-KEY-1${"Q9ZX".repeat(15)}`, "AGE-SECRET-KEY-1"], ANYWHERE),
  ...["sq0atp-", "sq0csp-", "sq0idp-"].map((literal) => form("square-token", literal, r`[\w-]{22,}`, [literal + mixed(22), `${literal}x`], ANYWHERE)),
  form("encoded-private-key", "LS0tLS1CRUdJTi", r`[A-Za-z\d+/]{0,40}?(?:UFJJVkFUR|BSSVZBVE|QUklWQVRF)[A-Za-z\d+/]*={0,2}`, [`LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t${mixed(60)}`, "LS0tLS1CRUdJTiBDRVJU"], ANYWHERE),
    form("service-token", "glsa_", r`[A-Za-z\d]{32}_[a-f\d]{8}`, [`glsa_${mixed(32)}_${hex(8)}`, "glsa_x"]),
  form("service-token", "glc_", r`(?=[\w+/-]{0,60}\d)[\w+/-]{32,}={0,2}`, [`glc_${mixed(60)}`, "glc_name"]),
  ...["sntrys_", "sntryu_"].map((literal) => form("service-token", literal, r`[\w+/=-]{45,}`, [literal + mixed(60), `${literal}x`])),
  form("service-token", "tskey-", r`(?:auth|api|client|scim|webhook)-[A-Za-z\d]{8,32}-[A-Za-z\d]{16,}`, [`tskey-auth-${mixed(12)}-${mixed(24)}`, "tskey-auth-x"]),
  form("service-token", "CCIPAT_", r`[A-Za-z\d]{16,32}_[a-f\d]{40}`, [`CCIPAT_${mixed(22)}_${hex(40)}`, "CCIPAT_x"]),
  form("service-token", "NRAK-", r`[A-Z\d]{27}`, [`NRAK-${"ABC123".repeat(5).slice(0, 27)}`, "NRAK-X"]),
  ...["NRII-", "NRIQ-"].map((literal) => form("service-token", literal, r`[\w-]{32}`, [literal + mixed(32), `${literal}x`])),
  ...["NRRA-", "NRJS-"].map((literal) => form("service-token", literal, r`(?:[a-f\d]{42}|[a-f\d]{19})${END}`, [literal + hex(42), `${literal}X`])),
  form("service-token", "PMAK-", r`[a-f\d]{24}-[a-f\d]{34}`, [`PMAK-${hex(24)}-${hex(34)}`, "PMAK-x"]),
  form("service-token", "rubygems_", r`[a-f\d]{48}`, [`rubygems_${hex(48)}`, "rubygems_api_key"]),
  form("service-token", "pscale_", r`(?:tkn|pw|oauth)_[\w-]{24}[\w.=-]{8,}`, [`pscale_tkn_${mixed(43)}`, "pscale_tkn_x"]),
  form("service-token", "vercel_blob_rw_", r`(?=\w{0,60}\d)\w{16,}`, [`vercel_blob_rw_${mixed(30)}`, "vercel_blob_rw_x"]),
  form("service-token", "CLOJARS_", r`[a-z\d]{60}`, [`CLOJARS_${hex(60)}`, "CLOJARS_USER"]),
  ...["snyk_uat.", "snyk_sat."].map((literal) => form("service-token", literal, r`[a-f\d]{8}\.[\w.-]{20,}`, [`${literal}${hex(8)}.${mixed(30)}`, `${literal}x`])),
  form("service-token", "pcsk_", r`[A-Za-z\d]{4,8}_?[A-Za-z\d]{40,}`, [`pcsk_${mixed(6)}_${mixed(60)}`, "pcsk_x"]),
  form("service-token", "lsv2_", r`(?:pt|sk)_[a-f\d]{32}_[a-f\d]{10}`, [`lsv2_pt_${hex(32)}_${hex(10)}`, "lsv2_x"]),
  form("service-token", "jina_", r`[A-Za-z\d]{32}[\w-]{28,}`, [`jina_${mixed(65)}`, "jina_x"]),
  form("service-token", "access_token$", r`(?:production|sandbox)\$[a-z\d]{16}\$[a-f\d]{32}`, [`access_token$sandbox$${hex(16)}$${hex(32)}`, "access_token$x"]),
  form("service-token", "FLWSECK", r`(?:_TEST)?-[A-Za-z\d]{16,}(?:-X)?`, [`FLWSECK_TEST-${mixed(32)}-X`, "FLWSECK"]),
  form("service-token", "shippo_", r`(?:live|test)_[a-f\d]{40}`, [`shippo_live_${hex(40)}`, "shippo_live_x"]),
  ...["xkeysib-", "xsmtpsib-"].map((literal) => form("service-token", literal, r`[a-f\d]{64}-[A-Za-z\d]{16}`, [`${literal}${hex(64)}-${mixed(16)}`, `${literal}x`])),
  form("service-token", "ops_eyJ", r`[\w+/-]{60,}={0,2}`, [`ops_eyJ${mixed(90)}`, "ops_eyJ"]),
  form("service-token", "dt0c01.", r`[A-Z\d]{24}\.[A-Z\d]{64}`, [`dt0c01.${"AB12".repeat(6)}.${"AB12".repeat(16)}`, "dt0c01.X"]),
  form("service-token", "dapi", r`[a-f\d]{32}(?:-\d)?${END}`, [`dapi${hex(32)}`, "dapijs"]),
  form("service-token", "sbp_", r`(?:v0_)?[a-f\d]{40}`, [`sbp_${hex(40)}`, "sbp_x"]),
  form("service-token", "sb_secret_", r`(?=[\w-]{0,30}\d)(?=[\w-]{0,30}[A-Z])[\w-]{31,}`, [`sb_secret_${mixed(31)}`, "sb_secret_key"]),
  ...["dp.st.", "dp.pt.", "dp.ct.", "dp.sa."].map((literal) => form("service-token", literal, r`(?:[\w-]{2,35}\.)?[A-Za-z\d]{40,}`, [literal + mixed(43), `${literal}x`])),
  ...["secret_", "secret-"].map((literal) => form("service-token", literal, r`(?=[A-Za-z]{0,42}\d)[A-Za-z\d]{43}(?!\w)`, [literal + mixed(43), `${literal}name`])),
  form("service-token", "key-", r`(?=[a-f]{0,31}\d)[a-f\d]{32}(?![\w-])`, [`key-${hex(32)}`, "key-name"]),
  form("service-token", "ABSK", r`[A-Za-z\d+/]{100,}={0,2}`, [`ABSK${mixed(120)}`, "ABSK"]),
  form("service-token", "LTAI", r`${MIXED}[A-Za-z\d]{16,26}${END}`, [`LTAI${mixed(20)}`, "LTAI"]),
  form("service-token", "v1.0-", r`[a-f\d]{24}-[a-f\d]{100,}`, [`v1.0-${hex(24)}-${hex(146)}`, "v1.0-beta"]),
  form("service-token", "oy2", r`[a-z\d]{43}(?!\w)`, [`oy2${hex(43)}`, "oy2"]),
  form("service-token", "sgp_", r`(?:(?:[a-f\d]{16}|local)_)?(?:[A-Za-z\d]{64}|[a-f\d]{40})`, [`sgp_${hex(40)}`, "sgp_x"]),
  form("service-token", "napi_", r`(?=[A-Za-z]{0,60}\d)[A-Za-z\d]{60,}${END}`, [`napi_${mixed(64)}`, "napi_get_value_string_utf8"]),
  ...["sdk-", "mob-", "api-", "persona_production_", "persona_sandbox_"].map((literal) => form("service-token", literal, r`${UUID}(?![\w-])`, [literal + uuid, `${literal}x`])),
  form("service-token", "sk_", r`(?:[a-f\d]{48}(?!\w)|prod_[\w-]{24,})`, [`sk_${hex(48)}`, "sk_name"]),
  form("service-token", "npg_", r`${MIXED}[A-Za-z\d]{12,}${END}`, [`npg_${mixed(12)}`, "npg_x"]),
  ...["dbtc_", "dbtu_"].map((literal) => form("service-token", literal, r`${MIXED}[\w-]{36,}`, [literal + mixed(40), `${literal}x`])),
  form("service-token", "fc-", r`(?=[a-f]{0,31}\d)[a-f\d]{32}(?![\w-])`, [`fc-${hex(32)}`, "fc-list"]),
  form("service-token", "ATTA", r`[a-f\d]{60,}`, [`ATTA${hex(64)}`, "ATTACH"]),
  form("service-token", "tvly-", r`(?=[\w-]{0,40}\d)[\w-]{28,}`, [`tvly-dev-${mixed(32)}`, "tvly-x"]),
  form("service-token", "rzp_", r`(?:live|test)_[A-Za-z\d]{14,}`, [`rzp_live_${mixed(14)}`, "rzp_live_x"]),
  form("service-token", "access-", r`(?:production|sandbox)-${UUID}`, [`access-sandbox-${uuid}`, "access-sandbox"]),
  ...["EZAK", "EZTK"].map((literal) => form("service-token", literal, r`${MIXED}[A-Za-z\d]{54}${END}`, [literal + mixed(54), literal])),
  form("service-token", "re_", r`${MIXED}[A-Za-z\d]{8}_[A-Za-z\d]{24}${END}`, [`re_${mixed(8)}_${mixed(24)}`, "re_match_object"]),
  form("service-token", "pat-", r`(?:na|eu|ap)\d-${UUID}`, [`pat-na1-${uuid}`, "pat-na1"]),
  form("service-token", "pat.", r`[\w-]{22}\.[a-f\d]{24}\.[A-Za-z\d]{20}`, [`pat.${mixed(22)}.${hex(24)}.${mixed(20)}`, "pat.x"]),
  form("service-token", "pat", r`[A-Za-z\d]{14}\.[a-f\d]{64}`, [`pat${mixed(14)}.${hex(64)}`, "path.join"]),
  form("service-token", "sk.eyJ", r`[\w-]{8,}\.[\w-]{20,}`, [`sk.eyJ${mixed(30)}.${mixed(22)}`, "sk.eyJ"]),
  form("service-token", "sl.", r`(?:u\.)?(?=[\w-]{0,60}\d)[\w-]{125,}`, [`sl.${mixed(136)}`, "sl.x"]),
  form("service-token", "key_", r`[a-f\d]{64}${END}`, [`key_${hex(64)}`, "key_name"]),
  form("service-token", "tfp_", r`${MIXED}[\w-]{36,}[\w.=-]*`, [`tfp_${mixed(44)}_${mixed(14)}`, "tfp_x"]),
  form("service-token", "pa-", r`${MIXED}[\w-]{43}(?![\w-])`, [`pa-${mixed(43)}`, "pa-x"]),
  form("service-token", "pdl_", r`(?:live|sdbx)_apikey_\w{40,}`, [`pdl_live_apikey_${mixed(50)}`, "pdl_live"]),
  form("service-token", "st.", r`[a-f\d]{24}\.[a-f\d]{32}\.[a-f\d]{20,}`, [`st.${hex(24)}.${hex(32)}.${hex(32)}`, "st.x"]),
  form("service-token", "SWMTKN-1-", r`[a-z\d]{40,}-[a-z\d]{20,}`, [`SWMTKN-1-${hex(50)}-${hex(25)}`, "SWMTKN-1-x"]),
  form("service-token", "EAA", r`(?!\w{0,60}AAAA)${MIXED}[\w-]{57,}(?![+/=])`, [`EAA${mixed(90)}`, "EAAS"]),
  form("service-token", "rdme_", r`[a-z\d]{70}`, [`rdme_${hex(70)}`, "rdme_x"]),
  form("service-token", "bedrock-api-key-", r`[A-Za-z\d]{30}[\w+/-]{10,}={0,2}`, [`bedrock-api-key-${mixed(60)}`, "bedrock-api-key-x"]),
  form("service-token", "AQVN", r`${MIXED}[\w-]{35,38}${END}`, [`AQVN${mixed(36)}`, "AQVN"]),
  ...["y0_", "y1_", "y2_", "y3_"].map((literal) => form("service-token", literal, r`${MIXED}[\w-]{50,}`, [literal + mixed(58), `${literal}x`])),
  form("service-token", "dG9rO", r`(?=[\w+/]{0,60}\d)[A-Za-z\d+/]{40,}={0,2}`, [`dG9rO${mixed(60)}`, "dG9rO"]),
  ...["1/", "2/"].map((literal) => form("service-token", literal, r`\d{10,20}(?:\/\d{10,20})?:[a-f\d]{32}(?!\w)`, [`${literal}1234567890123:${hex(32)}`, `${literal}12:x`])),
  form("service-token", "AAAAAAAAAAAAAAAAAAAA", r`A{0,4}(?!A)[A-Za-z\d]{1,60}%(?:2[BF]|3D)(?:[A-Za-z\d]|%(?:2[BF]|3D)){30,}`, [`${"A".repeat(21)}${mixed(20)}%2B${mixed(40)}`, "A".repeat(30)]),
  form("service-token", "sk", r`${MIXED}[A-Za-z\d]{80,}${END}`, [`sk${mixed(170)}`, "skip"]),
  form("service-token", "00", r`${MIXED}[\w-]{40}(?![\w+/=-])`, [`00${mixed(40)}`, "001"]),
  ...["v1", "v2", "v3", "v4"].flatMap((version) => [`${version}.local.`, `${version}.public.`]).map((literal) => form("paseto", literal, r`[\w-]{60,}(?:\.[\w-]+)?`, [literal + mixed(80), `${literal}x`])),
  ...["squ_", "sqp_", "sqa_", "pul-", "e2b_"].map((literal) => form("service-token", literal, r`[a-f\d]{40}`, [literal + hex(40), `${literal}x`])),
  ...["bkua_", "ntn_", "csk-"].map((literal) => form("service-token", literal, r`[A-Za-z\d]{40,}`, [literal + mixed(48), `${literal}x`])),
  ...["HRKU-", "figd_", "CFPAT-"].map((literal) => form("service-token", literal, r`[\w-]{36,}`, [literal + mixed(43), `${literal}x`])),
  ...["nfp_", "pnu_", "pnb_", "r8_"].map((literal) => form("service-token", literal, r`[A-Za-z\d]{36,}`, [literal + mixed(38), `${literal}x`])),
  ...["AKID", "cio", "ico-", "ATBB"].map((literal) => form("service-token", literal, r`${MIXED}[A-Za-z\d]{32}${END}`, [literal + mixed(32), `${literal}x`])),
  ...["gsk_", "pplx-", "xai-", "AKCp", "cmVmdGtu"].map((literal) => form("service-token", literal, r`[A-Za-z\d]{48,}`, [literal + mixed(80), `${literal}x`])),
  ...["nvapi-", "fio-u-"].map((literal) => form("service-token", literal, r`[\w-]{60,}`, [literal + mixed(64), `${literal}x`])),
  ...["hbp_", "aio_", "rnd_", "fw_", "vcp_", "vci_", "vca_", "vcr_", "vck_"].map((literal) => form("service-token", literal, r`${MIXED}[A-Za-z\d]{22,}${END}`, [literal + mixed(36), `${literal}x`])),
  ...["phx_", "phc_", "cfut_", "cfat_", "cfk_"].map((literal) => form("service-token", literal, r`${MIXED}[A-Za-z\d]{40,}`, [literal + mixed(48), `${literal}x`])),
  ...["fm2_", "fo1_"].map((literal) => form("service-token", literal, r`[\w+/-]{40,}={0,2}`, [literal + mixed(70), `${literal}x`])),
  ...["rootly_", "mlsn.", "s-s4t2ud-", "s-s4t2af-", "signkey-prod-", "signkey-test-", "depot_org_"].map((literal) => form("service-token", literal, r`[a-f\d]{64}`, [literal + hex(64), `${literal}x`])),
  ...["apify_api_", "api_org_", "polar_oat_", "rpa_", "tr_prod_", "unkey_", "samsara_api_"].map((literal) => form("service-token", literal, r`(?=[A-Za-z]{0,40}\d)[A-Za-z\d]{20,}${END}`, [literal + mixed(36), `${literal}x`])),
  ...["duffel_live_", "duffel_test_", "dnkey-", "bb_live_", "tgp_v1_", "secret-live-", "secret-test-", "tk-us-"].map((literal) => form("service-token", literal, r`${MIXED}[\w-]{26,}={0,2}`, [literal + mixed(48), `${literal}x`])),
  ...["zpka_", "dvc_server_", "dvc_client_", "dvc_mobile_"].map((literal) => form("service-token", literal, r`[a-z\d]{32}_[A-Za-z\d]{7,8}${END}`, [`${literal}${hex(32)}_${hex(8)}`, `${literal}x`])),
  ...["api_live.", "api_sandbox."].map((literal) => form("service-token", literal, r`[\w-]{11}\.[\w-]{32}`, [`${literal}${mixed(11)}.${mixed(32)}`, `${literal}x`])),
  ...["ak-", "as-"].map((literal) => form("service-token", literal, r`${MIXED}[A-Za-z\d]{22}(?![\w-])`, [literal + mixed(22), `${literal}x`])),
  form("service-token", "live_", r`(?:[a-f\d]{35}|${MIXED}[\w-]{40,43})(?![\w-])`, [`live_${mixed(40)}`, "live_reload"]),
  form("service-token", "sha256~", r`[\w-]{43}(?![\w-])`, [`sha256~${mixed(43)}`, "sha256~x"]),
  form("service-token", "API-", r`(?=[A-Z]{0,25}\d)[A-Z\d]{26}${END}`, [`API-${"AB12".repeat(7).slice(0, 26)}`, "API-KEY"]),
  form("service-token", "t1.", r`[\w-]{7,}={0,2}\.[\w-]{86}={0,2}`, [`t1.${mixed(80)}.${mixed(86)}`, "t1.id"]),
  form("service-token", "perm-", r`[\w+/=]{8,}\.[\w+/=]{4,}\.[\w+/]{20,}={0,2}`, [`perm-${mixed(20)}.${mixed(12)}.${mixed(38)}`, "perm-x"]),
  // Their literals stand in their midst.
  form("service-token", "+ACR", r`[A-Za-z\d]{6}${END}`, [`${mixed(42)}+ACRaB3xY7`, "a+ACR"], { lead: r`[A-Za-z\d]{42}` }),
  form("service-token", "_mmk", r`(?!\w)`, [`aB3xY7_${mixed(29)}_mmk`, "a_mmk"], { lead: r`[A-Za-z\d_]{36}` }),
  form("kubeadm-token", ".", r`(?=[a-z]{0,15}\d)(?=[a-f\d]{0,15}[g-z])[a-z\d]{16}(?![\w./-])`, ["abc1ef.0123456789ghijkl", "main12.0123456789abcdef"], { lead: r`(?=[a-z]{0,5}\d)[a-z\d]{6}` }),
  form("service-token", "Q~", r`[\w~.-]{31,34}`, [`abc8Q~${mixed(34)}`, "Q~x"], { lead: r`[\w~.-]{4}` }),
  form("service-token", ".atlasv1.", r`[\w=-]{60,}`, [`${mixed(14)}.atlasv1.${mixed(67)}`, "a.atlasv1.b"], { lead: r`[A-Za-z\d]{14}` }),
  form("service-token", "AZDO", r`[A-Za-z\d]{4}(?!\w)`, [`${mixed(76)}AZDOabcd`, "AZDO"], { lead: r`[A-Za-z\d]{76}` }),
  form("service-token", "-us", r`\d{1,2}(?![\w-])`, [`${hex(32)}-us12`, "en-us"], { lead: r`[a-f\d]{32}` }),
  form("service-token", "NRAL", r`(?!\w)`, [`${hex(36)}NRAL`, "NRAL"], { lead: r`[A-Za-z\d]{36}` }),
];

/** What may stand right before a token: no letter, digit, `+` or `-`, but a diff's sign, an escape or the end of a colour. */
const APART = /(?:^|[^\w+-]|(?:^|[\r\n]|\\[nrt])[+-]?|%[\dA-F]{2}|\\u[\da-f]{4}|\[[\d;]{0,16}m)$/;

function isApart(text: string, start: number): boolean {
  const before = text[start - 1] ?? " ";
  return !/[\w+-]/.test(before) || APART.test(text.slice(Math.max(0, start - 20), start));
}

let search: LiteralSearch<VendorForm> | undefined;

export function findVendorTokens(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  const { pattern, rowsAt } = search ??= searchFor(VENDOR_FORMS, ({ literal }) => [literal]);
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    // The next literal may stand within this one, but within no token.
    pattern.lastIndex = found.index + 1;
    for (const form of rowsAt(found[0])) {
      const { name, lead, isWord } = form;
      const start = found.index - lead;
      // First what costs least: a token may go on to the end of the text.
      if (start < 0 || isWord && !isApart(text, start)) continue;
      const token = patternOf(form);
      token.lastIndex = start;
      if (!token.test(text)) continue;
      const end = token.lastIndex;
      if (!ODD_RUN.test(text.slice(start, end))) {
        pattern.lastIndex = Math.max(pattern.lastIndex, end);
        continue;
      }
      spans.push({ start, end, mask: maskOf(name) });
      pattern.lastIndex = end;
      break;
    }
  }
  return spans;
}
