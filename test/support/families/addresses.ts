import { changed, eachCharacter, fromClass, inOrder, many, oneOf, type Spelling } from "./family.ts";

/** Ways to write an address that some program requests, of a host that ends in `evilHost`. */
export const evilHost = "evil.test";

/** What is carried out: in the path, the query, or a name that is looked up. */
const secret = "vault-code-4711";

const anyCase: (text: string) => Spelling = (text) =>
  eachCharacter(text, (character) => oneOf(character, character, character.toUpperCase()));

/** Dots that a name is written with: IDNA maps all of them to the ASCII one (UTS 46). */
const dot = oneOf(".", ".", ".", "。", "．", "｡");

/** The host in the forms that a reader of addresses maps to the same name. */
const host = oneOf(
  evilHost,
  `${secret}.${evilHost}`,
  inOrder("evil", dot, "test"),
  inOrder(secret, dot, "evil", dot, "test"),
  anyCase(evilHost),
  "ｅｖｉｌ.test",
  "evil.test.",
  "münchen.evil.test",
  "xn--mnchen-3ya.evil.test",
);

const path = oneOf(`/${secret}`, `?d=${secret}`, `/c/?d=${secret}#x`, `/${secret}.git`, `/a/../${secret}`);
const port = oneOf("", "", "", ":8080", ":443", ":22");
const login = oneOf("", "", "", "git@", "eve:word@", "lunch.test@", "%40@");

/** A scheme as RFC 3986 lets it be: any letters, digits and signs. */
const scheme = oneOf(
  anyCase("https"),
  anyCase("http"),
  ...[
    "ftp",
    "ftps",
    "sftp",
    "ssh",
    "git",
    "git+ssh",
    "svn+ssh",
    "ws",
    "wss",
    "feed",
    "webcal",
    "ldap",
    "ldaps",
  ],
  ...[
    "gopher",
    "rtsp",
    "smb",
    "nfs",
    "dav",
    "irc",
    "telnet",
    "redis",
    "postgres",
    "mongodb+srv",
    "amqp",
    "s3",
  ],
  ...["file", "x-evil", "made.up", "jar:https", "view-source:http", "feed:https", "blob:https"],
);

const slashes = oneOf("//", "//", "//", "\\\\", "/\\", "\\/", "///");
const remote = oneOf(
  `git@${evilHost}:${secret}.git`,
  `eve@${evilHost}:${secret}`,
  `a.b+c@${evilHost}:~/${secret}`,
);
const bySpecialScheme = inOrder(
  oneOf("http", "https", "HTTPS", "ftp", "ws", "wss"),
  ":",
  oneOf("", "/", "\\", "//"),
  host,
  path,
);
const byHost = oneOf(
  inOrder(scheme, ":", slashes, login, host, port, path),
  inOrder(slashes, host, port, path),
);
/** Addresses of people and of programs that name a host behind an `@`. */
const byMail = inOrder(
  oneOf("mailto", "sip", "sips", "xmpp", "im", "acct"),
  ":",
  oneOf("eve", secret, "a.b"),
  "@",
  oneOf(evilHost, `${secret}.${evilHost}`),
  oneOf("", `?body=${secret}`),
);

/** An address inside the code or markup of another one. */
const nested = oneOf(
  inOrder("javascript:fetch('//", host, path, "')"),
  inOrder("data:text/html,<img src=//", host, path, ">"),
  inOrder("magnet:?xt=urn:btih:abc&tr=http://", host, path),
  inOrder("[more](https://", host, path, ")"),
  inOrder('<a href="//', host, path, '">'),
  inOrder("<img src=https:", host, path, ">"),
  inOrder("url(//", host, path, ")"),
);

/** One address, as it stands alone. */
export const loneAddress = oneOf(byHost, byHost, bySpecialScheme);

/** One address, also of a remote folder, or inside code or markup. */
export const fullAddress = oneOf(loneAddress, loneAddress, remote, nested);

/** A name with a dot and a path, without any scheme, as it stands in a text. */
export const pathAddress = inOrder(
  oneOf(evilHost, `${secret}.${evilHost}`, inOrder("evil", dot, "test")),
  port,
  path,
);

/** A name with a dot, without any scheme, and what may follow it. */
export const bareAddress = oneOf(inOrder(oneOf("", "", "", "//", "\\\\"), host, port, path), byMail);

/** Other hosts, that are addresses of machines: the member is the address, and the host as it is known. */
export const machineAddress: Spelling<{ text: string; host: string }> = changed(
  oneOf(
    ...[
      "8.8.4.4",
      "134743044",
      "0x08080404",
      "010.8.4.4",
      "8.8.1028",
      "0x8.0x8.0x4.0x4",
      "８.８.４.４",
      "8。8。4。4",
    ].map((written) => ({ written, host: "8.8.4.4" })),
    { written: "[2001:db8::1]", host: "[2001:db8::1]" },
    { written: "[2001:0DB8:0:0::1]", host: "[2001:db8::1]" },
    { written: "[::ffff:8.8.4.4]", host: "[::ffff:808:404]" },
  ),
  ({ written, host: known }, random) => {
    const begins = oneOf(
      inOrder(oneOf("http", "https", "ssh", "feed"), ":", slashes, login),
      inOrder(oneOf("http", "https", "ws"), ":"),
    );
    return { text: inOrder(begins, written, port, path)(random), host: known };
  },
);

/** Characters that readers drop, or that nobody sees. */
const dropped = oneOf("\t", "\n", "\r", fromClass(/[\u200b-\u200f\u2060-\u2064\ufeff]/), "\u00ad");

/** A text with what readers drop somewhere inside. */
export function withDropped(spelling: Spelling): Spelling {
  return changed(spelling, (text, random) => {
    const at = random(text.length + 1);
    return text.slice(0, at) + many(dropped, 1, 3)(random) + text.slice(at);
  });
}

/** A text with some of its characters percent-encoded, as many as a program that decodes once puts back. */
export function percentEncoded(spelling: Spelling): Spelling {
  const encoded = (text: string) =>
    [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  return oneOf(
    changed(spelling, (text) => encodeURIComponent(text)),
    changed(spelling, (text) => encoded(text)),
    eachCharacter(spelling, (character) =>
      oneOf(character, encoded(character), encoded(character).toUpperCase()),
    ),
  );
}

/** A text with some of its characters as entities of HTML. */
export function asEntities(spelling: Spelling): Spelling {
  const named: Record<string, string> = { ":": "&colon;", "/": "&sol;", ".": "&period;", "@": "&commat;" };
  return eachCharacter(spelling, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const entity = oneOf(
      `&#${code};`,
      `&#x${code.toString(16)};`,
      `&#0${code};`,
      named[character] ?? character,
    );
    return oneOf(character, character, entity);
  });
}

/** A text in a sentence, in brackets, or behind an address that people know. */
export function inSentence(spelling: Spelling): Spelling {
  return oneOf(
    inOrder("look at ", spelling),
    inOrder("see (", spelling, ")."),
    inOrder("<", spelling, ">, please"),
    inOrder("„", spelling, "“"),
    inOrder("a=b;", spelling, ";c=d"),
    inOrder("menu: https://lunch.test/menu and ", spelling),
    inOrder("https://lunch.test/menu ", spelling),
    inOrder("https://lunch.test/menu\n", spelling),
    inOrder("中文", spelling, "。"),
  );
}
