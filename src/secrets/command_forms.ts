/** Finds secrets in commands: options of common programs, and values that they store or read. */
import { isPlain } from "./secret_names.ts";
import type { SecretForm } from "./secret_form.ts";

const isSecret = (value: string) => !isPlain(value);
const r = String.raw;
/** The value of an option, in quotes or not. */
const VALUE = r`\\{0,3}["']?(?![-$<{]|\[redacted:)([^\s"'\\]{3,})`;
/** What may stand between the name of a command and one of its options. */
const ARGUMENTS =
  r`["']?,?(?:\s{1,20}(?:'[^'\n]{0,500}'|[^\s;|&'][^\s;|&]{0,999})){0,12}?\s{1,20}["']?`;

/** A row for programs, joined by `|`, and the options that take a secret. */
function option(
  programs: string,
  options: string,
  [example, counterexample]: readonly [string, string],
): SecretForm {
  return {
    name: "secret",
    // A short name is a part of many words.
    prefilter: programs.split("|").map((name) => name.replaceAll("\\", "").toLowerCase())
      .flatMap((name) =>
        name.length > 4 ? name : [`${name} `, `${name}.exe `, `${name}",`, `${name}',`]
      ),
    pattern: new RegExp(
      r`(?<=^|[^\w-]|\\[nrt])(?:${programs})(?:\.exe)?\b${ARGUMENTS}(?:${options})(?:["'],\s{0,4})?${VALUE}`,
      "g",
    ),
    validate: isSecret,
    example,
    counterexample,
  };
}

/** A row for a whole command line; its group is the secret. */
function command(
  prefilter: readonly string[],
  pattern: RegExp,
  [example, counterexample]: readonly [string, string],
): SecretForm {
  return { name: "secret", prefilter, pattern, validate: isSecret, example, counterexample };
}

/** `-u name:` in front of a password. */
const USER = r`(?:["'],\s{0,4})?\\{0,3}["']?[^\s:"'\\]{0,100}:`;

// deno-fmt-ignore: a form is a line
export const COMMAND_FORMS: readonly SecretForm[] = [
  option("curl|wget|http|https|xh", r`(?:-\w{0,3}u\s*|--user[= ]\s*|-a\s+|--auth[= ]\s*|--cert\s+|-E\s+)${USER}|-b\s+["']?[\w-]{1,40}=`, ["curl -u bob:hunter2 https://x.io", "curl -u bob https://x.io"]),
  option("mysql|mysqldump|mysqladmin|mysqlsh|mariadb|7z|7za|rar|unrar", r`-p(?=[^\s-])`, ["mysql -uroot -phunter2 app", "7z x a.7z"]),
  option("zip|unzip|mosquitto_pub|mosquitto_sub|bcp|sqlcmd", r`-\w{0,3}P\s*`, ["unzip -P hunter2 a.zip", "unzip a.zip"]),
  option("sshpass|supabase|ncftpput|ncftpget|twine|helm|docker login|podman login|nerdctl login|cf login|oc login|az login|mongo|mongosh|mongodump|mongorestore|skopeo|useradd|usermod|cqlsh|nuget", r`-p\s*|--password[= ]\s*`, ["docker login -u bob -p hunter2", "docker run -p 8080:80 app"]),
  option("ldapsearch|ldapmodify|ldapadd|ldappasswd", r`-w\s+`, ["ldapsearch -D cn=admin -w hunter2", "ldapsearch -x"]),
  option("plink|pscp|putty", r`-pw\s+`, ["plink -pw hunter2 bob@h", "plink bob@h"]),
  option("xfreerdp|freerdp|wfreerdp|sdl-freerdp", r`/p:`, ["xfreerdp /u:bob /p:hunter2", "xfreerdp /v:h"]),
  option("codecov|surge|railway|doctl", r`-t\s+`, ["codecov -t hunter2abc9", "codecov -f a"]),
  option("redis-cli", r`-a\s+|--pass\s+`, ["redis-cli -a hunter2", "redis-cli ping"]),
  option("etcdctl|clickhouse-client|smbclient|lftp|ftp", r`(?:--user[= ]\s*|-[uU]\s*)[\w@.]{1,60}[:%,]`, ["etcdctl --user root:hunter2 get /", "etcdctl get /"]),
  option("mount|mount\\.cifs", r`-o\s+\S{0,200}?pass(?:word)?=`, ["mount -t cifs //n/s /m -o user=bob,pass=hunter2", "mount /dev/sda1 /m"]),
  option("gpg|gpg2", r`--passphrase[= ]\s*`, ["gpg --passphrase hunter2 -d x", "gpg -d x"]),
  option("openssl", r`-[kK]\s+|-hmac\s+`, ["openssl enc -k hunter2 -in a", "openssl enc -in a"]),
  option("gem|nuget", r`--key\s+|-k\s+|--api-key\s+`, ["gem push x.gem --key hunter2", "gem list"]),
  option("htpasswd", r`-\w{0,6}b\w{0,6}\s+(?:[^\s;|&]+\s+)?[\w@.-]{1,60}\s+(?=\S+(?:\s|$))`, ["htpasswd -b .htpasswd ana hunter2", "htpasswd .htpasswd ana"]),
  option("ssh-keygen", r`-[NP]\s+`, ["ssh-keygen -t rsa -N hunter2", "ssh-keygen -t rsa"]),
  option("sqlplus|sqlldr|expdp|impdp", r`[\w$]{1,40}/(?=[^\s"']{0,100}[@\d])`, ["sqlplus -s app/hunter2@db", "sqlplus /nolog"]),
  command(["chpasswd"], /(?:echo|printf)\s+(?:-\w+\s+)?\\?["']?[\w.-]{1,40}:([^\s"'|\\]{3,})(?=[^|\n]{0,8}\|\s?(?:sudo )?chpasswd(?![\w-]))/g, ["echo 'bob:hunter2' | chpasswd", "echo bob | chpasswd"]),
  command(["-stdin", "secret set", "secrets set", "secret put", "secrets put", "secret create", "secret-tool", "-token", "env add", "passphrase-fd", "passwd ", "kinit ", "cryptsetup ", "sudo -s", "vault kv", "pass insert", "versions add"], /(?:echo|printf)\s+(?:-\w+\s+)?\\?["']?(?!\$|<|-)([^\s"'|\\]{4,})(?=[^|\n]{0,8}\|\s?[^|\n]{0,80}?(?:-stdin|secrets? (?:set|put|create|store)|-token\b|secret-tool store|env add|passphrase-fd|passwd\s|kinit\s|cryptsetup\s|sudo -S|vault kv|pass insert|versions add))/g, ["echo hunter2 | docker login -u bob --password-stdin", "echo hello | cat"]),
  command(["<<<"], /(?:-stdin|secrets?\s[^|\n]{0,60}|passwd\s[^|\n]{0,60})\s?<<<\s?\\?["']?(?!\$)([^\s"'\\]{4,})/g, ["gh auth login --password-stdin <<< hunter2", "cat <<< hello"]),
  command(["secret", "token", "pass", "key"], /(?:echo|printf)\s+(?:-\w+\s+)?\\?["']?(?!\$|<|-)([^\s"'|\\<>]{4,})(?=\\?["']?\s?>{1,2}\s?(?!\S{0,200}\.md)[\w$~./{}-]{0,200}?(?:secrets?\/|(?:password|passwd|secret|token|api[_-]?key)(?:\.[a-z]{2,8})?(?![\w./-])))/g, ["echo hunter2 > secrets/db_password", "echo hello > notes.txt"]),
  command(["configure set", "config set", "arg ", "env ", "secret set", "secrets set", "config:set", "setx "], /(?:configure set|config set(?: --\w+)*|config:set|secrets? set|setx|\b(?:ENV|ARG))\s+(?=[\w.-]{0,80}(?:pass|secret|token|key))[\w.-]{1,160}(?:[ =]|\s--(?:body|value)[=])\\{0,3}["']?(?![$<{-]|\[redacted:)([^\s"'\\]{4,})/gi, ["aws configure set aws_secret_access_key hunter2abc", "npm config set registry https://x.io"]),
  command(["-token", "authtoken"], /\b(?:ngrok|cloudflared|tailscale|fly|flyctl)\s+(?:config\s+)?(?:add-authtoken|authtoken|auth token)\s+([\w-]{16,})/g, ["ngrok config add-authtoken 2abcDEFghiJKLmno3", "ngrok http 80"]),
  command(["rabbitmqctl", "http-basic", "bundle config", "add-generic", "add-internet", "alias set", "net user", "net use", "user-secrets", "vault login", "cargo login", "bw unlock", "secret create", "secret:create", "secret set", "env:set"], /(?:rabbitmqctl (?:add_user|change_password) \\?["']?[\w.@-]{1,60}\\?["']? |config (?:--global )?http-basic\.[\w.-]{1,100} \S{1,60} |bundle config (?:set )?(?:--\w+ )?[\w.-]{3,100} [\w.@-]{1,60}:|security add-\w+-password [^|;&\n]{0,200}?-w |mc alias set \S{1,60} \S{1,200} \S{1,100} |net use[r]? [^|;&\n]{0,100}?(?:\/user:)?[\w.-]{1,40} |user-secrets (?:[^|;&\n]{0,100} )?set (?:[^|;&\n]{0,100} )?["']?[\w:.-]{1,100}["']? |(?:vault|cargo) login |bw unlock |(?:secret[ :](?:create|set)|env:set) [^|;&\n]{0,200}?(?:--value |--body[= ]|-b\s?|env:set \w+ ))\\?["']?(?![-$<{/\\])([^\s"'\\|;&]{5,})/g, ["rabbitmqctl add_user ana hunter2", "rabbitmqctl list_users"]),
  command(["user "], /(?:(?:^|[\r\n]|\\n)[ \t]{0,8}user [\w.@-]{1,60} |(?:SETUSER|setuser|user) [\w.@-]{1,60} (?:on |reset )+>)["']?(?!\[redacted:)([^\s"'\\]{5,})(?=["']?(?:[ \t]{0,4}[\r\n\\]| [~+]|$))/g, ["ACL SETUSER app on >hunter2 ~* +@all", "ACL SETUSER app on ~* +@all"]),
  command(["pass:"], /-(?:pass(?:in|out)?|k)\s+\\?["']?pass:([^\s"'\\]{3,})/g, ["openssl rsa -passin pass:hunter2", "-passin file:x"]),
  command(["from-literal"], /--from-literal[= ]\\?["']?[\w.-]{1,100}=\\?["']?([^\s"'\\]{3,})(?<=secret\s[^\n]{0,400})/g, ["kubectl create secret generic db --from-literal=x=hunter2", "kubectl create configmap db --from-literal=x=hunter2"]),
];
