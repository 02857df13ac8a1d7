import { describe, expect, it } from "vitest";
import { createRedactor, mask, type SecretForm } from "../../../../src/core/values/redact.ts";

const slackToken = { mark: "xox", pattern: /\bxox[a-z](?:\.xox[a-z])?-[\w-]{8,}/g };

describe("what leaves", () => {
  it("redacted values hold no known secret, in keys and values alike, however deep [secret-1]", () => {
    const redact = createRedactor(["hunter22"]);
    expect(redact({ a: [{ hunter22: "is hunter22!" }] })).toEqual({ a: [{ "[secret]": "is [secret]!" }] });
  });

  it("redacted text holds no secret of a known form, even one that nobody named", () => {
    const redact = createRedactor([], [slackToken]);
    expect(redact("Bearer xoxb-12345678-abc and xoxe.xoxb-1-abcdefgh, not xox or foxes")).toBe(
      "Bearer [secret] and [secret], not xox or foxes",
    );
  });

  it("a value without secrets stays the same object", () => {
    const value = { a: ["b", { c: 1 }] };
    expect(createRedactor(["hunter22"], [slackToken])(value)).toBe(value);
  });

  it("values too short to be told from text are kept", () => {
    expect(createRedactor(["key"])("the key")).toBe("the key");
  });

  it.each([
    ["inside another, named first", ["secret", "top-secret-value"], "a top-secret-value b", "a [secret] b"],
    ["that begins another", ["sk-abcdef", "sk-abcdef-long"], "sk-abcdef-long", "[secret]"],
    ["that ends another", ["abcdef", "123-abcdef"], "123-abcdef", "[secret]"],
    ["that overlaps another", ["abcdef", "defghi"], "-abcdefghi-", "-[secret]-"],
    ["that overlaps itself", ["abcabcab"], "-abcabcabcab-", "-[secret]-"],
    ["that follows another", ["abcdef", "ghijkl"], "abcdefghijkl", "[secret][secret]"],
  ])("redacted text has nothing left of a secret %s", (_, secrets, text, clean) => {
    expect(createRedactor(secrets)(text)).toBe(clean);
    expect(createRedactor(secrets.toReversed())(text)).toBe(clean);
  });

  it("redacted text holds no secret that is written into JSON, as log lines are", () => {
    const secret = 'pass"word\\1';
    expect(createRedactor([secret])(JSON.stringify({ said: `is ${secret}` }))).toBe('{"said":"is [secret]"}');
  });

  it("redacted text holds no line of a secret of several lines, and keeps what frames it", () => {
    const [first, second] = ["MIIEvQIBADANBgkqhkiG", "9w0BAQEFAASCBKcwggSj"];
    const redact = createRedactor([`-----BEGIN KEY-----\n${first}\n${second}\n-----END KEY-----\n`]);
    expect(redact(`-----BEGIN KEY-----\r\n  ${first} ${second}`)).toBe(
      "-----BEGIN KEY-----\r\n  [secret] [secret]",
    );
  });
});

describe("an encoded secret", () => {
  // With signs that every encoding treats differently.
  const secrets = ['sk-9f/Zq+7="x\\y z&ü?', "hunter22", "4f2a9c17de", "a1b2c3"];
  const bytes = (text: string) => Buffer.from(text);
  const every = (text: string, form: (byte: number) => string) => [...bytes(text)].map(form).join("");
  const hex = (byte: number) => byte.toString(16).padStart(2, "0");
  const forms: [string, (secret: string) => string][] = [
    ["percent-encoded", encodeURIComponent],
    ["percent-encoded as a URL", encodeURI],
    [
      "percent-encoded in small letters",
      (secret) => encodeURIComponent(secret).replace(/%../g, (at) => at.toLowerCase()),
    ],
    ["percent-encoded as a whole", (secret) => every(secret, (byte) => `%${hex(byte).toUpperCase()}`)],
    ["percent-encoded as a form", (secret) => String(new URLSearchParams({ q: secret })).slice(2)],
    ["percent-encoded twice", (secret) => encodeURIComponent(encodeURIComponent(secret))],
    ["percent-encoded in JSON", (secret) => encodeURIComponent(JSON.stringify({ secret }))],
    ["in HTML", (secret) => secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;")],
    ["in hexadecimal digits", (secret) => every(secret, hex)],
    ["in large hexadecimal digits", (secret) => every(secret, hex).toUpperCase()],
    ["in JSON", (secret) => JSON.stringify({ secret })],
    ["in JSON within JSON", (secret) => JSON.stringify(JSON.stringify({ secret }))],
    ["in JSON of ASCII", (secret) => JSON.stringify(secret).replace("ü", "\\u00fc").replaceAll("/", "\\/")],
    ...["", "a", "ab", "abc"].flatMap((before): [string, (secret: string) => string][] => [
      [
        `in base64 behind ${before.length} bytes`,
        (secret) => bytes(`${before}${secret} end`).toString("base64"),
      ],
      [
        `in base64url behind ${before.length} bytes`,
        (secret) => bytes(before + secret).toString("base64url"),
      ],
    ]),
  ];

  it.each(forms)("an encoded secret is masked: %s [secret-1]", (_form, encode) => {
    const redact = createRedactor(secrets);
    for (const secret of secrets) {
      const clean = redact(`before ${encode(secret)} behind`);
      expect(clean).toContain(mask);
      expect(clean).toMatch(/^before .* behind$/);
      expect(decoded(clean).filter((text) => text.includes(secret.slice(1, -1)))).toEqual([]);
    }
  });

  it.each(forms)("an encoded secret is masked over two lines, wherever they break: %s", (_form, encode) => {
    const redact = createRedactor(secrets);
    const encoded = encode(secrets[0] ?? "");
    for (const lineBreak of ["\n", "\r\n    "])
      for (let at = 1; at < encoded.length; at += 1) {
        const clean = redact(encoded.slice(0, at) + lineBreak + encoded.slice(at));
        expect(decoded(clean.replaceAll(lineBreak, "")).filter((text) => text.includes("Zq+7"))).toEqual([]);
      }
  });

  it("an encoded secret of a thousand characters and more is masked to its end", () => {
    const long = Array.from({ length: 300 }, (_, at) => `k${at}-é`).join("");
    const clean = createRedactor([long])(`${bytes(long).toString("base64")} ${encodeURIComponent(long)}`);
    expect(clean).not.toContain("%C3%A9");
    expect(clean.replaceAll(mask, "").length).toBeLessThan(30);
  });

  it("an encoded secret costs a text without one nothing but a look at each character", () => {
    const text = "The quick brown fox jumps over the lazy dog. ".repeat(1_000);
    expect(createRedactor(secrets)(text)).toBe(text);
  });

  /** All that a reader of the text may make of it. */
  function decoded(text: string): string[] {
    const unescaped = text
      .replaceAll("\\/", "/")
      .replace(/\\u([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
    const percent = text
      .replaceAll("+", " ")
      .replace(
        /(?:%[0-9a-f]{2})+/gi,
        (run) => bytes(run).toString() && Buffer.from(run.replaceAll("%", ""), "hex").toString(),
      );
    const words = text
      .split(/[^\w+/=-]+/)
      .flatMap((word) => [
        Buffer.from(word, "hex").toString(),
        ...[0, 1, 2, 3].map((skip) => Buffer.from(word.slice(skip), "base64").toString()),
      ]);
    return [text, unescaped, unescaped.replaceAll("\\\\", "\\").replaceAll('\\"', '"'), percent, ...words];
  }
});

describe("a text in pieces", () => {
  const pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcwggSj\n-----END KEY-----";
  const texts: [what: string, secrets: string[], text: string, forms?: SecretForm[]][] = [
    ["a secret at the end", ["sk-very-secret-value"], "the key is sk-very-secret-value"],
    ["a secret at the beginning", ["sk-very-secret-value"], "sk-very-secret-value ok"],
    ["half a secret at the end", ["sk-very-secret-value"], "the key is sk-very-sec"],
    ["a false beginning before it", ["ababac"], "abababababac, ababa"],
    [
      "a secret with a shorter one at its beginning",
      ["sk-abc", "sk-abc-long"],
      "sk-abc-lonk sk-abc-long sk-abc",
    ],
    ["overlapping secrets", ["abcdef", "defghi", "hi-123"], "x abcdefghi-123 defghi abcdef"],
    ["a secret inside another", ["inner1", "an-inner1-value"], "an-inner1-value, an-inner1, inner1"],
    ["a secret of several lines", [pem], `It is\n${pem}\nok`],
    ["a secret in JSON", ['pass"word\\1'], '{"is":"pass\\"word\\\\1"}'],
    ["characters beyond the plane", ["🔑🔑🔑🔑"], "🔑🔑🔑 🔑🔑🔑🔑🔑🗝"],
    [
      "tokens of a form",
      [],
      "Bearer xoxb-12345678-abc, foxoxb-12345678 xoxb-1 xo xoxe.xoxb-1-abcdefgh.",
      [slackToken],
    ],
    ["a secret over lines", ["sk-very-secret"], "is sk-ve\n  ry-se\r\n\tcret, sk-\n\n very\n-\nsecre\n"],
    ["a secret in base64", ["hunter22"], "is eGh1bnRlcjIy, aHVudGVy\nMjI= and aHVudGVyMj="],
    ["nothing secret", ["hunter22"], "all of it, hunting hunters"],
  ];

  it.each(texts)(
    "a text in pieces with %s leaves as the whole text does, wherever it is cut [secret-1]",
    (_, secrets, text, forms) => {
      const redactor = createRedactor(secrets, forms);
      const inPieces = (pieces: readonly string[]) => {
        const stream = redactor.stream();
        return pieces.map((piece) => stream.add(piece)).join("") + stream.end();
      };
      const whole = redactor(text);
      for (const secret of secrets) expect(whole).not.toContain(secret);
      expect(inPieces(text.split(""))).toBe(whole);
      for (let first = 0; first <= text.length; first += 1)
        for (let second = first; second <= text.length; second += 3)
          expect(inPieces([text.slice(0, first), text.slice(first, second), text.slice(second)])).toBe(whole);
    },
  );

  it("a text in pieces waits only where a secret may have begun", () => {
    const stream = createRedactor(["sk-very-secret-value"], [slackToken]).stream();
    const pieces = ["The job", " is sk-", "ills, s", "o ask-very-secret-value", "! xo", "xo and xoxb", "-1"];
    expect(pieces.map((piece) => stream.add(piece))).toEqual([
      "The job",
      " is ",
      "sk-ills, ",
      "so a[secret]",
      "! ",
      "xoxo and ",
      "",
    ]);
    expect(stream.end()).toBe("xoxb-1");
  });

  it("a text in pieces takes linear work, whatever it repeats", () => {
    const secret = `${"a".repeat(4_000)}b`;
    const stream = createRedactor([secret], [slackToken]).stream();
    let left = 0;
    for (let piece = 0; piece < 50_000; piece += 1) left += stream.add("aaaa").length;
    for (let piece = 0; piece < 50_000; piece += 1) left += stream.add("xoxb").length;
    expect(left + stream.end().length).toBe(400_000);
  });
});
