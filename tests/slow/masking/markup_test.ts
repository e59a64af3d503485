/** Secrets between the tags of HTML and XML, and what there looks like the types of a program. */
import assert from "node:assert/strict";
import { redactText, redactValue } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { FORMED_SECRETS, GIVEAWAYS, PLAIN_SECRET } from "../../capture/seeds.ts";
import { GIVING_TEXTS } from "../../capture/form_seeds.ts";

const RULES = { patterns: [] };
const SECRET = "hunter2xyz9";

/** What stands in front of a text, and behind it. */
const WRAPS: readonly (readonly [string, string])[] = [
  ["<summary>", "</summary>"],
  ["<code>", "</code>"],
  ["<td>", "</td>"],
  ['<p class="x">', "</p>"],
  ["<env>", "</env>"],
  ["", "<br>"],
  ["", "<br/>"],
  ["", "</"],
];
const TEXTS: readonly (readonly [string, string])[] = [
  ...Object.entries(FORMED_SECRETS).map(([kind, secret]) => [kind, secret] as const),
  ...[...GIVEAWAYS, ...GIVING_TEXTS].map((giving) =>
    [giving, giving.replace(/%(?!2B|3D)/, () => PLAIN_SECRET)] as const
  ),
];

for (const [before, after] of WRAPS) {
  Deno.test(`every secret is masked between ${before || "nothing"} and ${after}`, () => {
    for (const [what, text] of TEXTS) {
      const secret = text.includes(PLAIN_SECRET) ? PLAIN_SECRET : text.slice(4, 24);
      const wrapped = before + text + after;
      const payload = { compact_summary: wrapped, tool_response: { stdout: `a ${wrapped} b` } };
      assert.ok(needsRedaction(JSON.stringify({ a: wrapped }), []), `the cheap look sees ${what}`);
      const masked = redactText(wrapped, RULES);
      assert.ok(!masked.includes(secret), `${what}: ${masked}`);
      assert.notEqual(masked, "[redacted:text]", what);
      assert.equal(redactText(masked, RULES), masked, "once is enough");
      const redacted = JSON.stringify(redactValue(payload, RULES));
      assert.ok(!redacted.includes(secret), `${what}: ${redacted}`);
    }
  });
}

/** `%` is the secret; all around it stays. */
const MASKED: readonly string[] = [
  "<code>DB_PASSWORD=%</code>",
  "<ul><li>user: ana</li><li>password: %</li></ul>",
  "<p>api_key=%</p>",
  "password=%<br>next",
  "password: %<BR />next",
  '<a href="?x=1">password=%</a>, next',
  "<env>SECRET_KEY=%</env>",
  "<env>\nA=1\nSECRET_KEY=%</env>",
  "PGPASSWORD=%</code>",
  "tool --password %</code>",
  "<connectionString>Server=x;Password=%</connectionString>",
  "<connectionString>Server=x;Password=%;Database=y</connectionString>",
  "<summary>1. I set it.\n2. password=%</summary>\n<next>go on</next>",
  "<analysis>password: %</analysis>",
  "(password=%)</code>",
  "<pre>host: h\npassword: %</pre>",
  "<li>token: %</li><li>Array&lt;string&gt;</li>",
  "DB_PASSWORD=%<\\/code>",
  "DB_PASSWORD=%</co",
  "DB_PASSWORD=%<!-- of the database -->",
  "<!-- DB_PASSWORD=% -->",
  "<![CDATA[password=%]]>",
  "12:<code>DB_PASSWORD=%</code>",
  "+  <li>password: %</li>",
  // The value in an element of its own.
  "Password: <code>%</code>",
  "<p>Password: <b>%</b></p>",
  "Your password is <b>%</b>, log in",
  "API key = <span class='x'>%</span>",
  "<b>password</b>=<i>%</i>",
  "password=<code>%</code>",
  "<span>const</span> secret = <span class=\"s\">'%'</span>;",
  // Quotes by their names.
  "{&quot;a&quot;:&quot;requirepass %&quot;}",
  "<!--rootpw --plaintext %-->",
  "password&quot;:&quot;%&quot;",
  "{&quot;user&quot;:&quot;ana&quot;,&quot;password&quot;:&quot;%&quot;}",
  "<pre>{&quot;password&quot;: &quot;%&quot;}</pre>",
  "{&#34;api_key&#34;: &#34;%&#34;}",
  "{&#x27;api_key&#x27;: &#x27;%&#x27;}",
  "{&amp;quot;password&amp;quot;:&amp;quot;%&amp;quot;}",
  "user.setPassword(&quot;%&quot;)",
  "[&quot;curl&quot;,&quot;-u&quot;,&quot;ana:%&quot;]",
  "ALTER USER joe WITH PASSWORD &#39;%&#39;;",
];
for (const giving of MASKED) {
  Deno.test(`the secret in ${JSON.stringify(giving)} is masked, and nothing else`, () => {
    const text = giving.replace("%", SECRET);
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
    const masked = redactText(text, RULES);
    assert.equal(masked, giving.replace("%", /\[redacted:[a-z-]+\]/.exec(masked)?.[0] ?? "%"));
    assert.ok(!masked.includes(SECRET), masked);
    assert.equal(redactText(masked, RULES), masked, "once is enough");
    for (const payload of [{ prompt: text }, { a: [text, "b"] }, { a: JSON.stringify({ text }) }]) {
      assert.ok(!JSON.stringify(redactValue(payload, RULES)).includes(SECRET));
    }
  });
}

const KEPT: readonly string[] = [
  // Types and comparisons of programs.
  "const password: Array<string>",
  "const password: Array<string> = [];",
  "token: Promise<string>",
  "async token(): Promise<string> { return x2; }",
  "key = Map<K, V>",
  "let token: Option<Box<str>>;",
  "secret: Vec<u8>,",
  "if (password.length < 8) x2 > y2",
  "const isOver = token<b && c>d;",
  "secret<T>",
  "const token: Array<string>; // of <string>a2</string>",
  "<T extends Secret>(token: T) => token</T>",
  // Elements of programs.
  "<Input password={value2}/>",
  "<Input password={value2}></Input>",
  "<label>Password: {value2}</label>",
  "<Field name=password>{token2}</Field>",
  // Prose and forms.
  "the password is <b>not</b> stored",
  "The password is <em>required</em>, 12 letters",
  'password: <input type="password">',
  'Password:<br><input name="password">',
  '<label for="password">Password:</label><input id="x1y2z3">',
  "<p>Forgot your password?<br>Click here2</p>",
  "<p>Password: <b>required</b></p>",
  "<p>Token: <i>sha256</i> of x</p>",
  "<td>token</td><td>string</td>",
  "<li>token: string</li>",
  "<code>token: CancellationToken</code>",
  "<code>password = getPassword()</code>",
  "<code>token = tokens[0].text2</code>",
  // Placeholders.
  "token=<TOKEN>",
  "token=<token></token>",
  "<code>token=&lt;your-token&gt;</code>",
  "password: &lt;your password&gt;",
  "<code>token=$TOKEN</code>",
  "<code>password=${DB_PASSWORD}</code>",
  "<code>password=process.env.PASSWORD</code>",
  "<li>password: ********</li>",
  "<li>password: </li>",
  "<password></password>",
  "&quot;password&quot;: &quot;&quot;",
  "&quot;token&quot;: &quot;string&quot;",
  "{ psk: &#x3C;Buffer|TypedArray>, identity: &#x3C;string> }",
  "if (token &amp;&amp; token2) x()",
];
for (const text of KEPT) {
  Deno.test(`${JSON.stringify(text)} stays as it is`, () => {
    assert.equal(redactText(text, RULES), text);
    const payload = { tool_input: { command: text }, tool_response: { stdout: `a\n${text}\nb` } };
    assert.deepEqual(redactValue(payload, RULES), payload);
  });
}

Deno.test("a page whose types are escaped is not given up as a whole", () => {
  const page =
    `<p>in the form <code>{ psk: &#x3C;Buffer> }</code></p><code>DB_PASSWORD=${SECRET}</code>`;
  assert.equal(redactText(page, RULES), page.replace(SECRET, "[redacted:secret]"));
});

Deno.test("a text is not given up as a whole where a sign follows a mask", () => {
  for (const giving of ["-passin pass:%| password | % | no |", "{ enc_key=%| PASSWORD | % |"]) {
    assert.equal(
      redactText(giving.replaceAll("%", SECRET), RULES),
      giving.replaceAll("%", "[redacted:secret]"),
    );
  }
});
