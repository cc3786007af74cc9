// Work that takes longer than a frame, done a few milliseconds at a time so that the page stays alive.

/** Milliseconds of work between two pictures, and between two looks at what was found. */
const SLICE = 9;
const LOOK = 400;

/**
 * Runs `work` to its end; `seen` is called now and then with all that was found so far, and at the end.
 * Returns what stops it, as an effect does.
 */
export function inSlices<Found>(
  work: Generator<Found, void, undefined>,
  seen: (found: Found[], done: boolean) => void,
): () => void {
  const found: Found[] = [];
  let looked = performance.now();
  let handle = requestAnimationFrame(slice);
  function slice(): void {
    const end = performance.now() + SLICE;
    do {
      const next = work.next();
      if (next.done) {
        seen(found.slice(), true);
        return;
      }
      found.push(next.value);
    } while (performance.now() < end);
    if (end > looked + LOOK) {
      looked = end;
      seen(found.slice(), false);
    }
    handle = requestAnimationFrame(slice);
  }
  return () => cancelAnimationFrame(handle);
}
