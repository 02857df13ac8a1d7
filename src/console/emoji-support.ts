/** Marks a page on which emoji would be empty boxes, as on servers without such a font: initials are shown there. */
export function markEmojiSupport(page: Document): void {
  if (!hasColourEmoji(page)) page.documentElement.dataset.emoji = "none";
}

/** Draws one in black: only a font with emoji gives it colour. */
function hasColourEmoji(page: Document): boolean {
  const canvas = page.createElement("canvas");
  canvas.width = 20;
  canvas.height = 20;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return true;
  context.font = "16px sans-serif";
  context.textBaseline = "top";
  context.fillText("🧠", 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value, index) => index % 4 === 0 && Math.abs(value - (data[index + 2] ?? value)) > 24);
}
