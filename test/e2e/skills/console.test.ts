import { openApprovals, sayOnConsole } from "../../support/surfaces/console-thread.ts";
import { drawPosts } from "../colleague/draw-posts.ts";
import { sayTasks } from "./say-tasks.ts";

/** Over the API, as the console's page uses it; `test/e2e/console` has what a browser makes of it. */
sayTasks("the console", async (bot) => ({
  async say(text, given) {
    const { client } = bot.bot();
    const thread = await sayOnConsole(client, { namespace: "console:local:general", text }, given);
    const shown = async () => (await thread.turns()).map((turn) => turn.text).join("\n");
    const files = async () => {
      const made = (await thread.turns()).flatMap((turn) => turn.files);
      return Promise.all(
        made.map(async ({ name, url }) => {
          const content = Buffer.from(await (await client.file(url)).arrayBuffer());
          return { name, text: content.toString(), base64: content.toString("base64") };
        }),
      );
    };
    return {
      files,
      async text() {
        const asks = openApprovals(await thread.turns()).length > 0;
        return `${await shown()}${asks ? "\nApprove" : ""}`;
      },
      press: thread.approve,
      async picture() {
        const made = await files();
        const post = { text: await shown(), where: "general", top: true, calls: [], buttons: [] };
        return drawPosts(text, [{ ...post, files: made.map(({ name }) => name) }], made);
      },
    };
  },
}));
