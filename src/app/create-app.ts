import { LRUCache } from "lru-cache";
import { isInternal } from "../core/log/turn-event.ts";
import type { ClaimedTurn, TurnLog } from "../core/log/turn-log.ts";
import { type ChatPerson, createChatPlatforms } from "../core/ports/chat-platform.ts";
import { type Meter, noMeter, type PartUses } from "../core/ports/model.ts";
import { createOfferReader } from "../core/skill/make-offer.ts";
import { noPackages, noPreparedPackages } from "../core/skill/packages.ts";
import type { Place } from "../core/values/place.ts";
import type { App } from "./app.ts";
import type { AppDeps, RunningApp } from "./app-deps.ts";
import { type ChatHub, meteredPlatform } from "./chat/chat-hub.ts";
import { createChannelIndex } from "./chat/create-channel-index.ts";
import { createChatIntake } from "./chat/create-chat-intake.ts";
import { createTurnPresenter } from "./chat/create-turn-presenter.ts";
import { usageWithJudgements } from "./chat/intake/offer-days.ts";
import { refusalOf } from "./chat/intake/refusal-of.ts";
import { createMessageJudge } from "./chat/judge-message.ts";
import { shapingRules } from "./chat/present/shape-answer.ts";
import { createCommandRunner } from "./commands/command-runner.ts";
import { operationCommands } from "./commands/operation-commands.ts";
import { complete } from "./operations/operation.ts";
import type { Services } from "./operations/services.ts";
import { allOperations, createOperationRunner } from "./operations/table.ts";
import { createPastConversations } from "./reading/past-conversations.ts";
import { createPinnedFacts } from "./reading/pinned-facts.ts";
import { createPlaceDescriber } from "./reading/place-description.ts";
import { createRolesOf } from "./reading/roles-of.ts";
import { createScheduleService } from "./schedules/create-schedules.ts";
import { createApprovals } from "./services/approvals.ts";
import { auditChannel, createAudit } from "./services/audit.ts";
import { createChangeSettings } from "./services/channel-settings.ts";
import { createChats } from "./services/chats.ts";
import { createExportData } from "./services/export-data.ts";
import { createForgetPerson } from "./services/forget-person/forget-person.ts";
import { createForget } from "./services/forgetting.ts";
import { lackingIn } from "./services/lacking-means.ts";
import { createReadiness } from "./services/readiness.ts";
import { createReceipts } from "./services/receipt.ts";
import { createRetention } from "./services/retention.ts";
import { keptFor } from "./services/retention-policy.ts";
import { createSayMessage } from "./services/say-message.ts";
import type { Forget } from "./services/shapes.ts";
import { skillRuns } from "./services/skill-runs.ts";
import { createSkillService } from "./services/skill-service.ts";
import { createStoredAudit } from "./services/stored-audit.ts";
import { openTeaching } from "./services/teaching.ts";
import { createAuditReader, watchForAudit } from "./services/turn-audit.ts";
import { createAskedSkills } from "./turns/asked-skills.ts";
import { createBackground } from "./turns/background.ts";
import { createCommandReader } from "./turns/command-reader.ts";
import { Dispatcher } from "./turns/dispatcher.ts";
import { createFeed, type Feed } from "./turns/feed.ts";
import { attachedFile, createPictures, turnFile } from "./turns/kept-files.ts";
import { interruptedTooOften, maxCrashes } from "./turns/no-start.ts";
import { createOpenings } from "./turns/openings.ts";
import { createPastThreads } from "./turns/past-threads.ts";
import { createPromptPreview } from "./turns/prompt-preview.ts";
import { createReplay } from "./turns/replay/replay-turn.ts";
import { createSharedFeed, type SharedFeed } from "./turns/shared-feed.ts";
import { createSpending, tellSpending } from "./turns/spending.ts";
import { createSubmit } from "./turns/submit.ts";
import { createTurnControl } from "./turns/turn-control.ts";
import { type Follow, followTurn } from "./turns/turn-events.ts";
import { createTurnMeasuring } from "./turns/turn-measure.ts";
import { TurnRunner } from "./turns/turn-runner.ts";
import { createWhere } from "./turns/where.ts";

/** Maximum parts of prompts whose uses are remembered: a few for each active channel. */
const maxParts = 1_000;

/** Channels as turns read them: their skills, their messages and their people. */
function openChannels(deps: AppDeps, forget: Forget) {
  const { log, store, clock } = deps;
  const platforms = createChatPlatforms();
  const kept = keptFor(deps.retention.conversation_days);
  const channelIndex = createChannelIndex({ ...deps, platforms, kept });
  const { name, files, report } = deps.ports;
  const chats = createChats({ ...deps, platforms, name, isIndexed: channelIndex.isOn, forget });
  const ports = {
    ...deps.ports,
    chats,
    offers: createOfferReader(store, deps.facts, clock, (state, namespace) =>
      lackingIn(state, namespace, deps, chats.actions),
    ),
    redact: deps.redact,
    time_zone: deps.time_zone,
    openings: createOpenings(store, clock),
    partUses: new LRUCache<string, PartUses>({ max: maxParts }),
    facts: createPinnedFacts(store),
    conversations: createPastConversations({
      ...deps,
      ...deps.ports,
      createIndex: deps.createTextIndex,
      actionsOf: chats.actions,
    }),
    rolesOf: createRolesOf(platforms),
    deletions: (place: Place) => log.deletions(place),
    picture: createPictures(files, report),
  };
  return { platforms, channelIndex, ports };
}

type Channels = ReturnType<typeof openChannels>;

function openFeed({ shared, ...deps }: AppDeps): SharedFeed {
  const local = createFeed();
  if (shared !== undefined) return createSharedFeed(local, { ...deps, shared });
  return { ...local, start: () => async () => {} };
}

/** The parts that accept messages and run their turns. */
function openTurns(deps: AppDeps, { platforms, ports: basePorts }: Channels) {
  const { log, clock, catalogue } = deps;
  const { name, models, chats, offers, files, folders, report } = basePorts;
  const feed = openFeed(deps);
  const commands = operationCommands(allOperations);
  const reader = createCommandReader(commands, name);
  const asked = createAskedSkills({ catalogue, offers });
  const dispatcher = new Dispatcher({ ...deps, feed });
  const wake = () => dispatcher.wake();
  const submit = createSubmit({ ...deps, files, feed, reader, asked, models, wake });
  const follow: Follow = (turnId, afterSeq, signal) => followTurn(log, feed, turnId, afterSeq, signal);
  const access = (person: ChatPerson, place: Place) => refusalOf(deps.chat.access, person, place);
  const spending = createSpending({ usage: usageWithJudgements(deps) }, deps.store, deps.spending, clock);
  const control = createTurnControl(log, clock, dispatcher);
  const planning = { ...deps, ...deps.schedules, offers, folders, platforms, submit, report };
  const watching = { refusalOf: access, overBudget: spending.exceeded, stop: control.stop };
  const schedules = createScheduleService({ ...planning, ...watching });
  const background = createBackground({ log, submit, control });
  const past = createPastThreads(log);
  const teaching = openTeaching(deps, basePorts, past);
  const ports = { ...basePorts, schedules, background, teaching };
  const describer = createPlaceDescriber({ platforms, clock, shaping: shapingRules, report });
  const whereOf = createWhere(describer, name, chats.actions);
  const runner = new TurnRunner({ ...deps, ports, past, spending, platforms, asked, whereOf });
  return {
    feed,
    commands,
    reader,
    dispatcher,
    control,
    wake,
    submit,
    follow,
    schedules,
    ports,
    past,
    runner,
    spending,
  };
}

type Turns = ReturnType<typeof openTurns>;

/** The services of operations, with those that the app starts and stops itself. */
function openServices(deps: AppDeps, { platforms, channelIndex }: Channels, turns: Turns) {
  const { log, store, packages = noPackages, prepared = noPreparedPackages, servers } = deps;
  const { feed, commands, control, wake, submit, follow, schedules, ports, past, runner, spending } = turns;
  const { name, models, effort, offers, grants, rights, chats, openings, files, folders } = ports;
  const stored = createStoredAudit(store, deps.logger);
  const audit = createAudit({ ...deps, stored, post: auditChannel(deps.chat.audit_channel, platforms) });
  const retention = createRetention({ ...deps, past, files, folders, stored, policy: deps.retention });
  const deleting = { ...ports, ...deps, ...deps.schedules, feed, past, platforms, audit, stop: control.stop };
  const services: Services = {
    ...deps,
    offers,
    packages,
    prepared,
    servers,
    audit,
    feed,
    teaching: ports.teaching,
    skills: createSkillService({ ...deps, prepared, offers, grants, rights }),
    grants,
    submit,
    follow,
    readAudit: createAuditReader(log, stored, deps.clock),
    receipt: createReceipts(log, chats.actions),
    replay: createReplay({ ...ports, ...deps, past, meter: deps.meter ?? noMeter }),
    turns: storedTurns(log, feed),
    folders,
    schedules,
    goals: schedules.goals,
    runs: (filter) => skillRuns(log, filter),
    changeSettings: createChangeSettings({ ...deps, models, most: spending.most }),
    name,
    models,
    spending,
    effort,
    namespaces: (platform) => log.namespaces(platform),
    threads: (namespace) => log.threads(namespace),
    usage: usageWithJudgements(deps),
    control,
    approvals: createApprovals({ ...deps, audit, platforms, wake }),
    channelIndex,
    say: createSayMessage(platforms, chats),
    forget: createForget(deleting),
    forgetPerson: createForgetPerson({ ...ports.means, ...deleting, stored, openings }),
    retention,
    commands,
    preview: createPromptPreview(runner),
  };
  return { services, stored, retention };
}

function storedTurns(log: TurnLog, feed: Feed): Services["turns"] {
  return {
    get: (turnId) => log.get(turnId),
    list: (filter) => log.list(filter),
    async events(turn) {
      const tail = turn.status === "finished" ? [] : feed.tail(turn.turn_id);
      return [...(await log.read(turn.turn_id)), ...tail].filter((event) => !isInternal(event));
    },
  };
}

/** Runs turns that the dispatcher claims: shown on their platforms, and measured. */
function serveTurns(deps: AppDeps, { platforms }: Channels, turns: Turns, services: Services, meter: Meter) {
  const { dispatcher, commands, reader, runner, ports, schedules } = turns;
  const { name, files } = ports;
  const commandRunner = createCommandRunner(commands, services, runner, reader, platforms);
  const measuring = createTurnMeasuring({ ...deps, meter });
  const { question_ms } = deps.limits;
  const presenter = createTurnPresenter({ ...deps, platforms, name, files, question_ms });
  const telling = { ...turns, clock: deps.clock, report: ports.report };
  const run = (claimed: ClaimedTurn, signal: AbortSignal) => {
    if (claimed.crashes >= maxCrashes) return interruptedTooOften(claimed, deps.clock.now());
    return (claimed.inbound.kind === "command" ? commandRunner : runner).run(claimed, signal);
  };
  dispatcher.serve({
    deadlineOf: (claimed) => runner.deadlineOf(claimed),
    run: (claimed, signal, isHeld) => {
      const shown = presenter.around(claimed, (own) => run(claimed, own), signal, isHeld);
      return tellSpending(telling, claimed, schedules.goals.follow(claimed, shown));
    },
    watchers: (claimed) => [
      (event) => runner.countSpending(claimed, event),
      watchForAudit(services.audit, claimed),
      measuring(claimed),
    ],
  });
}

function appOf(deps: AppDeps, { feed, reader, ports }: Turns, opened: ReturnType<typeof openServices>): App {
  const { services, stored } = opened;
  const { files, folders, means, schedules } = ports;
  return {
    name: ports.name,
    model: ports.models.main.id,
    run: createOperationRunner(services),
    reader,
    submit: services.submit,
    turn: services.turns.get,
    turns: services.turns.list,
    events: services.follow,
    exportData: createExportData({ ...deps, ...deps.schedules, stored, knowledge: means.knowledge }),
    file: (turnId, name) => turnFile(files, turnId, name),
    attachment: (turnId, number) => attachedFile({ log: deps.log, files, folders }, turnId, number),
    namespaces: services.namespaces,
    threads: services.threads,
    watch: (namespace, signal) => feed.watch(namespace, signal),
    skills: services.skills,
    hook: (request) => schedules.hooks.take(request),
    commands: services.commands.filter(({ partOf }) => partOf === undefined),
    complete: (text, namespace) => complete(services, text, namespace),
    ready: createReadiness(deps),
  };
}

export function createApp(deps: AppDeps): RunningApp {
  const { meter = noMeter } = deps;
  const channels = openChannels(deps, (turnId, by) => opened.services.forget(turnId, by));
  const turns = openTurns(deps, channels);
  const opened = openServices(deps, channels, turns);
  const { platforms, channelIndex } = channels;
  const { dispatcher, schedules, feed } = turns;
  const { services, stored, retention } = opened;
  let endHearing = async () => {};
  serveTurns(deps, channels, turns, services, meter);
  const app = appOf(deps, turns, opened);
  const listeners = [channelIndex, schedules.watch];
  const judge = createMessageJudge({ ...deps, ...turns.ports, spending: turns.spending, meter });
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
    start({ runsTurns } = { runsTurns: true }) {
      endHearing = feed.start();
      if (runsTurns) dispatcher.start();
      channelIndex.start();
    },
    startSchedules: schedules.clockwork.start,
    startRetention: retention.start,
    async stop(drainMs) {
      await schedules.clockwork.stop();
      await Promise.all([dispatcher.stop(drainMs), retention.stop(), channelIndex.stop()]);
      await schedules.jobs.close();
      await endHearing();
      await stored.settled();
    },
  };
}
