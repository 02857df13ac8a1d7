import type { Need } from "../../support/needs.ts";

/** How programs reach a server: command lines that get its origin as $1 and print what they got, "hello". */
interface OnlineProgram {
  name: string;
  needs: Need[];
  line: string;
}

const python = (name: string, code: string, ...needs: Need[]): OnlineProgram => ({
  ...{ name, needs: ["python3", ...needs] },
  line: `cat > ask.py <<'END'\nimport asyncio, sys\nurl = sys.argv[1]\n${code}\nEND\npython3 ask.py "$1/x"`,
});

/** The machine's Node, where it has one; the bot's is tried by scripts of skills. */
const node = (name: string, code: string): OnlineProgram => ({
  ...{ name, needs: [] },
  line: `cat > ask.cjs <<'END'
const url = process.argv[2];
const secure = url.startsWith("https:");
const { http, https, net, tls, http2 } = Object.fromEntries(["http", "https", "net", "tls", "http2"].map((name) => [name, require(name)]));
const say = (text) => { console.log(String(text)); process.exit(); };
const fail = (error) => { console.error(error.cause?.message ?? error.message); process.exit(1); };
${code}
END
NODE_PATH=/skill/node_modules node --no-warnings ask.cjs "$1/x"`,
});

export const onlinePrograms: readonly OnlineProgram[] = [
  { name: "wget", needs: ["wget"], line: 'wget --quiet --tries=1 --output-document=- "$1/x"' },
  { name: "git", needs: ["git"], line: 'git clone --quiet "$1/git/greeting.git" && cat greeting/greeting' },
  {
    name: "pip",
    needs: ["python3-pip"],
    line: `python3 -m pip install --quiet --trusted-host api.example.com --trusted-host other.example.com --target packages --index-url "$1/simple/" greeting &&
PYTHONPATH=packages python3 -c 'import greeting; print(greeting.word)'`,
  },
  {
    name: "npm",
    needs: ["npm"],
    line: `npm install --silent --registry "$1/" greeting && node -p 'require("greeting")'`,
  },
  python("requests", "import requests; print(requests.get(url).text)", "python3-requests"),
  python("httpx", "import httpx; print(httpx.get(url).text)", "python3-httpx"),
  python(
    "aiohttp",
    `import aiohttp
async def ask():
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        print(await response.text())
asyncio.run(ask())`,
    "python3-aiohttp",
  ),
  python(
    "websockets",
    `import websockets
async def ask():
    async with websockets.connect(url.replace("http", "ws", 1)) as socket:
        print(await socket.recv())
asyncio.run(ask())`,
    "python3-websockets",
  ),
  python(
    "http.client",
    `import http.client, urllib.parse
at = urllib.parse.urlsplit(url)
kind = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
connection = kind(at.hostname, at.port)
connection.request("GET", "/x")
print(connection.getresponse().read())`,
  ),
  python(
    "asyncio",
    `import urllib.parse
at = urllib.parse.urlsplit(url)
async def ask():
    reader, writer = await asyncio.open_connection(at.hostname, at.port, ssl=True if at.scheme == "https" else None)
    writer.write(b"GET /x HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
    print(await reader.read())
asyncio.run(ask())`,
  ),
  node("fetch", "fetch(url).then((response) => response.text()).then(say, fail);"),
  node(
    "an agent of its own",
    `const { Agent, get } = secure ? https : http;
get(url, { agent: new Agent({ keepAlive: true }) }, (response) => response.on("data", say)).on("error", fail);`,
  ),
  node(
    "a plain socket",
    `const { hostname, port } = new URL(url);
const socket = secure ? tls.connect({ host: hostname, port, servername: hostname }) : new net.Socket().connect(port, hostname);
socket.on("data", say).on("error", fail).write("GET /x HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n");`,
  ),
  node(
    "ws",
    `const WebSocket = require("ws");
new WebSocket(url.replace("http", "ws")).on("message", say).on("error", fail);`,
  ),
];
