import { changed, inOrder, many, oneOf, type Spelling } from "./family.ts";

const label = oneOf(
  "a",
  "b7",
  "www",
  "abc",
  "xyz",
  "t",
  "evil",
  "münchen",
  "xn--mnchen-3ya",
  "s3",
  "github",
  "co",
);
/** Suffixes below which anybody registers a name. */
const suffix = oneOf(
  "io",
  "me",
  "de",
  "com",
  "co.uk",
  "com.au",
  "co.jp",
  "com.br",
  "org.za",
  "ac.nz",
  "рф",
  "xn--p1ai",
);
/** Suffixes with one owner: of services that give names away, and endings that nobody knows. */
const owned = oneOf(
  ...[
    "github.io",
    "herokuapp.com",
    "s3.amazonaws.com",
    "netlify.app",
    "pages.dev",
    "blogspot.com",
    "web.app",
  ],
  ...["corp", "lan", "internal", "test", "made-up", "a1b2"],
);
/** The site of a suffix with one owner: the name that the owner registered. */
const ownerOf = (name: string) => name.split(".").slice(-2).join(".");

/** Anything below a name, or nothing. */
const below = many(inOrder(label, "."), 0, 3);
const port = oneOf("", "", ":8080", ":443", ":81");

/** An owner, and some hosts that are all theirs. */
export const ownHosts: Spelling<{ owner: string; hosts: string[] }> = changed(
  oneOf(
    changed(inOrder(oneOf("abc", "xy", "t", "münchen", "q-1"), ".", suffix), (owner) => ({
      owner,
      at: owner,
    })),
    changed(owned, (name) => ({ owner: ownerOf(name), at: name })),
    { owner: "8.8.4.4", at: "" },
    { owner: "[2001:db8:7::]", at: "[]" },
  ),
  ({ owner, at }, random) => {
    const address = oneOf("8.8.4.4", "134743044", "0x8.8.4.4", "[::ffff:8.8.4.4]");
    const ipv6 = inOrder(
      "[2001:db8:7:",
      many(oneOf("1:", "ff:", "0:"), 0, 2),
      ":",
      oneOf("1", "2", "9"),
      "]",
    );
    const host = at === "" ? address : at === "[]" ? ipv6 : inOrder(below, at, oneOf("", "", "."));
    return { owner, hosts: Array.from({ length: 8 }, () => inOrder(host, port)(random)) };
  },
);

/** Links to hosts of one owner that differ in more than one place, some of them spelled twice. */
export const ownLinks: Spelling<{ owner: string; links: string[] }> = changed(
  ownHosts,
  ({ owner, hosts }, random) => {
    const links = hosts.flatMap((host, at) => {
      const number = () => String(random(9));
      const path = inOrder(
        "/",
        number,
        "/",
        number,
        oneOf("", "/"),
        oneOf("", "?d=1", `?e=${at}`),
        oneOf("", "#1", "#2"),
      );
      return Array.from({ length: 4 }, () => inOrder(oneOf("http", "https"), "://", host, path)(random));
    });
    return { owner, links: [...links, ...links] };
  },
);
