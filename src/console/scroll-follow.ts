/** Keeps the end of a conversation in view while it grows, unless the reader has scrolled up. */
export interface ScrollFollow {
  toLatest(): void;
}

/** Closer than this to the end counts as reading the latest, px. */
const near = 90;

/** `scroller` must stay on the page; `jump` is shown while the end is out of view. */
export function followScroll(scroller: HTMLElement, jump: HTMLElement): ScrollFollow {
  let following = true;
  const toLatest = () => {
    following = true;
    scroller.scrollTop = scroller.scrollHeight;
  };
  const isNearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < near;
  let lastHeight = scroller.scrollHeight;
  const onGrowth = () => {
    if (following) toLatest();
    lastHeight = scroller.scrollHeight;
  };
  scroller.addEventListener(
    "scroll",
    () => {
      // Growth moves the end away without the reader having scrolled.
      if (scroller.scrollHeight === lastHeight) following = isNearEnd();
      jump.hidden = isNearEnd();
    },
    { passive: true },
  );
  const sizes = new ResizeObserver(onGrowth);
  sizes.observe(scroller);
  const watchContent = () => {
    for (const child of scroller.children) sizes.observe(child);
    jump.hidden = isNearEnd();
  };
  new MutationObserver(watchContent).observe(scroller, { childList: true });
  watchContent();
  return { toLatest };
}
