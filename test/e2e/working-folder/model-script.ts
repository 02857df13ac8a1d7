/** What a capable model does about the sentences: it reads what it was told, and writes code of its own. */
import type { HonestModel, Step } from "../../support/models/honest-model.ts";

/** A path that a request names, by its ending. */
type Told = (results: readonly string[]) => Step;

const readOrders = `import csv
from collections import Counter
with open("/workspace/input/orders.csv", newline="") as file:
    rows = list(csv.DictReader(file))
late = [row for row in rows if row["delivered"] > row["promised"]]`;

/** A bar chart as PNG, with nothing but Python itself: no package was offered. */
const drawBars = `import struct, zlib
def png(path, values, width=480, height=240):
    most = max(values)
    bar = width // len(values)
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            index = min(x // bar, len(values) - 1)
            filled = x % bar < bar - 4 and (height - y) <= values[index] / most * (height - 10)
            rows += bytes((122, 31, 92) if filled else (255, 255, 255))
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(bytes([137]) + b"PNG" + bytes([13, 10, 26, 10]) + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b""))`;

const pngWords = ["wb", ">I", ">IIBBBBB", "PNG", "IHDR", "IDAT", "IEND"];

const code = (text: string, invents: readonly string[] = []): Step => ({
  call: "run_code",
  with: { language: "python", code: text },
  invents,
});

const scripts: Record<string, Told> = {
  "how many orders were late?": ([result]) =>
    result === undefined
      ? code(`${readOrders}\nprint(len(late), "of", len(rows))`, ["of"])
      : { say: `${/\d+/.exec(result)?.[0]} orders were late.` },
  "plot it by month": ([result]) =>
    result === undefined
      ? code(
          `${readOrders}\nmonths = Counter(row["promised"][:7] for row in late)\nprint(sorted(months.items()))\n${drawBars}\npng("/workspace/output/late-by-month.png", [months[month] for month in sorted(months)])`,
          [...pngWords, "/workspace/output/late-by-month.png"],
        )
      : { say: "Here are the late orders by month.", invents: [] },
  "and by country?": ([result]) =>
    result === undefined
      ? code(
          `${readOrders}\nfor country, count in Counter(row["country"] for row in late).most_common():\n    print(country, count)`,
        )
      : {
          say: `Late orders by country:\n\n${result
            .split("\n")
            .filter((line) => /^\w+ \d+$/.test(line))
            .map((line) => `- ${line.replace(" ", ": ")}`)
            .join("\n")}`,
        },
  "keep this picture in mind": () => ({ say: "I have seen wall.png." }),
  "thanks, now something else: hello": () => ({ say: "Oh, hello." }),
  "which colour was the wall in the picture?": ([result]) =>
    result === undefined
      ? { call: "read_file", with: { path: "/workspace/input/wall.png" } }
      : { say: "The wall is red." },
  "make me a small GIF of a bouncing ball for our emojis": (results) => gifStep(results),
  "build a page that says hello to the team": (results) => pageStep(results),
};

function gifStep(results: readonly string[]): Step {
  const run = (text: string, invents: readonly string[] = []): Step => ({
    call: "run_skill_script",
    with: { skill_name: "emoji-gif", command: text },
    invents,
  });
  switch (results.length) {
    case 0:
      return { call: "activate_skill", with: { skill_name: "emoji-gif" } };
    case 1:
      return run(
        `python3 - <<'EOF'\nfrom core.frames import circle, save_frames\nframes = [circle(64, x=32, y=y, radius=9) for y in (10, 18, 30, 46, 54, 46, 30, 18)]\nsave_frames("frames.json", frames)\nprint(len(frames))\nEOF`,
        ["EOF"],
      );
    case 2:
      return run(
        `python3 - <<'EOF'\nfrom core.frames import load_frames\nfrom core.gif_builder import GIFBuilder\nbuilder = GIFBuilder(width=64, height=64, colours=["#ffffff", "#e01e5a"], delay=8)\nfor frame in load_frames("frames.json"):\n    builder.add_frame(frame)\nprint(builder.save("output/ball.gif"))\nEOF\npython3 $KNACK_SKILL_DIR/scripts/check.py output/ball.gif`,
        ["EOF", "output/ball.gif"],
      );
    default:
      return { say: "Here is the GIF." };
  }
}

function pageStep(results: readonly string[]): Step {
  const skill_name = "page-builder";
  switch (results.length) {
    case 0:
      return { call: "activate_skill", with: { skill_name } };
    case 1:
      return {
        call: "run_skill_script",
        with: { skill_name, script: "scripts/init.sh", args: ["hello"] },
      };
    case 2:
      return {
        call: "run_skill_script",
        with: {
          skill_name,
          command: "sed -i 's/TITLE/Hello, team!/' hello/index.html && grep h1 hello/index.html",
        },
        invents: ["s/TITLE/Hello, team!/"],
      };
    case 3:
      return {
        call: "run_skill_script",
        with: {
          skill_name,
          command:
            "bash $KNACK_SKILL_DIR/scripts/bundle.sh hello && cp hello/bundle.html $KNACK_OUTPUT_DIR/hello.html",
        },
        invents: [],
      };
    default:
      return { say: "Here is the page." };
  }
}

/** Teaches the model all sentences. */
export function teach(model: HonestModel): void {
  for (const [said, next] of Object.entries(scripts)) model.about(said, next);
  // It sums up what stands in the request: the third page has a fact of its own.
  model.about("summarise this report", () => ({
    say: "The warehouse in Gdansk closes on 14 March 2027; all five were visited in October.",
  }));
}
