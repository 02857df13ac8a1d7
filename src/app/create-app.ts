import { LRUCache } from "lru-cache";
import { type ChatPlatforms, createChatPlatforms } from "../core/ports/chat-platform.ts";
import { noMeter, type PartUses } from "../core/ports/model.ts";
import type { TurnPorts } from "../core/scope/turn.ts";
import { createOfferReader, type OfferReader } from "../core/skill/make-offer.ts";
import { createSurface } from "./app.ts";
import type { AppDeps } from "./app-deps.ts";
import { type ChatHub, meteredPlatform } from "./chat/chat-hub.ts";
import { createChannelIndex } from "./chat/create-channel-index.ts";
import { createChatIntake } from "./chat/create-chat-intake.ts";
import { createTurnPresenter } from "./chat/create-turn-presenter.ts";
import { usageWithJudgements } from "./chat/intake/offer-days.ts";
import { refusalOf } from "./chat/intake/refusal-of.ts";
import { createMessageJudge } from "./chat/judge-message.ts";
import { shapingRules } from "./chat/present/shape-answer.ts";
import type { Run } from "./chat/present/still-wanted.ts";
import { createCommandRunner } from "./commands/command-runner.ts";
import { operationCommands } from "./commands/operation-commands.ts";
import { openServices, type Services } from "./operations/services.ts";
import { allOperations } from "./operations/table.ts";
import { PastConversations } from "./reading/past-conversations.ts";
import {
  createPinnedFacts,
  createPlaceDescriber,
  createRolesOf,
  createWhere,
} from "./reading/place-description.ts";
import { TurnContextReader } from "./reading/turn-context.ts";
import { createWebChatActions } from "./reading/web-chat-actions.ts";
import { createScheduleService } from "./schedules/create-schedules.ts";
import { createChats } from "./services/chats.ts";
import { lackingIn } from "./services/lacking-means.ts";
import { keptFor } from "./services/retention-policy.ts";
import type { Forget } from "./services/shapes.ts";
import { openTeaching } from "./services/teaching.ts";
import { watchForAudit } from "./services/turn-audit.ts";
import { createBackground } from "./turns/background.ts";
import { CommandReader } from "./turns/command-reader.ts";
import { Dispatcher } from "./turns/dispatcher.ts";
import { Feed } from "./turns/feed.ts";
import { createPictures } from "./turns/kept-files.ts";
import { emitAll, interruptedTooOften, maxCrashes } from "./turns/no-start.ts";
import { StoredOpenings } from "./turns/openings.ts";
import { PastThreads } from "./turns/past-threads.ts";
import { Recordings } from "./turns/replay/recorded-turn.ts";
import { SharedFeed } from "./turns/shared-feed.ts";
import { observeSpending, Spending } from "./turns/spending.ts";
import { createSubmit } from "./turns/submit.ts";
import { TurnControl } from "./turns/turn-control.ts";
import { type Follow, followTurn } from "./turns/turn-events.ts";
import { createTurnMeasuring } from "./turns/turn-measure.ts";
import { TurnRunner } from "./turns/turn-runner.ts";

/** Maximum parts of prompts whose uses are remembered: a few for each active channel. */
const maxParts = 1_000;

/** The chat platforms, the index of their channels, and what tools do in them. */
function openChats(deps: AppDeps, forget: Forget) {
  const { log, store, clock, leases, logger, index, retention, public_url, ports } = deps;
  const webChat = createWebChatActions(log, ports.name, public_url);
  const platforms = createChatPlatforms();
  const kept = keptFor(retention.conversation_days);
  const channelIndex = createChannelIndex({ index, store, leases, platforms, clock, logger, kept });
  const chats = createChats(log, webChat, index, platforms, channelIndex, forget);
  return { platforms, channelIndex, chats, webChat };
}

/** What accepts messages, and begins, shows and stops their turns. */
function openQueue(deps: AppDeps, offers: OfferReader) {
  const { log, store, clock, newId, profiles, catalogue, shared } = deps;
  const { name, files, models } = deps.ports;
  const feed = shared === undefined ? new Feed() : new SharedFeed(deps, shared);
  const commands = operationCommands(allOperations);
  const reader = new CommandReader(commands, name);
  const dispatcher = new Dispatcher(deps);
  const { wake } = dispatcher;
  const submit = createSubmit({
    log,
    store,
    clock,
    newId,
    profiles,
    catalogue,
    files,
    models,
    offers,
    feed,
    reader,
    wake,
  });
  const follow: Follow = (turnId, afterSeq, signal) => followTurn({ log, feed }, turnId, afterSeq, signal);
  const control = new TurnControl(log, clock, dispatcher);
  return { feed, commands, reader, dispatcher, wake, submit, follow, control };
}

type Queue = ReturnType<typeof openQueue>;

/** Schedules, triggers, goals and jobs. */
function openSchedules(
  deps: AppDeps,
  { submit, control }: Queue,
  platforms: ChatPlatforms,
  offers: OfferReader,
  spending: Spending,
) {
  const { log, store, clock, leases, logger, redact, time_zone, public_url, catalogue, metaTools } = deps;
  const { folders, report } = deps.ports;
  return createScheduleService({
    ...deps.schedules,
    log,
    store,
    clock,
    leases,
    logger,
    redact,
    time_zone,
    public_url,
    catalogue,
    metaTools,
    folders,
    report,
    platforms,
    offers,
    submit,
    stop: (turnId, by) => control.stop(turnId, by),
    refusalOf: (person, place) => refusalOf(deps.chat.access, person, place),
    overBudget: (...given) => spending.exceeded(...given),
  });
}

/** Everything that turns are accepted, run and shown with. */
function openTurns(deps: AppDeps, forget: Forget) {
  const { log, store, clock, facts, redact, time_zone, public_url } = deps;
  const { name, files, countTokens, report } = deps.ports;
  const opened = openChats(deps, forget);
  const { platforms, chats, webChat } = opened;
  const { actions: actionsOf } = chats;
  const offers = createOfferReader(store, facts, clock, (state, namespace) =>
    lackingIn(state, namespace, deps, actionsOf),
  );
  const queue = openQueue(deps, offers);
  const usage = usageWithJudgements({ log, store });
  const spending = new Spending(usage, deps);
  const schedules = openSchedules(deps, queue, platforms, offers, spending);
  const past = new PastThreads(log);
  const openings = new StoredOpenings(store, clock);
  const recordings = new Recordings(log, past, openings, countTokens);
  const picture = createPictures(files, report);
  const teaching = openTeaching(deps, { picture, clock, offers }, recordings);
  const links = { actionsOf, console: public_url === undefined ? undefined : webChat, report };
  const conversations = new PastConversations(log, deps.createTextIndex, links);
  const ports: TurnPorts = {
    ...deps.ports,
    store,
    clock,
    pastOutput: (...asked) => past.output(...asked),
    redact,
    time_zone,
    chats,
    openings,
    offers,
    picture,
    schedules,
    teaching,
    partUses: new LRUCache<string, PartUses>({ max: maxParts }),
    facts: createPinnedFacts(store),
    searchPast: (...asked) => conversations.search(...asked),
    rolesOf: createRolesOf(platforms),
    deletions: (place) => log.deletions(place),
    background: createBackground(log, queue.submit, queue.control),
  };
  const describer = createPlaceDescriber(platforms, clock, report, shapingRules);
  const contexts = new TurnContextReader(deps, ports, platforms);
  const runner = new TurnRunner(
    deps,
    ports,
    contexts,
    past,
    spending,
    createWhere(describer, name, actionsOf),
  );
  return {
    ...opened,
    ...queue,
    usage,
    spending,
    schedules,
    past,
    openings,
    recordings,
    teaching,
    ports,
    runner,
  };
}

type Turns = ReturnType<typeof openTurns>;

/** Runs turns that the dispatcher claims: shown on their platforms, and measured. */
function serveTurns(deps: AppDeps, turns: Turns, services: Services) {
  const { clock, log, store, redact, logger, chat } = deps;
  const { platforms, dispatcher, commands, reader, runner, spending, submit, schedules, feed } = turns;
  const { name, files, report } = deps.ports;
  const { question_ms } = deps.limits;
  const commandRunner = createCommandRunner(commands, services, runner, reader, platforms, files);
  const measuring = createTurnMeasuring(deps);
  const presenter = createTurnPresenter({
    log,
    question_ms,
    platforms,
    store,
    clock,
    redact,
    logger,
    chat,
    name,
    files,
  });
  dispatcher.serve({
    deadlineOf: (claimed) => runner.deadlineOf(claimed),
    run: (claimed, emit, signal, isHeld) => {
      const run: Run = (own, until) => {
        if (claimed.crashes >= maxCrashes) return emitAll(interruptedTooOften(claimed, clock.now()), own);
        return (claimed.inbound.kind === "command" ? commandRunner : runner).run(claimed, own, until);
      };
      return presenter.around(claimed, run, emit, { signal, isHeld });
    },
    observers: (claimed) => [
      feed.follow(claimed, log),
      observeSpending({ spending, submit, clock, report }, claimed),
      watchForAudit(services.audit, claimed),
      measuring(claimed),
      schedules.goals.follow(claimed),
    ],
  });
}

/** The running app. */
export type RunningApp = ReturnType<typeof createApp>;

export function createApp(deps: AppDeps) {
  const { log, store, clock, logger, newId, profiles, chat: policy, meter = noMeter } = deps;
  const { name, models } = deps.ports;
  const turns = openTurns(deps, (turnId, by) => services.forget(turnId, by));
  const services: Services = openServices(deps, turns);
  const { platforms, channelIndex, dispatcher, schedules, feed, spending } = turns;
  let endHearing = async () => {};
  serveTurns(deps, turns, services);
  const app = createSurface(deps, services, turns.reader);
  const listeners = [channelIndex, schedules.watch];
  const judge = createMessageJudge({ name, models, profiles, spending, clock, meter });
  const chat: ChatHub = {
    connect(platform) {
      const metered = meteredPlatform(platform, meter);
      platforms.add(metered);
      const own = { app, platform: metered, policy, listeners, judge };
      return createChatIntake({ log, store, clock, logger, newId, ...own });
    },
  };
  return {
    app,
    chat,
    /** Begins to take part in the work. Queued and interrupted turns are resumed, unless other processes run them (`runsTurns`). */
    start({ runsTurns } = { runsTurns: true }): void {
      endHearing = feed.start();
      if (runsTurns) dispatcher.start();
      channelIndex.start();
    },
    /** Starts schedules and triggers. Only for the bot itself, not for a separate command. */
    startSchedules: schedules.clockwork.start,
    /** Announces upcoming deletions and starts them. Only for the bot itself, not for a separate command. */
    startRetention: () => services.retention.start(),
    /** Lets running turns finish for `drainMs`; the rest is resumed at the next start. */
    async stop(drainMs: number): Promise<void> {
      await schedules.clockwork.stop();
      await Promise.all([dispatcher.stop(drainMs), services.retention.stop(), channelIndex.stop()]);
      await schedules.jobs.close();
      await endHearing();
      await services.stored.settled();
    },
  };
}
