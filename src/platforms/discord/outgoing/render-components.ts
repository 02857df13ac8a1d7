import type {
  APIActionRowComponent,
  APIComponentInMessageActionRow,
  APIMessage,
  APIMessageTopLevelComponent,
} from "discord.js";
import { ComponentType } from "discord-api-types/v10";
import { cutText } from "../../../base/markdown-text.ts";
import {
  type ButtonAction,
  type OutgoingButton,
  readButtonId,
  writeButtonId,
} from "../../../core/ports/chat-platform.ts";

type Row = APIActionRowComponent<APIComponentInMessageActionRow>;

/** More choices than this become a menu. A row holds five buttons. */
const maxChoiceButtons = 5;
/** Source: Discord reference, "String Select". */
const maxOptions = 25;

/** Id of the menu of a question. The value of a choice is the id that its button would have. */
const menuId = "choose";
/** Id of the menu of further actions on an answer. */
const moreId = "more";

/** Buttons in rows of five; a question with more than five choices is a menu, of the first 25. */
export function renderComponents(buttons: readonly OutgoingButton[]): Row[] {
  const choices = buttons.filter(({ action }) => action.role === "answer");
  if (choices.length <= maxChoiceButtons) return buttonRows(buttons);
  const others = buttons.filter((button) => !choices.includes(button));
  return [menu(menuId, "Choose an answer", choices.slice(0, maxOptions)), ...buttonRows(others).slice(0, 4)];
}

/**
 * An answer as components: its text alone, or a container with the text, pictures, files, feedback buttons and a menu of the
 * other actions.
 * @param names names of the attached files
 */
export function renderAnswer(
  text: string,
  names: readonly string[],
  buttons: readonly OutgoingButton[],
): APIMessageTopLevelComponent[] {
  const words = text === "" ? [] : [{ type: ComponentType.TextDisplay, content: text }];
  if (names.length === 0 && buttons.length === 0) return words as APIMessageTopLevelComponent[];
  const behind = buttons.filter(({ menu }) => menu);
  const hasMenu = behind.length > 1;
  const media = (name: string) => ({ url: `attachment://${name}` });
  const pictures = names.filter((name) => picture.test(name));
  const others = names.filter((name) => !picture.test(name));
  const components = [
    ...words,
    ...(pictures.length === 0
      ? []
      : [{ type: ComponentType.MediaGallery, items: pictures.map((name) => ({ media: media(name) })) }]),
    ...others.map((name) => ({ type: ComponentType.File, file: media(name) })),
    ...buttonRows(hasMenu ? buttons.filter((each) => !each.menu) : buttons),
    ...(hasMenu ? [menu(moreId, "More…", behind)] : []),
  ];
  return [{ type: ComponentType.Container, components }] as APIMessageTopLevelComponent[];
}

/** Kinds of pictures that a gallery shows. Source: Discord reference, "Media Gallery". */
const picture = /\.(?:png|jpe?g|gif|webp)$/i;

function menu(custom_id: string, placeholder: string, choices: readonly OutgoingButton[]): Row {
  const options = choices.map(({ action, label }) => ({
    value: writeButtonId(action),
    label: labelOf(label, 100),
  }));
  return {
    type: ComponentType.ActionRow,
    components: [{ type: ComponentType.StringSelect, custom_id, placeholder, options }],
  } as Row;
}

function buttonRows(buttons: readonly OutgoingButton[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < Math.min(buttons.length, 25); at += 5) {
    const components = buttons.slice(at, at + 5).map(({ action, label, style }) => ({
      type: ComponentType.Button,
      custom_id: writeButtonId(action),
      label: labelOf(label, 80),
      style: style === "primary" ? 1 : style === "danger" ? 4 : 2,
    }));
    rows.push({ type: ComponentType.ActionRow, components } as Row);
  }
  return rows;
}

/** The actions of a message's buttons and menus. */
export function actionsIn({ components = [] }: Pick<APIMessage, "components">): ButtonAction[] {
  return components
    .flatMap((component) => (component.type === ComponentType.Container ? component.components : [component]))
    .flatMap((row) => (row.type === ComponentType.ActionRow ? row.components : []))
    .flatMap((component) => {
      if ("options" in component) return component.options.map(({ value }) => value);
      return "custom_id" in component ? component.custom_id : [];
    })
    .flatMap((id) => readButtonId(id) ?? []);
}

function labelOf(label: string, most: number): string {
  const text = label.trim() || "…";
  return cutText(text, most);
}
