import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { useHome } from "../support/use-home.ts";

describe("commands without a running bot", () => {
  const home = useHome();
  const run = async (...argv: string[]) => {
    const { code, stdout, stderr } = await home().run(argv);
    return { code, stderr, value: stdout.startsWith("{") ? JSON.parse(stdout) : stdout };
  };

  it("`knack skills` waits for packages of tools and tool servers that it runs", async () => {
    const document = "---\nname: kit\ndescription: Adds.\nskill_type: tool\n---\nGuide.\n";
    await home().write(".knack-workspace/skills/kit/SKILL.md", document);
    const tool = (name: string) =>
      `{ name: "${name}", description: "x", parameters: {}, run: () => "${name} ran" }`;
    await home().write(
      ".knack-workspace/skills/kit/index.js",
      `module.exports = [${tool("add")}, ${tool("drop")}];`,
    );
    const steps = [
      { type: "start", config: { variables: [] } },
      { type: "tool", config: { tool: "kit#drop", responseVariable: "said" } },
    ];
    const flow = { name: "Uses kit", active: true, steps };
    await home().write(".knack-workspace/flows/uses.json", JSON.stringify(flow));
    const server = fileURLToPath(new URL("../../support/skills/mcp-server-process.ts", import.meta.url));
    const mcpServers = { asker: { command: process.execPath, args: [server] } };
    await home().write("config/mcp.json", JSON.stringify({ mcpServers }));

    const listed = await run("mcp", "list", "--json");
    expect(listed.value.servers).toMatchObject([
      { state: "running", tools: expect.arrayContaining([expect.objectContaining({ name: "echo" })]) },
    ]);
    const ran = await run("skills", "run", "kit#add", "--params", "{}", "--json");
    expect(ran).toMatchObject({ code: 0, value: { output: "add ran", success: true } });
    const flowed = await run("flows", "run", "uses_kit", "--vars", "{}", "--json");
    expect(flowed).toMatchObject({ code: 0, value: { variables: { said: "drop ran" } } });
    const echoed = await run("skills", "run", "mcp_asker#echo", "--params", '{"text": 4711}', "--json");
    expect(echoed).toMatchObject({ code: 0, value: { output: "4711", success: true } });
  });
});
