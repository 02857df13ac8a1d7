/** An element of a parsed page, as far as reading it needs. The project has no DOM library types: it runs on Node. */
export interface PageElement {
  readonly nodeName: string;
  readonly className: string;
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement> & { readonly length: number };
}

/** A parsed page. */
export interface PageDocument extends Omit<PageElement, "remove"> {
  readonly body: PageElement;
}
