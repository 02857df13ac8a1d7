import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { applicationRoutes } from "./api/application-routes.ts";
import { Faults } from "./api/faults.ts";
import { interactionRoutes } from "./api/interaction-routes.ts";
import { messageRoutes } from "./api/message-routes.ts";
import { answerApi, type Call } from "./api/rest-api.ts";
import { searchRoutes } from "./api/search-routes.ts";
import { threadRoutes } from "./api/thread-routes.ts";
import { controlHandlers } from "./control-handlers.ts";
import type { DiscordOptions } from "./discord-options.ts";
import { observe } from "./observe.ts";
import { CommandStore } from "./world/command-store.ts";
import { Gateway } from "./world/gateway.ts";
import { Interactions } from "./world/interactions.ts";
import { seedWorld } from "./world/seed-world.ts";
import type { World } from "./world/world.ts";

export interface FakeDiscord {
  /** E.g. `http://127.0.0.1:1234`. */
  origin: string;
  stop: () => void;
}

/** Serves a fake Discord on a free loopback port: REST, gateway, attachments, and `/control` for tests. */
export async function serveFakeDiscord(options: DiscordOptions): Promise<FakeDiscord> {
  const world = seedWorld(options);
  const commands = new CommandStore(world);
  const interactions = new Interactions(world);
  const gateway = new Gateway(world);
  const faults = new Faults();
  const calls: Call[] = [];
  let restRefused = false;
  const routes = [
    ...applicationRoutes(world, commands),
    ...messageRoutes(world),
    ...searchRoutes(world),
    ...threadRoutes(world),
    ...interactionRoutes(world, interactions),
  ];
  const handlers = controlHandlers({
    world,
    commands,
    interactions,
    gateway,
    faults,
    refuseRest: (on) => {
      restRefused = on;
    },
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "/";
    if (path.startsWith("/control/state")) {
      const { searchParams } = new URL(path, "http://localhost");
      await world.changes.after(Number(searchParams.get("after") ?? -1));
      const isPart = searchParams.get("traffic") === "no";
      const traffic = isPart ? { calls: [], interactions: [] } : { calls, interactions: interactions.all() };
      json(response, 200, observe({ world, gateway, commands, ...traffic }, searchParams.get("channel")));
    } else if (path.startsWith("/control/")) {
      await control(handlers, path.slice("/control/".length), request, response);
    } else if (path.startsWith("/attachments/")) sendAttachment(world, path, response);
    else if (restRefused) request.socket.destroy();
    else await answerApi({ world, routes, faults, calls }, request, response);
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  server.on("upgrade", (request, socket, head) => gateway.upgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  world.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: world.origin,
    stop: () => {
      gateway.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function control(
  handlers: ReturnType<typeof controlHandlers>,
  action: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const input: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const handler = Object.hasOwn(handlers, action) ? handlers[action as keyof typeof handlers] : undefined;
  if (!handler) return json(response, 404, { error: `There is no action ${action}.` });
  try {
    json(response, 200, { output: (handler as (input: unknown) => unknown)(input) });
  } catch (error) {
    json(response, 400, { error: error instanceof Error ? error.message : String(error) });
  }
}

function sendAttachment(world: World, path: string, response: ServerResponse): void {
  const id = path.split("/")[3];
  const files = [...world.messages.values()].flatMap((message) => message.attachments);
  const file = files.find((attachment) => attachment.id === id);
  if (!file) response.writeHead(404).end("This content is no longer available.");
  else
    response
      .writeHead(200, { "content-type": file.contentType, "content-length": file.bytes.length })
      .end(file.bytes);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
