/** The child process of `startSlackServer`: a fake Slack on a free loopback port. Its options come as JSON in the first argument. */
import { type SlackOptions, startSlackService } from "./slack/slack-service.ts";

// Standard input closes with the parent, however that ends.
process.stdin.on("close", () => process.exit());
process.stdin.resume();

const { url } = await startSlackService(JSON.parse(process.argv[2] ?? "{}") as SlackOptions);
process.stdout.write(`${JSON.stringify({ url })}\n`);
