// Fits for many values of nu (or another parameter), a few at a time, kept up to date with the state.
import { inSlices } from "./slices";

/**
 * What `work` yields, as it comes in, and until then what the last one has; begun anew when what `work` reads while it is made changes.
 * `work` returns null when there is nothing to do.
 */
export function scanned<Found>(work: () => Generator<Found, void, undefined> | null): { readonly found: Found[]; readonly done: boolean } {
  let found = $state.raw<Found[]>([]);
  let done = $state(false);
  $effect(() => {
    const going = work();
    done = false;
    if (!going) {
      found = [];
      return;
    }
    return inSlices(going, (all, ended) => {
      found = all;
      done = ended;
    });
  });
  return {
    get found() {
      return found;
    },
    get done() {
      return done;
    },
  };
}
