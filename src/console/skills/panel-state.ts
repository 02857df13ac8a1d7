import type * as shapes from "../../client/shapes.ts";

export type SkillKind = shapes.SkillListing["kind"];

/** Filter of the list: a kind of skills, or skills that could not be loaded. */
export type PanelFilter = SkillKind | "problems";

/** The state of the skills panel. */
export interface SkillsPanel {
  open: boolean;
  query: string;
  /** Undefined lists all. */
  filter: PanelFilter | undefined;
  skills?: readonly shapes.SkillListing[];
  diagnostics: readonly shapes.SkillList["diagnostics"][number][];
  /** The tool servers (MCP); undefined until they are read. */
  servers?: readonly shapes.ServerStatus[];
  /** The skill shown in full. */
  detailId?: string | undefined;
  detail?: shapes.SkillDetail | undefined;
  /** Its review, or the reason why there is none. */
  review?: { ok: true; value: shapes.PackageReview } | { ok: false; reason: string } | undefined;
  /** Its versions, if it was made in the chat. */
  history?: shapes.TaughtHistory | undefined;
  trial?: Trial | undefined;
  /** The login of the server with this name. */
  login?: { server: string; url: string } | undefined;
  /** Ids of skills and names of servers that are being changed. */
  saving: ReadonlySet<string>;
  problem?: string | undefined;
  /** The last result, e.g. `moon was removed.` */
  note?: string | undefined;
}

/** The form that runs the skill shown. */
export interface Trial {
  /** The problem that prevents the run; `field` is the field to correct. */
  problem?: { text: string; field?: string } | undefined;
  /** Result of the last dry run. */
  dryRun?: shapes.FlowResult | undefined;
}

/** The source of a package, as the person gave it. */
export type PackageChoice = { kind: "address"; address: string } | { kind: "file"; file: File };

/** The stages of an installation. Each may have the problem that stopped it. */
export type Installing = { problem?: string | undefined } & (
  | { stage: "choosing"; address: string }
  /** `skills` are 0 until the package is unpacked. */
  | { stage: "reviewing"; choice: PackageChoice; reviewed: number; skills: number }
  | {
      stage: "reviewed" | "installing";
      choice: PackageChoice;
      content: shapes.PackageContent;
      /** Ids of the skills that will be installed. */
      chosen: ReadonlySet<string>;
    }
  | {
      stage: "installed";
      installed: readonly shapes.InstalledPackage[];
      /** State of the skills that were enabled here, by id. */
      enabled: ReadonlyMap<string, "on" | "saving">;
    }
);

export const emptyPanel: SkillsPanel = {
  open: false,
  query: "",
  filter: undefined,
  diagnostics: [],
  saving: new Set(),
};

export const nothingChosen: Installing = { stage: "choosing", address: "" };
