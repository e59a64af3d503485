/** Texts in which a secret's surroundings give it away, with `%` in its place, and their like that hold none. */

/** What stays as it is, to the last letter. */
export const KEPT_TEXTS: readonly string[] = [
  // Two colons lead to a member or a test.
  "cargo test -p svc token::tests::expires_at_midnight",
  "pytest tests/test_auth.py::TestToken::test_expiry",
  "UserToken::find(1)",
  "Token::Ident",
  "Password::defaults()",
  "crate::api_key::ApiKey::generate",
  "App\\Token::class",
  "token:::x1y2z3w4",
  "SELECT token::text, password::varchar FROM users",
  'passwords::"abc123"',
  // The short assignment of Go.
  "token := getToken()",
  "token:=hash2",
  "password := tok2",
  "token := r.Header.Get(name2)",
  // The end of a quoted word, and what stands behind it.
  'grep -rn "password:" src/auth/login.ts',
  'grep -n "token = " lib/session.py',
  "rg 'secret=' config/",
  '{"command":"grep -rn \\"password:\\" src/auth/login2.ts"}',
  'password = input("Enter password: ")',
  'console.log("password: " + pw2);',
  'x = "token=" + token2 + "&y=" + z2',
  // Variables with what a shell does to them.
  "export TOKEN=${TOKEN:-}",
  "export TOKEN=${1:-$OTHER2}",
  'TOKEN="${TOKEN:-}" make',
  "TOKEN=${TOKEN:0:4}",
  "TOKEN=${RAW_2%=}",
  "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?err}",
  "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?must be set 2}",
  // Demands, patterns, words of a grammar.
  "'password' => 'required|min:8'",
  'password: "required|string|min:12|confirmed"',
  'token: "keyword"',
  '{ token: "comment.line", foreground: "888" }',
  'designToken: "color-primary-500"',
  '"color.token": "blue-500"',
  "E   AssertionError: assert token == 'abc'",
  "expect(password === 'wrong')",
  ".password-field { color: red } .token:hover{}",
  "#secret:first-child{}",
  'sed -i "s/password: .*/password: ***/" x',
  'sed "s/password: .*/x/" y',
  // Where a secret is kept.
  "secret: projects/x/secrets/y/versions/latest",
  "secretArn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod-db2",
  "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod-db2",
  "Authorization: Bearer header missing",
  "password: %env(DB)%",
];

/** What gives a secret away. */
export const GIVING_TEXTS: readonly string[] = [
  'password := "%"',
  "PASSWORD := %",
  'don\'t forget: password:"%"',
  '{"note":"x","password":"%"}',
  'echo "a" password="%"',
  "it's password:'%'",
  "TOKEN=${TOKEN:-%}",
  'TOKEN="${OTHER:-%}"',
  "url: ${DB_PASSWORD:%}",
  "POSTGRES_PASSWORD: ${OTHER:=%}",
  'token: "%"',
  'if password == "%":',
  "Authorization: Bearer %",
];
