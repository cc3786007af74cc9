// Work that takes longer than a frame, done a few milliseconds at a time so that the page stays alive.

/** Milliseconds of work between two pictures. */
const SLICE = 9;

/**
 * Runs `work` to its end; `seen` is called after each slice with all that was found so far.
 * Returns what stops it, as an effect does.
 */
export function inSlices<Found>(
  work: Generator<Found, void, undefined>,
  seen: (found: Found[], done: boolean) => void,
): () => void {
  const found: Found[] = [];
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
    seen(found.slice(), false);
    handle = requestAnimationFrame(slice);
  }
  return () => cancelAnimationFrame(handle);
}
