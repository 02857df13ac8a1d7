import { slackText } from "../../support/bot/platform-slack.ts";
import { openThread } from "../../support/surfaces/slack-chat.ts";
import { drawPosts } from "../colleague/draw-posts.ts";
import { sayTasks } from "./say-tasks.ts";

const users = { asker: "U0BEN", manager: "U0ANNA" };

sayTasks("Slack", async ({ slack }) => ({
  async say(text, files) {
    const thread = await openThread(slack, { channel: "C0GENERAL", users, mention: "<@U0KNACK> " });
    await thread.say(text, "asker", files);
    // What is for the asker alone stands in their direct messages.
    const shown = async () => {
      const told = (await slack.look()).botMessages("D0BEN").map(slackText);
      return [...(await thread.shown()).map((part) => part.text), ...told].join("\n");
    };
    return {
      async text() {
        const { all } = await slack.look();
        const asks = all.messages.some(
          ({ gone, blocks }) => !gone && JSON.stringify(blocks).includes('"Approve'),
        );
        return `${await shown()}${asks ? "\nApprove" : ""}`;
      },
      async files() {
        const { all } = await slack.look();
        const charts = all.messages.flatMap(({ gone, blocks }) =>
          gone ? [] : blocks.filter(({ type }) => type === "data_visualization"),
        );
        return [...(await thread.files()), ...charts.map(({ title }) => ({ name: String(title), text: "" }))];
      },
      press: (label) => thread.press(label),
      async picture() {
        const made = await thread.files();
        const post = { text: await shown(), where: "general", top: false, calls: [], buttons: [] };
        return drawPosts(text, [{ ...post, files: made.map(({ name }) => name) }], made);
      },
    };
  },
}));
