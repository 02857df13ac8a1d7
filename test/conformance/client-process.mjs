// What the conformance suite starts: passes the scenario on to the test's process, where the bot's modules are loaded once.
const { CLIENT_URL = "", MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT = "{}" } = process.env;
const given = JSON.parse(MCP_CONFORMANCE_CONTEXT);
const body = JSON.stringify({ url: process.argv.at(-1), scenario: MCP_CONFORMANCE_SCENARIO, given });
const answer = await fetch(CLIENT_URL, { method: "POST", body });
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
