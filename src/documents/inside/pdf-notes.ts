import type { PDFPageProxy } from "unpdf/pdfjs";

/** What pdf.js tells of an annotation, as far as it is read here. */
interface Annotation {
  subtype: string;
  fieldName?: string | undefined;
  alternativeText?: string | undefined;
  /** Of a choice, all that are chosen. */
  fieldValue?: string | readonly string[] | null | undefined;
  checkBox?: boolean | undefined;
  radioButton?: boolean | undefined;
  pushButton?: boolean | undefined;
  password?: boolean | undefined;
  /** The `fieldValue` with which a check box or a radio button is on. */
  exportValue?: string | undefined;
  buttonValue?: string | null | undefined;
  contentsObj?: { str: string } | undefined;
  titleObj?: { str: string } | undefined;
}

/** What people filled in and remarked on a page, as lines: values of fields with their names, and comments with their authors. */
export async function pageNotes(page: PDFPageProxy): Promise<string[]> {
  const annotations: Annotation[] = await page.getAnnotations({ intent: "display" });
  return annotations
    .map((each) => (each.subtype === "Widget" ? fieldLine(each) : commentLine(each)))
    .filter((line) => line !== undefined);
}

/** Undefined for a field that is empty, a radio button that is off, and what is no value to read. */
function fieldLine(field: Annotation): string | undefined {
  const name = field.alternativeText || field.fieldName || "Field";
  if (field.pushButton || field.password) return undefined;
  if (field.checkBox) return `${name}: ${field.fieldValue === field.exportValue ? "checked" : "not checked"}`;
  if (field.radioButton && field.fieldValue !== field.buttonValue) return undefined;
  const value = [field.fieldValue ?? []].flat().join(", ");
  return value.trim() === "" ? undefined : `${name}: ${value}`;
}

function commentLine({ subtype, contentsObj, titleObj }: Annotation): string | undefined {
  const words = contentsObj?.str ?? "";
  if (subtype === "Popup" || subtype === "Link" || words.trim() === "") return undefined;
  return `${titleObj?.str ? `Comment by ${titleObj.str}` : "Comment"}: ${words}`;
}
