import type { PackageContent, PackageLocation } from "../../client/shapes.ts";
import type { Session } from "../state/session.ts";
import type { ConsoleStore } from "../state/state.ts";
import { type Installing, nothingChosen, type PackageChoice } from "./panel-state.ts";
import type { SkillActions } from "./skill-actions.ts";

/** Interval between two looks at a review, ms. */
const lookIntervalMs = 1_000;

const ignored = () => undefined;

export type InstallActions = ReturnType<typeof createInstallActions>;

/** Installs skills: a package is reviewed first, and exactly the reviewed files are installed. */
export function createInstallActions(
  store: ConsoleStore,
  session: Session,
  skills: Pick<SkillActions, "refresh">,
) {
  const get = () => store.get().installing;
  const set = (installing: Installing) => store.set({ installing });

  const review = async (choice: PackageChoice) => {
    let shown: Installing = { stage: "reviewing", choice, reviewed: 0, skills: 0 };
    set(shown);
    const watch = setInterval(async () => {
      const seen = await session.call("package.progress", {}, ignored);
      const own = seen?.running.find(({ from }) => from === nameOf(choice));
      if (own === undefined || get() !== shown) return;
      shown = { stage: "reviewing", choice, reviewed: own.reviewed, skills: own.skills };
      set(shown);
    }, lookIntervalMs);
    const reviewed = await session.call(
      "package.review",
      locationOf(choice),
      ({ detail }) => get() === shown && set(chosen(choice, detail)),
    );
    clearInterval(watch);
    if (get() !== shown) return;
    if (reviewed === undefined) set(chosen(choice));
    else {
      set({ stage: "reviewed", choice, content: reviewed, chosen: idsOf(reviewed) });
      for (const hash of reviewed.opinions ?? []) void addOpinion(choice, hash);
    }
  };
  /** The facts are shown at once; what a model says of a guide is added when it has read it. */
  const addOpinion = async (choice: PackageChoice, hash: string) => {
    const opinion = await session.call("package.opinion", { hash }, ignored);
    const now = get();
    if (now.stage !== "reviewed" || now.choice !== choice) return;
    const reviews = now.content.reviews.map((review) =>
      review.hash === hash && opinion !== undefined
        ? { ...review, findings: [...review.findings, opinion] }
        : review,
    );
    const opinions = now.content.opinions?.filter((each) => each !== hash);
    set({ ...now, content: { ...now.content, reviews, opinions } });
  };

  return {
    /** Opens the dialog; with a file, the review begins at once. */
    begin(file?: File) {
      store.set({ dialog: "install", installing: nothingChosen });
      if (file !== undefined) void review({ kind: "file", file });
    },
    review: (choice: PackageChoice) => void review(choice),
    /** Goes back to the choice, even during a review. */
    chooseAgain() {
      const now = get();
      set("choice" in now ? chosen(now.choice) : nothingChosen);
    },
    /** Shows why the choice is not a package, e.g. a folder. */
    refuse: (problem: string) => set({ ...nothingChosen, problem }),
    /** Takes skills of the reviewed package, or leaves them. */
    choose(ids: readonly string[], isWanted: boolean) {
      const now = get();
      if (now.stage !== "reviewed") return;
      const wanted = new Set(now.chosen);
      for (const id of ids) {
        if (isWanted) wanted.add(id);
        else wanted.delete(id);
      }
      set({ ...now, chosen: wanted });
    },
    async install() {
      const now = get();
      if (now.stage !== "reviewed") return;
      const { choice, content } = now;
      const installing: Installing = { ...now, stage: "installing", problem: undefined };
      set(installing);
      const wanted = content.reviews.filter(({ skill_id }) => now.chosen.has(skill_id));
      const expected = wanted.map(({ hash }) => hash);
      const only = wanted.length === content.reviews.length ? undefined : [...now.chosen];
      const done = await session.call(
        "package.install",
        { ...locationOf(choice), only, expected },
        ({ detail }) => get() === installing && set({ ...now, problem: detail }),
      );
      if (done !== undefined) skills.refresh();
      if (get() !== installing) return;
      set(done === undefined ? now : { stage: "installed", ...done, enabled: new Map() });
    },
    /** Turns an installed skill on in the open channel. */
    async enable(id: string) {
      const mark = (state: "on" | "saving" | undefined, problem?: string) => {
        const now = get();
        if (now.stage !== "installed") return;
        const enabled = new Map(now.enabled);
        if (state === undefined) enabled.delete(id);
        else enabled.set(id, state);
        set({ ...now, enabled, problem });
      };
      mark("saving");
      const { namespace } = store.get().open;
      const listing = await session.call("skill.set", { ns: namespace, id, state: "pinned" }, ({ detail }) =>
        mark(undefined, detail),
      );
      if (listing !== undefined) mark("on");
      skills.refresh();
    },
  };
}

function chosen(choice: PackageChoice, problem?: string): Installing {
  return { stage: "choosing", address: choice.kind === "address" ? choice.address : "", problem };
}

/** The source as progress names it. */
function nameOf(choice: PackageChoice): string {
  return choice.kind === "file" ? choice.file.name : choice.address;
}

function locationOf(choice: PackageChoice): PackageLocation {
  if (choice.kind === "file") return { file: choice.file };
  return isPath(choice.address) ? { path: choice.address } : { url: choice.address };
}

/** A path on the bot's machine: `/…`, `C:\…`; `/plugin …` is a command of another agent. */
function isPath(address: string): boolean {
  return /^(\/(?!plugin\s)|[A-Za-z]:[\\/])/.test(address);
}

function idsOf({ reviews }: PackageContent): Set<string> {
  return new Set(reviews.map(({ skill_id }) => skill_id));
}
