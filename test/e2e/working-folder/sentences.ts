/**
 * What people say to the bot about files, and what has to come of it: written down before it worked, so that the work is measured by
 * it. Each conversation is held in the console and on Slack. The model of the tests may use only what stood in its request: the tools
 * it was offered, their parameters, paths and facts it was told.
 */

/** A file a person attaches. */
interface Attached {
  name: string;
  media_type: string;
  data: Uint8Array;
}

/** What has to come of a sentence. */
export interface Effect {
  /** What the answer says. */
  says: readonly RegExp[];
  /** Files that are posted with the answer: their names, and the bytes they begin with. */
  posts?: readonly { name: RegExp; begins: string }[];
  /** Tools that were called, in this order. */
  calls?: readonly string[];
  /** What the requests of this turn must not have in them: rows of a table, for instance, that code reads instead. */
  unsaid?: readonly RegExp[];
  /** Pictures that the last request of the turn shows the model for the first time since the turn began. */
  shows?: number;
}

/** One thing that is said, and what comes of it. */
export interface Sentence {
  say: string;
  attach?: readonly Attached[];
  effect: Effect;
}

/** Sentences of one thread, in order. */
export interface Conversation {
  name: string;
  /** Folders of skills in `test/fixtures/skill-packages` that are installed and enabled. */
  skills?: readonly string[];
  sentences: readonly Sentence[];
}

const day = 86_400_000;
const begin = Date.UTC(2026, 0, 1);
const countries = ["Germany", "France", "Poland", "Spain", "Portugal"] as const;

/** An order of the shop: the same every time, about 100 kB of them. */
interface Order {
  id: string;
  customer: string;
  country: (typeof countries)[number];
  promised: number;
  delivered: number;
  amount: number;
}

const orders: readonly Order[] = Array.from({ length: 1_900 }, (_, at) => {
  // A linear congruential generator (Numerical Recipes): the same table in every run.
  const random = (Math.imul(at + 1, 1_664_525) + 1_013_904_223) >>> 0;
  const promised = begin + (at % 180) * day;
  const country = countries[(random >>> 11) % countries.length] ?? "Germany";
  return {
    id: `A-${10_000 + at}`,
    customer: `Customer ${(random >>> 8) % 400}`,
    country,
    promised,
    delivered: promised + (((random >>> 16) % 9) - 5) * day,
    amount: 500 + ((random >>> 5) % 20_000),
  };
});

const lateOrders = orders.filter(({ promised, delivered }) => delivered > promised);

const date = (at: number) => new Date(at).toISOString().slice(0, 10);

function ordersTable(): string {
  const lines = orders.map(
    ({ id, customer, country, promised, delivered, amount }) =>
      `${id},${customer},${country},${date(promised)},${date(delivered)},${(amount / 100).toFixed(2)}`,
  );
  return ["order,customer,country,promised,delivered,amount", ...lines, ""].join("\n");
}

/** A row that no request has to have: it is behind the twenty that are shown. */
const hiddenRow = /A-11234,/;

/** What stands on the third page of the report, and nowhere else. */
const reportFact = "The warehouse in Gdansk closes on 14 March 2027.";

/** A PDF of three pages with a line of text each. */
function reportPdf(): Uint8Array {
  const pages = ["Report on the warehouses", "All five warehouses were visited in October.", reportFact];
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + at * 2} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, at) => {
      const stream = `BT /F1 14 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return new TextEncoder().encode(text + end);
}

/** A picture of one red pixel. */
const redPicture = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
    "base64",
  ),
);

const png = "\u0089PNG";

export const conversations: readonly Conversation[] = [
  {
    name: "a table",
    sentences: [
      {
        say: "how many orders were late?",
        attach: [
          { name: "orders.csv", media_type: "text/csv", data: new TextEncoder().encode(ordersTable()) },
        ],
        effect: {
          says: [new RegExp(`\\b${lateOrders.length}\\b`)],
          calls: ["run_code"],
          unsaid: [hiddenRow],
        },
      },
      {
        say: "plot it by month",
        effect: {
          says: [/month/i],
          posts: [{ name: /\.png$/, begins: png }],
          calls: ["run_code"],
          unsaid: [hiddenRow],
        },
      },
      {
        say: "and by country?",
        effect: {
          says: [
            new RegExp(`Germany\\D+${lateOrders.filter(({ country }) => country === "Germany").length}\\b`),
          ],
          calls: ["run_code"],
          unsaid: [hiddenRow],
        },
      },
    ],
  },
  {
    name: "a PDF",
    sentences: [
      {
        say: "summarise this report",
        attach: [{ name: "report.pdf", media_type: "application/pdf", data: reportPdf() }],
        effect: { says: [/Gdansk/, /14 March 2027/] },
      },
    ],
  },
  {
    name: "a picture",
    sentences: [
      {
        say: "keep this picture in mind",
        attach: [{ name: "wall.png", media_type: "image/png", data: redPicture }],
        effect: { says: [/wall\.png/], shows: 1 },
      },
      { say: "thanks, now something else: hello", effect: { says: [/hello/i] } },
      {
        say: "which colour was the wall in the picture?",
        effect: { says: [/red/i], calls: ["read_file"], shows: 1 },
      },
    ],
  },
  {
    name: "a guide with scripts and no declared tools",
    skills: ["emoji-gif"],
    sentences: [
      {
        say: "make me a small GIF of a bouncing ball for our emojis",
        effect: {
          says: [/gif/i],
          posts: [{ name: /\.gif$/, begins: "GIF89a" }],
          calls: ["activate_skill", "run_skill_script", "run_skill_script"],
        },
      },
    ],
  },
  {
    name: "a guide that builds a page over several calls",
    skills: ["page-builder"],
    sentences: [
      {
        say: "build a page that says hello to the team",
        effect: {
          says: [/page/i],
          posts: [{ name: /\.html$/, begins: "<!doctype html>" }],
          calls: ["activate_skill", "run_skill_script", "run_skill_script", "run_skill_script"],
        },
      },
    ],
  },
];
