import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGuardedProxy } from "../../../src/net/guarded-proxy.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { type Need, needs } from "../../support/needs.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "./script-fixture.ts";

/** What programs expect of the machine they run on, and what they print in one of which it holds. */
const expectations: readonly { what: string; needs: Need[]; line: string; prints: string | RegExp }[] = [
  {
    what: "one user, whom everything knows by the same name",
    needs: ["python3"],
    line: `whoami; id -gn; echo $USER $LOGNAME $SHELL
python3 -c 'import getpass, os, pwd; print(getpass.getuser(), pwd.getpwuid(os.getuid()).pw_dir == os.path.expanduser("~"))'`,
    prints: "script\nscript\nscript script /bin/sh\nscript True\n",
  },
  {
    what: "the bot's time zone, in every program",
    needs: ["python3"],
    line: `date -d @0 +%Z%z; cat /etc/timezone; node -p 'Intl.DateTimeFormat().resolvedOptions().timeZone'
python3 -c 'import datetime, zoneinfo; print(datetime.datetime.fromtimestamp(0).astimezone().tzname(), zoneinfo.ZoneInfo("Asia/Tokyo"))'
env -u TZ date -d @0 +%Z%z`,
    prints: "EAT+0300\nAfrica/Nairobi\nAfrica/Nairobi\nEAT Asia/Tokyo\nEAT+0300\n",
  },
  {
    what: "a locale that nothing complains about",
    needs: ["python3"],
    line: `bash -c true; perl -e 1; locale >/dev/null; python3 -c 'import locale; print(locale.setlocale(locale.LC_ALL, ""), "ä")'`,
    prints: "C.UTF-8 ä\n",
  },
  {
    what: "shared memory, semaphores and processes that share work",
    needs: ["python3"],
    line: `cat > work.py <<'END'
import multiprocessing, multiprocessing.shared_memory
memory = multiprocessing.shared_memory.SharedMemory(create=True, size=1000)
memory.unlink()
with multiprocessing.Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
END
python3 work.py`,
    prints: "[1, 2]\n",
  },
  {
    what: "Git that commits, in folders of other users too",
    needs: ["git"],
    line: `git init --quiet; echo a > a; git add a; git commit --quiet --message=first; git log --format=%an; git branch --show-current`,
    prints: "script\nmain\n",
  },
  {
    what: "a name that is unknown at once",
    needs: ["python3", "curl"],
    line: `SECONDS=0; curl --silent http://other.example.com; python3 -c 'import urllib.request; urllib.request.urlopen("http://other.example.com")' 2>/dev/null
getent hosts other.example.com; node -e 'fetch("http://other.example.com").catch(() => {})'; echo $((SECONDS < 3))`,
    prints: /^(This skill may not reach.*\n)?1\n$/,
  },
  {
    what: "pip that gives up within seconds",
    needs: ["python3-pip"],
    line: "SECONDS=0; python3 -m pip install --quiet greeting 2>/dev/null; echo $((SECONDS < 6))",
    prints: "1\n",
  },
  {
    what: "npm that gives up within seconds",
    needs: ["npm"],
    line: "SECONDS=0; npm install --silent greeting 2>/dev/null; echo $((SECONDS < 6))",
    prints: "1\n",
  },
  {
    what: "a loopback on which its processes reach each other",
    needs: ["python3", "curl"],
    line: `echo hello > greeting
python3 -m http.server 8123 --bind :: >/dev/null 2>&1 &
until curl --silent --output /dev/null http://localhost:8123/; do sleep 0.1; done
for host in localhost 127.0.0.1 '[::1]' sandbox; do
  curl --silent --show-error --max-time 3 http://$host:8123/greeting
  node -e 'fetch(process.argv[1]).then((response) => response.text()).then((text) => process.stdout.write(text))' http://$host:8123/greeting
done
python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode(), end="")' http://localhost:8123/greeting`,
    prints: "hello\n".repeat(9),
  },
];

describe("the machine that code sees", needs("bubblewrap"), () => {
  const fixture = new ScriptFixture();
  const skill = fixture.skill({ "SKILL.md": "Looks around." });
  let sandbox: Sandbox;

  beforeAll(async () => {
    const openProxy = createGuardedProxy({ allow: [] }).open;
    sandbox = await createSandbox({ dataDir: fixture.dataDir, openProxy, timeZone: "Africa/Nairobi" });
  });
  afterAll(() => fixture[Symbol.dispose]());
  const run = (line: string, changes = {}) =>
    runToEnd(
      sandbox.scripts,
      scriptRequest(skill, "", { work: { kind: "command", line }, timeout_ms: 30_000, ...changes }),
    );

  for (const { what, needs: own, line, prints } of expectations) {
    const printed = typeof prints === "string" ? prints : expect.stringMatching(prints);

    it(`the machine that code sees has ${what}`, needs("bubblewrap", ...own), async () => {
      const { stdout, stderr } = await run(line);
      expect([stdout, stderr]).toEqual([printed, ""]);
    });

    it(
      `the machine that code sees has ${what}, even with a way out`,
      needs("bubblewrap", ...own),
      async () => {
        const { stdout, stderr } = await run(line, { network: { permits: () => false } });
        const [told = ""] =
          stderr.match(/^(\[sandbox\] .* is not granted: this code cannot reach it\.\n)*/) ?? [];
        expect([stdout, stderr.slice(told.length)]).toEqual([printed, ""]);
      },
    );
  }

  it("the machine that code sees has no time zone that the machine does not know", async () => {
    const other = await createSandbox({ dataDir: fixture.dataDir, timeZone: "../../etc/passwd" });
    const request = scriptRequest(skill, "", {
      work: { kind: "command", line: 'echo "$TZ"; date +%Z; ls /etc/timezone 2>/dev/null' },
    });
    expect((await runToEnd(other.scripts, request)).stdout).toBe("\nUTC\n");
  });
});
