import { LRUCache } from "lru-cache";
import { type ChatPerson, createChatPlatforms } from "../core/ports/chat-platform.ts";
import { noMeter, type PartUses } from "../core/ports/model.ts";
import { createOfferReader } from "../core/skill/make-offer.ts";
import type { Place } from "../core/values/place.ts";
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
import { createPastConversations } from "./reading/past-conversations.ts";
import { createPinnedFacts } from "./reading/pinned-facts.ts";
import { createPlaceDescriber } from "./reading/place-description.ts";
import { createRolesOf } from "./reading/roles-of.ts";
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
import { SharedFeed } from "./turns/shared-feed.ts";
import { observeSpending, Spending } from "./turns/spending.ts";
import { createSubmit } from "./turns/submit.ts";
import { TurnControl } from "./turns/turn-control.ts";
import { type Follow, followTurn } from "./turns/turn-events.ts";
import { createTurnMeasuring } from "./turns/turn-measure.ts";
import { TurnRunner } from "./turns/turn-runner.ts";
import { createWhere } from "./turns/where.ts";

/** Maximum parts of prompts whose uses are remembered: a few for each active channel. */
const maxParts = 1_000;

/** Channels as turns read them: their skills, their messages and their people. */
function openChannels(deps: AppDeps, forget: Forget) {
  const { log, store, clock, facts, redact, time_zone, public_url } = deps;
  const { name, files, report } = deps.ports;
  const platforms = createChatPlatforms();
  const channelIndex = createChannelIndex({
    ...deps,
    platforms,
    kept: keptFor(deps.retention.conversation_days),
  });
  const chats = createChats(deps, platforms, channelIndex, forget);
  const { actions: actionsOf } = chats;
  const openings = new StoredOpenings(store, clock);
  const createIndex = deps.createTextIndex;
  const ports = {
    ...deps.ports,
    chats,
    redact,
    time_zone,
    openings,
    offers: createOfferReader(store, facts, clock, (state, namespace) =>
      lackingIn(state, namespace, deps, actionsOf),
    ),
    partUses: new LRUCache<string, PartUses>({ max: maxParts }),
    facts: createPinnedFacts(store),
    conversations: createPastConversations({ log, name, public_url, actionsOf, createIndex, report }),
    rolesOf: createRolesOf(platforms),
    deletions: (place: Place) => log.deletions(place),
    picture: createPictures(files, report),
  };
  return { platforms, channelIndex, openings, ports };
}

/** The parts that accept messages and run their turns. */
function openTurns(deps: AppDeps, channels: ReturnType<typeof openChannels>) {
  const { log, clock, shared } = deps;
  const { platforms, ports: basePorts } = channels;
  const { name, files, folders, models, offers, chats, report } = basePorts;
  const feed = shared === undefined ? new Feed() : new SharedFeed(deps, shared);
  const commands = operationCommands(allOperations);
  const reader = new CommandReader(commands, name);
  const dispatcher = new Dispatcher(deps);
  const { wake } = dispatcher;
  const submit = createSubmit({ ...deps, files, models, offers, feed, reader, wake });
  const follow: Follow = (turnId, afterSeq, signal) => followTurn({ log, feed }, turnId, afterSeq, signal);
  const usage = usageWithJudgements(deps);
  const spending = new Spending({ usage }, deps);
  const control = new TurnControl(deps, dispatcher);
  const schedules = createScheduleService({
    ...deps,
    ...deps.schedules,
    offers,
    folders,
    platforms,
    submit,
    report,
    stop: (turnId, by) => control.stop(turnId, by),
    refusalOf: (person: ChatPerson, place: Place) => refusalOf(deps.chat.access, person, place),
    overBudget: (...given) => spending.exceeded(...given),
  });
  const background = createBackground(deps, submit, control);
  const past = new PastThreads(log);
  const teaching = openTeaching(deps, basePorts, past);
  const ports = { ...basePorts, schedules, background, teaching };
  const describer = createPlaceDescriber({ platforms, clock, shaping: shapingRules, report });
  const whereOf = createWhere(describer, name, chats.actions);
  const runner = new TurnRunner({ ...deps, ports, past, spending, platforms, whereOf });
  return {
    ...channels,
    feed,
    commands,
    reader,
    dispatcher,
    control,
    wake,
    submit,
    follow,
    usage,
    schedules,
    teaching,
    ports,
    past,
    runner,
    spending,
  };
}

type Turns = ReturnType<typeof openTurns>;

/** Runs turns that the dispatcher claims: shown on their platforms, and measured. */
function serveTurns(deps: AppDeps, turns: Turns, services: Services) {
  const { clock, limits, log } = deps;
  const { platforms, dispatcher, commands, reader, runner, spending, submit, schedules, feed, ports } = turns;
  const { name, files, report } = ports;
  const commandRunner = createCommandRunner(commands, services, runner, reader, platforms);
  const measuring = createTurnMeasuring(deps);
  const { question_ms } = limits;
  const presenter = createTurnPresenter({ ...deps, platforms, name, files, question_ms });
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
  const { meter = noMeter } = deps;
  const turns = openTurns(
    deps,
    openChannels(deps, (turnId, by) => services.forget(turnId, by)),
  );
  const services: Services = openServices(deps, turns);
  const { platforms, channelIndex, dispatcher, schedules, feed, ports, spending } = turns;
  let endHearing = async () => {};
  serveTurns(deps, turns, services);
  const app = createSurface(deps, services, turns.reader);
  const listeners = [channelIndex, schedules.watch];
  const judge = createMessageJudge({ ...deps, ...ports, spending, meter });
  const chat: ChatHub = {
    connect(platform) {
      const metered = meteredPlatform(platform, meter);
      platforms.add(metered);
      return createChatIntake({ ...deps, app, platform: metered, policy: deps.chat, listeners, judge });
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
