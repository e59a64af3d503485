/** What looks like a token to a careless eye: code, prose, hashes, pictures and lock files stay as they are. */
import assert from "node:assert/strict";
import { redactText, redactValue } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { alnum } from "../../capture/seeds.ts";

/** So many bytes that are the same in every run, as base64. */
function picture(bytes: number, start: number): string {
  let state = start;
  const data = Uint8Array.from({ length: bytes }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state >> 16;
  });
  let binary = "";
  for (const byte of data) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const SHA1 = "0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d";
const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

const TEXTS: Readonly<Record<string, string>> = {
  "hashes of commits": `commit ${SHA1}\nindex 3f2504e..0305e82 100644\nMerge: ${SHA1} ${SHA1}`,
  "hashes with words in front": `sha1-${SHA1} sgp-${SHA1} rev_${SHA1} cache_${SHA1}${SHA1}`,
  "identifiers": `id=${UUID}, access-control-${UUID}, pat-${UUID}, app-${UUID}-us`,
  "names of machines": "ec2-us-east-1, db-us1, cluster-us-west-2, cdn-us12.example.test",
  "a picture in base64": `data:image/png;base64,${picture(30_000, 7)}`,
  "a picture of rows of one colour":
    `data:image/gif;base64,R0lGOD/EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA` +
    `AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`,
  "a map of sources": '"mappings": "' + "AAAA,SAASA,EAAEA,GAAGC,EAAEC;AAAO,IAAI,".repeat(50) + '"',
  "a lock file of npm": `"node_modules/pnpm": {"version": "8.1.0", "resolved": ` +
    `"https://npm.example.com/pnpm/-/pnpm-8.1.0.tgz", "integrity": "sha512-${picture(64, 3)}"}`,
  "a lock file of cargo": `name = "serde"\nchecksum = "${SHA1}${SHA1.slice(0, 24)}"`,
  "a lock file of go": `golang.org/x/sys v0.1.0 h1:${picture(32, 9)}`,
  "a lock file of deno": `"npm:fast-check@3": "3.23.2_typescript@5.9.2", "${SHA1}${SHA1}"`,
  "minified code":
    "!function(e,t){var n=re_(e),r=fw_(t),i=cio(n);return r.pat.a1B2c3,i.sl.u.A}(a,b);" +
    "const o=EAAb,s=x_1,l=k_2,u=vc_3,c=pn_4,d=cf_5,p=me_6,m=hc_7,h=y2_8;",
  "long names": "re_export_all_the_names_of_this_module_2 rnd_generator_for_the_tests_of_2026 " +
    "fw_update_the_firmware_of_the_device_2 aio_read_all_the_blocks_of_a_file_2 " +
    "vcp_handler_for_every_single_request_of_2026 phx_live_view_component_of_the_page_2026_x " +
    "cfk_kubernetes_operator_for_the_cluster_number_2026 hc_check_everything_twice_2026_and_again",
  "long names with dashes":
    "tvly-like-names-of-some-classes-in-a-sheet access-production-data-of-all " +
    "fio-u-turn-of-the-road csk-kebab-case-of-names-with-many-words-in-them-and-more nvapi-docs " +
    "pat-na1-pattern shippo_live_view_test rzp_live_x",
  "the names of these beginnings":
    "ABSK, LTAI, AKID, AQVN, EZAK, NRAL, AZDO, HRKU-, CFPAT-, CLOJARS_, " +
    "GR1348941, pcsk_, lsv2_pt_, snyk_uat., access_token$production$, FLWSECK-, xkeysib-, oy2, sl., re_",
  "what these letters begin in code and addresses":
    "utils.convertUtf8ToBase64Str utils.convertUtf8ToBase64Text() " +
    "https://x.test/1/1234567890/2 2/1234567890 1/12345678901234567890 pa-rallel-work-of-many-machines-in-2026-and-after " +
    "glc_get_the_long_name_of_this_function_2 napi_get_value_of_the_external_array_buffer_and_its_length_in_bytes_too " +
    "lin_oauth_callback dG9rO ABSK2 " + "A".repeat(60) + "%2B",
  "variables of PHP": "$product->price; $production = $sandbox ?? $sandboxes['access_token'];",
  "prose":
    "The square of x_1 is 4. A passport is no word of a key. Zapier and Teams have webhooks; " +
    "the patch of the path, the token count, the tokenizer and its author.",
  "addresses":
    "https://zapier.com/apps/x https://x.test/IncomingWebhook/ https://x.test/hooks/catch/1",
  "a table of numbers": "| 1234567890 | 0.5 | 12e3 |\n".repeat(40),
  "base64 of JSON": btoa(JSON.stringify({ version: 3, file: "a.js", names: ["x", "y"] })),
  "a fingerprint": "SHA256:" + picture(32, 5) +
    " MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48",
  "a longer row of letters": `cio${alnum(60)} oy2${alnum(60)} ${alnum(200)} AKID${alnum(60)}`,
  "a subresource": `<script integrity="sha384-${
    picture(48, 11)
  }" crossorigin="anonymous"></script>`,
};

for (const [what, text] of Object.entries(TEXTS)) {
  Deno.test(`redactText() leaves ${what} alone`, () => {
    assert.equal(redactText(text, { patterns: [] }), text);
    const payload = { tool_response: { stdout: text, stderr: "" }, tool_input: { command: text } };
    assert.deepEqual(redactValue(payload, { patterns: [] }), payload);
  });
}

Deno.test("pictures of any bytes stay as they are", () => {
  for (let start = 1; start <= 40; start++) {
    const text = `data:image/png;base64,${picture(20_000, start * 7_919)}`;
    assert.equal(redactText(text, { patterns: [] }), text);
  }
});

Deno.test("the cheap look lets code and prose pass", () => {
  for (const what of ["hashes of commits", "identifiers", "minified code", "a table of numbers"]) {
    assert.equal(needsRedaction(JSON.stringify({ a: TEXTS[what] }), []), false, what);
  }
});
