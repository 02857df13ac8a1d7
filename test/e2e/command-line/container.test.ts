import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { useHome } from "../support/use-home.ts";

const dockerfile = await readFile(new URL("../../../Dockerfile", import.meta.url), "utf8");
const bot = useHome();

it("the image keeps all own data in the volume", async () => {
  const workdir = /^WORKDIR (\S+)\nUSER node$/m.exec(dockerfile)?.[1];
  expect(workdir).toBe("/data");
  expect(dockerfile).toContain(`KNACK_DATA=${workdir} `);
  expect(dockerfile).toContain(`VOLUME ${workdir}\n`);
  expect(dockerfile).not.toMatch(/KNACK_CONFIG=/);

  // As there: the working directory is the data folder, the code lies elsewhere, nothing else is said.
  const home = bot();
  await home.write("knack.yaml", "name: Robo\nskills: {env: {greeter: {GREETING: Hi}}}\n");
  const skill = "---\nname: greeter\ndescription: Greets people by name.\n---\nGreet.\n";
  await home.write(".knack-workspace/skills/greeter/SKILL.md", skill);
  const flow = {
    name: "Weather",
    uuid: "7f2c2f3e-6c9b-4d55-9d0a-0a5b9b1d3c11",
    active: true,
    description: "x",
  };
  const steps = [{ type: "start", config: { variables: [] } }];
  await home.write(".knack-workspace/flows/weather.json", JSON.stringify({ ...flow, steps }));
  await home.write("config/mcp.json", '{"mcpServers": {"docs": {"url": "http://127.0.0.1:9/mcp"}}}');
  const env = { KNACK_DATA: home.folder, KNACK_CONFIG: "", KNACK_PORT: "0" };
  const started = await home.start({ env });
  expect(started.out()).toContain("Robo is ready");
  const list = async (...argv: string[]) => (await home.run([...argv, "--json"], { env })).stdout;
  expect(await list("skills", "list")).toMatch(/"greeter"[\s\S]*"mcp_docs"|"mcp_docs"[\s\S]*"greeter"/);
  expect(await list("flows", "list")).toContain("weather");
  const settings = await list("config");
  expect(settings).toContain('"file knack.yaml:1:1"');
  expect(settings).toContain(JSON.stringify(`${home.folder}/.knack-workspace/agents`));
  expect(await started.terminate()).toBe(0);
});
