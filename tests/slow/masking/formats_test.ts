import assert from "node:assert/strict";
import { redactText } from "../../../src/capture/redact.ts";

const PLAIN: readonly string[] = [
  'def f(a):\n    """\n    :param scopes: x\n    :param refresh_token:\n    """\n    body = 1\n    """other doc"""\n',
  'def f(a):\n    """\n    :type str client_secret:\n    """\n    x = """\n    y"""\n',
  "SERVER_AUTH = '1.3.6.1.5.5.7.3.1'",
  "headers['Authorization'] = ', '.join(header)",
  "headers['Authorization'] = 'Bearer %s' % token",
  "user_pass = '%s:%s' % (user, password)",
  "passwd = unquote(passwd or '')",
  'return fmt.Errorf("password: %w", err)',
  "secret = # disable PBM",
  "private_key\t= $dir/private/cakey.pem",
];

const SECRET: readonly string[] = [
  "password = '%9kT:x2Lq%s'",
  "user_pass = 'joe:%sK9x2'",
  'password = """\nS3cr3tV4lue99\n"""',
  "def f():\n    token: 'ab12cd34ef56gh78'\n",
  "SERVER_AUTH = '83.17.4'+'x9Qk2Lm'",
  "password: #k9Xq2Lm7",
  "api_secret: unlock(k9Xq2Lm7",
];

Deno.test("redactText() takes a format, a comment or what is documented for no secret", () => {
  for (const text of PLAIN) assert.equal(redactText(text, { patterns: [] }), text);
});

Deno.test("redactText() masks what only begins like a format", () => {
  for (const text of SECRET) assert.match(redactText(text, { patterns: [] }), /\[redacted:/, text);
});
