import { describe, expect, test } from "vitest";
import type { FormField, SkillForm } from "../../../../src/app/chat/skill-form.ts";
import { skillRunCommand } from "../../../../src/app/services/run-skill-now.ts";
import {
  modalValues,
  skillModal,
  skillOfModal,
} from "../../../../src/platforms/discord/incoming/skill-modal.ts";

const field = (name: string, more: Partial<FormField> = {}): FormField => ({
  name,
  label: name,
  description: "",
  kind: "text",
  required: false,
  ...more,
});
const form = (fields: FormField[]): SkillForm => ({
  skill_id: "weather#city",
  title: `Run ${"w".repeat(60)}`,
  summary: "Tells the weather",
  fields,
  command: () => ({ ok: true, ...skillRunCommand("weather#city", {}) }),
});
const input = (custom_id: string, value: string) => ({ type: 18, component: { type: 4, custom_id, value } });

describe("a form", () => {
  test("a form is a modal with a field for each parameter, choices as a menu", () => {
    const modal = skillModal(
      form([
        field("city", { required: true, default: "Bonn" }),
        field("unit", { kind: "choice", choices: ["C", "F"] }),
      ]),
    );
    expect(modal.title).toHaveLength(45);
    expect(skillOfModal(modal.custom_id)).toBe("weather#city");
    expect(modal.components).toMatchObject([
      { type: 18, component: { type: 4, custom_id: "city", required: true, value: "Bonn" } },
      { type: 18, component: { type: 3, custom_id: "unit", options: [{ value: "C" }, { value: "F" }] } },
    ]);
  });

  test("a form of more than five parameters keeps the required ones, and takes the rest as JSON", () => {
    const fields = ["a", "b", "c", "d", "e", "f"].map((name) => field(name, { required: name === "f" }));
    const { components } = skillModal(form(fields));
    expect(components).toHaveLength(5);
    expect(components[0]).toMatchObject({ component: { custom_id: "f" } });
    expect(components[4]).toMatchObject({ description: "Any of: d, e" });
  });
});

describe("what was filled in", () => {
  test("a filled-in form is read from labels, menus and the older rows, without empty fields", () => {
    const menu = { type: 18, component: { type: 3, custom_id: "unit", values: ["F"] } };
    const row = { type: 1, components: [{ type: 4, custom_id: "old", value: "x" }] };
    expect(modalValues([input("city", "Bonn"), menu, row, input("none", "")])).toEqual({
      ok: true,
      values: { city: "Bonn", unit: "F", old: "x" },
    });
  });

  test("a filled-in form may have valid JSON in its last field", () => {
    const more = (value: string) => modalValues([input("a", "1"), input("knack-more", value)]);
    expect(more('{"b": [1], "c": "x", "a": "2"}')).toEqual({
      ok: true,
      values: { a: "1", b: "[1]", c: "x" },
    });
    expect(more("[1]").ok).toBe(false);
    expect(more("b=1").ok).toBe(false);
  });
});
