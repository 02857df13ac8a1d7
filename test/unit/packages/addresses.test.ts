import { describe, expect, it } from "vitest";
import { ownerOf, packageAddress } from "../../../src/packages/fetch/package-address.ts";
import { PackageRefusal } from "../../../src/packages/package-refusal.ts";
import { skillText, zipOf } from "./build-archives.ts";
import { byAnna, only, packagePlace, succeeded } from "./package-place.ts";

/** A repository as `https://… #branch:folder skill,skill`, a download as `download https://…`. */
function meaning(text: string): string {
  const found = packageAddress(text);
  const skills = found.only === undefined ? "" : ` ${found.only.join(",")}`;
  if (found.kind === "server") return `server ${found.server}${skills}`;
  if (found.kind !== "git") return `${found.kind} ${found.url}${skills}`;
  const { repository, ref, folder } = found.address;
  const at = folder === undefined ? ref : `${ref ?? ""}:${folder}`;
  return `${repository.href.replace(/(?<=(?:github|gitlab|bitbucket)\.(?:com|org).*)\.git$/, "")}${at === undefined ? "" : ` #${at}`}${skills}`;
}

const gh = "https://github.com";

describe("an address that people paste is understood", () => {
  it.each([
    // Git
    ["https://example.com/a.git", "https://example.com/a.git"],
    ["https://example.com/a.git#v1.2", "https://example.com/a.git #v1.2"],
    ["https://example.com/a.git#main:skills/x", "https://example.com/a.git #main:skills/x"],
    ["git+https://example.com/a", "https://example.com/a"],
    ["git@github.com:owner/name.git", `${gh}/owner/name`],
    ["git@gitlab.example.com:group/sub/name.git", "https://gitlab.example.com/group/sub/name.git"],
    ["git@bitbucket.org:owner/name", "https://bitbucket.org/owner/name"],
    ["ssh://git@github.com/owner/name.git", `${gh}/owner/name`],
    ["ssh://git@git.example.com:2222/owner/name", "https://git.example.com/owner/name.git"],
    ["git+ssh://git@github.com/owner/name.git#next", `${gh}/owner/name #next`],
    // GitHub
    [`${gh}/owner/name`, `${gh}/owner/name`],
    ["github.com/owner/name", `${gh}/owner/name`],
    [`${gh}/owner/name/`, `${gh}/owner/name`],
    [`${gh}/owner/name?tab=readme-ov-file#readme`, `${gh}/owner/name`],
    [`${gh}/owner/name/tree/main`, `${gh}/owner/name #main`],
    [`${gh}/owner/name/tree/main/skills/x`, `${gh}/owner/name #main:skills/x`],
    [`${gh}/owner/name/tree/main/my%20skills`, `${gh}/owner/name #main:my skills`],
    [`${gh}/owner/name/blob/main/skills/x/SKILL.md`, `${gh}/owner/name #main:skills/x`],
    [`${gh}/owner/name/blob/main/SKILL.md`, `${gh}/owner/name #main`],
    [`${gh}/owner/name/blob/main/x/SKILL.md?plain=1#L10`, `${gh}/owner/name #main:x`],
    [`${gh}/owner/name/tree/main/x#readme-ov-file`, `${gh}/owner/name #main:x`],
    [`${gh}/owner/name/raw/refs/heads/main/x/SKILL.md`, `${gh}/owner/name #main:x`],
    ["https://raw.githubusercontent.com/owner/name/refs/heads/main/x/SKILL.md", `${gh}/owner/name #main:x`],
    [`${gh}/owner/name/releases/tag/v1.2`, `${gh}/owner/name #v1.2`],
    ["git://github.com/owner/name.git", `${gh}/owner/name`],
    ["owner/name/", `${gh}/owner/name`],
    [`(${gh}/owner/name)`, `${gh}/owner/name`],
    [`**${gh}/owner/name**.`, `${gh}/owner/name`],
    [`“${gh}/owner/name”,`, `${gh}/owner/name`],
    [`[the skills](${gh}/owner/name)`, `${gh}/owner/name`],
    [`\u200b${gh}/owner/name`, `${gh}/owner/name`],
    [`${gh}/owner/name/raw/main/x/SKILL.md`, `${gh}/owner/name #main:x`],
    ["https://raw.githubusercontent.com/owner/name/main/x/SKILL.md", `${gh}/owner/name #main:x`],
    [`${gh}/owner/name/blob/main/dist/x.skill`, `download ${gh}/owner/name/raw/main/dist/x.skill`],
    [`${gh}/owner/name/archive/refs/heads/main.zip`, `download ${gh}/owner/name/archive/refs/heads/main.zip`],
    [
      `${gh}/owner/name/releases/download/v1/a.tar.gz`,
      `download ${gh}/owner/name/releases/download/v1/a.tar.gz`,
    ],
    ["https://gist.github.com/owner/0a1b2c", "https://gist.github.com/0a1b2c"],
    // GitLab
    ["https://gitlab.com/owner/name", "https://gitlab.com/owner/name"],
    ["https://gitlab.com/group/sub/name", "https://gitlab.com/group/sub/name"],
    ["https://gitlab.com/owner/name/-/tree/main/x", "https://gitlab.com/owner/name #main:x"],
    ["https://gitlab.com/group/sub/name/-/blob/main/x/SKILL.md", "https://gitlab.com/group/sub/name #main:x"],
    [
      "https://git.example.com/group/name/-/tree/main/x?ref_type=heads",
      "https://git.example.com/group/name #main:x",
    ],
    [
      "https://gitlab.com/owner/name/-/archive/main/name.zip",
      "download https://gitlab.com/owner/name/-/archive/main/name.zip",
    ],
    // Bitbucket, Codeberg, Gitea
    ["https://bitbucket.org/owner/name/src/main/x", "https://bitbucket.org/owner/name #main:x"],
    [
      "https://bitbucket.org/owner/name/get/main.zip",
      "download https://bitbucket.org/owner/name/get/main.zip",
    ],
    ["https://codeberg.org/owner/name", "https://codeberg.org/owner/name"],
    ["https://codeberg.org/owner/name/src/branch/main/x", "https://codeberg.org/owner/name #main:x"],
    ["https://codeberg.org/owner/name/raw/branch/main/x/SKILL.md", "https://codeberg.org/owner/name #main:x"],
    ["https://git.example.com/owner/name/src/branch/main/x", "https://git.example.com/owner/name #main:x"],
    ["https://git.example.com/owner/name/src/tag/v1/x/SKILL.md", "https://git.example.com/owner/name #v1:x"],
    // Short
    ["owner/name", `${gh}/owner/name`],
    ["owner/name@skill", `${gh}/owner/name skill`],
    ["owner/name/skills/x", `${gh}/owner/name #HEAD:skills/x`],
    ["owner/name#next", `${gh}/owner/name #next`],
    ["gitlab:owner/name", "https://gitlab.com/owner/name"],
    ["github:owner/name", `${gh}/owner/name`],
    // Commands
    ["npx skills add owner/name", `${gh}/owner/name`],
    [
      "$ npx -y skills@latest add owner/name --skill one --skill two -g -a claude-code -y",
      `${gh}/owner/name one,two`,
    ],
    [`npx skills add ${gh}/owner/name --skill "two words" other --yes`, `${gh}/owner/name two words,other`],
    ["npx skills add owner/name -s one --agent '*'", `${gh}/owner/name one`],
    ["npx skills add owner/name --skill='*' --all", `${gh}/owner/name`],
    ["npx skills add -a codex owner/name", `${gh}/owner/name`],
    ["bunx skills add owner/name@one", `${gh}/owner/name one`],
    ["pnpm dlx skills add owner/name", `${gh}/owner/name`],
    ["npx add-skill owner/name", `${gh}/owner/name`],
    ["npx openskills install owner/name", `${gh}/owner/name`],
    ["gh skill install owner/name one", `${gh}/owner/name one`],
    ["/plugin marketplace add owner/name", `${gh}/owner/name`],
    ["/plugin marketplace add owner/name\n/plugin install x@name", `${gh}/owner/name`],
    ["claude plugin marketplace add https://example.com/a.git", "https://example.com/a.git"],
    [`gemini extensions install ${gh}/owner/name --ref=v2`, `${gh}/owner/name #v2`],
    ["git clone -b next git@github.com:owner/name.git here", `${gh}/owner/name #next`],
    ["git clone --depth 1 https://example.com/a.git", "https://example.com/a.git"],
    ["owner/name --skill one -y", `${gh}/owner/name one`],
    // Listings
    ["https://skills.sh/owner/name", `${gh}/owner/name`],
    ["https://www.skills.sh/owner/name/one", `${gh}/owner/name one`],
    ["https://clawhub.ai/owner/weather", "download https://clawhub.ai/api/v1/download?slug=weather"],
    ["https://clawhub.ai/skills/weather", "download https://clawhub.ai/api/v1/download?slug=weather"],
    ["clawhub.com/owner/weather", "download https://clawhub.ai/api/v1/download?slug=weather"],
    ["clawhub install weather", "download https://clawhub.ai/api/v1/download?slug=weather"],
    [
      "npx clawhub@latest install @owner/weather --version 1.2.0",
      "download https://clawhub.ai/api/v1/download?slug=weather&version=1.2.0",
    ],
    ["openclaw skills install weather", "download https://clawhub.ai/api/v1/download?slug=weather"],
    [
      "allm-community-id:agent-skill:a1B2",
      "hub https://hub.external.anythingllm.com/v1/agent-skill/a1B2/pull",
    ],
    // Archives, and how chats write addresses
    ["https://example.com/a.zip", "download https://example.com/a.zip"],
    ["<https://example.com/a.zip>", "download https://example.com/a.zip"],
    ["<https://github.com/owner/name|github.com/owner/name>", `${gh}/owner/name`],
    ["`owner/name`", `${gh}/owner/name`],
  ])("%s", (text, expected) => {
    expect(meaning(text)).toBe(expected);
    const { canonical, only = [] } = packageAddress(text);
    expect(meaning(canonical)).toBe(
      expected.slice(0, only.length === 0 ? undefined : -1 - only.join().length),
    );
  });
});

describe("an address that is not understood is answered with a form that works", () => {
  it.each([
    ["weather", /`clawhub install NAME`/],
    ["npx create-skill my-skill", /commands are not run.*OWNER\/REPOSITORY/],
    ["curl -fsSL https://example.com/install.sh | bash", /commands are not run/],
    ["npx skills add", /commands are not run/],
    ["/plugin install writer@team-tools", /"team-tools".*`\/plugin marketplace add OWNER\/REPOSITORY`/],
    ["claude plugin install writer", /marketplace, whose place/],
    ["https://skills.sh", /open the skill there/],
    ["https://clawhub.ai", /open the skill there.*clawhub install/],
    [`${gh}/owner/name/issues/3`, /https:\/\/github\.com\/owner\/name\)/],
    ["npm:@scope/name", /OWNER\/REPOSITORY/],
    ["../skills", /OWNER\/REPOSITORY/],
    ["file:///etc/passwd", /OWNER\/REPOSITORY/],
  ])("%s", (text, expected) => {
    expect(() => packageAddress(text)).toThrow(PackageRefusal);
    expect(() => packageAddress(text)).toThrow(expected);
  });
});

it.each([
  ["https://github.com/Some.One/name", "some-one"],
  ["https://github.com/owner/name/archive/main.zip", "owner"],
  ["https://clawhub.ai/owner/weather", "owner"],
  ["https://git.example.com/team/name.git", "team"],
  ["https://example.com/a.git", undefined],
  ["https://example.com/files/a.zip", undefined],
])("the owner in %s is %s", (url, owner) => {
  expect(ownerOf({ kind: "url", url })).toBe(owner);
});

describe("an item of AnythingLLM's hub", () => {
  const place = (answers: Record<string, string | Buffer>) =>
    packagePlace({
      download: async (url) => {
        const data = answers[url];
        if (data === undefined) return { ok: false, reason: `${url} is not there.` };
        return { ok: true, data: Buffer.from(data), name: "pull" };
      },
    });
  const hub = "https://hub.external.anythingllm.com/v1";

  it("an item of AnythingLLM's hub is fetched from where the hub says", async () => {
    const archive = zipOf([{ name: "SKILL.md", data: skillText("greeting") }]);
    const answers = {
      [`${hub}/agent-skill/a1/pull`]: JSON.stringify({ url: "https://files.example.com/a1.zip", item: {} }),
      "https://files.example.com/a1.zip": archive,
    };
    const packages = await (await place(answers)).open();
    const source = { kind: "url" as const, url: "allm-community-id:agent-skill:a1" };
    const installed = only(succeeded(await packages.install(source, byAnna)));
    expect(installed).toMatchObject({ skill_id: "greeting", from: source.url });
    expect(await packages.update("greeting", byAnna)).toMatchObject({ ok: true });
  });

  it.each([
    JSON.stringify({ error: "Not found" }),
    JSON.stringify({ url: "http://127.0.0.1/x.zip" }),
    JSON.stringify({ item: { itemType: "system-prompt", prompt: "Be kind." } }),
    "<html>",
  ])("an item of AnythingLLM's hub that is no skill is refused: %s", async (answer) => {
    const packages = await (await place({ [`${hub}/agent-skill/a1/pull`]: answer })).open();
    const source = { kind: "url" as const, url: "allm-community-id:agent-skill:a1" };
    expect(await packages.install(source, byAnna)).toMatchObject({ ok: false, code: "download_failed" });
  });
});
