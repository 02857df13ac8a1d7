import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../support/needs.ts";
import { type Bot, botUsers, startBot } from "../bot-as-user.ts";
import { type Answer, bash, type FolderStep, output, python, type Ran, type Told } from "../folder-story.ts";

const attach = { do: "attach", name: "in.csv", text: "a,b" } as const;
const list = { do: "list" } as const;
const read = (path: string) => ({ do: "read", path }) as const;

describe.each(botUsers)("the working folder, as code of a bot of %s sees it", (user) => {
  describe("in the sandbox", needs("bubblewrap", "python3"), () => {
    let bot: Bot<readonly FolderStep[], Told>;
    beforeAll(() => {
      bot = startBot("folder-process.ts", { user });
    });
    afterAll(() => bot[Symbol.asyncDispose]());
    const tell = async (...steps: FolderStep[]) => {
      const { isolation, answers } = await bot.ask(steps);
      expect(isolation).toBe("bubblewrap");
      return answers;
    };

    it("the sandboxed working folder has the files of people, which nobody changes, and a folder that is kept [sandbox-8]", async () => {
      const answers = await tell(
        attach,
        bash(
          "cat input/in.csv; echo x > input/in.csv; rm -f input/in.csv; mv input away; chmod 777 input/in.csv; touch input/new",
        ),
        bash("mkdir -p d; echo one > d/f; echo out > output/o.txt; umask 077; echo two > private"),
        bash("echo more >> d/f; cat d/f; rm private; mv d e; rmdir output 2>/dev/null; rm -r output; ls"),
        bash("echo again > output/o.txt; cat output/o.txt"),
        list,
        read("input/in.csv"),
      );
      expect(output(answers[1])).toMatch(/^a,b/);
      expect(output(answers[1]).match(/Read-only file system|busy/gi)).toHaveLength(5);
      expect((answers[2] as Ran).changed).toEqual([
        "made /workspace/d/f",
        "made /workspace/output/o.txt",
        "made /workspace/private",
      ]);
      expect(output(answers[3])).toMatch(/^one\nmore\n/);
      expect(output(answers[4])).toBe("again");
      expect(answers[5]).toMatchObject({
        paths: ["/workspace/e/f", "/workspace/input/in.csv", "/workspace/output/o.txt"],
      });
      expect(answers[6]).toBe("a,b");
    });

    it("the sandboxed working folder shows nothing of other threads, the data folder and the machine [sandbox-1]", async () => {
      const answers = await tell(
        attach,
        bash(
          "ls ROOT ROOT/data ROOT/data/threads ROOT/outside; find / -name 'secret.txt' -o -name 'tokens.db' -o -name thread.json 2>/dev/null; ls -a /workspace; cat /proc/self/mountinfo | grep -c TOP; pwd; echo $HOME",
        ),
      );
      expect(output(answers[1])).not.toMatch(/secret\.txt|tokens\.db|thread\.json|files\.json/);
      expect(output(answers[1]).match(/No such file/g)).toHaveLength(4);
      expect(output(answers[1])).toMatch(/\n\/workspace\n\/tmp\/home\nls: /);
    });

    it("the sandboxed working folder shows a handler its own part, and of others what its call names, read-only", async () => {
      const look = {
        do: "script",
        name: "look.sh",
        own: true,
        text: 'find /workspace -type f | sort; for f in "$@"; do cat "$f"; echo x > "$f"; done; echo y > mine; echo z > "$KNACK_OUTPUT_DIR/out"; cat $KNACK_INPUT_DIR/in.csv; echo x > $KNACK_INPUT_DIR/in.csv; touch /workspace/x /workspace/skills/x; pwd',
      } as const;
      const answers = await tell(
        attach,
        bash("umask 077; mkdir -p d; echo named > d/named.txt; echo not > other.txt"),
        { ...look, id: "first" },
        { ...look, id: "second", args: ["/workspace/d/named.txt"] },
        bash("find skills -type f | sort; cat skills/second/mine; echo x > skills/second/mine"),
        read("d/named.txt"),
      );
      expect((answers[2] as Ran).changed).toEqual([
        "made /workspace/skills/first/mine",
        "made /workspace/skills/first/output/out",
      ]);
      const second = output(answers[3]);
      expect(second).toMatch(/^\/workspace\/d\/named\.txt\n\/workspace\/input\/in\.csv\nnamed\na,b/);
      expect(second).not.toContain("first");
      expect(second.match(/Read-only file system|Permission denied/g)).toHaveLength(4);
      expect(output(answers[4])).toMatch(/^skills\/first\/mine\n[\s\S]*\ny\n[\s\S]*Read-only/);
      expect(answers[5]).toBe("named\n");
    });

    it("the sandboxed working folder is the same for scripts, which change neither attachments nor skills", async () => {
      const text =
        "cat d/f input/in.csv; echo s >> d/f; echo x > input/in.csv; touch skills/x skills/first/x; echo x > look.sh; ls skills";
      const answers = await tell(
        attach,
        bash("umask 077; mkdir d; echo c > d/f"),
        { do: "script", id: "first", name: "look.sh", text },
        { do: "script", id: "second", name: "look.sh", text },
        bash("cat d/f; cat look.sh"),
      );
      for (const answer of answers.slice(2, 4)) {
        expect((answer as Ran).changed).toEqual(["changed /workspace/d/f"]);
        expect(output(answer).match(/Read-only file system/g)).toHaveLength(4);
      }
      expect(output(answers[3])).toMatch(/^c\ns\na,b/);
      expect(output(answers[4])).toMatch(/^c\ns\ns\n.*No such file/);
    });

    it("the sandboxed working folder takes no orders from what an earlier run planted [sandbox-8]", async () => {
      const names = ["json.py", "sitecustomize.py", "usercustomize.py", "os.py", "random.py"];
      const plant = [
        ...names.map((name) => `echo 'print("PLANTED")' | tee ${name} output/${name} >/dev/null`),
        "mkdir -p node_modules/x output/node_modules/x; echo 'console.log(\"PLANTED\")' | tee node_modules/x/index.js output/node_modules/x/index.js",
        'echo \'{"type":"commonjs","imports":{"#a":"./p.js"},"name":"x"}\' > package.json; echo \'ignore-scripts=false\' > .npmrc',
        "echo 'echo PLANTED' | tee .bashrc .bash_profile .profile > /dev/null; printf '[alias]\\n st = !echo PLANTED\\n' > .gitconfig",
        "mkdir -p $HOME; cp .bashrc .gitconfig $HOME/; mkdir -p .local/lib; echo ok",
      ].join("\n");
      const probe = [
        `python3 -c 'import json, os, random, sys; print(json.__file__, [p for p in sys.path if "workspace" in p or p == ""])'`,
        "echo 'try { await import(\"x\"); } catch (error) { console.log(error.code); }' > /tmp/probe.mjs; node /tmp/probe.mjs",
        "bash -lc true; bash -c true; echo $NODE_PATH $PYTHONPATH; ls -A $HOME; echo done",
      ].join("\n");
      const answers = await tell(
        bash(plant),
        { do: "script", id: "planter", name: "plant.sh", text: plant },
        python(
          "import json, random, os, sys\nprint(json.__file__, [p for p in sys.path if 'workspace' in p or p == ''])",
        ),
        {
          do: "code",
          language: "javascript",
          code: "try { await import('x'); } catch (error) { console.log(error.code); }",
        },
        bash(probe),
        { do: "script", id: "victim", name: "probe.sh", text: probe },
        { do: "script", id: "victim", name: "probe.py", text: "import json, random\nprint(json.__file__)" },
      );
      for (const answer of answers.slice(2)) expect(output(answer)).not.toContain("PLANTED");
      expect(output(answers[2])).toMatch(/^\/usr\S*json\/__init__\.py \[\]$/);
      expect(output(answers[3])).toBe("ERR_MODULE_NOT_FOUND");
      expect(output(answers[4])).toMatch(/json\/__init__\.py \[\]\nERR_MODULE_NOT_FOUND\n[\s\S]*done$/);
      expect(output(answers[5])).toMatch(/ERR_MODULE_NOT_FOUND/);
      expect(output(answers[6])).toMatch(/json\/__init__\.py$/);
    });

    it("the sandboxed working folder leads nobody out over a link, neither the bot nor the next run [sandbox-8]", async () => {
      const answers = await tell(
        attach,
        bash(
          "ln -s /etc/passwd output/passwd; ln -s ROOT/outside output/folder; ln -s ROOT/outside/secret.txt secret; ln -s ROOT/data/threads threads; echo own > output/own; rm -r skills 2>/dev/null; ln -s /etc etc",
        ),
        list,
        ...["output/passwd", "output/folder/secret.txt", "secret", "etc/passwd"].map(read),
        {
          do: "hand over",
          paths: [
            "/workspace/output/passwd",
            "/workspace/output/folder/f",
            "/workspace/secret",
            "/workspace/output/own",
          ],
        },
        { do: "script", id: "s", name: "s.sh", text: "cat /workspace/secret", args: ["/workspace/secret"] },
        bash("rm -r output; ln -s ROOT/outside output"),
        bash("ls -la output; echo fine > output/fine; cat secret"),
        read("output/fine"),
        { do: "clear" },
      );
      expect((answers[1] as Ran).changed).toEqual(["made /workspace/output/own"]);
      expect(answers[2]).toMatchObject({ paths: ["/workspace/input/in.csv", "/workspace/output/own"] });
      expect(answers.slice(3, 7)).toEqual([null, null, null, null]);
      expect(answers[7]).toEqual(["/workspace/output/own"]);
      expect(output(answers[8])).toContain("No such file");
      expect(JSON.stringify(answers)).not.toContain("TOP-SECRET");
      expect(answers[11]).toBe("fine\n");
      // The other thread is still there.
      expect(answers[12]).toBe(1);
    });

    it("the bot learns nothing of the machine while folders are swapped for links as it looks", async () => {
      const [, seen] = await tell(bash("mkdir d; echo mine > d/f"), {
        do: "race",
        path: "d/f",
        code: "import os, time\nend = time.time() + 2\nwhile time.time() < end:\n  os.rename('d', 'away'); os.symlink('ROOT/outside', 'd')\n  os.unlink('d'); os.rename('away', 'd')",
      });
      expect(seen).toContain("mine\n");
      expect(JSON.stringify(seen)).not.toMatch(/SECRET|secret/);
    });

    it("the sandboxed working folder keeps to its limits, and can be tidied up [sandbox-6]", async () => {
      const answers = await tell(
        bash("truncate -s 5G sparse; dd if=/dev/zero of=big bs=1M count=100 2>&1 | tail -1; ls -l"),
        python(
          "for at in range(10_100): open(f'{at}', 'w').close()\nprint('all')\nimport time; time.sleep(5)",
        ),
        list,
        bash("find . -maxdepth 1 -type f -delete; echo ok > ok"),
        list,
        python(
          "import os\nfor at in range(60):\n  os.makedirs('d'); os.chdir('d')\nopen('f', 'w').write('x' * 1000)",
        ),
        bash("rm -r d && echo gone"),
      );
      expect(output(answers[0])).toMatch(/^total 4\d{4}[\s\S]* 0 .*sparse\n[\s\S]*File size limit exceeded/);
      expect((answers[2] as { bytes: number }).bytes).toBeLessThan(51_000_000);
      expect(output(answers[1])).toMatch(/more than 10,000 files and folders/);
      expect(output(answers[3])).toBe("");
      expect(answers[4]).toMatchObject({ paths: ["/workspace/ok"] });
      expect(output(answers[5])).toMatch(/more than 40 deep/);
      expect(output(answers[6])).toBe("gone");
    });

    it("the sandboxed working folder counts deleted files that are kept open", async () => {
      const hold = `kept = []
for at in range(8):
  kept.append(open("hidden", "wb"))
  kept[-1].write(bytes(10_000_000)); kept[-1].flush(); os.unlink("hidden")`;
      const answers = await tell(
        python(`import os, time\n${hold}\ntime.sleep(15); print("it had it all")`),
        python(`import os\n${hold.replace("range(8)", "range(3)")}\nprint("tidy")`),
        list,
      );
      expect(output(answers[0])).toMatch(/^The folder of this thread is full: [\d.]+ MB of 50.0 MB/);
      expect(output(answers[1])).toBe("tidy");
      expect(answers[2]).toMatchObject({ bytes: 0 });
    });

    it.each([
      ["000", "000"],
      ["444", "444"],
      ["111", "200"],
    ])(
      "the working folder is seen and counted though code closes its folders (%s) and files (%s), and still works",
      async (folderMode, fileMode) => {
        const answers = await tell(
          bash(
            `mkdir -p d/e; echo hidden > d/e/f; echo o > output/o; chmod ${fileMode} d/e/f output/o; chmod ${folderMode} d/e d output; chmod ${folderMode} .`,
          ),
          list,
          read("d/e/f"),
          bash("echo new > output/new; chmod -R u+rwx d; echo more >> d/e/f; cat d/e/f"),
          { do: "hand over", paths: ["/workspace/output/new", "/workspace/output/o"] },
          bash(`chmod -R ${folderMode} d; chmod ${folderMode} .`),
          { do: "clear" },
        );
        expect((answers[0] as Ran).changed).toEqual(["made /workspace/d/e/f", "made /workspace/output/o"]);
        expect(answers[1]).toMatchObject({ paths: ["/workspace/d/e/f", "/workspace/output/o"], bytes: 9 });
        expect(answers[2]).toBe("hidden\n");
        expect(output(answers[3])).toBe("hidden\nmore");
        expect(answers[4]).toEqual(["/workspace/output/new", "/workspace/output/o"]);
        expect(answers[6]).toBe(1);
      },
    );

    it("the sandboxed working folder gives nobody rights by hard links and set-user-id programs", async () => {
      const answers: Answer[] = await tell(
        attach,
        bash(
          "ln input/in.csv linked; ln /etc/passwd p; cp /usr/bin/id rootid; chmod 6755 rootid; ./rootid -u > who; echo a > a; ln a b; cat b",
        ),
        {
          do: "script",
          id: "s",
          name: "s.sh",
          text: 'touch mine; id -u; "$1" -u',
          args: ["/workspace/rootid"],
        },
        { do: "owners", name: "rootid" },
        list,
      );
      expect(output(answers[1])).toMatch(/linked.*cross-device|Invalid cross-device/i);
      expect(answers[3]).toEqual([false]);
      expect((answers[4] as { paths: string[] }).paths).toEqual(
        expect.arrayContaining(["/workspace/a", "/workspace/b"]),
      );
    });
  });
});
