// The last value of a function, kept until one of its arguments is another: a picture is painted anew more often than it changes.

export function remembered<Given extends readonly unknown[], Value>(make: (...given: Given) => Value): (...given: Given) => Value {
  let last: { given: Given; value: Value } | null = null;
  return (...given) => {
    if (!last || given.some((one, k) => one !== last!.given[k])) last = { given, value: make(...given) };
    return last.value;
  };
}
