import { evilHost, inSentence, loneAddress } from "./addresses.ts";
import { inOrder, many, oneOf, type Spelling } from "./family.ts";

const address = oneOf(
  loneAddress,
  ...["https", "http", "HTTP", "ftp"].map((scheme) => `${scheme}://${evilHost}/?d=4711`),
  `//${evilHost}/4711`,
  `www.${evilHost}/4711`,
  `https:${evilHost}/4711`,
  `https:/${evilHost}/4711`,
  `mailto:eve@${evilHost}?body=4711`,
  `eve@${evilHost}`,
);

/** A link in every form of Markdown and of Slack's markup. */
const link = oneOf(
  address,
  inOrder("<", address, ">"),
  inOrder("<", address, "|here>"),
  inOrder(
    oneOf("", "!"),
    oneOf("[here](", "[](", "[a [b]](", "[`c`](", "[a\nb]("),
    oneOf("", "<"),
    address,
    oneOf(")", ">)", ' "t")', " 't')"),
  ),
  inOrder("[here][1]\n\n[1]: ", oneOf("", "<"), address, oneOf("", ">", ' "t"'), "\n"),
  inOrder("[here]\n\n[here]:\n", address, "\n"),
  inOrder("[![i](", address, ")](", address, ")"),
  inOrder('<a href="', address, '">here</a>'),
);

const fence = oneOf("`", "``", "```", "````", "~~~", "\\`", "```sh\n", "\n```\n", "\n~~~\n", "```x``` ");
const around = oneOf(
  "**",
  "*",
  "_",
  "~~",
  "\n> ",
  "\n- ",
  "\n1. ",
  "\n# ",
  "\n| a | b |\n|--|--|\n| ",
  " | ",
  "\n    ",
  "\n\n",
  " ",
  "\\",
);

/** A text with links in and around code, quotes, lists and other marks, closed or not. */
export const linkedMarkdown: Spelling = many(
  oneOf(link, inSentence(link), fence, fence, around, "Text. "),
  1,
  8,
);
