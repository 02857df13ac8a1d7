/** The part of pdfmake 0.3 that is used: its published types need those of a browser. https://pdfmake.github.io/docs/0.3/ */
declare module "pdfmake" {
  /** A node of a document definition. */
  export type Content = string | Content[] | { readonly [property: string]: unknown };
  export interface Definition {
    content: Content[];
    footer: (page: number, count: number) => Content;
    [option: string]: unknown;
  }
  const pdfmake: {
    /** Paths of font files by family and style. */
    setFonts(fonts: Readonly<Record<string, Readonly<Record<string, string>>>>): void;
    setUrlAccessPolicy(isAllowed: (url: string) => boolean): void;
    setLocalAccessPolicy(isAllowed: (path: string) => boolean): void;
    createPdf(definition: Definition): { getBuffer(): Promise<Buffer> };
  };
  // biome-ignore lint/style/noDefaultExport: the package has it
  export default pdfmake;
}
